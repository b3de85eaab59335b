/**
 * The sockets of the stand-in. One speaks https, because no Azure client sends a token over http: ARM, the token endpoint
 * and the prices. The other speaks plain http, because managed identities do; what stands outside of Azure is there, too.
 */
import type { Ids } from '../../shared/base/runtime.ts';
import type { KeyAndCertificate } from '../kit/self-signed.ts';
import { decodePath, parseJson, type StandInOptions, type StandInRequest, StandInServer } from '../kit/server.ts';
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
  readonly #secure: StandInServer<Answer>;
  readonly #plain: StandInServer<Answer>;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    const { ids, latencyMs, log, certificate } = parts;
    const options = (secure: boolean): StandInOptions<Answer> => ({
      latencyMs,
      log,
      refusals: {
        foreignHost: wrapped(403, {
          code: 'Forbidden',
          message: 'the stand-in for Azure only accepts requests to localhost',
        }),
        tooLarge: wrapped(413, { code: 'RequestTooLarge', message: 'The body is too large.' }),
        broken: wrapped(500, { code: 'InternalServerError', message: 'internal error of the stand-in for Azure' }),
      },
      toHttp: ({ status, headers, body }) => ({ status, headers: { ...headers, 'x-ms-request-id': ids.next() }, body }),
      reply: (request) => this.#reply(request, secure),
    });
    this.#secure = new StandInServer({ ...options(true), certificate });
    this.#plain = new StandInServer(options(false));
  }

  /** Where ARM is, and where managed identities and the controls are. */
  async listen(port: number, controlPort: number): Promise<{ port: number; controlPort: number }> {
    const taken = await this.#secure.listen(port);
    try {
      return { port: taken, controlPort: await this.#plain.listen(controlPort) };
    } catch (error) {
      void this.#secure.close();
      throw error;
    }
  }

  /** Faults strike ARM only. */
  held(count: number): Promise<void> {
    return this.#secure.held(count);
  }

  async close(): Promise<void> {
    await Promise.all([this.#secure.close(), this.#plain.close()]);
  }

  #reply(request: StandInRequest, secure: boolean): Reply | Promise<Reply> {
    const { api, control: parts, entra, prices } = this.#parts;
    const { method, query, body: text } = request;
    const path = decodePath(request.path).replace(/(?<=.)\/$/, '');
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
    { headers }: StandInRequest,
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
}
