/** What every workflow driver owes, told once. A driver's own test file calls this with its harness. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import type { WorkflowInfo } from '../../../shared/workflow/contract.ts';
import {
  all,
  call,
  defineWorkflow,
  now,
  poll,
  type Steps,
  sleep,
  type Workflow,
  waitSignal,
} from '../../../shared/workflow/vocabulary.ts';
import type { Harness, MakeHarness, TestActivity } from './harness.ts';
import { randomPrograms } from './random-programs.ts';

const key = 'cluster/claim/launch';
const never = 'it was never called';

/** A workflow of version 1 named `test`, of any body. */
const flow = (run: () => Steps<Json>, version = 1): Workflow => defineWorkflow({ name: 'test', version, run });

export function workflowConformance(name: string, makeHarness: MakeHarness): void {
  describe(`${name} workflows`, () => {
    let harness: Harness | undefined;
    let calls: string[] = [];

    afterEach(async () => {
      await harness?.close();
      harness = undefined;
    });

    const activities: Record<string, TestActivity> = {
      echo: async (input) => {
        calls.push(`echo ${JSON.stringify(input)}`);
        return input;
      },
      boom: async (input) => {
        calls.push('boom');
        throw new Error(`boom ${JSON.stringify(input)}`);
      },
    };

    async function start(
      workflow: Workflow,
      more: Record<string, TestActivity> = {},
      prepare: (harness: Harness) => void = () => undefined,
    ): Promise<Harness> {
      calls = [];
      harness = await makeHarness({ workflows: [workflow], activities: { ...activities, ...more } });
      prepare(harness);
      await harness.client.ensure({ workflow, key, input: null, group: 'cluster' });
      return harness;
    }

    async function latest(): Promise<WorkflowInfo> {
      const info = await harness?.client.latest(key);
      if (!info) throw new Error('there is no instance');
      return info;
    }

    async function resultOf(workflow: Workflow, more: Record<string, TestActivity> = {}): Promise<WorkflowInfo> {
      await (await start(workflow, more)).runUntilIdle();
      return latest();
    }

    /** Answers one after another; the last one again and again. An Error is thrown. */
    const script = (...answers: (Json | Error)[]): TestActivity => {
      let round = 0;
      return async () => {
        calls.push('script');
        const answer = answers[Math.min(round++, answers.length - 1)] ?? null;
        if (answer instanceof Error) throw answer;
        return answer;
      };
    };

    describe('calls', () => {
      it('run one after another, each with the result of the one before', async () => {
        const workflow = flow(function* () {
          const one = yield* call<number>('echo', 1);
          const two = yield* call<number>('echo', one + 1);
          return [one, two];
        });

        expect(await resultOf(workflow)).toMatchObject({ status: 'completed', result: [1, 2], epoch: 1, version: 1 });
        expect(calls).toEqual(['echo 1', 'echo 2']);
      });

      it('that throw are retried after growing pauses up to their cap', async () => {
        const workflow = flow(function* () {
          const before = yield* now();
          yield* call('script', null, { max: 5, firstSeconds: 10, factor: 3, capSeconds: 40 });
          return (yield* now()) - before;
        });
        const failures = [1, 2, 3, 4].map((n) => new Error(`no ${n}`));

        const info = await resultOf(workflow, { script: script(...failures, 'ok') });

        expect(info.result).toBe((10 + 30 + 40 + 40) * 1000);
        expect(calls).toHaveLength(5);
      });

      it('that throw to the end throw the last message into the workflow', async () => {
        const workflow = flow(function* () {
          try {
            yield* call('script', null, { max: 2, firstSeconds: 1 });
          } catch (error) {
            return (error as Error).message;
          }
          return never;
        });

        const info = await resultOf(workflow, { script: script(new Error('first'), new Error('second')) });

        expect(info.result).toBe('second');
      });

      it('that throw are not retried without a policy, and fail a workflow that does not catch', async () => {
        const info = await resultOf(flow(() => call<Json>('boom', 1)[Symbol.iterator]()));

        expect(info).toMatchObject({ status: 'failed', error: 'boom 1' });
        expect(calls).toEqual(['boom']);
      });

      it('that return a failure are not retried', async () => {
        const failure = { ok: false, kind: 'sold-out' };
        const workflow = flow(() => call<Json>('script', null, { max: 5, firstSeconds: 1 })[Symbol.iterator]());

        expect((await resultOf(workflow, { script: script(failure) })).result).toEqual(failure);
        expect(calls).toHaveLength(1);
      });

      it('tell the activity who calls, and count its executions', async () => {
        const seen: Json[] = [];
        const workflow = flow(() => call<Json>('look', null, { max: 2, firstSeconds: 1 })[Symbol.iterator]());

        await resultOf(workflow, {
          look: async (_input, { workflowId, activity, execution, signal }) => {
            seen.push([workflowId, activity, execution, signal.aborted]);
            if (execution === 1) throw new Error('again');
            return null;
          },
        });

        expect(seen).toEqual([
          [`${key}/1`, 'look', 1, false],
          [`${key}/1`, 'look', 2, false],
        ]);
      });

      it('of an activity that nobody knows fail the workflow and name it', async () => {
        const info = await resultOf(
          flow(function* () {
            yield* call('echo', 1);
            yield* call('missing', 2);
            return null;
          }),
        );

        expect(info).toMatchObject({ status: 'failed', error: expect.stringContaining('"missing"') });
      });

      it.each([
        ['too large', 'x'.repeat(70_000), /"script" is too large: 70002 bytes, the limit is 65536/],
        ['not JSON', Number.NaN, /"script" is not JSON: it contains NaN/],
      ])('refuse a result that is %s, and name the activity', async (_title, answer, message) => {
        const workflow = flow(() => call<Json>('script', null, { max: 3, firstSeconds: 1 })[Symbol.iterator]());

        const info = await resultOf(workflow, { script: script(answer) });

        expect(info).toMatchObject({ status: 'failed', error: expect.stringMatching(message) });
        expect(calls).toHaveLength(1);
      });
    });

    describe('polls', () => {
      const polling = (every: { everySeconds: number; forSeconds: number }) =>
        flow(function* () {
          const before = yield* now();
          const outcome = yield* poll<Json>('script', null, every);
          return { outcome, seconds: ((yield* now()) - before) / 1000 };
        });

      it('ask until the answer is done', async () => {
        const answers = script({ done: false }, { done: false }, { done: true, value: 'ready' });

        const info = await resultOf(polling({ everySeconds: 10, forSeconds: 100 }), { script: answers });

        expect(info.result).toEqual({ outcome: { done: true, value: 'ready' }, seconds: 20 });
      });

      it('end at their deadline, with a last look there', async () => {
        const info = await resultOf(polling({ everySeconds: 10, forSeconds: 25 }), { script: script({ done: false }) });

        expect(info.result).toEqual({ outcome: { done: false }, seconds: 25 });
        expect(calls).toHaveLength(4);
      });

      it('take a round that throws as one without an answer', async () => {
        const answers = script(new Error('away'), { done: true, value: 1 });

        const info = await resultOf(polling({ everySeconds: 10, forSeconds: 100 }), { script: answers });

        expect(info.result).toEqual({ outcome: { done: true, value: 1 }, seconds: 10 });
      });

      it('wait as long as the answer asks for, but never past the deadline', async () => {
        const answers = script(
          { done: false, retryAfterSeconds: 42 },
          { done: false, retryAfterSeconds: 900 },
          { done: true, value: 1 },
        );

        const info = await resultOf(polling({ everySeconds: 10, forSeconds: 100 }), { script: answers });

        expect(info.result).toEqual({ outcome: { done: true, value: 1 }, seconds: 100 });
      });

      it('keep their deadline over a restart', async () => {
        const running = await start(polling({ everySeconds: 10, forSeconds: 60 }), { script: script({ done: false }) });
        await running.runFor(35);
        await running.restart();
        await running.runUntilIdle();

        expect((await latest()).result).toEqual({ outcome: { done: false }, seconds: 60 });
      });
    });

    describe('sleeps', () => {
      it('last as long as asked, over a restart too', async () => {
        const workflow = flow(function* () {
          const before = yield* now();
          yield* sleep(100);
          yield* sleep(0);
          return (yield* now()) - before;
        });
        const running = await start(workflow);
        await running.runFor(60);
        expect((await latest()).status).toBe('running');
        await running.restart();
        await running.runFor(39);
        expect((await latest()).status).toBe('running');
        await running.runUntilIdle();

        expect((await latest()).result).toBe(100_000);
      });

      it('of a senseless length fail the workflow', async () => {
        const info = await resultOf(
          flow(function* () {
            yield* sleep(Number.NaN);
            return null;
          }),
        );

        expect(info).toMatchObject({ status: 'failed', error: expect.stringContaining('sleep needs seconds') });
      });
    });

    describe('all', () => {
      it('waits for every item and hides none that throws', async () => {
        const workflow = flow(function* () {
          const before = yield* now();
          const settled = yield* all([
            call<number>('echo', 1),
            call<number>('boom', 2),
            poll<string>('script', null, { everySeconds: 5, forSeconds: 60 }),
            sleep(30),
          ]);
          return {
            kinds: settled.map((one) => one.ok),
            first: settled[0],
            second: settled[1],
            third: settled[2],
            took: (yield* now()) - before,
          };
        });
        const answers = script({ done: false }, { done: true, value: 'x' });

        expect((await resultOf(workflow, { script: answers })).result).toEqual({
          kinds: [true, false, true, true],
          first: { ok: true, value: 1 },
          second: { ok: false, error: 'boom 2' },
          third: { ok: true, value: { done: true, value: 'x' } },
          took: 30_000,
        });
      });

      it('of nothing is nothing', async () => {
        expect((await resultOf(flow(() => all([])))).result).toEqual([]);
      });

      it('does not repeat items that were recorded before a restart', async () => {
        const workflow = flow(function* () {
          yield* all([call('echo', 1), sleep(100)]);
          return 'done';
        });
        const running = await start(workflow);
        await running.runFor(10);
        await running.restart();
        await running.runUntilIdle();

        expect(calls).toEqual(['echo 1']);
        expect((await latest()).result).toBe('done');
      });
    });

    describe('signals', () => {
      const waiting = flow(function* () {
        const before = yield* now();
        const came = [yield* waitSignal('look', 100), yield* waitSignal('look', 100)];
        return { came, seconds: ((yield* now()) - before) / 1000 };
      });

      it('wake a waiting workflow at once', async () => {
        const running = await start(waiting);
        await running.runFor(10);
        await running.client.signal(key, 'look');
        await running.runFor(20);
        await running.client.signal(key, 'look');
        await running.runUntilIdle();

        expect((await latest()).result).toEqual({ came: [true, true], seconds: 30 });
      });

      it('time out', async () => {
        expect((await resultOf(waiting)).result).toEqual({ came: [false, false], seconds: 200 });
      });

      it('that come while nobody waits are kept for the next wait, over a restart too', async () => {
        const running = await start(
          flow(function* () {
            yield* sleep(50);
            const kept = yield* waitSignal('look', 100);
            return [kept, yield* waitSignal('look', 100)];
          }),
        );
        await running.runFor(10);
        await running.client.signal(key, 'look');
        await running.restart();
        await running.runUntilIdle();

        expect((await latest()).result).toEqual([true, false]);
      });

      it('that are doubled count once', async () => {
        const running = await start(waiting);
        await running.runFor(10);
        await Promise.all([running.client.signal(key, 'look'), running.client.signal(key, 'look')]);
        await running.runUntilIdle();

        expect((await latest()).result).toEqual({ came: [true, false], seconds: 110 });
      });

      it('of another name are not taken', async () => {
        const running = await start(waiting);
        await running.client.signal(key, 'other');
        await running.runUntilIdle();

        expect((await latest()).result).toMatchObject({ came: [false, false] });
      });

      it('wake a workflow that was waiting before a restart', async () => {
        const running = await start(waiting);
        await running.runFor(10);
        await running.restart();
        await running.client.signal(key, 'look');
        await running.runFor(1);
        await running.client.signal(key, 'look');
        await running.runUntilIdle();

        expect((await latest()).result).toEqual({ came: [true, true], seconds: 11 });
      });

      it('to a key that does not run are dropped', async () => {
        const running = await start(waiting);
        await running.client.signal('nobody', 'look');
        await running.runUntilIdle();
        await running.client.signal(key, 'look');
        await running.client.ensure({ workflow: waiting, key, input: null, group: 'cluster' });
        await running.runUntilIdle();

        expect(await latest()).toMatchObject({ epoch: 2, result: { came: [false, false] } });
      });
    });

    it('gives the same time on every replay', async () => {
      const workflow = flow(function* () {
        const first = yield* now();
        yield* sleep(10);
        yield* call('echo', first);
        return first;
      });
      const running = await start(workflow);
      const began = running.now();
      await running.runFor(5);
      await running.restart();
      await running.runUntilIdle();

      expect((await latest()).result).toBe(began);
      expect(calls).toEqual([`echo ${began}`]);
    });

    it('hands values to workflows and activities as copies', async () => {
      const workflow: Workflow = defineWorkflow({
        name: 'test',
        version: 1,
        *run(input: { list: number[] }) {
          input.list.push(2);
          const got = yield* call<number[]>('keep', input.list);
          got.push(3);
          yield* sleep(1);
          return [input.list, got];
        },
      });
      let kept: Json = null;
      const running = await makeHarness({
        workflows: [workflow],
        activities: {
          keep: async (list) => {
            kept = list;
            return list;
          },
        },
      });
      harness = running;
      await running.client.ensure({ workflow, key, input: { list: [1] }, group: 'cluster' });
      await running.runUntilIdle();

      expect(kept).toEqual([1, 2]);
      expect((await latest()).result).toEqual([
        [1, 2],
        [1, 2, 3],
      ]);
    });

    describe('starting', () => {
      const napping = flow(function* () {
        yield* call('echo', 'nap');
        yield* sleep(60);
        return 'rested';
      });
      const request = { workflow: napping, key, input: null, group: 'cluster' };

      it('does nothing while one runs', async () => {
        const running = await start(napping);
        expect(await running.client.ensure(request)).toEqual({ id: `${key}/1`, epoch: 1, started: false });
        await running.runUntilIdle();

        expect(calls).toEqual(['echo "nap"']);
      });

      it('starts exactly one however many race', async () => {
        calls = [];
        harness = await makeHarness({ workflows: [napping], activities });
        const answers = await Promise.all(Array.from({ length: 20 }, () => harness!.client.ensure(request)));
        await harness.runUntilIdle();

        expect(answers.filter((answer) => answer.started)).toHaveLength(1);
        expect(new Set(answers.map((answer) => answer.id))).toEqual(new Set([`${key}/1`]));
        expect(calls).toHaveLength(1);
      });

      it('takes the next epoch after an end, whatever the end was', async () => {
        const failing = flow(() => call<Json>('boom', 1)[Symbol.iterator]());
        const running = await start(failing);
        await running.runUntilIdle();

        expect(await running.client.ensure({ ...request, workflow: failing })).toMatchObject({
          epoch: 2,
          started: true,
        });
        await running.runUntilIdle();
        expect(await latest()).toMatchObject({ epoch: 2, status: 'failed' });
      });

      it('starts above the epoch that the caller knows of', async () => {
        const running = await start(napping);
        await running.runUntilIdle();

        const again = await running.client.ensure({ ...request, workflow: napping, aboveEpoch: 41 });
        expect(again).toEqual({ id: `${key}/42`, epoch: 42, started: true });
        await running.runUntilIdle();
        expect(await running.client.ensure({ ...request, workflow: napping, aboveEpoch: 7 })).toMatchObject({
          epoch: 43,
        });
        await running.runUntilIdle();
      });

      it('survives a restart right after it', async () => {
        const running = await start(napping);
        await running.restart();
        await running.runUntilIdle();

        expect(await latest()).toMatchObject({ status: 'completed', result: 'rested' });
      });

      it('keeps keys apart', async () => {
        const running = await start(napping);
        await running.client.ensure({ ...request, key: 'other' });
        await running.runUntilIdle();

        expect(await running.client.latest('other')).toMatchObject({ id: 'other/1', status: 'completed' });
        expect(await running.client.latest('nobody')).toBeUndefined();
      });

      it('refuses a workflow that is not registered, and an input that is not JSON', async () => {
        const running = await start(napping);
        const other = defineWorkflow({ name: 'other', version: 1, run: () => all([]) as Steps<Json> });

        await expect(running.client.ensure({ ...request, key: 'x', workflow: other })).rejects.toThrow('"other"');
        await expect(running.client.ensure({ ...request, key: 'x', input: Number.NaN })).rejects.toThrow('not JSON');
      });

      it('shows what it waits for', async () => {
        const running = await start(napping);
        const startedAt = running.now();
        await running.runFor(10);

        expect(await latest()).toMatchObject({
          status: 'running',
          startedAt,
          waitingFor: expect.stringContaining('sleep'),
          waiting: expect.objectContaining({ command: 'sleep' }),
        });
      });
    });

    describe('a workflow whose code has changed', () => {
      const original = flow(function* () {
        yield* call('echo', 'a');
        yield* sleep(60);
        yield* call('echo', 'b');
        return 'original';
      });

      async function changeInMid(changed: Workflow): Promise<void> {
        const running = await start(original);
        await running.runFor(10);
        calls = [];
        await running.restart([changed]);
        await running.runUntilIdle();
      }

      it('goes on when only its inside changed', async () => {
        await changeInMid(
          flow(function* () {
            yield* call('echo', 'a');
            yield* sleep(60);
            yield* call('echo', 'B');
            return 'changed inside';
          }),
        );

        expect(await latest()).toMatchObject({ epoch: 1, result: 'changed inside' });
        expect(calls).toEqual(['echo "B"']);
      });

      it('starts afresh under the next epoch when its version differs', async () => {
        await changeInMid(flow(() => original.run(null), 2));

        expect(await latest()).toMatchObject({ epoch: 2, version: 2, status: 'completed', result: 'original' });
        expect(calls).toEqual(['echo "a"', 'echo "b"']);
      });

      const changes: [string, () => Steps<Json>][] = [
        [
          'inserted',
          function* () {
            yield* call('echo', 'new');
            yield* call('echo', 'a');
            yield* sleep(60);
            return 'changed';
          },
        ],
        [
          'removed',
          function* () {
            yield* sleep(60);
            yield* call('echo', 'b');
            return 'changed';
          },
        ],
        [
          'renamed',
          function* () {
            yield* call('other', 'a');
            yield* sleep(60);
            return 'changed';
          },
        ],
        [
          'left out at the end',
          function* () {
            yield* call('echo', 'a');
            return 'changed';
          },
        ],
      ];

      it.each(changes)('starts afresh, before any side effect, when a command was %s', async (_title, run) => {
        const changed = flow(run);
        const effects: string[] = [];
        const running = await start(original, {
          other: async (_input, context) => {
            effects.push(context.workflowId);
            return null;
          },
          echo: async (_input, context) => {
            effects.push(context.workflowId);
            return null;
          },
        });
        await running.runFor(10);
        effects.length = 0;
        await running.restart([changed]);
        await running.runUntilIdle();

        expect(await latest()).toMatchObject({ epoch: 2, status: 'completed', result: 'changed' });
        expect(effects.filter((id) => id === `${key}/1`)).toEqual([]);
      });

      it('is set aside, not lost, when nobody knows its name any more', async () => {
        await changeInMid(defineWorkflow({ name: 'another', version: 1, run: () => all([]) as Steps<Json> }));

        expect(await latest()).toMatchObject({
          epoch: 1,
          status: 'set-aside',
          error: expect.stringContaining('"test"'),
        });
      });
    });

    describe('a crash', () => {
      const journey = flow(function* () {
        const before = yield* now();
        const made = yield* call<string>('echo', 'made');
        const both = yield* all([call<number>('echo', 1), call<number>('echo', 2), sleep(5)]);
        const ready = yield* poll<string>('ready', made, { everySeconds: 10, forSeconds: 100 });
        const failed = yield* call<string>('echo', 'last');
        return { made, both: both.map((one) => one.ok), ready, failed, took: (yield* now()) - before };
      });
      const expected = {
        made: 'made',
        both: [true, true, true],
        ready: { done: true, value: 'made' },
        failed: 'last',
        took: 25_000,
      };
      // By the clock, not by counting: a repeated round must not change the answer.
      const readiness = (clock: () => number): TestActivity => {
        let first: number | undefined;
        return async (input) => {
          first ??= clock();
          calls.push('ready');
          return clock() - first >= 20_000 ? { done: true, value: input } : { done: false };
        };
      };

      const executionsWithout = 7;
      const points = Array.from({ length: executionsWithout }, (_, n) => n).flatMap((n) => [
        [n, 'before'] as const,
        [n, 'after'] as const,
      ]);

      it.each(points)('at execution %i, %s its effect, changes nothing but repeats', async (execution, when) => {
        const clock: { now: () => number } = { now: () => 0 };
        const running = await start(journey, { ready: readiness(() => clock.now()) }, (made) => {
          clock.now = () => made.now();
          made.crashAt(execution, when);
        });
        await running.runUntilIdle();

        expect((await latest()).result).toEqual(expected);
        // Before: nothing had happened. After: the effect came twice, and items of `all` beside it may have too.
        if (when === 'before') expect(calls.length).toBeGreaterThanOrEqual(executionsWithout);
        else expect(calls.length).toBeGreaterThanOrEqual(executionsWithout + 1);
        expect(calls.length).toBeLessThanOrEqual(executionsWithout + 2);
      });
    });

    randomPrograms(makeHarness);
  });
}
