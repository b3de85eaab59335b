/** What only this driver can get wrong: events, timers and turns of a host that loses its process at the worst time. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import { instanceId } from '../../../shared/workflow/durable-functions/names.ts';
import {
  all,
  call,
  defineWorkflow,
  now,
  poll,
  type Steps,
  sleep,
  waitSignal,
} from '../../../shared/workflow/vocabulary.ts';
import type { FaultPoint } from '../../stand-ins/functions-host/durable/faults.ts';
import { eventTypes } from '../../stand-ins/functions-host/durable/protocol.ts';
import { survivesDeaths, twoWaits } from './cloud-deaths.ts';
import { type DurableHarness, makeDurableHarness } from './durable-harness.ts';
import type { TestActivity } from './harness.ts';

const key = 'cluster/claim/launch';
const instance = instanceId(key, 1);
let harness: DurableHarness;
afterEach(() => harness?.close());

const flow = (run: () => Steps<Json>) => defineWorkflow({ name: 'test', version: 1, run });

async function start(
  run: () => Steps<Json>,
  activities: Record<string, TestActivity> = {},
  broken: readonly string[] = [],
): Promise<DurableHarness> {
  const workflow = flow(run);
  harness = await makeDurableHarness({
    workflows: [workflow],
    activities: { echo: async (input) => input, ...activities },
    broken,
  });
  await harness.client.ensure({ workflow, key, input: null, group: 'cluster' });
  return harness;
}

const result = async (): Promise<Json | undefined> => {
  const info = await harness.client.latest(key);
  expect(info).toMatchObject({ epoch: 1, status: 'completed' });
  return info?.result;
};

const countEvents = (id: string, type: number) =>
  harness.hub.store.history(id).filter((event) => event.EventType === type).length;

describe('events', () => {
  it('that come before the wait has begun are not lost', async () => {
    await start(twoWaits);
    let sent = false;
    // The mailbox knows the waiter; the waiter does not wait yet.
    harness.faults = {
      async loses(point, name) {
        if (sent || point !== 'after-activity' || name !== 'workflow-mailbox') return false;
        sent = true;
        await harness.client.signal(key, 'look');
        return false;
      },
    };
    await harness.runUntilIdle();

    expect(await result()).toEqual({ came: [true, false], seconds: 100 });
  });

  it('that come late wake no later wait', async () => {
    await start(twoWaits);
    await harness.runFor(10);
    harness.faults = { eventDelays: () => [150_000] };
    await harness.client.signal(key, 'look');
    await harness.runUntilIdle();

    // The mark was found at the end of the first wait; the event itself came in the middle of the second.
    expect(await result()).toEqual({ came: [true, false], seconds: 200 });
  });

  it('that come twice count once', async () => {
    await start(twoWaits);
    await harness.runFor(10);
    harness.faults = { eventDelays: () => [0, 0, 5000] };
    await harness.client.signal(key, 'look');
    await harness.runUntilIdle();

    expect(await result()).toEqual({ came: [true, false], seconds: 110 });
  });

  it('that nobody waits for any more are refused without harm', async () => {
    await start(twoWaits);
    await harness.runUntilIdle();
    await harness.client.signal(key, 'look');

    expect(await result()).toMatchObject({ came: [false, false] });
  });
});

describe('timers', () => {
  it('that lost against a signal are cancelled: the instance ends at once', async () => {
    await start(function* () {
      return yield* waitSignal('look', 86_400);
    });
    await harness.runFor(10);
    const before = harness.now();
    await harness.client.signal(key, 'look');
    await harness.runFor(0);

    expect(await result()).toBe(true);
    expect(harness.now()).toBe(before);
  });

  it('of weeks are cut into pieces by both sides alike', async () => {
    await start(function* () {
      const before = yield* now();
      yield* sleep(20 * 86_400);
      return (yield* now()) - before;
    });
    await harness.runUntilIdle();

    expect(await result()).toBe(20 * 86_400_000);
  });
});

describe('clocks', () => {
  /** Whatever is done takes a while, so that what is left to wait is no whole number of seconds. */
  const takes = 300;
  let begun = 0;
  let looks: number[] = [];

  async function run(): Promise<void> {
    looks = [];
    const look: TestActivity = async () => {
      looks.push(harness.clock.now() - begun);
      harness.clock.advance(takes);
      return { done: false };
    };
    await start(
      function* () {
        yield* poll<Json>('look', null, { everySeconds: 5, forSeconds: 20 });
        const before = yield* now();
        yield* all([call('look', null), sleep(2.5)]);
        const slept = (yield* now()) - before;
        return { slept, came: yield* waitSignal('look', 10) };
      },
      { look },
    );
    begun = harness.clock.now();
    const get = harness.state.get;
    harness.state.get = (asked) => {
      if (asked.startsWith('workflow-signals/')) harness.clock.advance(takes);
      return get(asked);
    };
  }

  it('of storage queues, which know no parts of a second, let no timer fire early', async () => {
    await run();
    await harness.runUntilIdle();

    const { slept, came } = (await result()) as { slept: number; came: boolean };
    expect(slept).toBeGreaterThanOrEqual(2500);
    expect(came).toBe(false);
    expect(looks).toHaveLength(6);
    for (const [n, at] of looks.slice(0, 4).entries()) expect(at).toBeGreaterThanOrEqual(n * 5000);
    expect(looks[4]).toBeGreaterThanOrEqual(20_000);
    expect(countEvents(instance, eventTypes.timerCreated)).toBe(2);
  });

  it.each([0, 1, 2, 3])('that differ from worker to worker begin no wait anew (%i)', async (first) => {
    await run();
    let turns = first;
    harness.faults = { clockAhead: () => (turns++ % 4 === 0 ? 0 : -3000) };
    await harness.runUntilIdle();

    expect(await result()).toMatchObject({ came: false });
    expect(looks.length).toBeLessThanOrEqual(6);
    expect(countEvents(instance, eventTypes.taskScheduled)).toBe(3);
    expect(countEvents(instance, eventTypes.timerCreated)).toBe(2);
  });
});

