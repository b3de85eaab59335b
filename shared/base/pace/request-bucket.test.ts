import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Bucket, draw, newBucket, strike } from './request-bucket.ts';

const rate = { burst: 5, perSecond: 2 };

/** When each of these callers is let through, if each comes again just when it is told to. */
function sendTimes(callers: readonly { who?: string; at: number }[], patienceMs: number): number[] {
  let bucket: Bucket = newBucket();
  const waiting = callers.map((caller) => ({ ...caller }));
  const sent: number[] = [];
  while (waiting.length > 0) {
    waiting.sort((one, other) => one.at - other.at);
    const caller = waiting.shift()!;
    const admission = draw(bucket, rate, caller.at, patienceMs, caller.who);
    bucket = admission.bucket;
    if ('goMs' in admission) sent.push(caller.at + admission.goMs);
    else waiting.push({ ...caller, at: caller.at + admission.comeBackMs });
  }
  return sent.sort((one, other) => one - other);
}

/** What EC2 would do with requests at these times: false when it would refuse one. */
function isAllowed(times: readonly number[]): boolean {
  let tokens = rate.burst;
  let last = times[0] ?? 0;
  for (const at of times) {
    tokens = Math.min(rate.burst, tokens + ((at - last) / 1000) * rate.perSecond);
    last = at;
    if (tokens < 1 - 1e-9) return false;
    tokens -= 1;
  }
  return true;
}

const arrivals = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 60 });

describe('a request bucket', () => {
  test('never lets more through than EC2 allows, whoever comes and whenever', () => {
    fc.assert(
      fc.property(arrivals, fc.boolean(), fc.constantFrom(0, 500, 3000), (times, named, patienceMs) => {
        const callers = times.map((at, index) => ({ at, ...(named ? { who: `claim-${index}` } : {}) }));
        const sent = sendTimes(callers, patienceMs);
        expect(sent).toHaveLength(times.length);
        expect(isAllowed(sent)).toBe(true);
      }),
    );
  });

  test('takes hardly longer for a hundred at once than the bucket must', () => {
    const callers = Array.from({ length: 100 }, (_, index) => ({ at: 0, who: `claim-${index}` }));
    const least = ((100 - rate.burst) / rate.perSecond) * 1000;
    expect(sendTimes(callers, 3000).at(-1)).toBeLessThanOrEqual(least * 1.1);
  });

  test('keeps a seat for who was told to come back, also when others came meanwhile', () => {
    let bucket = newBucket();
    for (let index = 0; index < 5; index++) bucket = draw(bucket, rate, 0, 0, `early-${index}`).bucket;
    const mine = draw(bucket, rate, 0, 0, 'mine');
    if (!('comeBackMs' in mine)) expect.fail('the bucket should be empty');
    const later = draw(mine.bucket, rate, mine.comeBackMs, 0, 'later');
    const again = draw(later.bucket, rate, mine.comeBackMs, 0, 'mine');

    expect('comeBackMs' in later).toBe(true);
    expect(again).toMatchObject({ goMs: 0, bucket: { seats: { later: expect.any(Number) } } });
  });

  test('keeps no seat for who has no name, nor for who did not come', () => {
    let bucket = newBucket();
    for (let index = 0; index < 5; index++) bucket = draw(bucket, rate, 0, 0).bucket;
    const nameless = draw(bucket, rate, 0, 0);
    expect(nameless).toMatchObject({ comeBackMs: expect.any(Number), bucket: { seats: {}, paidAt: bucket.paidAt } });
    const named = draw(bucket, rate, 0, 0, 'mine').bucket;
    expect(draw(named, rate, 400_000, 0, 'other').bucket.seats).toEqual({});
  });

  test('is empty and slower after AWS refused, and as before some time later', () => {
    const struck = strike(newBucket(), 0);
    const wait = (bucket: Bucket, now: number): number => {
      const admission = draw(bucket, rate, now, 1e9);
      return 'goMs' in admission ? admission.goMs : Number.NaN;
    };
    expect(wait(struck, 0)).toBeGreaterThan(500);
    expect(wait(strike(newBucket(), 0, 7000), 0)).toBeGreaterThanOrEqual(7000);
    expect(wait(struck, 60_000)).toBe(0);
  });

  test('is waited for a moment, however large it is and however often AWS refused before', () => {
    const large = { burst: 100, perSecond: 20 };
    const wait = (bucket: Bucket, now: number): number => {
      const admission = draw(bucket, large, now, 1e9);
      return 'goMs' in admission ? admission.goMs : Number.NaN;
    };
    let bucket = newBucket();
    for (let second = 2; second <= 20; second += 2) bucket = strike(bucket, second * 1000);
    expect(wait(bucket, 20_000)).toBeLessThan(700);
    expect(wait(bucket, 31_000)).toBe(0);
  });

  test('takes refusals of one moment for one', () => {
    const once = strike(newBucket(), 10_000);
    const often = [10_100, 10_200, 10_900].reduce((bucket, at) => strike(bucket, at), once);
    expect(often.strikes).toBe(once.strikes);
    expect(strike(often, 11_500).strikes).toBe(2);
  });
});
