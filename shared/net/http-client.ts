/**
 * A small JSON-over-HTTP client on node:http and node:https: kept-alive sockets, hard time limits, and failures as values
 * that say whether the server may have seen the request. It adds as little as it can to a bare call.
 *
 * @example
 * const client = createHttpClient({ baseUrl: 'http://127.0.0.1:8080', userAgent: 'poolwright' });
 * const answer = await client.request({ method: 'GET', path: '/instances', timeoutMs: 10_000 });
 * if (answer.ok && answer.status === 200) use(answer.json());
 * client.close();
 */

import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import { defined } from '../base/defined.ts';
import type { Json } from '../base/json.ts';
import { nodeHttp, nodeHttps } from '../base/node-modules.ts';
import { type Clock, systemClock } from '../base/runtime.ts';
import { rememberSecret } from '../base/secrets/known-secrets.ts';
import { rememberHeader, rememberUrl } from '../base/secrets/remember-parts.ts';
import { plainLine } from '../base/text.ts';
import { createAgents, type HttpAgents, type TlsIdentity } from './http-agents.ts';
import { type BodyLimits, readBody } from './http-body.ts';
import { type LineStreamEnd, type LineStreamOptions, readLines } from './http-lines.ts';

export interface HttpClientOptions {
  /** Scheme, host, port and, where a proxy wants one, a path that is put before every request's path. */
  baseUrl: string;
  /** Sent with every request. Names in lower case. */
  headers?: Record<string, string | string[]>;
  /** How many connections may be open at once (streams not counted); further requests wait for one. */
  maxSockets?: number;
  /** PEM texts: whom to trust, and who we are. */
  ca?: string;
  cert?: string;
  key?: string;
  /** Instead of ca, cert and key where they change: asked before every request; another object means new connections. */
  tls?: () => TlsIdentity;
  /** An HTTP proxy that opens tunnels; its URL may hold a user and a password. */
  proxy?: string;
  /** How long a connection may take to stand (default 10 s), within the time of the whole exchange. */
  connectTimeoutMs?: number;
  /** Asked before every request, so that a token can be renewed while the client lives. */
  token?: () => string | undefined;
  userAgent: string;
  /** A longer answer is refused, so that a broken server can't fill the memory. */
  maxResponseBytes?: number;
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type HttpQuery = Record<string, string | number | boolean | undefined>;

export interface HttpRequest {
  method: HttpMethod;
  /** Starts with a slash; its parts are already percent-encoded. */
  path: string;
  query?: HttpQuery | undefined;
  /** Names in lower case. */
  headers?: Record<string, string> | undefined;
  /** Text and bytes are sent as they are; anything else as JSON. Content-Type is application/json unless `headers` says otherwise. */
  body?: Json | Uint8Array | undefined;
  /** On a connection of its own: a write that must not meet one that the server is just closing, because then nobody knows whether it was done. */
  freshConnection?: boolean | undefined;
  /** For the whole exchange, the wait for a free connection included. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  ok: true;
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body as JSON, or undefined when it is none. */
  json(): Json | undefined;
}

export interface HttpFailure {
  ok: false;
  /** Whether the server may have seen the request. False is certain: nothing of it left this machine. */
  sent: boolean;
  aborted: boolean;
  timedOut: boolean;
  /** What the system or the TLS library calls it. */
  code?: string;
  /** Names method, host and path, never headers, query or body. */
  message: string;
}

/** Any status is an answer; `ok: false` means that there was none. */
export type HttpAnswer = HttpResponse | HttpFailure;

export interface HttpClient {
  request(request: HttpRequest): Promise<HttpAnswer>;
  /** A GET whose answer comes line by line for as long as both sides like, on a connection of its own. */
  stream(request: HttpStreamRequest, onLine: (line: string) => void | Promise<void>): Promise<HttpStreamEnd>;
  /** Ends what is under way and closes the connections. What is asked afterwards fails, unsent. */
  close(): void;
}

export interface HttpStreamRequest extends LineStreamOptions {
  path: string;
  query?: HttpQuery | undefined;
  headers?: Record<string, string> | undefined;
  /** How long the server may take until it answers with a status. */
  timeoutMs: number;
  /** The server has said yes; lines may follow. */
  onOpen?: (() => void) | undefined;
}

/** `refused`: the server answered with another status than 200. `unreachable`: it did not answer. */
export type HttpStreamEnd =
  | LineStreamEnd
  | { end: 'refused'; answer: HttpResponse }
  | { end: 'unreachable'; message: string; code?: string; retryAfterSeconds?: number };

const defaultMaxSockets = 64;
const defaultConnectTimeoutMs = 10_000;
const defaultMaxResponseBytes = 64 * 1024 * 1024;
/** So many of the longest answers may be read at once: a server that answers everything at its longest must not add them up. */
const longestAtOnce = 3;

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const base = new URL(options.baseUrl);
  if (base.protocol !== 'http:' && base.protocol !== 'https:') {
    throw new Error(`An HTTP client needs an http:// or https:// URL, not ${base.protocol}//`);
  }
  const secure = base.protocol === 'https:';
  const fixedTls: TlsIdentity = defined({ ca: options.ca, cert: options.cert, key: options.key });
  const tlsNow = options.tls ?? (() => fixedTls);
  const maxSockets = options.maxSockets ?? defaultMaxSockets;
  const connectTimeoutMs = options.connectTimeoutMs ?? defaultConnectTimeoutMs;
  const proxy = options.proxy === undefined ? undefined : new URL(options.proxy);
  rememberUrl(proxy);
  const maxBytes = options.maxResponseBytes ?? defaultMaxResponseBytes;
  const limits: BodyLimits = { maxBytes, budget: { used: 0, most: longestAtOnce * maxBytes } };
  const prefix = base.pathname.replace(/\/+$/, '');
  // URL keeps the brackets of an IPv6 address, the resolver does not want them.
  const hostname = base.hostname.replace(/^\[|\]$/g, '');
  const port = base.port === '' ? (secure ? 443 : 80) : Number(base.port);
  const commonHeaders = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': options.userAgent,
    ...options.headers,
  };
  const active = new Set<ClientRequest>();
  let closed = false;
  let agents: HttpAgents | undefined;
  let agentsFor: TlsIdentity | undefined;

  const currentAgents = (): HttpAgents => {
    const tls = tlsNow();
    if (agents !== undefined && agentsFor === tls) return agents;
    const fresh = createAgents({ secure, maxSockets, connectTimeoutMs, tls, proxy });
    agents?.retire();
    agents = fresh;
    agentsFor = tls;
    return fresh;
  };

  const open = (
    request: Pick<HttpRequest, 'path' | 'query' | 'headers'> & { method: HttpMethod },
    body: string | Uint8Array | undefined,
    ownConnection: boolean,
  ): ClientRequest => {
    const headers: Record<string, string | string[] | number> = { ...commonHeaders };
    if (body !== undefined) {
      headers['content-type'] = 'application/json';
      headers['content-length'] = Buffer.byteLength(body);
    }
    const token = options.token?.();
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    if (request.headers !== undefined) Object.assign(headers, request.headers);
    // Whatever we show to a server it may send back, and this is the one place that every request of ours passes.
    rememberSecret(token);
    rememberHeader(request.headers?.authorization);
    const path = prefix + request.path + queryString(request.query);
    const { kept, own } = currentAgents();
    const agent = ownConnection ? own : kept;
    const how: RequestOptions = { method: request.method, hostname, port, path, headers, agent };
    return secure ? nodeHttps().request(how) : nodeHttp().request(how);
  };

  const attempt = (
    request: HttpRequest,
    body: string | Uint8Array | undefined,
    freshSocket: boolean,
  ): Promise<Exchange> =>
    new Promise((resolve) => {
      const { signal } = request;
      let outgoing: ClientRequest;
      let sent = false;
      let reused = false;
      let aborted = false;
      let timedOut = false;
      let timer: NodeJS.Timeout | undefined;
      let connecting: NodeJS.Timeout | undefined;

      const fail = (reason: string, error?: unknown): void => {
        settle({
          answer: {
            ok: false,
            sent,
            aborted,
            timedOut,
            ...codeField(error),
            message: `${describe(request.method, request.path)}: ${plainLine(reason)}`,
          },
          staleSocket: reused && !aborted && !timedOut,
        });
      };
      const settle = (exchange: Exchange): void => {
        clearTimeout(timer);
        clearTimeout(connecting);
        signal?.removeEventListener('abort', onAbort);
        if (outgoing !== undefined) active.delete(outgoing);
        resolve(exchange);
      };
      const onAbort = (): void => {
        aborted = true;
        fail('given up by the caller');
        outgoing.destroy();
      };

      if (closed) return fail('the client is closed');
      if (signal?.aborted === true) {
        aborted = true;
        return fail('given up by the caller');
      }
      try {
        outgoing = open(request, body, freshSocket);
      } catch (error) {
        // A character that no header or path may hold, for example: the request never came to be.
        return fail(messageOf(error), error);
      }
      active.add(outgoing);
      signal?.addEventListener('abort', onAbort, { once: true });
      const giveUp = (reason: string): void => {
        timedOut = true;
        fail(reason);
        outgoing.destroy();
      };
      timer = setTimeout(
        () => giveUp(`no whole answer within ${Math.ceil(request.timeoutMs)} ms`),
        Math.max(1, request.timeoutMs),
      );
      outgoing.on('socket', (socket) => {
        reused = outgoing.reusedSocket;
        // Bytes leave as soon as the connection stands; until then the server can't have seen anything.
        if (!socket.connecting) {
          sent = true;
          return;
        }
        // A host that swallows every packet is found out before the time for a slow answer is over.
        connecting = setTimeout(() => giveUp(`no connection within ${connectTimeoutMs} ms`), connectTimeoutMs);
        socket.once(secure ? 'secureConnect' : 'connect', () => {
          clearTimeout(connecting);
          sent = true;
        });
      });
      outgoing.on('error', (error) => fail(messageOf(error), error));
      outgoing.on('response', (response) => {
        reused = false;
        readBody(
          response,
          limits,
          (text) => settle({ answer: toAnswer(response, text), staleSocket: false }),
          (reason, code) => fail(reason, { code }),
        );
      });
      outgoing.end(body);
    });

  return {
    request: async (request) => {
      const body =
        request.body === undefined || typeof request.body === 'string' || request.body instanceof Uint8Array
          ? request.body
          : JSON.stringify(request.body);
      // Real timers bound the exchange, so the real clock says what is left of its time.
      const started = systemClock.monotonic();
      const first = await attempt(request, body, request.freshConnection === true);
      // The server may close an idle connection in the moment we reuse it. Reading again harms nobody; a write might have
      // been seen, so its caller has to decide. The second try opens its own connection, which can't be stale.
      if (!first.staleSocket || request.method !== 'GET') return first.answer;
      const left = Math.max(1, request.timeoutMs - (systemClock.monotonic() - started));
      return (await attempt({ ...request, timeoutMs: left }, body, true)).answer;
    },

    stream: (request, onLine) => {
      if (closed) return Promise.resolve({ end: 'unreachable', message: 'the client is closed' });
      if (request.signal.aborted) return Promise.resolve({ end: 'aborted' });
      return new Promise((resolve) => {
        let outgoing: ClientRequest;
        try {
          outgoing = open({ ...request, method: 'GET' }, undefined, true);
        } catch (error) {
          return resolve({ end: 'unreachable', message: messageOf(error), ...codeField(error) });
        }
        const finish = (end: HttpStreamEnd): void => {
          clearTimeout(timer);
          request.signal.removeEventListener('abort', onAbort);
          active.delete(outgoing);
          outgoing.destroy();
          resolve(request.signal.aborted ? { end: 'aborted' } : end);
        };
        const fail = (reason: string, error?: unknown): void =>
          finish({
            end: 'unreachable',
            message: `${describe('GET', request.path)}: ${plainLine(reason)}`,
            ...codeField(error),
          });
        /** Once lines are being read, only their reader ends the stream: nobody gets a line after it has ended. */
        let reading: IncomingMessage | undefined;
        const onAbort = (): void => {
          if (reading === undefined) finish({ end: 'aborted' });
          else reading.destroy();
        };
        const timer = setTimeout(() => fail(`no answer within ${request.timeoutMs} ms`), request.timeoutMs);
        request.signal.addEventListener('abort', onAbort, { once: true });
        active.add(outgoing);
        outgoing.on('error', (error) => {
          if (reading === undefined) fail(messageOf(error), error);
          else reading.destroy(error);
        });
        outgoing.on('response', (response) => {
          if (response.statusCode !== 200) {
            readBody(
              response,
              limits,
              (text) => finish({ end: 'refused', answer: toAnswer(response, text) }),
              (reason, code) => fail(reason, { code }),
            );
            return;
          }
          clearTimeout(timer);
          request.onOpen?.();
          reading = response;
          readLines(response, request, onLine).then(finish);
        });
        outgoing.end();
      });
    },

    close: () => {
      closed = true;
      for (const outgoing of active) outgoing.destroy(new Error('the client was closed'));
      agents?.destroy();
    },
  };

  function describe(method: string, path: string): string {
    return `${method} ${base.origin}${prefix}${path}`;
  }
}