describe('a wait of weeks', () => {
  const waiting = function* (): Steps<Json> {
    const before = yield* now();
    const came = yield* waitSignal('look', 20 * 86_400);
    return { came, days: ((yield* now()) - before) / 86_400_000 };
  };

  it('ends with the signal, whatever timers there were', async () => {
    await start(waiting);
    await harness.runFor(11 * 86_400);
    await harness.client.signal(key, 'look');
    await harness.runFor(0);

    expect(await result()).toEqual({ came: true, days: 11 });
  });

  it('lasts to its end without one', async () => {
    await start(waiting);
    await harness.runUntilIdle();

    expect(await result()).toEqual({ came: false, days: 20 });
  });
});

describe('histories', () => {
  it('do not grow with the rounds of a poll', async () => {
    let rounds = 0;
    let longest = 0;
    await start(
      function* () {
        return yield* poll<Json>('ask', null, { everySeconds: 10, forSeconds: 10_000 });
      },
      {
        ask: async () => {
          rounds++;
          for (const { id } of harness.hub.store.list('', 10)) {
            longest = Math.max(longest, harness.hub.store.history(id).length);
          }
          return rounds === 100 ? { done: true, value: 'ready' } : { done: false };
        },
      },
    );
    await harness.runUntilIdle();

    expect(await result()).toEqual({ done: true, value: 'ready' });
    expect(rounds).toBe(100);
    expect(harness.hub.store.history(instance).length).toBeLessThan(10);
    expect(longest).toBeLessThan(200);
  });

  it('hold no more than register, timer and close for a wait', async () => {
    await start(twoWaits);
    await harness.runUntilIdle();

    expect(countEvents(instance, eventTypes.taskScheduled)).toBe(4);
    expect(countEvents(instance, eventTypes.timerCreated)).toBe(2);
  });

  it('hold results of calls that failed as plain text', async () => {
    await start(
      function* () {
        const settled = yield* all([call('no', 1), call('no', 2, { max: 2, firstSeconds: 1 })]);
        try {
          yield* call('no', 3);
        } catch (error) {
          return [...settled.map((one) => (one.ok ? '' : one.error)), (error as Error).message];
        }
        return null;
      },
      {
        no: async (input) => {
          throw new Error(`no to ${input}\n  at line 2`);
        },
      },
    );
    await harness.runUntilIdle();

    expect(await result()).toEqual([1, 2, 3].map((n) => `no to ${n}\n  at line 2`));
  });
});

