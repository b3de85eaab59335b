/**
 * The HTTP server of every stand-in: on loopback only, with bounded bodies, and with connections that misbehave when a fault wants it.
 * Faults cut and hold sockets, which is below what a framework for routes shows; so it is on node:http itself.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import { TLSSocket } from 'node:tls';
import { isForLoopback } from '../../shared/net/loopback.ts';
import { HeldRequests } from './held-requests.ts';
import type { KeyAndCertificate } from './self-signed.ts';

/** What becomes of a request. */
export type Reply<Answer> =
  | { do: 'answer'; answer: Answer; delayMs: number }
  | { do: 'reset' }
  | { do: 'hold'; holdMs: number | undefined };

/** An answer without any fault. */
export const answered = <Answer>(answer: Answer): Reply<Answer> => ({ do: 'answer', answer, delayMs: 0 });

export interface StandInRequest {
  method: string;
  /** As it was sent, without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Empty where there is none. */
  body: string;
}

export interface StandInOptions<Answer> {
  reply(request: StandInRequest): Reply<Answer> | Promise<Reply<Answer>>;
  /** In the words of the one that it stands in for. */
  refusals: { foreignHost: Answer; tooLarge: Answer; broken: Answer };
  toHttp(answer: Answer): { status: number; headers: Record<string, string | number>; body: string };
  /** Real milliseconds before each answer. */
  latencyMs: number;
  log: (message: string, fields: Record<string, unknown>) => void;
  largestBody?: number;
  /** With it the server speaks https. */
  certificate?: KeyAndCertificate;
}

const usualLargestBody = 1024 * 1024;

export class StandInServer<Answer> {
  readonly #options: StandInOptions<Answer>;
  readonly #server: Server | SecureServer;
  readonly #held = new HeldRequests();

  constructor(options: StandInOptions<Answer>) {
    this.#options = options;
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      this.#respond(request, response).catch((error: unknown) => {
        options.log('a request failed', { error });
        if (!response.headersSent) this.#send(response, options.refusals.broken);
      });
    };
    // Clients keep their connections for as long as they like: one that we close while it is reused looks like a fault.
    const patient = { keepAliveTimeout: 0, requestTimeout: 0 };
    const { certificate } = options;
    this.#server =
      certificate === undefined
        ? createServer(patient, listener)
        : createSecureServer({ ...patient, key: certificate.key, cert: certificate.cert }, listener);
  }

  /** 0 takes a free port. Resolves with the port. */
  listen(port: number): Promise<number> {
    return openOnLoopback(this.#server, port);
  }

  /** Resolves when so many requests, counted from the start, were left without an answer. */
  held(count: number): Promise<void> {
    return this.#held.reached(count);
  }

  close(): Promise<void> {
    return closeServer(this.#server);
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { refusals, latencyMs } = this.#options;
    // A web page whose name was made to point here still names itself (DNS rebinding).
    if (!isForLoopback(request)) return this.#send(response, refusals.foreignHost);
    const reply = await this.#reply(request);
    if (reply.do === 'reset') return cut(request);
    if (reply.do === 'hold') return this.#held.hold(response, reply.holdMs);
    const delayMs = reply.delayMs + latencyMs;
    if (delayMs === 0) return this.#send(response, reply.answer);
    const timer = setTimeout(() => this.#send(response, reply.answer), delayMs);
    response.once('close', () => clearTimeout(timer));
  }

  async #reply(request: IncomingMessage): Promise<Reply<Answer>> {
    const { largestBody = usualLargestBody, refusals, reply } = this.#options;
    const body = hasBody(request) ? await readBody(request, largestBody) : '';
    if (body === undefined) return answered(refusals.tooLarge);
    const { url = '/', method = 'GET', headers } = request;
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    return reply({ method, path, query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)), headers, body });
  }

  #send(response: ServerResponse, answer: Answer): void {
    const { status, headers, body } = this.#options.toHttp(answer);
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
  }
}

/** Listens on loopback; 0 takes a free port. Resolves with the port. */
export function openOnLoopback(server: Server | SecureServer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

export async function closeServer(server: Server | SecureServer): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/** A secure socket can't be reset; for its client, one that is cut in the middle of a request looks the same. */
function cut({ socket }: IncomingMessage): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** Undefined when it is too large. */
async function readBody(request: IncomingMessage, largest: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > largest) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Undefined when it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** As it is when it can't be decoded. */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
