/** Starting, waking and looking through the API of the Lambda service, when callers race, die and get no answer. */
import { afterEach, describe, expect, it } from 'vitest';
import { openSqliteState, openStateDatabase } from '../../../shared/state/sqlite/state.ts';
import { LambdaWorkflowClient } from '../../../shared/workflow/lambda-durable/client.ts';
import { openLambdaApi } from '../../../shared/workflow/lambda-durable/http-api.ts';
import { executionName } from '../../../shared/workflow/lambda-durable/names.ts';
import { call, defineWorkflow, poll, sleep, waitSignal } from '../../../shared/workflow/vocabulary.ts';
import { type LambdaHarness, makeLambdaHarness } from './lambda-harness.ts';

let harness: LambdaHarness;
let runs: string[] = [];
afterEach(() => harness?.close());

const napping = defineWorkflow({
  name: 'napping',
  version: 1,
  *run(seconds: number) {
    yield* call('note', null);
    yield* sleep(seconds);
    return 'rested';
  },
});
const waiting = defineWorkflow({
  name: 'waiting',
  version: 1,
  *run() {
    const polled = yield* poll('ask', null, { everySeconds: 5, forSeconds: 10 });
    return [polled.done, yield* waitSignal('look', 1000)];
  },
});
const failing = defineWorkflow({
  name: 'failing',
  version: 1,
  *run() {
    yield* call('boom', null);
    return null;
  },
});
const key = 'east/1f0c/launch';
const request = { workflow: napping, key, input: 60, group: 'east' };

async function open(): Promise<LambdaHarness> {
  runs = [];
  harness = await makeLambdaHarness({
    workflows: [napping, waiting, failing],
    activities: {
      note: async (_input, { workflowId }) => {
        runs.push(workflowId);
        return null;
      },
      ask: async () => ({ done: false }),
      boom: async () => {
        throw new Error('boom');
      },
    },
  });
  return harness;
}

const isStart = (line: string): boolean => line.endsWith('/invocations');

/** The service refuses so the next request that fits, having served it or not. */
function refuseOnce(fits: (line: string) => boolean, served: boolean): void {
  harness.lambda.http.refuse = (line) => {
    if (!fits(line)) return undefined;
    harness.lambda.http.refuse = undefined;
    return { status: 403, type: 'AccessDeniedException', served };
  };
}

describe('ensure', () => {
  it('goes on where a caller died between writing the epoch down and starting it', async () => {
    await open();
    refuseOnce(isStart, false);
    await expect(harness.client.ensure(request)).rejects.toThrow(
      'responded with 403 AccessDeniedException to POST /2015-03-31/functions/workflows/invocations',
    );
    expect(await harness.client.latest(key)).toBeUndefined();

    expect(await harness.newClient().ensure(request)).toEqual({ id: `${key}/1`, epoch: 1, started: true });
    await harness.runUntilIdle();
    expect(runs).toEqual([`${key}/1`]);
  });

  it.each([
    ['the same', 60],
    ['another', 61],
  ])('finds what was started without an answer, with %s input', async (_title, input) => {
    await open();
    refuseOnce(isStart, true);
    await expect(harness.client.ensure(request)).rejects.toThrow('403');
    expect(await harness.client.latest(key)).toMatchObject({ epoch: 1, status: 'running' });

    expect(await harness.newClient().ensure({ ...request, input })).toMatchObject({ id: `${key}/1`, epoch: 1 });
    await harness.runUntilIdle();
    expect(runs).toEqual([`${key}/1`]);
    expect(await harness.client.ensure(request)).toMatchObject({ epoch: 2, started: true });
  });

  it('asks again when the service is throttled, and then starts one', async () => {
    await open();
    let refused = 0;
    harness.lambda.http.refuse = (line) =>
      isStart(line) && refused++ < 2 ? { status: 429, type: 'TooManyRequestsException' } : undefined;

    expect(await harness.client.ensure(request)).toMatchObject({ epoch: 1, started: true });
    expect(refused).toBe(3);
  });

  it('starts one, however many processes race and die', async () => {
    await open();
    for (let round = 1; round <= 3; round++) {
      let refused = 0;
      harness.lambda.http.refuse = (line) =>
        isStart(line) && refused++ < 4 ? { status: 403, type: 'AccessDeniedException' } : undefined;
      const clients = Array.from({ length: 10 }, () => harness.newClient());
      await Promise.allSettled(clients.map((client) => client.ensure(request)));
      await harness.client.ensure(request);
      await harness.runUntilIdle();
      expect(runs).toHaveLength(round);
      expect(await harness.client.latest(key)).toMatchObject({ epoch: round, status: 'completed' });
    }
  });

  it('takes the next epoch after one that was stopped', async () => {
    await open();
    await harness.client.ensure(request);
    await harness.runFor(1);
    const { executions } = harness.lambda.service;
    const [running] = executions.store.list('workflows');
    executions.stop(running?.arn ?? '', { ErrorMessage: 'by hand' });
    expect(await harness.client.latest(key)).toMatchObject({ status: 'failed', error: 'by hand' });

    expect(await harness.client.ensure(request)).toMatchObject({ epoch: 2, started: true });
  });

  it('waits a while for what the service does not show yet, and takes the next epoch when it is lost', async () => {
    await open();
    await harness.client.ensure(request);
    harness.lambda.http.refuse = (line) =>
      line.startsWith('GET') ? { status: 404, type: 'ResourceNotFoundException' } : undefined;

    expect(await harness.client.ensure(request)).toMatchObject({ epoch: 1, started: false });
    harness.clock.advance(61_000);
    expect(await harness.client.ensure(request)).toMatchObject({ epoch: 2, started: true });
  });

  it('stops what was started after others had gone on', async () => {
    await open();
    const { put } = harness.state;
    let held: (() => void) | undefined;
    // The first caller is held up between its start and writing it down, until others have gone on.
    harness.state.put = async (name, value, options) => {
      const isHeld = held === undefined && (value as { started?: boolean }).started === true;
      if (isHeld) await new Promise<void>((resolve) => (held = resolve));
      return put(name, value, options);
    };
    const first = harness.client.ensure({ ...request, input: 6000 });
    while (held === undefined) await new Promise(setImmediate);
    const next = await harness.newClient().ensure({ ...request, aboveEpoch: 1 });
    expect(next).toMatchObject({ epoch: 2, started: true });
    held();
    await first;

    const stopped = harness.lambda.service.executions.store.named('workflows', executionName('workflows', key, 1));
    expect(stopped).toMatchObject({ status: 'STOPPED', error: expect.stringContaining('a later epoch runs') });
  });

  it.each([
    ['the same', 60],
    ['another', 61],
  ])('starts its own where another deployment of the account has served the claim with %s input', async (_, input) => {
    await open();
    harness.lambda.service.define('others', { durable: {}, run: async () => undefined });
    const credentials = async () => ({ accessKeyId: 'key', secretAccessKey: 'secret' });
    const there = { region: 'eu-west-1', endpoint: harness.lambda.url, credentials, qualifier: 'live' };
    const api = openLambdaApi({ ...there, functionName: 'others' });
    const records = openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock: harness.clock });
    const others = new LambdaWorkflowClient({ api, records, workflows: [napping], clock: harness.clock });
    await harness.client.ensure(request);

    expect(await others.ensure({ ...request, input })).toMatchObject({ epoch: 1, started: true });
    expect(harness.lambda.service.executions.store.list('others')).toHaveLength(1);
    api.close();
  });

  it('says what is wrong with a function that is not there', async () => {
    await open();
    harness.lambda.http.refuse = () => ({ status: 404, type: 'ResourceNotFoundException' });

    await expect(harness.client.ensure(request)).rejects.toThrow('404 ResourceNotFoundException');
  });
});

