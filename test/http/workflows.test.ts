import { afterEach, describe, expect, it } from 'vitest';
import { call, defineWorkflow, waitSignal } from '../../shared/workflow/vocabulary.ts';
import type { TestActivity } from '../conformance/workflow/harness.ts';
import { makeSqliteHarness, type SqliteHarness } from '../conformance/workflow/sqlite-harness.ts';
import { httpWorld } from './world.ts';

const steps = defineWorkflow({
  name: 'steps',
  version: 1,
  *run(input: { count: number }) {
    for (let step = 0; step < input.count; step++) yield* call('work', { step });
    return input.count;
  },
});

const waiting = defineWorkflow({ name: 'waiting', version: 1, run: () => waitSignal('go', 3600) });

let harness: SqliteHarness;
let isPoisonous = true;
afterEach(() => harness?.close());

/** One that is done, and one whose step killed the process until it was set aside. */
async function afterTrouble() {
  isPoisonous = true;
  const work: TestActivity = async (_input, { workflowId }) => {
    if (!isPoisonous || !workflowId.startsWith('production/poison')) return null;
    harness.kill();
    return new Promise(() => undefined);
  };
  harness = await makeSqliteHarness({ workflows: [steps, waiting], activities: { work } });
  for (const key of ['production/fine/launch', 'production/poison/launch']) {
    await harness.engine.ensure({ workflow: steps, key, input: { count: 1 }, group: 'production' });
  }
  await harness.runUntilIdle();
  isPoisonous = false;
  return httpWorld({ workflows: harness.engine, client: harness.engine });
}

