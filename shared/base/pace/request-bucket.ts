/**
 * A request bucket as clouds have them, per action or per account: a burst, and a refill per second. Pure: the time is handed in, and the bucket is
 * plain data that fits memory as well as state. Whoever has to wait gets a seat: a time that is its own, so that nobody who came
 * later goes first, and nobody has to ask twice.
 */

export type Rate = { burst: number; perSecond: number };

export type Bucket = {
  /**
   * When the last request that was drawn is paid for by the refill, in milliseconds; a time in the past is what has gathered since.
   * It is counted from an empty bucket: how fast it fills may change, and then what was drawn before must not cost more.
   */
  paidAt: number;
  /** How often the cloud refused lately: others draw from it as well. */
  strikes: number;
  struckAt: number;
  /** By whom it is kept, and for when. */
  seats: { [who: string]: number };
};

export const newBucket = (): Bucket => ({ paidAt: 0, strikes: 0, struckAt: 0, seats: {} });

/** The cloud's clock and ours, and the ways between, are not the same: a little slower than allowed is never refused. */
const margin = 1.04;
const slowdown = 1.5;
const usualMostStrikes = 6;
const forgiveMs = 10_000;
/** Answers to calls that went out together are one refusal, not many. */
const sameRefusalMs = 1000;
/** Whoever has not come for its seat by then does not come. */
const abandonedMs = 300_000;
/** A seat costs bytes in state, where a value has a limit. */
const mostSeats = 600;

function intervalMs(bucket: Bucket, { perSecond }: Rate, now: number): number {
  const forgiven = Math.floor(Math.max(0, now - bucket.struckAt) / forgiveMs);
  return (1000 / perSecond) * margin * slowdown ** Math.max(0, bucket.strikes - forgiven);
}

/**
 * Not all of it at once: a full bucket gains nothing until the first call arrives, and that takes its time. Whoever counts on the
 * whole burst is then ahead of the cloud's own count, and is refused later.
 */
const burstOf = ({ burst }: Rate): number => burst - Math.floor(burst / 5);

export type Admission = { bucket: Bucket; goMs: number } | { bucket: Bucket; comeBackMs: number };

/**
 * Draws one request. `goMs`: it may be sent in so long. `comeBackMs`: that is too long to wait here; where somebody is named, the
 * seat is kept until then.
 */
export function draw(before: Bucket, rate: Rate, now: number, patienceMs: number, who?: string): Admission {
  const seats = Object.fromEntries(Object.entries(before.seats).filter(([, at]) => at > now - abandonedMs));
  const kept = who === undefined ? undefined : seats[who];
  if (kept !== undefined && who !== undefined) {
    const waitMs = Math.max(0, kept - now);
    if (waitMs > patienceMs) return { bucket: { ...before, seats }, comeBackMs: waitMs };
    delete seats[who];
    return { bucket: { ...before, seats }, goMs: waitMs };
  }
  const interval = intervalMs(before, rate, now);
  const paidAt = Math.max(before.paidAt, now - burstOf(rate) * interval) + interval;
  const waitMs = Math.max(0, paidAt - now);
  if (waitMs <= patienceMs) return { bucket: { ...before, seats, paidAt }, goMs: waitMs };
  // A caller without a name can't claim a seat later: it takes none, and others are not held up by it.
  if (who === undefined || Object.keys(seats).length >= mostSeats) {
    return { bucket: { ...before, seats }, comeBackMs: waitMs };
  }
  return { bucket: { ...before, paidAt, seats: { ...seats, [who]: now + waitMs } }, comeBackMs: waitMs };
}

/** The cloud said no: the bucket is empty now, and fills more slowly than was thought. */
export function strike(before: Bucket, now: number, retryAfterMs = 0, mostStrikes = usualMostStrikes): Bucket {
  const again = before.strikes > 0 && now - before.struckAt < sameRefusalMs;
  const forgiven = Math.floor(Math.max(0, now - before.struckAt) / forgiveMs);
  const strikes = again ? before.strikes : Math.min(mostStrikes, Math.max(0, before.strikes - forgiven) + 1);
  const struck = { ...before, strikes, struckAt: again ? before.struckAt : now };
  // Empty from now on: the next one has to wait for the refill of one.
  return { ...struck, paidAt: Math.max(before.paidAt, now + retryAfterMs) };
}
