/**
 * Puts a meter and a time limit around a provider: every call is counted and timed by method and outcome, and no call
 * outlives its limit, not even one that ignores its signal.
 */
import { defined } from '../base/defined.ts';
import type { ErrorKind, Result } from '../base/result.ts';
import { failed } from '../base/result.ts';
import type { Clock } from '../base/runtime.ts';
import { systemTimers } from '../base/timers.ts';
import type { Provider } from './contract.ts';

export type ProviderMethod =
  | 'beginCreate'
  | 'pollCreate'
  | 'beginDelete'
  | 'pollDelete'
  | 'find'
  | 'get'
  | 'list'
  | 'instanceTypes'
  | 'resolveNodeClass'
  | 'quota'
  | 'adopt';

export interface ProviderCall {
  provider: string;
  method: ProviderMethod;
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

const DEFAULT_READ_SECONDS = 30;
const writes: ReadonlySet<ProviderMethod> = new Set(['beginCreate', 'beginDelete', 'adopt']);

export function meterProvider(provider: Provider, options: MeterOptions): Provider {
  const { clock, onCall } = options;
  const timer = options.timer ?? systemTimers.after;
  const readSeconds = options.readSeconds ?? DEFAULT_READ_SECONDS;

  const measure = async <T>(
    method: ProviderMethod,
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
      return result;
    } catch (error) {
      report('thrown');
      throw error;
    }
  };

  const resolve = provider.resolveNodeClass?.bind(provider);
  const quota = provider.quota?.bind(provider);
  const adopt = provider.adopt?.bind(provider);
  const serves = provider.serves?.bind(provider);
  const expires = provider.expires?.bind(provider);
  const place = provider.place?.bind(provider);
  // Not measured: it is a wait, and no call to the cloud.
  const roomToCreate = provider.roomToCreate?.bind(provider);
  // Nor is this: it is many calls, some of which are expected to be refused.
  const check = provider.check?.bind(provider);
  return {
    name: provider.name,
    traits: provider.traits,
    nodeClasses: provider.nodeClasses,
    ...defined({ serves, expires, place, roomToCreate, check }),
    instanceId: (providerID) => provider.instanceId(providerID),
    beginCreate: (request, signal) => measure('beginCreate', signal, (to) => provider.beginCreate(request, to)),
    pollCreate: (handle, signal) => measure('pollCreate', signal, (to) => provider.pollCreate(handle, to)),
    beginDelete: (target, signal) => measure('beginDelete', signal, (to) => provider.beginDelete(target, to)),
    pollDelete: (handle, signal) => measure('pollDelete', signal, (to) => provider.pollDelete(handle, to)),
    find: (owner, signal) => measure('find', signal, (to) => provider.find(owner, to)),
    get: (owner, providerID, signal) => measure('get', signal, (to) => provider.get(owner, providerID, to)),
    list: (owner, page, signal) => measure('list', signal, (to) => provider.list(owner, page, to)),
    instanceTypes: (nodeClass, signal) =>
      measure('instanceTypes', signal, (to) => provider.instanceTypes(nodeClass, to)),
    ...(resolve === undefined
      ? {}
      : {
          resolveNodeClass: (nodeClass, signal) => measure('resolveNodeClass', signal, (to) => resolve(nodeClass, to)),
        }),
    ...(quota === undefined ? {} : { quota: (signal) => measure('quota', signal, (to) => quota(to)) }),
    ...(adopt === undefined
      ? {}
      : {
          adopt: (claim, providerID, how, signal) =>
            measure('adopt', signal, (to) => adopt(claim, providerID, how, to)),
        }),
  };
}

/** How long a provider that was told to stop may take to say what it knows, before it is left behind. */
const GRACE_MS = 250;

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
      stopGrace = timer(GRACE_MS, () => resolve(giveUp(why)));
    };
    onAbort = () => stop('given up by the caller');
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
