/** What only the SQLite engine does: shared commits, fairness, bounded memory, recovery, retention, storage failures. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import type { WorkflowStatus } from '../../../shared/workflow/contract.ts';
import type { EngineOptions } from '../../../shared/workflow/sqlite/options.ts';
import { all, call, defineWorkflow, poll, sleep, waitSignal } from '../../../shared/workflow/vocabulary.ts';
import type { TestActivity } from './harness.ts';
import { makeSqliteHarness, type SqliteHarness } from './sqlite-harness.ts';

const steps = defineWorkflow({
  name: 'steps',
  version: 1,
  *run(input: { count: number }) {
    for (let step = 0; step < input.count; step++) yield* call('work', { step });
    return input.count;
  },
});
const napping = defineWorkflow({
  name: 'napping',
  version: 1,
  *run(input: { seconds: number }) {
    yield* sleep(input.seconds);
    yield* call('work', null);
    return 'rested';
  },
});
const waiting = defineWorkflow({
  name: 'waiting',
  version: 1,
  *run(_input: null) {
    return yield* waitSignal('look', 1000);
  },
});

let harness: SqliteHarness;
afterEach(() => harness?.close());

const workflows = [steps, napping, waiting];

async function open(
  work: TestActivity,
  extra: Partial<Pick<EngineOptions, 'limits' | 'metrics' | 'activityDeadlineSeconds' | 'epochFloor'>> = {},
): Promise<SqliteHarness> {
  harness = await makeSqliteHarness({ workflows, activities: { work, other: work }, ...extra });
  return harness;
}

const startSteps = (key: string, count: number, group = 'g') =>
  harness.engine.ensure({ workflow: steps, key, input: { count }, group });

/** An activity that holds every execution until it is let go. */
function gate() {
  const held: { id: string; release: (value: Json) => void; signal: AbortSignal }[] = [];
  const work: TestActivity = (_input, { workflowId, signal }) =>
    new Promise((resolve) => held.push({ id: workflowId, release: resolve, signal }));
  const releaseAll = () => {
    for (const one of held.splice(0)) one.release(null);
  };
  return { work, held, releaseAll };
}

const count = (sql: string) => Number(harness.database.connection.prepare(sql).get()?.n);
const marks = () => count('select coalesce(sum(executing), 0) as n from position');

describe('commits', () => {
  it('are shared by many workflows', async () => {
    await open(async () => null);
    await Promise.all(Array.from({ length: 200 }, (_, n) => startSteps(`k${n}`, 5, `g${n % 4}`)));
    await harness.runUntilIdle();

    const { commits, byWorkflow } = harness.engine.stats();
    expect(byWorkflow).toEqual({ steps: { completed: 200 } });
    expect(commits).toBeLessThan((200 * 5) / 10);
  });

  it('hold one journal row per command, however many rounds a poll has', async () => {
    const polling = defineWorkflow({
      name: 'polling',
      version: 1,
      *run(_input: null) {
        yield* poll('work', null, { everySeconds: 1, forSeconds: 20 });
        yield* all([call('work', 1), call('work', 2), sleep(3)]);
        return null;
      },
    });
    harness = await makeSqliteHarness({ workflows: [polling], activities: { work: async () => ({ done: false }) } });
    await harness.engine.ensure({ workflow: polling, key: 'k', input: null, group: 'g' });
    await harness.runUntilIdle();

    const { history } = (await harness.engine.inspect('k/1'))!;
    expect(history.map((line) => line.command)).toEqual(['poll work', 'all [call work, call work, sleep]']);
  });
});

