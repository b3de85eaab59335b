/** Starting, waking and looking through the extension's HTTP interface, when callers race, die and get no answer. */
import { afterEach, describe, expect, it } from 'vitest';
import { readEndpoint } from '../../../shared/workflow/durable-functions/endpoint.ts';
import { instanceId } from '../../../shared/workflow/durable-functions/names.ts';
import { call, defineWorkflow, sleep, waitSignal } from '../../../shared/workflow/vocabulary.ts';
import { isInstanceId } from '../../stand-ins/functions-host/durable/hub.ts';
import { type DurableHarness, type DurableSetup, makeDurableHarness } from './durable-harness.ts';

let harness: DurableHarness;
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
const waiting = defineWorkflow({ name: 'waiting', version: 1, run: () => waitSignal('look', 1000) });
const key = 'east/1f0c/launch';
const request = { workflow: napping, key, input: 60, group: 'east' };

async function open(more: Partial<DurableSetup> = {}): Promise<DurableHarness> {
  runs = [];
  harness = await makeDurableHarness({
    workflows: [napping, waiting],
    activities: {
      note: async (_input, { workflowId }) => {
        runs.push(workflowId);
        return null;
      },
    },
    ...more,
  });
  return harness;
}

/** The extension answers so to the next request that fits, served or not. */
function answerOnce(fits: (line: string) => boolean, status: number, served: boolean): void {
  harness.http.refuse = (method, path) => {
    if (!fits(`${method} ${path}`)) return undefined;
    harness.http.refuse = undefined;
    return served ? -status : status;
  };
}

const isStart = (line: string) => line.includes('/orchestrators/');

describe('ensure', () => {
  it('goes on where a caller died between writing the epoch down and starting it', async () => {
    await open();
    answerOnce(isStart, 503, false);
    await expect(harness.client.ensure(request)).rejects.toThrow('responded with 503 to POST');
    expect(await harness.client.latest(key)).toBeUndefined();

    expect(await harness.newClient().ensure(request)).toEqual({ id: `${key}/1`, epoch: 1, started: true });
    await harness.runUntilIdle();
    expect(runs).toEqual([`${key}/1`]);
  });

  it('takes a 500 for a lost race where the instance is there, as older extensions answer', async () => {
    await open();
    answerOnce(isStart, 500, true);
    expect(await harness.client.ensure(request)).toEqual({ id: `${key}/1`, epoch: 1, started: false });
    await harness.runUntilIdle();
    expect(runs).toEqual([`${key}/1`]);
  });

  it('takes a 500 for a failure where the instance is not there', async () => {
    await open();
    answerOnce(isStart, 500, false);
    await expect(harness.client.ensure(request)).rejects.toThrow('responded with 500 to POST');
    expect(await harness.newClient().ensure(request)).toMatchObject({ started: true });
  });

  it('finds running what was started without an answer', async () => {
    await open();
    answerOnce(isStart, 503, true);
    await expect(harness.client.ensure(request)).rejects.toThrow('503');

    expect(await harness.newClient().ensure(request)).toEqual({ id: `${key}/1`, epoch: 1, started: false });
    await harness.runUntilIdle();
    expect(await harness.client.ensure(request)).toMatchObject({ epoch: 2, started: true });
  });

  it('starts one, however many processes race and die', async () => {
    await open();
    for (let round = 1; round <= 5; round++) {
      let refused = 0;
      harness.http.refuse = (method, path) => (isStart(`${method} ${path}`) && refused++ < 4 ? 503 : undefined);
      const clients = Array.from({ length: 10 }, () => harness.newClient());
      const answers = await Promise.allSettled(clients.map((client) => client.ensure(request)));
      const started = answers.filter((answer) => answer.status === 'fulfilled' && answer.value.started);
      expect(started).toHaveLength(1);
      await harness.runUntilIdle();
      expect(runs).toHaveLength(round);
      expect(await harness.client.latest(key)).toMatchObject({ epoch: round, status: 'completed', result: 'rested' });
    }
  });

  it('takes the next epoch after an instance that was purged, lost or terminated', async () => {
    await open();
    await harness.client.ensure(request);
    await harness.runUntilIdle();
    harness.clock.advance(3_600_000);
    expect(await harness.newClient().purge(harness.now())).toBe(1);
    expect(await harness.newClient().purge(harness.now())).toBe(0);
    expect(await harness.client.latest(key)).toBeUndefined();
    expect(await harness.client.ensure(request)).toMatchObject({ epoch: 2, started: true });

    harness.hub.store.remove(instanceId(key, 2));
    expect(await harness.client.ensure(request)).toMatchObject({ epoch: 3, started: true });

    harness.hub.terminate(instanceId(key, 3), 'by hand');
    expect(await harness.client.latest(key)).toMatchObject({ epoch: 3, status: 'failed', error: 'by hand' });
    expect(await harness.client.ensure(request)).toMatchObject({ epoch: 4, started: true });
  });

  it('does not take up an epoch that the caller knows to be used', async () => {
    await open();
    answerOnce(isStart, 503, false);
    await expect(harness.client.ensure(request)).rejects.toThrow('503');

    expect(await harness.client.ensure({ ...request, aboveEpoch: 1 })).toMatchObject({ epoch: 2, started: true });
  });

  it('ends what was started after others had gone on', async () => {
    await open();
    // The first caller is held up right before its start, until the others have gone two epochs further.
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: written, resolve: hasWritten } = Promise.withResolvers<void>();
    const slow = harness.newClient();
    const put = harness.state.put;
    harness.state.put = async (...parameters) => {
      const version = await put(...parameters);
      harness.state.put = put;
      hasWritten();
      await held;
      return version;
    };
    const late = slow.ensure(request);
    await written;
    expect(await harness.client.ensure({ ...request, aboveEpoch: 1 })).toMatchObject({ epoch: 2, started: true });
    release();
    expect(await late).toMatchObject({ epoch: 1 });

    expect(harness.hub.store.instance(instanceId(key, 1))?.status).toBe('Terminated');
    await harness.runUntilIdle();
    expect(runs).toEqual([`${key}/2`]);
  });

  it('keeps the key of an unreachable extension, and says what is wrong', async () => {
    await open();
    const client = harness.newClient();
    await harness.http.close();

    await expect(client.ensure(request)).rejects.toThrow('the Durable extension did not respond');
  });
});

