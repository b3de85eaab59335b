/**
 * Answers of Azure that many requests share: a list of sizes has megabytes, and Azure throttles. Kept in this process for a while, and
 * asked once however many wait. What is about one request, such as whether a name is taken, is always asked anew.
 */
import { ok, type Result } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import { unlessAborted } from '../../base/until-aborted.ts';
import type { AzureFacts } from './azure-facts.ts';

const minute = 60_000;
/** Quotas change with every node; the others hardly ever. */
const keptFor = { locations: 60, registrations: 1, versions: 60, sizes: 60, usages: 0.5, prices: 360 } as const;
/** One question may take so long, whoever waits for it. */
const longestRead = 2 * minute;

export function remembered(facts: AzureFacts, clock: Clock): AzureFacts {
  const kept = new Map<string, { at: number; value: unknown }>();
  const running = new Map<string, Promise<Result<unknown>>>();

  const ask = async <T>(
    what: keyof typeof keptFor,
    place: string,
    read: (signal: AbortSignal) => Promise<Result<T>>,
    signal: AbortSignal,
  ): Promise<Result<T>> => {
    const key = `${what}/${place}`;
    const known = kept.get(key);
    if (known !== undefined && clock.now() - known.at < keptFor[what] * minute) return ok(known.value as T);
    let reading = running.get(key);
    if (reading === undefined) {
      // Not the signal of the first who asks: it must not end the question for the others.
      reading = read(AbortSignal.timeout(longestRead))
        .then((answer) => {
          if (answer.ok) kept.set(key, { at: clock.now(), value: answer.value });
          return answer;
        })
        .finally(() => running.delete(key));
      running.set(key, reading);
    }
    return (await unlessAborted(reading, signal, `the question about ${what} was given up`)) as Result<T>;
  };

  return {
    subscription: facts.subscription,
    locations: (signal) => ask('locations', '', (inner) => facts.locations(inner), signal),
    registrations: (signal) => ask('registrations', '', (inner) => facts.registrations(inner), signal),
    versions: (at, signal) => ask('versions', at, (inner) => facts.versions(at, inner), signal),
    sizes: (at, signal) => ask('sizes', at, (inner) => facts.sizes(at, inner), signal),
    usages: (at, signal) => ask('usages', at, (inner) => facts.usages(at, inner), signal),
    prices: (at, signal) => ask('prices', at, (inner) => facts.prices(at, inner), signal),
    group: (name, signal) => facts.group(name, signal),
    cluster: (group, name, signal) => facts.cluster(group, name, signal),
  };
}