describe('concurrency', () => {
  it('is bounded in total, and one group never takes all of it', async () => {
    const { work, held, releaseAll } = gate();
    await open(work, { limits: { concurrency: 6, perGroup: 4 } });
    await Promise.all(Array.from({ length: 10 }, (_, n) => startSteps(`silent${n}`, 1, 'silent')));
    await harness.settle();
    expect(held).toHaveLength(4);

    await Promise.all(Array.from({ length: 10 }, (_, n) => startSteps(`lively${n}`, 1, 'lively')));
    await harness.settle();
    expect(held.map((one) => one.id.startsWith('silent'))).toEqual([true, true, true, true, false, false]);
    expect(harness.engine.stats()).toMatchObject({ running: 6, ready: 14 });

    for (let round = 0; round < 10; round++) {
      releaseAll();
      await harness.settle();
    }
    expect(harness.engine.stats().byWorkflow).toEqual({ steps: { completed: 20 } });
  });

  it('goes round the groups, so that a late small one is not behind a large one', async () => {
    const order: string[] = [];
    await open(
      async (_input, { workflowId }) => {
        order.push(workflowId);
        return null;
      },
      { limits: { concurrency: 2, perGroup: 2 } },
    );
    await Promise.all([
      ...Array.from({ length: 100 }, (_, n) => startSteps(`large${n}`, 1, 'large')),
      startSteps('small', 1, 'small'),
    ]);
    await harness.runUntilIdle();

    expect(order.indexOf('small/1')).toBeLessThan(10);
  });

  it('ends an execution that takes too long, and aborts its signal', async () => {
    const { work, held } = gate();
    await open(work, { activityDeadlineSeconds: 30 });
    await startSteps('k', 1);
    await harness.runFor(31);

    expect(held[0]?.signal.aborted).toBe(true);
    expect(await harness.engine.latest('k')).toMatchObject({
      status: 'failed',
      error: 'activity "work" did not finish within 30 s',
    });
  });
});

describe('memory', () => {
  it('holds no more instances than allowed; the others wait in the database and all come to their end', async () => {
    let most = 0;
    await open(
      async () => {
        most = Math.max(most, harness.engine.stats().hot);
        return null;
      },
      { limits: { hotGenerators: 10, concurrency: 4 } },
    );
    const start = (n: number) =>
      harness.engine.ensure({ workflow: napping, key: `k${n}`, input: { seconds: 100 + n }, group: `g${n % 3}` });
    await Promise.all(Array.from({ length: 60 }, (_, n) => start(n)));
    await harness.settle();
    expect(harness.engine.stats().hot).toBeLessThanOrEqual(10);
    await harness.runUntilIdle();

    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(10);
    expect(harness.engine.stats().byWorkflow).toEqual({ napping: { completed: 60 } });
  });

  it('keeps only some of those that wait, however much room there is, and wakes the others in time', async () => {
    await open(async () => null, { limits: { parkedGenerators: 3, concurrency: 4 } });
    const began = harness.now();
    const start = (n: number) =>
      harness.engine.ensure({ workflow: napping, key: `k${n}`, input: { seconds: 100 + n }, group: 'g' });
    await Promise.all(Array.from({ length: 30 }, (_, n) => start(n)));
    await harness.settle();
    expect(harness.engine.stats().hot).toBe(3);
    await harness.runUntilIdle();

    const { items } = await harness.engine.list({ status: 'completed' });
    const ends = items.map(({ key, endedAt }) => ({ key, late: (endedAt ?? 0) - began - 100_000 }));
    expect(ends).toHaveLength(30);
    for (const [n, { late }] of ends.entries()) {
      expect(late).toBeGreaterThanOrEqual(n * 1000);
      expect(late).toBeLessThan(n * 1000 + 1000);
    }
  });

  it('may be tiny and the process may die: every instance still goes its own way to the end', async () => {
    const winding = defineWorkflow({
      name: 'winding',
      version: 1,
      *run(input: { n: number }) {
        const seen: Json[] = [];
        for (let step = 0; step < 4; step++) {
          seen.push(yield* call<Json>('work', { n: input.n, step }));
          yield* sleep(((input.n * 7 + step * 13) % 30) + 1);
          if (step === 1) seen.push(yield* waitSignal('look', 20));
        }
        return seen;
      },
    });
    harness = await makeSqliteHarness({
      workflows: [winding],
      activities: { work: async (input) => input },
      limits: { hotGenerators: 5, parkedGenerators: 2, concurrency: 2, perGroup: 2 },
    });
    for (const at of [3, 40, 90]) harness.crashAt(at, at % 2 ? 'before' : 'after');
    for (let n = 0; n < 40; n++) {
      await harness.engine.ensure({ workflow: winding, key: `k${n}`, input: { n }, group: `g${n % 3}` });
      await harness.settle();
      if (n % 2) await harness.engine.signal(`k${n}`, 'look');
    }
    await harness.runUntilIdle();

    const { items } = await harness.engine.list();
    const expected = (n: number) => {
      const works = [0, 1, 2, 3].map((step) => ({ n, step }));
      return [...works.slice(0, 2), n % 2 === 1, ...works.slice(2)];
    };
    expect(items.map((item) => item.result)).toEqual(Array.from({ length: 40 }, (_, n) => expected(n)));
  });

  it('does not let the ready work of one group fill it', async () => {
    const { work, held, releaseAll } = gate();
    await open(work, { limits: { hotGenerators: 10, concurrency: 4, perGroup: 2 } });
    await Promise.all(Array.from({ length: 40 }, (_, n) => startSteps(`silent${n}`, 1, 'silent')));
    await startSteps('lively', 1, 'lively');
    await harness.settle();
    expect(held.map((one) => one.id)).toContain('lively/1');
    expect(harness.engine.stats().hot).toBeLessThanOrEqual(6);

    while (held.length > 0) {
      releaseAll();
      await harness.runFor(1);
    }
    expect(harness.engine.stats().byWorkflow).toEqual({ steps: { completed: 41 } });
  });

  it('does not fill with the timers of waits that ended early, and still keeps those that count', async () => {
    const listening = defineWorkflow({
      name: 'listening',
      version: 1,
      *run(_input: null) {
        let heard = 0;
        while (yield* waitSignal('look', 5000)) heard++;
        return heard;
      },
    });
    harness = await makeSqliteHarness({ workflows: [listening, napping], activities: { work: async () => null } });
    await harness.engine.ensure({ workflow: listening, key: 'k', input: null, group: 'g' });
    await harness.engine.ensure({ workflow: napping, key: 'nap', input: { seconds: 4000 }, group: 'g' });
    for (let n = 0; n < 150; n++) await harness.engine.signal('k', 'look');
    const began = harness.now();
    await harness.runUntilIdle();

    expect(await harness.engine.latest('k')).toMatchObject({ result: 150, endedAt: began + 5_000_000 });
    expect(await harness.engine.latest('nap')).toMatchObject({ result: 'rested', endedAt: began + 4_000_000 });
  });

  it('lets a signal wake an instance that was put out of it', async () => {
    await open(async () => null, { limits: { hotGenerators: 2 } });
    await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        harness.engine.ensure({ workflow: waiting, key: `k${n}`, input: null, group: 'g' }),
      ),
    );
    await harness.settle();
    await Promise.all(Array.from({ length: 10 }, (_, n) => harness.engine.signal(`k${n}`, 'look')));
    await harness.runFor(5);

    const { items } = await harness.engine.list({ status: 'completed' });
    expect(items.map((item) => item.result)).toEqual(Array.from({ length: 10 }, () => true));
  });
});

