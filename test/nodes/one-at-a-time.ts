/** A cloud that takes one operation at a time, around the simulated one: what comes meanwhile is refused as `conflict`. */

import type { Json } from '../../shared/base/json.ts';
import { failed, type Result } from '../../shared/base/result.ts';
import type { Clock } from '../../shared/base/runtime.ts';
import type { CreateProgress, DeleteProgress, Provider } from '../../shared/providers/contract.ts';
import { meterProvider } from '../../shared/providers/metered.ts';

/** As long as the simulated cloud takes for them. */
export const createSeconds = 20;
export const deleteSeconds = 10;

export interface OneAtATime {
  decorate: (provider: Provider) => Provider;
  /** What was begun, in order: `create one`, `delete one`. */
  readonly begun: string[];
  readonly refused: string[];
  /** Somebody else's operation, until it is called again with false. */
  occupy(busy: boolean): void;
}

export function oneAtATime(clock: () => Clock): OneAtATime {
  const begun: string[] = [];
  const refused: string[] = [];
  let foreign = false;
  let running: { what: string; until: number } | undefined;
  /** Undefined: it is begun now, or was begun before. An operation ends by itself, whether anybody looks or not. */
  const begin = (what: string, seconds: number): Result<never> | undefined => {
    const now = clock().now();
    if (running && running.until <= now) running = undefined;
    if (foreign || (running && running.what !== what)) {
      refused.push(what);
      return failed('conflict', `another operation is in progress: ${running?.what ?? 'an upgrade'}`);
    }
    if (!running) begun.push(what);
    running ??= { what, until: now + seconds * 1000 };
    return undefined;
  };
  const keep = <T extends CreateProgress | DeleteProgress>(answer: Result<T>): Result<T> => {
    if (!answer.ok || answer.value.done) running = undefined;
    return answer;
  };
  const decorate = (inner: Provider): Provider => {
    const provider = meterProvider(inner, {
      clock: { now: () => clock().now(), monotonic: () => clock().monotonic() },
      onCall: () => {},
    });
    return {
      ...provider,
      traits: { ...provider.traits, operationsAtOnce: 1 },
      async beginCreate(request, signal) {
        const what = `create ${request.claimName}`;
        const refusal = begin(what, createSeconds);
        if (refusal) return refusal;
        return keep(await provider.beginCreate(request, signal));
      },
      pollCreate: async (handle: Json, signal) => keep(await provider.pollCreate(handle, signal)),
      async beginDelete(target, signal) {
        const what = `delete ${target.claimName ?? target.id}`;
        const refusal = begin(what, deleteSeconds);
        if (refusal) return refusal;
        return keep(await provider.beginDelete(target, signal));
      },
      pollDelete: async (handle: Json, signal) => keep(await provider.pollDelete(handle, signal)),
    };
  };
  return {
    decorate,
    begun,
    refused,
    occupy: (taken) => {
      foreign = taken;
    },
  };
}
