/**
 * Pushes metrics to a collector. Never in the way: a push is bounded, fails nobody, and says so in the log once in a while. Nothing is kept for
 * later, because everything is cumulative.
 */

import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { doubled } from '../../base/backoff.ts';
import { defined } from '../../base/defined.ts';
import { errorText } from '../../base/error-text.ts';
import type { Json } from '../../base/json.ts';
import type { Clock } from '../../base/runtime.ts';
import { rememberSecret } from '../../base/secrets/known-secrets.ts';
import { rememberHeader } from '../../base/secrets/remember-parts.ts';
import { within } from '../../base/timers.ts';
import { bodyText } from '../../net/foreign-body.ts';
import { createHttpClient, type HttpResponse, retryAfterSeconds } from '../../net/http-client.ts';
import { proxyFromEnvironment } from '../../net/http-proxy.ts';
import type { Log } from '../log/log.ts';
import { isSecretKey } from '../log/redact.ts';
import type { Metrics } from '../metrics.ts';
import { encodeMetrics } from './encode.ts';
import { headersProblem, type OtlpTarget, readHeaders } from './target.ts';

export interface OtlpPushOptions {
  target: OtlpTarget;
  metrics: Metrics;
  resource: Readonly<Record<string, string>>;
  version: string;
  clock: Clock;
  log: Log;
  env: Readonly<Record<string, string | undefined>>;
  /** For one push, all of it. */
  withinMs?: number;
}

const defaultWithinMs = 2000;
const sayEveryMs = 300_000;
const longestPauseMs = 900_000;

export class OtlpPush {
  readonly #options: OtlpPushOptions;
  #nextAt: number;
  #failures = 0;
  #saidAt: number | undefined;
  #pushing = false;

  constructor(options: OtlpPushOptions) {
    this.#options = options;
    this.#nextAt = options.metrics.startedAt + options.target.everySeconds * 1000;
  }

  /** Pushes if it is time. Never throws, and never twice at once: functions of one process may end together. */
  async ifDue(): Promise<void> {
    if (this.#pushing || this.#options.clock.now() < this.#nextAt) return;
    await this.now();
  }

  async now(): Promise<void> {
    if (this.#pushing) return;
    this.#pushing = true;
    try {
      this.#judge(await this.#push());
    } catch (error) {
      this.#judge({ ok: false, problem: errorText(error) });
    } finally {
      this.#pushing = false;
    }
  }

  async #push(): Promise<Outcome> {
    const { target, metrics, resource, version, clock, env, withinMs = defaultWithinMs } = this.#options;
    const headers = await headersFor(target);
    if (headers === undefined) return { ok: false, problem: headersProblem };
    const began = clock.monotonic();
    const families = await within(metrics.families(), withinMs / 2);
    // Gauges that have to be asked for may hang; the counters will be there the next time.
    if (families === undefined) return { ok: false, problem: 'the metrics could not be gathered in time' };
    const body = await compressed(
      JSON.stringify(encodeMetrics(families, { resource, version, startedAt: metrics.startedAt, now: clock.now() })),
    );
    const url = new URL(target.url);
    const proxy = proxyFromEnvironment(url, env);
    // A connection of its own for each: between two pushes a function may have stood still for an hour.
    const client = createHttpClient({
      baseUrl: url.origin,
      userAgent: `poolwright/${version}`,
      maxResponseBytes: 65_536,
      ...defined({ proxy }),
    });
    try {
      const answer = await client.request({
        method: 'POST',
        path: url.pathname + url.search,
        headers: { ...headers, 'content-encoding': 'gzip' },
        body,
        timeoutMs: Math.max(1, withinMs - (clock.monotonic() - began)),
      });
      return answer.ok ? outcomeOf(answer, clock) : { ok: false, problem: answer.message };
    } finally {
      client.close();
    }
  }

  #judge(outcome: Outcome): void {
    const { target, clock, log } = this.#options;
    const now = clock.now();
    const everyMs = target.everySeconds * 1000;
    if (outcome.ok) {
      if (this.#failures > 0) log.write('metrics.push.resumed', { failures: this.#failures });
      this.#failures = 0;
      this.#nextAt = now + everyMs;
    } else {
      this.#failures += 1;
      // A collector that hangs costs its time at every try, so those become rarer.
      const pauseMs = doubled(this.#failures, Math.max(everyMs, 1000), longestPauseMs);
      this.#nextAt = now + Math.max(pauseMs, everyMs, (outcome.retryAfterSeconds ?? 0) * 1000);
    }
    const { problem } = outcome;
    if (problem === undefined) this.#saidAt = undefined;
    else if (this.#saidAt === undefined || now - this.#saidAt >= sayEveryMs) {
      this.#saidAt = now;
      log.write('metrics.push.failed', { host: new URL(target.url).host, failures: this.#failures, problem });
    }
  }
}

type Outcome = { ok: true; problem?: string } | { ok: false; problem: string; retryAfterSeconds?: number };

function outcomeOf(answer: HttpResponse, clock: Clock): Outcome {
  const said = bodyText(answer.text);
  if (answer.status < 200 || answer.status > 299) {
    const seconds = retryAfterSeconds(answer.headers, clock);
    const problem = `the collector answered with ${answer.status}${said === '' ? '' : `: ${said}`}`;
    return { ok: false, problem, ...defined({ retryAfterSeconds: seconds }) };
  }
  const rejected = rejectedIn(answer.json());
  return rejected === 0 ? { ok: true } : { ok: true, problem: `the collector refused ${rejected} points: ${said}` };
}

/** A collector may take some points and refuse others. */
function rejectedIn(body: Json | undefined): number {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 0;
  const { partialSuccess } = body;
  if (typeof partialSuccess !== 'object' || partialSuccess === null || Array.isArray(partialSuccess)) return 0;
  return Number(partialSuccess.rejectedDataPoints ?? 0) || 0;
}

async function headersFor({ headers, headersFile }: OtlpTarget): Promise<Record<string, string> | undefined> {
  const text = headersFile === undefined ? headers : (await readFile(headersFile, 'utf8')).trim();
  if (text === undefined) return {};
  const read = readHeaders(text);
  rememberSecret(text);
  for (const [name, value] of Object.entries(read ?? {})) {
    rememberHeader(value);
    // A key has any name, such as `x-honeycomb-team`; a data set or a tenant in plain words must not be missed in every line.
    if (isSecretKey(name) || !/^[a-z]+([-_/. ][a-z]+)*$/.test(value)) rememberSecret(value);
  }
  return read;
}

const compressed = promisify(gzip);
