/**
 * One request to one cluster, with everything that surrounds it: credentials that are renewed, a server that asks for a moment's
 * patience, a cluster that does not answer at all. What comes out is an answer of any status, or the reason why there is none.
 */
import { defined } from '../../base/defined.ts';
import { type Failure, ok, type Result } from '../../base/result.ts';
import { type Clock, type Random, systemClock } from '../../base/runtime.ts';
import { answerTooLong } from '../../net/http-body.ts';
import {
  type HttpClient,
  type HttpRequest,
  type HttpResponse,
  type HttpStreamEnd,
  type HttpStreamRequest,
  retryAfterSeconds,
} from '../../net/http-client.ts';
import { tlsAdvice } from '../access/certificates.ts';
import type { Credentials } from '../access/credentials.ts';
import type { Breaker } from './breaker.ts';
import { evictionRefusal, failureWithoutAnswer, retryAfterInBody } from './status.ts';

export interface Sending {
  request(request: HttpRequest, write: boolean): Promise<Result<HttpResponse>>;
  stream(request: HttpStreamRequest, onLine: (line: string) => void | Promise<void>): Promise<HttpStreamEnd>;
}

export interface SendingParts {
  client: HttpClient;
  credentials: Credentials;
  breaker: Breaker;
  clock: Clock;
  random: Random;
  pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
}

/** The API server asks for a second; who is asked for more than this gives the work back to its caller. */
const longestPauseSeconds = 2;
const maxRetries = 3;

export function createSending(parts: SendingParts): Sending {
  const { client, credentials, breaker, clock, random } = parts;

  const once = async (request: HttpRequest, write: boolean): Promise<Result<HttpResponse>> => {
    const passage = breaker.enter();
    if ('refused' in passage) return { ok: false, error: passage.refused };
    const answer = await client.request(request);
    if (answer.ok) {
      passage.ended('answered');
      return ok(answer);
    }
    // Whoever says too much is not silent, and may have less to say the next time.
    const said = answer.aborted ? 'abandoned' : answer.code === answerTooLong ? 'answered' : 'silent';
    passage.ended(said, answer.message);
    return { ok: false, error: withAdvice(failureWithoutAnswer(answer, write), answer.code) };
  };

  const withAdvice = (failure: Failure, code: string | undefined): Failure => {
    const advice = [tlsAdvice(code), aboutUs(code)].filter((one) => one !== undefined);
    return advice.length === 0 ? failure : { ...failure, message: `${failure.message}: ${advice.join('; ')}` };
  };

  /** A server that breaks off the handshake may do so because of our certificate. */
  const aboutUs = (code: string | undefined): string | undefined =>
    code?.includes('ALERT') === true || code === 'ECONNRESET' ? credentials.problem() : undefined;

  return {
    request: async (request, write) => {
      const { signal } = request;
      // Real timers bound the exchange, so the real clock says what is left of its time.
      const deadline = systemClock.monotonic() + request.timeoutMs;
      let renewed = false;
      for (let retries = 0; ; retries += 1) {
        const ready = await credentials.prepare(signal);
        if (ready?.ok === false) return ready;
        const version = credentials.version();
        const result = await once({ ...request, timeoutMs: deadline - systemClock.monotonic() }, write);
        if (!result.ok) return result;
        const answer = result.value;
        // A refused token has had no effect, so any request may go out once more with a newer one.
        if (answer.status === 401 && !renewed) {
          renewed = true;
          if (await credentials.refresh(version)) continue;
          return result;
        }
        const seconds = askedPause(answer, write, clock);
        if (seconds === undefined || retries >= maxRetries) return result;
        // Chance keeps those who were refused together from coming back together.
        const wait = seconds * 1000 * (1 + random() / 4);
        if (systemClock.monotonic() + wait >= deadline) return result;
        await parts.pause(wait, signal);
        if (signal?.aborted === true) return result;
      }
    },

    stream: async (request, onLine) => {
      for (let renewed = false; ; renewed = true) {
        const ready = await credentials.prepare(request.signal);
        if (ready?.ok === false) return { end: 'unreachable', message: ready.error.message };
        const version = credentials.version();
        const passage = breaker.enter();
        if ('refused' in passage) {
          const { message, retryAfterSeconds } = passage.refused;
          return { end: 'unreachable', message, ...defined({ retryAfterSeconds }) };
        }
        const end = await client.stream({ ...request, onOpen: () => passage.ended('answered') }, onLine);
        if (end.end === 'unreachable') {
          passage.ended('silent', end.message);
          const advice = tlsAdvice(end.code);
          return advice === undefined ? end : { ...end, message: `${end.message}: ${advice}` };
        }
        passage.ended(end.end === 'refused' ? 'answered' : 'abandoned');
        const mayRetry = end.end === 'refused' && end.answer.status === 401 && !renewed;
        if (!mayRetry || !(await credentials.refresh(version))) return end;
      }
    },
  };
}

/**
 * How long the server asks to wait, if the same request may then go out again. A 429 is said before anything is done, so that
 * holds for writes too; but a budget's refusal is an answer, and a 503 may come after the effect.
 */
function askedPause(answer: HttpResponse, write: boolean, clock: Clock): number | undefined {
  const { status } = answer;
  if (status !== 429 && (write || status !== 503)) return undefined;
  if (evictionRefusal(answer) !== undefined) return undefined;
  const seconds = retryAfterSeconds(answer.headers, clock) ?? retryAfterInBody(answer);
  return seconds === undefined || seconds > longestPauseSeconds ? undefined : seconds;
}
