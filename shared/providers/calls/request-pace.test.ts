import { describe, expect, test } from 'vitest';
import type { Rate } from '../../base/pace/request-bucket.ts';
import { manualClock } from '../../base/runtime.ts';
import type { Timers } from '../../base/timers.ts';
import type { State } from '../../state/contract.ts';
import { openSqliteState, openStateDatabase } from '../../state/sqlite/state.ts';
import { createPace, type PaceOptions, type RequestPace } from './request-pace.ts';

const signal = new AbortController().signal;
const rates: Record<string, Rate> = {
  CreateFleet: { burst: 2, perSecond: 1 },
  DescribeInstances: { burst: 1, perSecond: 1 },
};

function world(more: Partial<PaceOptions> = {}) {
  const clock = manualClock();
  const state = openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock });
  const waits: number[] = [];
  // Nobody waits here: time passes at once, and how long it would have been is noted.
  const timers: Timers = {
    after: (milliseconds, callback) => {
      waits.push(milliseconds);
      queueMicrotask(callback);
      return () => {};
    },
  };
  const open = (): RequestPace =>
    createPace({
      cloud: 'EC2',
      rateOf: (action) => rates[action] ?? { burst: 1, perSecond: 1 },
      isShared: (action) => action === 'CreateFleet',
      clock,
      random: () => 0.5,
      state,
      scope: 'ec2/bucket/own/eu-west-1',
      timers,
      patienceMs: 1500,
      ...more,
    });
  return { clock, state, waits, open };
}

describe('the line before EC2', () => {
  test('lets the burst through, holds the next ones for a moment and sends the others to sleep with a time of their own', async () => {
    const { open, waits } = world();
    const pace = open();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => pace.enter('CreateFleet', `claim-${index}`, signal)),
    );
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, true, false, false, false]);
    expect(waits).toHaveLength(1);
    const times = answers.flatMap((one) => (one.ok ? [] : [one.error.retryAfterSeconds ?? 0]));
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(new Set(times).size).toBe(3);
    expect(answers.at(-1)).toMatchObject({
      error: { kind: 'throttled', message: expect.stringContaining('CreateFleet') },
    });
  });

  test('is one for all processes, and lets who slept through at its time', async () => {
    const { open, clock } = world();
    const [one, other] = [open(), open()];
    await one.enter('CreateFleet', 'a', signal);
    await other.enter('CreateFleet', 'b', signal);
    await one.enter('CreateFleet', 'c', signal);
    const late = await other.enter('CreateFleet', 'd', signal);
    if (late.ok) expect.fail('the bucket should be empty');

    clock.advance((late.error.retryAfterSeconds ?? 0) * 1000);

    expect((await one.enter('CreateFleet', 'd', signal)).ok).toBe(true);
  });

  test('does not ask whoever was let in ahead of its call to wait a second time, but once only', async () => {
    const { open, waits, clock } = world();
    const pace = open();
    for (const who of ['a', 'b', 'c']) expect((await pace.reserve('CreateFleet', who)).ok).toBe(true);
    // The bucket is empty now, and who was not let in hears it.
    expect((await pace.enter('CreateFleet', 'd', signal)).ok).toBe(false);

    expect((await pace.enter('CreateFleet', 'a', signal)).ok).toBe(true);
    expect(waits).toHaveLength(0);
    // The wait comes with the call, at the time that was reserved for it.
    expect((await pace.enter('CreateFleet', 'c', signal)).ok).toBe(true);
    expect(waits).toHaveLength(1);
    expect((await pace.enter('CreateFleet', 'a', signal)).ok).toBe(false);
    // Nobody is let in for ever.
    clock.advance(60_000);
    await Promise.all(['e', 'f', 'g'].map((who) => pace.enter('CreateFleet', who, signal)));
    expect((await pace.enter('CreateFleet', 'b', signal)).ok).toBe(false);
  });

  test('counts reads in each process for itself, and writes nothing for them', async () => {
    const { open, state } = world();
    expect((await open().enter('DescribeInstances', undefined, signal)).ok).toBe(true);
    expect((await open().enter('DescribeInstances', undefined, signal)).ok).toBe(true);
    expect((await state.list('ec2/')).items).toEqual([]);
  });

  test('is slower for all processes after AWS refused one of them', async () => {
    const { open } = world();
    const [one, other] = [open(), open()];
    await one.enter('CreateFleet', 'a', signal);
    one.refused('CreateFleet', 20);
    await new Promise((resolve) => setImmediate(resolve));

    const next = await other.enter('CreateFleet', 'b', signal);

    expect(next).toMatchObject({ ok: false, error: { kind: 'throttled' } });
    if (!next.ok) expect(next.error.retryAfterSeconds).toBeGreaterThanOrEqual(20);
  });

  test('goes on by itself while state can not be reached', async () => {
    const broken: State = {
      get: () => Promise.reject(new Error('no')),
      put: () => Promise.reject(new Error('no')),
      delete: () => Promise.reject(new Error('no')),
      list: () => Promise.reject(new Error('no')),
    };
    const pace = world({ state: broken }).open();
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, index) => pace.enter('CreateFleet', `claim-${index}`, signal)),
    );
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, true, false]);
  });

  test('tells who was never quick enough to come again', async () => {
    const taken: State = {
      get: async () => undefined,
      put: async () => undefined,
      delete: async () => false,
      list: async () => ({ items: [] }),
    };
    const pace = world({ state: taken }).open();
    expect(await pace.enter('CreateFleet', 'a', signal)).toMatchObject({
      ok: false,
      error: { retryAfterSeconds: 1.5 },
    });
  });
});
