/** Two readings, a grace apart: what is seen once may be a stale answer; only what is still so later is acted upon. */
import type { Clock } from '../base/runtime.ts';
import type { State } from './contract.ts';

interface Readings {
  readonly state: State;
  readonly clock: Clock;
}

/** A first reading counts for this many graces; after that it has to be made again. */
const validGraces = 10;
const shortestValidSeconds = 600;

const key = (what: string): string => `seen-once/${what}`;

/** True when the same thing was seen at least `graceSeconds` ago; otherwise this reading is remembered as the first. */
export async function seenTwice(services: Readings, what: string, graceSeconds: number): Promise<boolean> {
  const first = await services.state.get<number>(key(what));
  const now = services.clock.now();
  if (first) return now - first.value >= graceSeconds * 1000;
  await services.state.put(key(what), now, { ttlSeconds: Math.max(shortestValidSeconds, graceSeconds * validGraces) });
  return false;
}

/** It was not so after all, or it has been dealt with. */
export async function forgetSeen(services: Readings, what: string): Promise<void> {
  await services.state.delete(key(what));
}