describe('signal', () => {
  it('that could not poke does so when it is sent again', async () => {
    await open();
    await harness.client.ensure({ ...request, workflow: waiting, input: null });
    await harness.runFor(1);
    answerOnce((line) => line.includes('/raiseEvent/'), 500, false);
    await expect(harness.client.signal(key, 'look')).rejects.toThrow('responded with 500');
    await harness.client.signal(key, 'look');
    await harness.runFor(1);

    expect(await harness.client.latest(key)).toMatchObject({ status: 'completed', result: true });
  });
});

describe('the management interface', () => {
  it('does as well where there is no local one, and its key is in no error', async () => {
    await open({ rpc: false });
    await harness.client.ensure({ ...request, workflow: waiting, input: null });
    await harness.runFor(1);
    await harness.client.signal(key, 'look');
    await harness.runFor(1);
    expect(await harness.client.latest(key)).toMatchObject({ status: 'completed' });
    expect(harness.http.requests.every((line) => line.includes('/runtime/webhooks/durabletask/'))).toBe(true);
    expect(await harness.newClient().purge(harness.now())).toBe(1);

    harness.http.refuse = () => 500;
    const failed = await harness.client.latest(key).catch((error: Error) => error.message);
    expect(failed).toContain('responded with 500 to GET');
    expect(failed).not.toContain('code=');
  });
});

describe('the binding', () => {
  it.each([undefined, null, 'no JSON', {}, { rpcBaseUrl: '', managementUrls: { id: 'x' } }])(
    'of %j is refused with what to do',
    (data) => {
      expect(() => readEndpoint(data)).toThrow('binding of the type "durableClient"');
    },
  );
});

describe('instance ids', () => {
  it.each([
    'cluster/claim/launch',
    'Ünïcode / with # and ? and \\',
    '@entity',
    `${'long/'.repeat(70)}one`,
    `${'long/'.repeat(70)}two`,
    'a:b',
    'a/b',
    'a=2f=b',
  ])('of the key %.40s are fit for the extension', (one) => {
    expect(isInstanceId(instanceId(one, 123_456))).toBe(true);
  });

  it('of different keys differ', () => {
    const keys = ['a/b', 'a:b', 'a=3a=b', 'a=b', 'a//b', `${'x'.repeat(100)}1`, `${'x'.repeat(100)}2`];
    expect(new Set(keys.map((one) => instanceId(one, 1))).size).toBe(keys.length);
  });
});
