/**
 * The sockets of the stand-in. One speaks https, because no Azure client sends a token over http: ARM, the token endpoint
 * and the prices. The other speaks plain http, because managed identities do; what stands outside of Azure is there, too.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { Ids } from '../../shared/base/runtime.ts';
import { isLoopbackHost } from '../../shared/net/loopback.ts';
import { HeldRequests } from '../kit/held-requests.ts';
import { closeServers, decodePath, openOnLoopback, parseJson, readBody } from '../kit/loopback-server.ts';
import type { KeyAndCertificate } from '../kit/self-signed.ts';
import { type Answer, wrapped } from './answer.ts';
import { type ArmApi, type ArmRequest, now, type Reply } from './api.ts';
import { type ControlParts, control } from './control.ts';
import type { Entra } from './identity/entra.ts';

interface ServerParts {
  api: ArmApi;
  entra: Entra;
  control: ControlParts;
  prices: (query: URLSearchParams) => Answer;
  certificate: KeyAndCertificate;
  ids: Ids;
  /** Real milliseconds before each answer. */
  latencyMs: number;
  log: (message: string, fields: Record<string, unknown>) => void;
}

export class AzureServer {
  readonly #parts: ServerParts;
  readonly #secure: SecureServer;
  readonly #plain: Server;
  readonly #held = new HeldRequests();

  constructor(parts: ServerParts) {
    this.#parts = parts;
    // Clients keep their connections for as long as they like: one that we close while it is reused looks like a fault.
    const patient = { keepAliveTimeout: 0, requestTimeout: 0 };
    const listener = (secure: boolean) => (request: IncomingMessage, response: ServerResponse) => {
      this.#respond(request, response, secure).catch((error: unknown) => {
        parts.log('a request failed', { error });
        const problem = { code: 'InternalServerError', message: 'the stand-in for Azure is broken' };
        if (!response.headersSent) this.#send(response, wrapped(500, problem));
      });
    };
    const { key, cert } = parts.certificate;
    this.#secure = createSecureServer({ ...patient, key, cert }, listener(true));
    this.#plain = createServer(patient, listener(false));
  }

  /** Where ARM is, and where managed identities and the controls are. */
  async listen(port: number, controlPort: number): Promise<{ port: number; controlPort: number }> {
    const taken = await openOnLoopback(this.#secure, port);
    try {
      return { port: taken, controlPort: await openOnLoopback(this.#plain, controlPort) };
    } catch (error) {
      this.#secure.close();
      throw error;
    }
  }

  held(count: number): Promise<void> {
    return this.#held.reached(count);
  }

  async close(): Promise<void> {
    await closeServers([this.#secure, this.#plain]);
  }

  async #respond(request: IncomingMessage, response: ServerResponse, secure: boolean): Promise<void> {
    // A web page whose name was made to point here still names itself (DNS rebinding).
    if (!isLoopbackHost(request.headers.host)) {
      return this.#send(response, wrapped(403, { code: 'Forbidden', message: 'this is for loopback only' }));
    }
    const reply = await this.#reply(request, secure);
    // A secure socket can't be reset; for its client, one that is cut in the middle of a request looks the same.
    if (reply.do === 'reset') return void request.socket.destroy();
    if (reply.do === 'hold') return this.#held.hold(response, reply.holdMs);
    const delayMs = reply.delayMs + this.#parts.latencyMs;
    if (delayMs === 0) return this.#send(response, reply.answer);
    const timer = setTimeout(() => this.#send(response, reply.answer), delayMs);
    response.once('close', () => clearTimeout(timer));
  }

  async #reply(request: IncomingMessage, secure: boolean): Promise<Reply> {
    const { api, control: parts, entra, prices } = this.#parts;
    const url = new URL(request.url ?? '/', 'https://127.0.0.1');
    const text = await readBody(request);
    if (text === undefined) return now(wrapped(413, { code: 'RequestTooLarge', message: 'The body is too large.' }));
    const method = request.method ?? 'GET';
    const path = decodePath(url.pathname).replace(/(?<=.)\/$/, '');
    const { searchParams: query } = url;
    const controlled = control(parts, method, path, query, parseJson(text));
    if (controlled !== undefined) return now(controlled);
    if (!secure) {
      const answer = this.#managedIdentity(method, path, query, request);
      return now(answer ?? wrapped(404, { code: 'NotFound', message: `there is no ${method} ${path} here` }));
    }
    if (/^\/subscriptions(\/|$)/i.test(path)) {
      const arm: ArmRequest = { method, path, query, headers: request.headers, body: parseJson(text) };
      return api.handle(arm);
    }
    if (path === '/api/retail/prices' && method === 'GET') {
      api.count('prices.list');
      return api.strike({ kind: 'prices.list', operation: 'types', subject: {}, perform: () => prices(query) });
    }
    return now(this.#entra(entra, method, path, text));
  }

  #managedIdentity(
    method: string,
    path: string,
    query: URLSearchParams,
    { headers }: IncomingMessage,
  ): Answer | undefined {
    if (method !== 'GET') return undefined;
    const { api, entra } = this.#parts;
    if (path === '/metadata/identity/oauth2/token') {
      api.count('tokens');
      return entra.machineToken(query, headers.metadata as string | undefined);
    }
    if (path !== '/msi/token') return undefined;
    api.count('tokens');
    return entra.appToken(query, headers['x-identity-header'] as string | undefined);
  }

  #entra(entra: Entra, method: string, path: string, body: string): Answer {
    const [, tenant = '', ...rest] = path.split('/');
    switch (`${method} ${rest.join('/')}`) {
      case 'GET discovery/instance':
        return entra.discovery();
      case 'GET v2.0/.well-known/openid-configuration':
        return entra.openIdConfiguration(tenant);
      case 'POST oauth2/v2.0/token':
        this.#parts.api.count('tokens');
        return entra.token(tenant, new URLSearchParams(body));
      default:
        return wrapped(404, { code: 'NotFound', message: `there is no ${method} ${path}` });
    }
  }

  #send(response: ServerResponse, { status, headers, body }: Answer): void {
    response
      .writeHead(status, {
        ...headers,
        'content-length': Buffer.byteLength(body),
        'x-ms-request-id': this.#parts.ids.next(),
      })
      .end(body);
  }
}
