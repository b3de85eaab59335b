/**
 * The sending half of the queue port over HTTP: events go to the intake of a Poolwright host or function, which answers when
 * they stand on its queue.
 */

import { defined } from '../../base/defined.ts';
import { asObject, type Json } from '../../base/json.ts';
import type { Clock } from '../../base/runtime.ts';
import { bodyText } from '../../net/foreign-body.ts';
import { createHttpClient, type HttpResponse, retryAfterSeconds } from '../../net/http-client.ts';
import { SendError, type Sender } from '../contract.ts';

export interface HttpSenderOptions {
  /** Of the host or function; `/v1/events` is put behind its path. */
  url: string;
  /** Asked before every request, so that it can be renewed while the sender lives. */
  token: () => string | undefined;
  /** PEM texts: whom to trust, and who we are. */
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
  userAgent: string;
  timeoutMs?: number;
  clock: Clock;
  /** The far side will never take this one; the resync makes up for it. */
  onRejected: (rejection: { body: string; reason: string }) => void;
}

export interface HttpSender extends Sender {
  close(): void;
}

/** The intake takes 1 MiB and 1,000 events; a proxy in between may take less, and says so with 413. */
const largestBatchBytes = 512 * 1024;
const largestBatch = 500;
const defaultTimeoutMs = 20_000;
const batchType = 'application/cloudevents-batch+json';

/**
 * @example
 * const sender = openHttpSender({ url: 'https://poolwright.example', token: () => token, userAgent, clock, onRejected });
 * await sender.send([JSON.stringify(event)]);
 */
export function openHttpSender(options: HttpSenderOptions): HttpSender {
  const { url, token, ca, cert, key, userAgent, clock, onRejected, timeoutMs = defaultTimeoutMs } = options;
  const client = createHttpClient({
    baseUrl: url,
    userAgent,
    token,
    maxSockets: 2,
    // An answer lists at most the rejections of one batch.
    maxResponseBytes: 4 * 1024 * 1024,
    ...defined({ ca, cert, key }),
  });

  const post = async (bodies: readonly string[]): Promise<void> => {
    const answer = await client.request({
      method: 'POST',
      path: '/v1/events',
      headers: { 'content-type': batchType },
      body: `[${bodies.join(',')}]`,
      timeoutMs,
    });
    if (!answer.ok) throw new SendError(withAdvice(answer.message));
    const { status } = answer;
    const body = asObject(answer.json());
    const rejected = rejectionsIn(body, bodies);
    // A proxy that answers 200 with a login page has stored nothing.
    if (status === 202 && typeof body?.accepted === 'number') return rejected.forEach(onRejected);
    if (status === 400 && rejected.length === bodies.length) return rejected.forEach(onRejected);
    if (status === 413) {
      if (bodies.length === 1)
        return onRejected({ body: bodies[0] ?? '', reason: 'the intake rejects it as too large' });
      const half = Math.ceil(bodies.length / 2);
      await post(bodies.slice(0, half));
      return post(bodies.slice(half));
    }
    throw new SendError(refusal(url, answer, body), retryAfterSeconds(answer.headers, clock));
  };

  return {
    name: 'http',
    async send(bodies) {
      for (const batch of batches(bodies)) await post(batch);
    },
    close: () => client.close(),
  };
}

function* batches(bodies: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const body of bodies) {
    const size = Buffer.byteLength(body) + 1;
    if (batch.length > 0 && (batch.length >= largestBatch || bytes + size > largestBatchBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(body);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** Node's own advice about a certificate is for those who start Node, not for those who start us. */
const withAdvice = (message: string): string =>
  /certificate/i.test(message)
    ? `${message.replace(/; if the root CA is installed locally.*$/, '')} (pass the certificate authority of the host with --ca-file)`
    : message;

/** Says what to do about it, and never what the token is. */
function refusal(url: string, answer: HttpResponse, body: Record<string, Json> | undefined): string {
  const { status, headers } = answer;
  const said = typeof body?.detail === 'string' ? `: ${bodyText(body.detail, 500)}` : '';
  const who = `the intake at ${new URL(url).host} responded with ${status}${said}`;
  if (status === 401) return `${who} (check the token: it must be one of clusters.<name>.intake on that host)`;
  if (status === 404 || (status >= 200 && status < 300)) return `${who} (is this the URL of a Poolwright host?)`;
  if (status >= 300 && status < 400) {
    return `${who} (it points to ${originOf(headers.location)}: pass that URL instead)`;
  }
  return who;
}

/** Without path and query, which may hold what is not ours to log. */
function originOf(location: string | undefined): string {
  return location !== undefined && URL.canParse(location) ? new URL(location).origin : 'another place';
}

function rejectionsIn(
  answer: Record<string, Json> | undefined,
  bodies: readonly string[],
): { body: string; reason: string }[] {
  if (!Array.isArray(answer?.rejected)) return [];
  return answer.rejected.flatMap((one) => {
    const rejection = asObject(one);
    const body = typeof rejection?.index === 'number' ? bodies[rejection.index] : undefined;
    if (body === undefined) return [];
    return [
      { body, reason: typeof rejection?.reason === 'string' ? bodyText(rejection.reason, 500) : 'no reason given' },
    ];
  });
}
