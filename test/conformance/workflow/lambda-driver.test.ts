/** What is special about workflows on Lambda durable functions: what they write, and what a lost process or invocation does. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
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
import type { FaultPoint } from '../../stand-ins/lambda/contract.ts';
import { survivesDeaths, twoWaits } from './cloud-deaths.ts';
import type { TestActivity } from './harness.ts';
import { journey, journeysEnd } from './journey.ts';
import { type LambdaHarness, type LambdaSetup, makeLambdaHarness } from './lambda-harness.ts';

const key = 'east/1f0c/launch';
let harness: LambdaHarness;
afterEach(() => harness?.close());

async function start(
  run: () => Steps<Json>,
  activities: Record<string, TestActivity> = {},
  more: Partial<LambdaSetup> = {},
): Promise<void> {
  const workflow = defineWorkflow({ name: 'test', version: 1, run });
  harness = await makeLambdaHarness({ workflows: [workflow], activities, ...more });
  await harness.client.ensure({ workflow, key, input: null, group: 'east' });
}

async function result(): Promise<Json | undefined> {
  const info = await harness.client.latest(key);
  expect(info).toMatchObject({ status: 'completed' });
  return info?.result;
}

/** Names of the operations of the one execution, in their order. */
function operations(): string[] {
  const { store } = harness.lambda.service.executions;
  const [execution] = store.list('workflows');
  return store.operations(execution?.arn ?? '').flatMap(({ name }) => (name === undefined ? [] : [name]));
}

const echo: TestActivity = async (input) => input;

describe('operations', () => {
  it('are one for a call with its retries, and one for a poll with its rounds', async () => {
    let asked = 0;
    const flaky: TestActivity = async () => {
      if (++asked < 3) throw new Error('not yet');
      return 'ok';
    };
    await start(
      function* () {
        yield* call('flaky', null, { max: 5, firstSeconds: 1 });
        return (yield* poll('ask', null, { everySeconds: 1, forSeconds: 30 })).done;
      },
      { flaky, ask: async () => ({ done: false }) },
    );
    await harness.runUntilIdle();

    expect(await result()).toBe(false);
    expect(operations()).toEqual(['0 call flaky', '1 poll ask']);
  });

  it('are none for the time right after a step, and one for the time after a wait', async () => {
    await start(
      function* () {
        yield* call('echo', 1);
        const afterCall = yield* now();
        const again = yield* now();
        yield* sleep(10);
        return [again - afterCall, (yield* now()) - again];
      },
      { echo },
    );
    await harness.runUntilIdle();

    expect(await result()).toEqual([0, 10_000]);
    expect(operations()).toEqual(['0 call echo', '3 sleep', '4 now']);
  });

  it('are two for a wait, whether the signal is there, comes later or never', async () => {
    await start(function* () {
      return [yield* waitSignal('there', 100), yield* waitSignal('later', 100), yield* waitSignal('never', 100)];
    });
    await harness.client.signal(key, 'there');
    await harness.runFor(10);
    await harness.client.signal(key, 'later');
    await harness.runUntilIdle();

    expect(await result()).toEqual([true, true, false]);
    expect(operations()).toHaveLength(6);
  });

  it('are one for a look at the mailbox without any time to wait', async () => {
    await start(function* () {
      const first = yield* waitSignal('look', 0);
      yield* sleep(10);
      return [first, yield* waitSignal('look', 0), yield* waitSignal('look', 0)];
    });
    await harness.runFor(5);
    await harness.client.signal(key, 'look');
    await harness.runUntilIdle();

    expect(await result()).toEqual([false, true, false]);
    expect(operations()).toHaveLength(4);
  });
});

describe('a call that nobody takes because too much is asked for', () => {
  const twice = (): { flaky: TestActivity } => {
    let asked = 0;
    return {
      flaky: async () => {
        if (++asked < 2) throw new Error('not yet');
        return 'ok';
      },
    };
  };
  const run = function* (): Steps<Json> {
    const before = yield* now();
    const answer = yield* call<string>('flaky', null, { max: 2, firstSeconds: 1 });
    return { answer, seconds: ((yield* now()) - before) / 1000 };
  };

  it('uses up no try, before or after one, and waits longer each time', async () => {
    await start(run, twice());
    let calls = 0;
    harness.faults.refusesActivity = () => ++calls !== 7 && calls < 10;
    await harness.runUntilIdle();

    expect(calls).toBe(10);
    expect(await result()).toEqual({ answer: 'ok', seconds: 1 + 2 + 4 + 8 + 16 + 32 + (1 + 1 + 2) });
    expect(operations()).toEqual(['0 now', '1 call flaky']);
  });

  it('is given up in the end, and says why', async () => {
    await start(run, twice());
    let calls = 0;
    harness.faults.refusesActivity = () => ++calls > 0;
    await harness.runUntilIdle();

    expect(await harness.client.latest(key)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching('rate exceeded'),
    });
    expect(calls).toBe(30);
  });
});