describe('looking', () => {
  it('lists workflows by their status, a page at a time', async () => {
    await open();
    await harness.client.ensure(request);
    harness.clock.advance(1);
    await harness.client.ensure({ workflow: waiting, key: 'east/2/launch', input: null, group: 'east' });
    harness.clock.advance(1);
    await harness.client.ensure({ workflow: failing, key: 'east/3/launch', input: null, group: 'east' });
    await harness.runFor(20);
    const { inspection } = harness;

    const all = await inspection.list();
    expect(all.items.map(({ id, status }) => `${id} ${status}`)).toEqual([
      `${key}/1 running`,
      'east/2/launch/1 running',
      'east/3/launch/1 failed',
    ]);
    expect(all.items.map(({ waitingFor }) => waitingFor)).toEqual(['sleep', 'wait-signal look', undefined]);
    expect((await inspection.list({ status: 'failed' })).items).toMatchObject([{ error: 'boom' }]);
    const first = await inspection.list({ status: 'running', limit: 1 });
    expect(first.items).toHaveLength(1);
    const second = await inspection.list({ status: 'running', limit: 1, after: first.next ?? '' });
    expect(second.items).toMatchObject([{ key: 'east/2/launch' }]);
  });

  it('tells what one has done, and not what the engine did for it', async () => {
    await open();
    await harness.client.ensure({ workflow: waiting, key, input: null, group: 'east' });
    await harness.runFor(20);
    await harness.client.signal(key, 'look');
    await harness.runUntilIdle();

    expect(await harness.inspection.inspect(`${key}/1`)).toMatchObject({
      workflow: 'waiting',
      status: 'completed',
      result: [false, true],
      group: 'east',
      input: null,
      history: [
        { step: 1, command: 'poll ask', ok: true, value: { done: false } },
        { step: 2, command: 'wait-signal look', ok: true, value: true },
      ],
    });
    expect(await harness.inspection.inspect(`${key}/2`)).toBeUndefined();
    expect(await harness.inspection.inspect('nobody')).toBeUndefined();
  });
});

describe('execution names', () => {
  it.each([['a'], ['east/1f0c/launch'], ['x'.repeat(400)], ['clé/ü/ß']])('fit the platform (%s)', (one) => {
    expect(executionName('workflows', one, 12)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  it('of different functions, keys and epochs differ', () => {
    const long = 'x'.repeat(200);
    const names = ['a/b', 'a-b', 'a/b/1', `${long}1`, `${long}2`].flatMap((one) => [
      executionName('workflows', one, 1),
      executionName('workflows', one, 11),
      executionName('others', one, 1),
    ]);
    expect(new Set(names).size).toBe(15);
  });
});