describe('after a restart', () => {
  it('due work is taken up at a bounded rate', async () => {
    let done = 0;
    const resumed: number[] = [];
    await open(
      async () => {
        done++;
        return null;
      },
      { limits: { resumePerSecond: 20 }, metrics: { resumed: (n) => resumed.push(n) } },
    );
    await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        harness.engine.ensure({ workflow: napping, key: `k${n}`, input: { seconds: 10 }, group: 'g' }),
      ),
    );
    harness.kill();
    harness.advance(60_000);

    await harness.runFor(1);
    expect(done).toBeGreaterThan(10);
    expect(done).toBeLessThan(30);
    await harness.runFor(5);
    expect(done).toBe(100);
    expect(resumed.reduce((sum, n) => sum + n, 0)).toBe(100);
  });

  it.each(Array.from({ length: 16 }, (_, turns) => turns))(
    'after death at turn %i everything is done, and hardly anything twice',
    async (turns) => {
      const effects: string[] = [];
      await open(async (input, { workflowId }) => {
        effects.push(`${workflowId} ${JSON.stringify(input)}`);
        return null;
      });
      const started = ['a', 'b', 'c'].map((key) => startSteps(key, 4).catch(() => undefined));
      for (let n = 0; n < turns; n++) await turn();
      harness.kill();
      await Promise.all(started);
      await harness.settle();
      // Whoever was not told that it was started asks again.
      await Promise.all(['a', 'b', 'c'].map(async (key) => (await harness.engine.latest(key)) ?? startSteps(key, 4)));
      await harness.runUntilIdle();

      expect(harness.engine.stats().byWorkflow).toEqual({ steps: { completed: 3 } });
      expect(new Set(effects).size).toBe(12);
      expect(effects.length).toBeLessThanOrEqual(12 + 3);
    },
  );

  it('what was not due stays in the database until it is', async () => {
    await open(async () => null);
    await harness.engine.ensure({ workflow: napping, key: 'k', input: { seconds: 1000 }, group: 'g' });
    await harness.restart();
    expect(harness.engine.stats().hot).toBe(0);
    await harness.runUntilIdle();

    expect(await harness.engine.latest('k')).toMatchObject({ status: 'completed', result: 'rested' });
  });
});