describe('a signal', () => {
  it('that comes while a woken workflow sleeps is kept for the next wait', async () => {
    await start(function* () {
      const first = yield* waitSignal('look', 100);
      yield* sleep(50);
      return [first, yield* waitSignal('look', 100), yield* waitSignal('look', 100)];
    });
    await harness.runFor(10);
    await harness.client.signal(key, 'look');
    await harness.runFor(10);
    await harness.client.signal(key, 'look');
    await harness.runUntilIdle();

    expect(await result()).toEqual([true, true, false]);
  });

  it('that comes while a woken workflow looks is kept for the next wait', async () => {
    const look: TestActivity = async () => {
      await harness.client.signal(key, 'look');
      return null;
    };
    await start(
      function* () {
        const first = yield* waitSignal('look', 100);
        yield* call('look', null);
        return [first, yield* waitSignal('look', 100), yield* waitSignal('look', 100)];
      },
      { look },
    );
    await harness.runFor(10);
    await harness.client.signal(key, 'look');
    await harness.runUntilIdle();

    expect(await result()).toEqual([true, true, false]);
  });

  it('whose sender dies before the poke wakes with the next one that is sent', async () => {
    await start(twoWaits);
    await harness.runFor(10);
    harness.lambda.http.refuse = (line) =>
      line.endsWith('/succeed') ? { status: 400, type: 'AccessDeniedException' } : undefined;
    await expect(harness.client.signal(key, 'look')).rejects.toThrow('AccessDeniedException');
    harness.lambda.http.refuse = undefined;
    await harness.runFor(10);
    await harness.client.signal(key, 'look');
    await harness.runUntilIdle();

    expect(await result()).toEqual({ came: [true, false], seconds: 120 });
  });

  it('is no loss of the workflow when the mailbox is out of reach', async () => {
    await start(twoWaits);
    const get = harness.state.get;
    let failures = 0;
    harness.state.get = (asked) => {
      if (!asked.startsWith('workflow-signals/') || failures++ > 6) return get(asked);
      throw new Error('the state is away');
    };
    await harness.runUntilIdle();

    const { came, seconds } = (await result()) as { came: boolean[]; seconds: number };
    expect(came).toEqual([false, false]);
    expect(seconds).toBeGreaterThanOrEqual(200);
    expect(seconds).toBeLessThan(310);
  });
});

describe('parts of a second', () => {
  it('are rounded up, so that nothing comes early and deadlines have their last look', async () => {
    const looks: number[] = [];
    let begun = 0;
    await start(
      function* () {
        const before = yield* now();
        yield* sleep(2.4);
        const slept = (yield* now()) - before;
        const polled = yield* poll('look', null, { everySeconds: 0.7, forSeconds: 2.5 });
        return { slept, done: polled.done };
      },
      {
        look: async () => {
          begun ||= harness.now();
          looks.push((harness.now() - begun) / 1000);
          return { done: false };
        },
      },
    );
    await harness.runUntilIdle();

    expect(await result()).toEqual({ slept: 3000, done: false });
    expect(looks).toEqual([0, 1, 2, 3]);
  });
});

describe('a history', () => {
  it('that comes in pages is compared as a whole', async () => {
    const { run, activities } = journey(() => harness.now());
    await start(run, activities, { pageSize: 2 });
    await harness.client.signal(key, 'sent');
    await harness.runUntilIdle();

    expect(await result()).toEqual(journeysEnd);
  });

  it('of another poll is not gone on with', async () => {
    const polling = (activity: string) =>
      defineWorkflow({
        name: 'test',
        version: 1,
        *run() {
          yield* poll(activity, null, { everySeconds: 10, forSeconds: 100 });
          return activity;
        },
      });
    const ask: TestActivity = async (_input, { workflowId }) => {
      asked.push(workflowId);
      return { done: false };
    };
    const asked: string[] = [];
    harness = await makeLambdaHarness({ workflows: [polling('one')], activities: { one: ask, other: ask } });
    await harness.client.ensure({ workflow: polling('one'), key, input: null, group: 'east' });
    await harness.runFor(15);
    asked.length = 0;
    await harness.restart([polling('other')]);
    await harness.runUntilIdle();

    expect(await harness.client.latest(key)).toMatchObject({ epoch: 2, result: 'other' });
    expect(asked).not.toContain(`${key}/1`);
  });

  it('that was not begun as a workflow fails with a word', async () => {
    await start(twoWaits);
    const { service } = harness.lambda;
    const { executionArn = '' } = await service.invoke({
      functionName: 'workflows',
      qualifier: 'live',
      type: 'Event',
      payload: '{"hello":1}',
    });
    await harness.runUntilIdle();

    expect(service.executions.find(executionArn).error).toContain('was not started as a workflow');
  });
});

survivesDeaths<FaultPoint, LambdaHarness>({
  make: makeLambdaHarness,
  points: ['before-invocation', 'before-checkpoint', 'after-checkpoint', 'after-invocation'],
  leastPasses: 5,
  lose: (made, loses) => {
    made.faults.loses = loses;
  },
  harass: (made, random) => {
    const isHit = (): boolean => random() < 0.15;
    made.faults = { loses: isHit, losesActivity: isHit, repeatsActivity: isHit, doubles: isHit };
  },
  seeds: 10,
  disturb: (made, random) => {
    made.faults = {
      loses: () => random() < 0.04,
      repeatsActivity: () => random() < 0.1,
      doubles: () => random() < 0.1,
    };
  },
  // What came when the last wait was over: the last invocation and its writes.
  mostPointsAfterTheLastWait: 8,
});

it('items that need nothing run beside others', async () => {
  await start(
    function* () {
      return (yield* all([sleep(0), call<number>('echo', 1), sleep(0)])) as Json;
    },
    { echo },
  );
  await harness.runUntilIdle();

  expect(await result()).toEqual([
    { ok: true, value: null },
    { ok: true, value: 1 },
    { ok: true, value: null },
  ]);
});
