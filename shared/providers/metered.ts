/**
 * Puts a meter and a time limit around a provider: every call is counted and timed by method and outcome, and no call
 * outlives its limit, not even one that ignores its signal.
 */
import { defined } from '../base/defined.ts';
import type { ErrorKind, Failure, Result } from '../base/result.ts';
import { failed } from '../base/result.ts';
import type { Clock } from '../base/runtime.ts';
import { plainLine } from '../base/text.ts';
import { systemTimers } from '../base/timers.ts';
import type { Provider } from './contract.ts';
import { callOn, type Intercept, optionalMethodsOf, type ProviderMethod, wrapProvider } from './wrap.ts';

/**
 * Not metered: the place is asked of the cluster, room to create is a wait, and a check is many calls, some of which are expected to
 * be refused.
 */
const unmetered = ['place', 'roomToCreate', 'check'] as const satisfies ProviderMethod[];
export type MeteredMethod = Exclude<ProviderMethod, (typeof unmetered)[number]>;

export interface ProviderCall {
  provider: string;
  method: MeteredMethod;
  seconds: number;
  /** Absent when it went well; `thrown` is a bug in the provider. */
  error?: ErrorKind | 'thrown';
}

export interface MeterOptions {
  clock: Clock;
  /** For karpenter_cloudprovider_duration_seconds and karpenter_cloudprovider_errors_total. */
  onCall: (call: ProviderCall) => void;
  /** The longest that a read may take. Writes have the limit of the provider's traits. */
  readSeconds?: number;
  /** Calls back after so many milliseconds, and returns how to stop it. */
  timer?: (milliseconds: number, fire: () => void) => () => void;
}

const defaultReadSeconds = 30;
const writes: ReadonlySet<ProviderMethod> = new Set(['beginCreate', 'beginDelete', 'adopt', 'tidy']);

const isMetered = (method: ProviderMethod): method is MeteredMethod => !unmetered.some((one) => one === method);

export function meterProvider(provider: Provider, options: MeterOptions): Provider {
  const { clock, onCall } = options;
  const timer = options.timer ?? systemTimers.after;
  const readSeconds = options.readSeconds ?? defaultReadSeconds;

  const measure = async <T>(
    method: MeteredMethod,
    signal: AbortSignal,
    call: (limited: AbortSignal) => Promise<Result<T>>,
  ): Promise<Result<T>> => {
    const started = clock.monotonic();
    const report = (error?: ProviderCall['error']): void => {
      const seconds = (clock.monotonic() - started) / 1000;
      onCall({ provider: provider.name, method, seconds, ...defined({ error }) });
    };
    const isWrite = writes.has(method);
    const limitSeconds = isWrite ? provider.traits.writeSeconds : readSeconds;
    try {
      const result = await limit(signal, limitSeconds, timer, call, (why) =>
        failed(isWrite ? 'outcome-unknown' : 'unavailable', `${provider.name} ${method}: ${why}`),
      );
      report(result.ok ? undefined : result.error.kind);
      return result.ok ? result : { ok: false, error: plainFailure(result.error) };
    } catch (error) {
      report('thrown');
      throw error;
    }
  };

  const intercept: Intercept = (method, values) => {
    if (!isMetered(method)) return callOn(provider, method, values) as Promise<unknown>;
    // The signal is the last argument of every metered method.
    const before = values.slice(0, -1);
    const signal = values.at(-1) as AbortSignal;
    const call = (limited: AbortSignal): Promise<Result<unknown>> =>
      callOn(provider, method, [...before, limited] as never) as Promise<Result<unknown>>;
    return measure(method, signal, call);
  };
  return wrapProvider((fact) => provider[fact], optionalMethodsOf(provider), intercept);
}

/** A cloud's own words are within: this is where they enter. */
const plainFailure = (failure: Failure): Failure => ({
  ...failure,
  message: plainLine(failure.message),
  ...(failure.cause === undefined ? {} : { cause: plainLine(failure.cause) }),
});

/** How long a provider that was told to stop may take to say what it knows, before it is left behind. */
const graceMs = 250;

/**
 * Runs the call under a signal of its own that fires when the caller's does or the time is up. The provider's own answer
 * is the better one (it knows whether anything was sent), so it gets a moment to give it.
 */
async function limit<T>(
  outer: AbortSignal,
  seconds: number,
  timer: NonNullable<MeterOptions['timer']>,
  call: (signal: AbortSignal) => Promise<Result<T>>,
  giveUp: (why: string) => Result<never>,
): Promise<Result<T>> {
  const inner = new AbortController();
  let stopTimer = (): void => {};
  let stopGrace = (): void => {};
  let onAbort = (): void => {};
  const leftBehind = new Promise<Result<never>>((resolve) => {
    const stop = (why: string): void => {
      if (inner.signal.aborted) return;
      inner.abort();
      stopGrace = timer(graceMs, () => resolve(giveUp(why)));
    };
    onAbort = () => stop('canceled by the caller');
    stopTimer = timer(seconds * 1000, () => stop(`no answer within ${seconds} s`));
  });
  if (outer.aborted) onAbort();
  else outer.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([call(inner.signal), leftBehind]);
  } finally {
    stopTimer();
    stopGrace();
    outer.removeEventListener('abort', onAbort);
  }
}