describe('a step that kills the process', () => {
  const poison: TestActivity = async (input, { workflowId }) => {
    if (workflowId.startsWith('poison') && (input as { step: number }).step === 1) {
      harness.kill();
      return new Promise(() => undefined);
    }
    return null;
  };

  it('is set aside the third time and reported, while the rest goes on', async () => {
    const ended: [string, WorkflowStatus][] = [];
    await open(poison, { metrics: { workflowEnded: (name, status) => ended.push([name, status]) } });
    await Promise.all(['poison', ...Array.from({ length: 20 }, (_, n) => `fine${n}`)].map((key) => startSteps(key, 3)));
    await harness.runUntilIdle();

    expect(harness.engine.stats().byWorkflow).toEqual({ steps: { completed: 20, 'set-aside': 1 } });
    expect(await harness.engine.list({ status: 'set-aside' })).toMatchObject({
      items: [{ id: 'poison/1', error: expect.stringContaining('crashed 3 times in a row while step 1 (call work)') }],
    });
    expect(harness.logged.filter((line) => line.message === 'workflow set aside')).toMatchObject([
      { level: 'error', fields: { workflow: 'steps', workflowId: 'poison/1' } },
    ]);
    expect(ended.filter(([, status]) => status === 'set-aside')).toHaveLength(1);
  });

  it('keeps its key from being started again for a while, or until somebody retries it', async () => {
    await open(poison, { limits: { setAsideSeconds: 600 } });
    await startSteps('poison', 2);
    await harness.runUntilIdle();

    expect(await startSteps('poison', 2)).toMatchObject({ epoch: 1, started: false });
    expect(await harness.engine.retrySetAside('poison/1')).toEqual({ id: 'poison/2', epoch: 2 });
    await harness.runUntilIdle();
    expect(await harness.engine.latest('poison')).toMatchObject({ epoch: 2, status: 'set-aside' });
    expect(await harness.engine.inspect('poison/1')).toMatchObject({ status: 'failed' });
    await expect(harness.engine.retrySetAside('poison/1')).rejects.toThrow('poison/1 is not set aside');

    harness.advance(601_000);
    expect(await startSteps('poison', 1)).toMatchObject({ epoch: 3, started: true });
  });

  it('does not make suspects of steps that had not begun', async () => {
    const { work, held, releaseAll } = gate();
    await open(work, { limits: { concurrency: 2, perGroup: 2, maxKills: 1 } });
    await Promise.all(['a', 'b', 'c', 'd'].map((key) => startSteps(key, 1)));
    await harness.settle();
    expect(held).toHaveLength(2);
    await harness.restart();
    releaseAll();
    await harness.settle();
    releaseAll();
    await harness.settle();

    expect(harness.engine.stats().byWorkflow).toEqual({ steps: { completed: 2, 'set-aside': 2 } });
  });
});

describe('a graceful stop', () => {
  it('finishes and records the running steps, begins no other, and leaves no marks', async () => {
    const { work, held, releaseAll } = gate();
    await open(work, { limits: { concurrency: 2, perGroup: 2 } });
    await Promise.all(['a', 'b', 'c'].map((key) => startSteps(key, 2)));
    await harness.settle();
    expect(marks()).toBe(2);

    const stopped = Promise.all([harness.engine.stop({ finishRunning: true, withinMs: 5000 }), harness.engine.stop()]);
    releaseAll();
    await stopped;

    expect(held).toHaveLength(0);
    expect(marks()).toBe(0);
    expect(count('select count(*) as n from journal')).toBe(2);
  });

  it('aborts what does not finish in time, without taking it for a crash', async () => {
    const { work, held } = gate();
    await open(work);
    await startSteps('a', 1);
    await harness.settle();

    const stopped = harness.engine.stop({ withinMs: 5000 });
    harness.advance(5000);
    await harness.settle();
    await stopped;

    expect(held[0]?.signal.aborted).toBe(true);
    expect(marks()).toBe(0);
    expect(await harness.engine.latest('a')).toMatchObject({ status: 'running' });
  });
});

