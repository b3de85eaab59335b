/** The stand-in against the library's own client and orchestrators: what it promises to imitate, told by the real thing. */
import type { DurableClient, OrchestrationContext } from 'durable-functions';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { manualClock } from '../../../../shared/base/runtime.ts';
import { type FunctionApp, installFunctionsCore, startApp } from '../core.ts';
import { call } from '../invoke.ts';
import { type DurableHttp, startDurableHttp } from './http.ts';
import { TaskHub } from './hub.ts';
import { HubStore } from './store.ts';

installFunctionsCore();
const functions = await import('@azure/functions');
const df = await import('durable-functions');

let app: FunctionApp;
let failures = 0;
let changed = false;

beforeAll(async () => {
  app = await startApp(() => {
    df.app.activity('double', { handler: (n: number) => n * 2 });
    df.app.activity('flaky', {
      handler: () => {
        if (failures-- > 0) throw new Error('not yet');
        return 'steady';
      },
    });
    df.app.orchestration('chain', function* ({ df: context }: OrchestrationContext) {
      const one: number = yield context.callActivity('double', context.getInput());
      return [one, yield context.callActivity('double', one), yield context.callSubOrchestrator('child', one)];
    });
    df.app.orchestration('child', function* ({ df: context }: OrchestrationContext) {
      yield context.createTimer(new Date(context.currentUtcDateTime.getTime() + 60_000));
      return `child of ${context.parentInstanceId}`;
    });
    df.app.orchestration('retrying', function* ({ df: context }: OrchestrationContext) {
      const options = new df.RetryOptions(10_000, 3);
      options.backoffCoefficient = 2;
      const began = context.currentUtcDateTime.getTime();
      const both = yield context.Task.all([
        context.callActivityWithRetry('flaky', options),
        context.callActivity('double', 4),
      ]);
      return [both, context.currentUtcDateTime.getTime() - began];
    });
    df.app.orchestration('waiting', function* ({ df: context }: OrchestrationContext) {
      const event = context.waitForExternalEvent('go');
      const timer = context.createTimer(new Date(context.currentUtcDateTime.getTime() + 100_000));
      const first = yield context.Task.any([event, timer]);
      if (first === event) timer.cancel();
      return first === event ? event.result : 'late';
    });
    df.app.orchestration('forever', function* ({ df: context }: OrchestrationContext) {
      const round = context.getInput<number>();
      yield context.callActivity('double', round);
      if (round < 5) context.continueAsNew(round + 1);
      return round;
    });
    df.app.orchestration('changing', function* ({ df: context }: OrchestrationContext) {
      if (changed) yield context.callActivity('flaky');
      yield context.callActivity('double', 1);
      yield context.createTimer(new Date(context.currentUtcDateTime.getTime() + 1000));
      return 'same';
    });
    df.app.orchestration('talkative', function* ({ df: context }) {
      context.setCustomStatus('x'.repeat(Number(context.getInput())));
      yield context.callActivity('double', 1);
      return 'said';
    });
    const client = df.input.durableClient();
    functions.app.generic('client', {
      trigger: functions.trigger.generic({ type: 'activityTrigger' }),
      extraInputs: [client],
      handler: (_input, context) => {
        durable = df.getClient(context);
      },
    });
  });
});

let clock: ReturnType<typeof manualClock>;
let hub: TaskHub;
let http: DurableHttp;
let durable: DurableClient;
beforeEach(async () => {
  changed = false;
  clock = manualClock();
  hub = new TaskHub({ store: new HubStore(':memory:'), clock });
  hub.use(app);
  http = await startDurableHttp({ hub });
  app.inputs.set('durableClient', () => http.clientData());
  await call(app, 'client', null);
});
afterEach(async () => {
  await http.close();
  hub.store.close();
});

async function run(seconds: number): Promise<void> {
  const until = clock.now() + seconds * 1000;
  await hub.runDue();
  while (hub.nextDue() <= until) {
    clock.advance(Math.max(0, hub.nextDue() - clock.now()));
    await hub.runDue();
  }
  clock.advance(until - clock.now());
}

it('runs chains and sub-orchestrations by the clock', async () => {
  const id = await durable.startNew('chain', { instanceId: 'c', input: 3 });
  expect((await durable.getStatus(id)).runtimeStatus).toBe('Pending');
  await run(59);
  expect((await durable.getStatus(id)).runtimeStatus).toBe('Running');
  await run(1);
  expect(await durable.getStatus(id, { showInput: true })).toMatchObject({
    runtimeStatus: 'Completed',
    input: 3,
    output: [6, 12, 'child of c'],
  });
});

