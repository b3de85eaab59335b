/**
 * A smoke on the vendor's own local runner, so that we don't agree with ourselves alone. It skips waits but not the time-outs of
 * callbacks, its clock stands still over what it skips, and it replays only now and then: what depends on these is shown on the
 * stand-in.
 */
import { LocalDurableTestRunner, WaitingOperationStatus } from '@aws/durable-execution-sdk-js-testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { manualClock, systemClock } from '../../shared/base/runtime.ts';
import { openSqliteState, openStateDatabase } from '../../shared/state/sqlite/state.ts';
import { durableHandler } from '../../shared/workflow/lambda-durable/handler.ts';
import { putMark } from '../../shared/workflow/mailbox.ts';
import type { StartPayload } from '../../shared/workflow/payloads.ts';
import { runActivity } from '../../shared/workflow/run-activity.ts';
import { all, call, defineWorkflow, poll, type Steps, sleep, waitSignal } from '../../shared/workflow/vocabulary.ts';
import type { TestActivity } from '../conformance/workflow/harness.ts';

beforeAll(() => LocalDurableTestRunner.setupTestEnvironment({ skipTime: true }));
afterAll(() => LocalDurableTestRunner.teardownTestEnvironment());

const state = openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock: manualClock() });
const id = 'east/1f0c/launch/1';

function open(run: () => Steps<Json>, activities: Record<string, TestActivity> = {}) {
  const handlerFunction = durableHandler({
    workflows: [defineWorkflow({ name: 'test', version: 1, run })],
    activities,
    records: state,
    clock: systemClock,
    runActivity: (name, payload) => runActivity(name, activities[name] as TestActivity, payload),
  });
  const payload: StartPayload = { workflow: 'test', v: 1, id, input: null };
  const runner = new LocalDurableTestRunner<Json>({ handlerFunction });
  return { runner, run: (more: object = {}) => runner.run({ payload: { ...payload, ...more } }) };
}

it('calls, polls, sleeps and runs things beside each other', async () => {
  let rounds = 0;
  let tries = 0;
  const { run } = open(
    function* () {
      const polled = yield* poll<string>('ask', null, { everySeconds: 10, forSeconds: 600 });
      const settled = yield* all([
        call<string>('flaky', null, { max: 3, firstSeconds: 5 }),
        call<string>('boom', null),
        sleep(60),
      ]);
      return { polled, settled } as Json;
    },
    {
      ask: async () => (++rounds < 4 ? { done: false } : { done: true, value: 'ready' }),
      flaky: async () => {
        if (++tries < 3) throw new Error('not yet');
        return 'steady';
      },
      boom: async () => {
        throw new Error('boom');
      },
    },
  );
  const ended = await run();

  expect(ended.getResult()).toEqual({
    polled: { done: true, value: 'ready' },
    settled: [
      { ok: true, value: 'steady' },
      { ok: false, error: 'boom' },
      { ok: true, value: null },
    ],
  });
});

it('wakes by a signal', async () => {
  const { runner, run } = open(function* () {
    return yield* waitSignal('look', 600);
  });
  const running = run();
  const registered = runner.getOperation('0.mail register for look');
  await registered.waitForData(WaitingOperationStatus.COMPLETED);
  const token = await putMark(state, id, 'look');
  const callback = runner.getOperation('0 wait-signal look');
  expect(callback.getCallbackDetails()?.callbackId).toBe(token);
  await callback.sendCallbackSuccess();

  expect((await running).getResult()).toBe(true);
});

it('ends with a word when the version is another', async () => {
  const { run } = open(function* () {
    return yield* call<Json>('none', null);
  });
  const ended = await run({ v: 2 });

  expect(ended.getError()).toMatchObject({
    errorType: 'Workflow.mismatched',
    errorMessage: 'it was started with version 2, but the code has version 1',
  });
});
