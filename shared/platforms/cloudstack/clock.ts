/**
 * The server's time as far as signatures need it. A signature is good until its `expires`; a server answers an expired one as it
 * answers a wrong one, so its `Date` header is what tells them apart.
 */
import type { Clock } from '../../base/runtime.ts';

/** Long enough for a slow way, and within the 15 minutes that a server may allow at most. */
const validMs = 10 * 60_000;
const mostAllowedMs = 15 * 60_000;
/** We go by the server's clock when ours is wrong by no more than this. Beyond it everything that we know by time is in doubt. */
const mostFollowedMs = 60 * 60_000;

export type Judgement =
  /** The time was not the reason. */
  | { skewed: false }
  /** Sign again: the server's time is known now. */
  | { skewed: true; follow: true; skewMs: number }
  | { skewed: true; follow: false; skewMs: number };

export class ServerClock {
  readonly #clock: Clock;
  #skewMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** By how much the server is ahead of us, as learned from it. */
  get skewMs(): number {
    return this.#skewMs;
  }

  expires(): number {
    return this.#clock.now() + this.#skewMs + validMs;
  }

  /** A signature was refused. @param date The `Date` header of that answer. */
  judge(expires: number, date: string | undefined): Judgement {
    const server = date === undefined ? Number.NaN : Date.parse(date);
    // The header counts seconds; an expiry within the same one is no proof of anything.
    if (Number.isNaN(server) || (expires > server && expires <= server + mostAllowedMs + 1000))
      return { skewed: false };
    const skewMs = server - this.#clock.now();
    const follow = Math.abs(skewMs) <= mostFollowedMs;
    if (follow) this.#skewMs = skewMs;
    return { skewed: true, follow, skewMs };
  }
}

/** With an offset and without fractions: every version of CloudStack reads it. */
export const expiresText = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}+0000`;