describe('workflows', () => {
  it('are listed in pages and by status', async () => {
    const { get } = await afterTrouble();

    const first = await get('/v1/workflows?limit=1');
    expect(first.json.items).toMatchObject([{ id: 'production/fine/launch/1', status: 'completed', result: 1 }]);
    const second = await get(`/v1/workflows?limit=1&after=${first.json.next}`);
    expect(second.json.items).toMatchObject([{ id: 'production/poison/launch/1', status: 'set-aside' }]);
    expect((await get('/v1/workflows?status=set-aside')).json.items).toHaveLength(1);
  });

  it('of one claim are its newest ones', async () => {
    const { get, ask } = await afterTrouble();
    await ask('POST', '/v1/workflows/production/fine/launch/1/restart');

    const newest = await get('/v1/workflows?cluster=production&uid=fine');
    expect(newest.json.items).toMatchObject([{ id: 'production/fine/launch/2' }]);
    expect((await get('/v1/workflows?cluster=production&uid=fine&status=set-aside')).json.items).toEqual([]);
    expect((await get('/v1/workflows?cluster=staging&uid=fine')).json.items).toEqual([]);
  });

  it.each([
    ['cluster=production', 'cluster and uid must be given together'],
    ['uid=fine', 'cluster and uid must be given together'],
    ['cluster=production&uid=a%2Fb', 'uid'],
    ['status=broken', 'status must be "running"'],
    ['after=x', 'after must be the next of an earlier page'],
    ['stats=running', 'did you mean "status"?'],
  ])('refuse the query %s', async (query, detail) => {
    const { get } = await afterTrouble();
    expect(await get(`/v1/workflows?${query}`)).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining(detail) },
    });
  });

  it.each(['production/fine/launch/1', 'production%2Ffine%2Flaunch%2F1'])('show their history at %s', async (id) => {
    const { get } = await afterTrouble();

    expect((await get(`/v1/workflows/${id}`)).json).toMatchObject({
      id: 'production/fine/launch/1',
      startedAt: '2026-01-01T00:00:00.000Z',
      group: 'production',
      input: { count: 1 },
      history: [{ step: 0, ok: true, at: '2026-01-01T00:00:00.000Z' }],
    });
  });

  it.each(['nobody', 'production/fine/launch/9', 'production/fine/launch/x', '%2F', '%zz'])(
    'answer 404 for %s',
    async (id) => {
      const { get, ask } = await afterTrouble();
      expect((await get(`/v1/workflows/${id}`)).status).toBe(404);
      expect((await ask('POST', `/v1/workflows/${id}/retry`)).status).toBe(404);
      expect((await ask('POST', `/v1/workflows/${id}/restart`)).status).toBe(404);
    },
  );

  it('that were set aside get another chance, once', async () => {
    const { ask } = await afterTrouble();
    const retry = () => ask('POST', '/v1/workflows/production/poison/launch/1/retry');

    expect(await retry()).toMatchObject({ status: 200, json: { id: 'production/poison/launch/2', epoch: 2 } });
    expect(await retry()).toMatchObject({ status: 409, json: { detail: expect.stringContaining('is failed') } });
  });

  it('that were not set aside get none', async () => {
    const { ask } = await afterTrouble();
    expect(await ask('POST', '/v1/workflows/production/fine/launch/1/retry')).toMatchObject({
      status: 409,
      json: { detail: 'The workflow is completed; only a workflow that was set aside can be retried.' },
    });
  });

  it.each(['fine', 'poison'])('that are over begin once more, once: %s', async (name) => {
    const { ask } = await afterTrouble();
    const restart = () => ask('POST', `/v1/workflows/production/${name}/launch/1/restart`);

    expect(await restart()).toMatchObject({ status: 200, json: { id: `production/${name}/launch/2`, epoch: 2 } });
    expect(await restart()).toMatchObject({
      status: 409,
      json: { code: 'Superseded', detail: expect.stringContaining('was replaced by epoch 2. Look at that one.') },
    });
    await harness.runUntilIdle();
    expect(await harness.engine.latest(`production/${name}/launch`)).toMatchObject({ epoch: 2, status: 'completed' });
  });

  it('that run are replaced by force alone', async () => {
    const { ask, send } = await afterTrouble();
    const key = 'production/slow/launch';
    await harness.engine.ensure({ workflow: waiting, key, input: null, group: 'production' });

    expect(await ask('POST', `/v1/workflows/${key}/1/restart`)).toMatchObject({
      status: 409,
      json: { code: 'StillRunning', detail: expect.stringContaining('{"force": true}') },
    });
    expect(await send('POST', `/v1/workflows/${key}/1/restart`, { force: true })).toMatchObject({
      status: 200,
      json: { id: `${key}/2` },
    });
    expect(await harness.engine.inspect(`${key}/1`)).toMatchObject({ status: 'failed' });
  });

  it.each([{ forse: true }, { force: 'yes' }, []])('are not begun once more by the body %j', async (body) => {
    const { send } = await afterTrouble();
    const path = '/v1/workflows/production/fine/launch/1/restart';
    expect((await send('POST', path, body)).status).toBe(400);
    expect(await harness.engine.latest('production/fine/launch')).toMatchObject({ epoch: 1 });
  });

  it('whose key has gone on get none', async () => {
    await afterTrouble();
    const info = (await harness.engine.inspect('production/poison/launch/1'))!;
    const { ask } = httpWorld({
      workflows: harness.engine,
      client: { ...noClient, latest: async () => ({ ...info, epoch: 2, status: 'running' }) },
    });
    expect(await ask('POST', '/v1/workflows/production/poison/launch/1/retry')).toMatchObject({
      status: 409,
      json: { detail: 'A newer epoch 2 of the same key exists; it is running.' },
    });
  });

  it('of an engine that fails for its own reasons are no conflict', async () => {
    await afterTrouble();
    const engine = harness.engine;
    const { ask } = httpWorld({
      client: engine,
      workflows: {
        list: (query) => engine.list(query),
        inspect: (id) => engine.inspect(id),
        retrySetAside: () => Promise.reject(new Error('the disk is full')),
        restart: () => Promise.reject(new Error('the disk is full')),
      },
    });
    for (const verb of ['retry', 'restart']) {
      const answer = await ask('POST', `/v1/workflows/production/poison/launch/1/${verb}`);
      expect(answer.status).toBe(500);
      expect(answer.text).not.toContain('disk');
    }
  });

  it('are counted in the metrics, and forgotten there when they are no more', async () => {
    const { get, ask } = await afterTrouble();

    const before = (await get('/metrics')).text;
    expect(before).toContain('poolwright_workflows{workflow="steps",status="completed"} 1');
    expect(before).toContain('poolwright_workflows{workflow="steps",status="set-aside"} 1');
    await ask('POST', '/v1/workflows/production/poison/launch/1/retry');
    expect((await get('/metrics')).text).not.toContain('poolwright_workflows{workflow="steps",status="set-aside"} 1');
  });
});

const noClient = {
  ensure: async () => ({ id: 'none/1', epoch: 1, started: false }),
  signal: async () => undefined,
};
