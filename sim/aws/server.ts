/** The one socket of the stand-in: plain http, for all services and for the controls. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Ids } from '../../shared/base/runtime.ts';
import { isLoopbackHost } from '../../shared/net/loopback.ts';
import { HeldRequests } from '../kit/held-requests.ts';
import { closeServers, decodePath, openOnLoopback, parseJson, readBody } from '../kit/loopback-server.ts';
import type { AwsApi, Reply } from './api.ts';
import { type ControlParts, control } from './control.ts';
import { type Answer, plain } from './wire/answer.ts';

interface ServerParts {
  api: AwsApi;
  control: ControlParts;
  ids: Ids;
  /** Real milliseconds before each answer. */
  latencyMs: number;
  log: (message: string, fields: Record<string, unknown>) => void;
}

export class AwsServer {
  readonly #parts: ServerParts;
  readonly #server: Server;
  readonly #held = new HeldRequests();

  constructor(parts: ServerParts) {
    this.#parts = parts;
    // Clients keep their connections for as long as they like: one that we close while it is reused looks like a fault.
    this.#server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (request, response) => {
      this.#respond(request, response).catch((error: unknown) => {
        parts.log('a request failed', { error });
        if (!response.headersSent) this.#send(response, plain(500, { message: 'the stand-in for AWS is broken' }));
      });
    });
  }

  listen(port: number): Promise<number> {
    return openOnLoopback(this.#server, port);
  }

  held(count: number): Promise<void> {
    return this.#held.reached(count);
  }

  close(): Promise<void> {
    return closeServers([this.#server]);
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A web page whose name was made to point here still names itself (DNS rebinding).
    if (!isLoopbackHost(request.headers.host)) {
      return this.#send(response, plain(403, { message: 'this is for loopback only' }));
    }
    const reply = await this.#reply(request);
    if (reply.do === 'reset') return void request.socket.resetAndDestroy();
    if (reply.do === 'hold') return this.#held.hold(response, reply.holdMs);
    const delayMs = reply.delayMs + this.#parts.latencyMs;
    if (delayMs === 0) return this.#send(response, reply.answer);
    const timer = setTimeout(() => this.#send(response, reply.answer), delayMs);
    response.once('close', () => clearTimeout(timer));
  }

  async #reply(request: IncomingMessage): Promise<Reply> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const body = await readBody(request);
    const now = (answer: Answer): Reply => ({ do: 'answer', answer, delayMs: 0 });
    if (body === undefined) return now(plain(413, { message: 'the body is too large' }));
    const method = request.method ?? 'GET';
    const path = decodePath(url.pathname);
    // What is signed is meant for AWS, whatever its path.
    if (request.headers.authorization === undefined) {
      const controlled = control(this.#parts.control, method, path, url.searchParams, parseJson(body));
      if (controlled !== undefined) return now(controlled);
    }
    return this.#parts.api.handle({ method, path, headers: request.headers, body });
  }

  #send(response: ServerResponse, { status, contentType, body }: Answer): void {
    response
      .writeHead(status, {
        'content-type': contentType,
        'content-length': Buffer.byteLength(body),
        'x-amzn-requestid': this.#parts.ids.next(),
      })
      .end(body);
  }
}