describe('retention', () => {
  it('removes ended histories after their time, and never uses an epoch again', async () => {
    await open(async () => null, { limits: { retentionSeconds: 3600 } });
    for (let n = 0; n < 3; n++) {
      await startSteps('k', 2);
      await harness.runUntilIdle();
    }
    await harness.engine.ensure({ workflow: napping, key: 'long', input: { seconds: 100_000 }, group: 'g' });
    await harness.runFor(3000);
    expect(await harness.engine.latest('k')).toMatchObject({ epoch: 3 });
    await harness.runFor(1000);

    expect(await harness.engine.latest('k')).toBeUndefined();
    expect(count('select count(*) as n from journal')).toBe(0);
    expect(harness.engine.stats().byWorkflow).toEqual({ steps: {}, napping: { running: 1 } });
    expect(await startSteps('k', 1)).toMatchObject({ epoch: 4, started: true });
  });

  it('starts the epochs of a new journal above the floor it is given', async () => {
    await open(async () => null, { epochFloor: 500 });

    expect(await startSteps('k', 1)).toMatchObject({ id: 'k/501', epoch: 501 });
  });
});

describe('looking', () => {
  it('lists instances in pages, and tells the history of one', async () => {
    await open(async (input) => input);
    for (const key of ['a', 'b', 'c']) await startSteps(key, 1);
    await harness.engine.ensure({ workflow: napping, key: 'd/e', input: { seconds: 50 }, group: 'g' });
    await harness.engine.signal('d/e', 'unasked');
    await harness.settle();

    const first = await harness.engine.list({ limit: 3 });
    const second = await harness.engine.list({ limit: 3, after: first.next! });
    expect([...first.items, ...second.items].map((item) => item.id)).toEqual(['a/1', 'b/1', 'c/1', 'd/e/1']);
    expect(second.next).toBeUndefined();
    expect((await harness.engine.list({ status: 'running' })).items.map((item) => item.id)).toEqual(['d/e/1']);

    expect(await harness.engine.inspect('a/1')).toMatchObject({
      status: 'completed',
      group: 'g',
      input: { count: 1 },
      history: [{ step: 0, command: 'call work', ok: true, value: { step: 0 } }],
    });
    expect(await harness.engine.inspect('d/e/1')).toMatchObject({
      waitingFor: 'sleep until 2026-01-01T00:00:50.000Z',
      signals: ['unasked'],
    });
    expect(await harness.engine.inspect('nothing')).toBeUndefined();
  });
});

describe('a storage failure', () => {
  it('on a full disk stops the engine, is reported once, and loses nothing', async () => {
    await open(async () => 'x'.repeat(20_000));
    await Promise.all(Array.from({ length: 5 }, (_, n) => startSteps(`k${n}`, 3)));
    harness.database.connection.exec('pragma max_page_count = 20');
    await harness.settle();

    expect(harness.fatal).toHaveLength(1);
    expect(harness.fatal[0]).toMatchObject({ kind: 'full', file: harness.file });
    await expect(startSteps('more', 1)).rejects.toThrow('the disk is full');

    // There is room again: the next process goes on.
    await harness.restart();
    await harness.runUntilIdle();
    expect(harness.engine.stats().byWorkflow).toEqual({ steps: { completed: 5 } });
    expect(harness.fatal).toHaveLength(1);
  });

  it('that refuses a single write stops the engine too: memory and journal must not differ', async () => {
    await open(async () => null);
    await startSteps('k', 2);
    harness.database.connection.exec(
      "create trigger refuse before insert on journal begin select raise(abort, 'not this'); end",
    );
    await harness.settle();

    expect(harness.fatal).toMatchObject([{ kind: 'io', message: expect.stringContaining('not this') }]);
    await expect(harness.engine.signal('k', 'look')).rejects.toThrow('not this');
  });

  it('in a damaged journal stops the engine and says what to do', async () => {
    await open(async () => null);
    await harness.engine.ensure({ workflow: napping, key: 'k', input: { seconds: 10 }, group: 'g' });
    await harness.settle();
    harness.database.connection.exec("update position set items = '[{'");
    harness.kill();
    harness.advance(11_000);
    await harness.settle();

    expect(harness.fatal).toHaveLength(1);
    expect(harness.fatal[0]).toMatchObject({
      kind: 'corrupt',
      message: expect.stringContaining('restore it from a backup'),
    });
    expect(await harness.engine.latest('k')).toMatchObject({ status: 'running' });
  });
});
