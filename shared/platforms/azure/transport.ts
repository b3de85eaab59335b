/**
 * What carries the requests of Microsoft's clients: our own HTTP client behind their interface. It knows whether a request
 * left this machine, goes through proxies and private authorities as everything else does, and retries nothing by itself.
 */

import { createHttpHeaders, type HttpClient as SdkHttpClient } from '@azure/core-rest-pipeline';
import { defined } from '../../base/defined.ts';
import { createHttpClient, type HttpClient, type HttpFailure, type HttpMethod } from '../../net/http-client.ts';
import { proxyFromEnvironment } from '../../net/http-proxy.ts';

export interface TransportOptions {
  /** PEM; instead of the public authorities. */
  ca?: string | undefined;
  /** For proxies. */
  env: Readonly<Record<string, string | undefined>>;
  userAgent: string;
  timeoutMs?: number;
}

export interface Transport extends SdkHttpClient {
  close(): void;
}

/** There was no answer. */
export class TransportError extends Error {
  /** False is certain: nothing of the request left this machine. */
  readonly sent: boolean;
  readonly code: string | undefined;

  constructor({ message, sent, code }: HttpFailure) {
    super(message);
    this.name = 'TransportError';
    this.sent = sent;
    this.code = code;
  }
}

/** Azure answers within seconds; what takes longer is broken. Callers bound their calls more tightly by their signal. */
const usualTimeoutMs = 30_000;
/** The list of sizes of a region has several megabytes. */
const largestBytes = 64 * 1024 * 1024;
/** Sent by the clients for their own transport, which unpacks; ours takes texts as they are. */
const withoutMeaning = new Set(['accept-encoding', 'content-length']);

export function createTransport(options: TransportOptions): Transport {
  const clients = new Map<string, HttpClient>();

  const clientFor = (url: URL): HttpClient => {
    let client = clients.get(url.origin);
    if (client === undefined) {
      const proxy = proxyFromEnvironment(url, options.env);
      client = createHttpClient({
        baseUrl: url.origin,
        userAgent: options.userAgent,
        maxResponseBytes: largestBytes,
        ...defined({ ca: options.ca, proxy }),
      });
      clients.set(url.origin, client);
    }
    return client;
  };

  return {
    sendRequest: async (request) => {
      const url = new URL(request.url);
      if (url.protocol !== 'https:' && request.allowInsecureConnection !== true) {
        throw new Error(`${url.origin} is not an https address, so no credential is sent there`);
      }
      const { body } = request;
      if (body !== undefined && body !== null && typeof body !== 'string') {
        throw new Error('only texts can be sent');
      }
      const headers = Object.fromEntries(
        [...request.headers].flatMap(([name, value]) =>
          withoutMeaning.has(name.toLowerCase()) ? [] : [[name.toLowerCase(), value]],
        ),
      );
      const answer = await clientFor(url).request({
        method: request.method as HttpMethod,
        path: `${url.pathname}${url.search}`,
        headers,
        body: body ?? undefined,
        timeoutMs: request.timeout > 0 ? request.timeout : (options.timeoutMs ?? usualTimeoutMs),
        signal: request.abortSignal as AbortSignal | undefined,
      });
      if (!answer.ok) throw new TransportError(answer);
      const received = Object.entries(answer.headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, Array.isArray(value) ? (value[0] ?? '') : value]],
      );
      return {
        request,
        status: answer.status,
        headers: createHttpHeaders(Object.fromEntries(received)),
        bodyAsText: answer.text,
      };
    },
    close: () => {
      for (const client of clients.values()) client.close();
    },
  };
}