/** `staleSocket`: a kept-alive connection broke before anything came back, as it does when the server closed it. */
interface Exchange {
  answer: HttpAnswer;
  staleSocket: boolean;
}

function toAnswer(response: IncomingMessage, text: string): HttpResponse {
  return {
    ok: true,
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    json: () => {
      try {
        return JSON.parse(text) as Json;
      } catch {
        return undefined;
      }
    },
  };
}

function queryString(query: HttpQuery | undefined): string {
  if (query === undefined) return '';
  let text = '';
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined)
      text += `${text === '' ? '?' : '&'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  }
  return text;
}

/** Several addresses that all refuse come as an AggregateError with an empty message; its code still says what happened. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '') return error.message;
  return codeField(error).code ?? error.name;
}

function codeField(error: unknown): { code?: string } {
  const found = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof found === 'string' ? { code: found } : {};
}

/** A longer pause is cut to a day: nobody means it, and a typing error at the far end must not park a claim for years. */
const longestPauseSeconds = 24 * 60 * 60;

/** What a Retry-After header asks for, given in seconds or as an HTTP date; undefined without a usable one. */
export function retryAfterSeconds(headers: IncomingHttpHeaders, clock: Clock): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.min(Number(value), longestPauseSeconds);
  // HTTP dates end in GMT. Without this check Date.parse would make a year of "-5" or "12 parsecs".
  const at = /GMT$/i.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) return undefined;
  return Math.min(Math.max(0, Math.ceil((at - clock.now()) / 1000)), longestPauseSeconds);
}
