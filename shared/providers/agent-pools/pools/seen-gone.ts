/**
 * Pools that were seen gone a moment ago. Whoever has waited for a delete looks once more before the claim is let go, and that
 * look would only hear the same again. It may show the world as it was up to the list lag ago; this stays well below.
 */
import { RecentMap } from '../../../base/recent-map.ts';
import type { Clock } from '../../../base/runtime.ts';

const longestSeconds = 2;
/** More than are deleted in that time; what does not fit costs a call. */
const most = 1000;

export class SeenGone {
  readonly #clock: Clock;
  readonly #forMs: number;
  readonly #seen = new RecentMap<string, { claimUid: string; at: number }>({ max: most });

  constructor(clock: Clock, listLagSeconds: number) {
    this.#clock = clock;
    this.#forMs = Math.min(longestSeconds, listLagSeconds) * 1000;
  }

  note(pool: string, claimUid: string): void {
    this.#seen.set(pool, { claimUid, at: this.#clock.monotonic() });
  }

  /** Before a write: from now on nobody knows. */
  forget(pool: string): void {
    this.#seen.delete(pool);
  }

  has(pool: string, claimUid: string): boolean {
    const seen = this.#seen.get(pool);
    return seen?.claimUid === claimUid && this.#clock.monotonic() - seen.at < this.#forMs;
  }
}