describe('a function that fails without a word of its activity', () => {
  it('counts as a failed execution, alone and beside others', async () => {
    const never: TestActivity = async () => null;
    const retry = { max: 2, firstSeconds: 5 };
    await start(
      function* () {
        const before = yield* now();
        const settled = yield* all([call('never', 1), call('echo', 'fine'), call('never', 2, retry), sleep(9)]);
        const polled = yield* poll<Json>('never', 3, { everySeconds: 10, forSeconds: 20 });
        try {
          yield* call('never', 4, retry);
        } catch (error) {
          const seconds = ((yield* now()) - before) / 1000;
          return { settled: settled as Json, polled, error: (error as Error).message, seconds };
        }
        return null;
      },
      { never },
      ['never'],
    );
    await harness.runUntilIdle();

    const error = "Activity function 'steps' failed: Timeout value of 00:10:00 exceeded";
    expect(await result()).toEqual({
      settled: [
        { ok: false, error },
        { ok: true, value: 'fine' },
        { ok: false, error },
        { ok: true, value: null },
      ],
      polled: { done: false },
      error,
      seconds: 9 + 20 + 5,
    });
  });
});

describe('a mailbox out of reach', () => {
  it('for a moment delays nothing but the signal, and for long costs no more than it', async () => {
    await start(twoWaits);
    const get = harness.state.get;
    let failures = 0;
    harness.state.get = (asked) => {
      if (!asked.startsWith('workflow-signals/') || failures++ > 5) return get(asked);
      throw new Error('the state is away');
    };
    await harness.runUntilIdle();

    const answer = (await result()) as { came: boolean[]; seconds: number };
    expect(answer.came).toEqual([false, false]);
    // The wait began when it was asked for, not when the mailbox came back.
    expect(answer.seconds).toBeGreaterThanOrEqual(200);
    expect(answer.seconds).toBeLessThan(310);
  });
});

survivesDeaths<FaultPoint, DurableHarness>({
  make: makeDurableHarness,
  points: ['before-activity', 'after-activity', 'before-checkpoint', 'after-send'],
  leastPasses: 10,
  lose: (made, loses) => {
    made.faults.loses = loses;
  },
  harass: (made, random) => {
    made.faults = {
      loses: () => random() < 0.2,
      repeats: () => random() < 0.2,
      completions: () => (random() < 0.3 ? 2 : 1),
      eventDelays: () => (random() < 0.5 ? [0, 0] : [0]),
    };
  },
  seeds: 15,
  disturb: (made, random) => {
    made.faults = {
      loses: (point) => point !== 'before-activity' && random() < 0.05,
      repeats: () => random() < 0.1,
      completions: () => (random() < 0.1 ? 2 : 1),
      eventDelays: () => [0, 0],
    };
  },
  // What came after the last wait had closed its box: that turn and the end of the workflow.
  mostPointsAfterTheLastWait: 6,
});

describe('an orchestration that began when every step was a function of its own', () => {
  it('goes on under the old names until it ends, and the next one is routed', async () => {
    await start(function* () {
      const first = yield* call<Json>('echo', 'one');
      yield* sleep(60);
      return [first, yield* call<Json>('echo', 'two')];
    });
    // What the client of an earlier release wrote.
    await harness.settle();
    const scheduled = (id: string) =>
      harness.hub.store.history(id).flatMap(({ Name }) => (Name === undefined ? [] : [Name]));
    expect(scheduled(instance)).toContain('steps');

    const { routed: _, ...older } = JSON.parse(harness.hub.store.instance(instance)?.input ?? '{}');
    const before = 'older:1';
    harness.hub.start('workflow', before, JSON.stringify({ ...older, id: 'older/1' }));
    await harness.runUntilIdle();

    expect(scheduled(before)).toContain('activity-echo');
    expect(scheduled(before)).not.toContain('steps');
    expect(harness.hub.store.instance(before)).toMatchObject({ status: 'Completed' });
    expect(await result()).toEqual(['one', 'two']);
  });
});