it('retries as the library expects it, beside others', async () => {
  failures = 2;
  await durable.startNew('retrying', { instanceId: 'ok' });
  await run(100);
  expect((await durable.getStatus('ok')).output).toEqual([['steady', 8], 30_000]);

  failures = 9;
  await durable.startNew('retrying', { instanceId: 'no' });
  await run(100);
  expect(await durable.getStatus('no')).toMatchObject({
    runtimeStatus: 'Failed',
    output: expect.stringContaining("Activity function 'flaky' failed: not yet"),
  });
});

it('takes events early, once per wait, and ends an instance only when its timers have', async () => {
  await durable.startNew('waiting', { instanceId: 'w' });
  await durable.raiseEvent('w', 'go', { n: 1 });
  await run(0);
  expect(await durable.getStatus('w')).toMatchObject({ runtimeStatus: 'Completed', output: { n: 1 } });

  await durable.startNew('waiting', { instanceId: 'late' });
  await run(100);
  expect((await durable.getStatus('late')).output).toBe('late');
  // Ended: the library takes a 410 for done, and a 404 for a mistake.
  await durable.raiseEvent('late', 'go', 1);
  await expect(durable.raiseEvent('nobody', 'go', 1)).rejects.toThrow("No instance with ID 'nobody'");
});

it('continues as new with an empty history', async () => {
  await durable.startNew('forever', { instanceId: 'f', input: 1 });
  await run(0);
  expect(await durable.getStatus('f')).toMatchObject({ runtimeStatus: 'Completed', output: 5 });
  expect(hub.store.history('f').length).toBeLessThan(8);
});

it('fails an instance whose code does something else than before', async () => {
  await durable.startNew('changing', { instanceId: 'x' });
  await run(0);
  changed = true;
  await run(10);
  expect(await durable.getStatus('x')).toMatchObject({
    runtimeStatus: 'Failed',
    output: expect.stringContaining('Non-Deterministic workflow detected'),
  });
});

it('starts an instance once while it runs, and anew when it has ended', async () => {
  await durable.startNew('waiting', { instanceId: 'w' });
  await expect(durable.startNew('waiting', { instanceId: 'w' })).rejects.toThrow('409');
  await durable.terminate('w', 'enough');
  expect(await durable.getStatus('w')).toMatchObject({ runtimeStatus: 'Terminated', output: 'enough' });
  await durable.startNew('waiting', { instanceId: 'w' });
  expect((await durable.getStatus('w')).runtimeStatus).toBe('Pending');
  await expect(durable.startNew('waiting', { instanceId: 'a%2Fb' })).rejects.toThrow('400');
});

it('fails an instance that says more of itself than a table takes', async () => {
  const [fits, tooLong] = await Promise.all(
    [8190, 8191].map((input) => durable.startNew('talkative', { instanceId: `t${input}`, input })),
  );
  await run(1);
  expect(await durable.getStatus(fits ?? '')).toMatchObject({ runtimeStatus: 'Completed' });
  expect(await durable.getStatus(tooLong ?? '')).toMatchObject({ runtimeStatus: 'Failed' });
});

it('takes events as JSON alone', async () => {
  await durable.startNew('talkative', { instanceId: 't', input: 1 });
  const raise = async (type: string) =>
    (
      await fetch(`${http.url}/durabletask/instances/t/raiseEvent/e`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: 'null',
      })
    ).status;
  expect([await raise('text/plain'), await raise('application/json; charset=utf-8')]).toEqual([400, 202]);
});

it('lets a termination in the middle of a turn stand', async () => {
  await durable.startNew('waiting', { instanceId: 'w' });
  hub.faults = {
    loses: (point) => {
      if (point === 'before-checkpoint') hub.terminate('w', 'enough');
      return false;
    },
  };
  await run(200);
  expect(await durable.getStatus('w')).toMatchObject({ runtimeStatus: 'Terminated' });
});

it('lists in pages, and purges what has ended', async () => {
  for (let n = 0; n < 205; n++) hub.start('waiting', `w${n}`, null);
  hub.terminate('w7', '');
  expect(await durable.getStatusAll()).toHaveLength(205);
  const ended = await durable.getStatusBy({ runtimeStatus: [df.OrchestrationRuntimeStatus.Terminated] });
  expect(ended).toMatchObject([{ instanceId: 'w7' }]);
  await expect(durable.purgeInstanceHistory('w8')).rejects.toThrow('412');
  expect(await durable.purgeInstanceHistory('w7')).toEqual({ instancesDeleted: 1 });
  await expect(durable.getStatus('w7')).rejects.toThrow('404');
});
