import { beforeAll, describe, expect, it } from 'vitest';
import type { ClusterApi } from '../../shared/kube/contract.ts';
import { pause, pausedBy } from '../../shared/nodes/pauses/pauses.ts';
import { recordDecision } from '../../shared/nodes/steps/report/decision-log.ts';
import { useStoredClaim } from './stored-claim.ts';
import { anEvent, httpWorld } from './world.ts';

describe('decisions about a claim', () => {
  const stored = useStoredClaim();
  let api: ClusterApi;
  let uid = '';
  beforeAll(() => {
    ({ api, uid } = stored());
  });

  it('are told newest last', async () => {
    const { services, clock, get } = httpWorld({ api });
    const ref = { cluster: 'production', name: 'web-1', uid };
    const offering = { instanceType: 'c4', zone: 'a', capacityType: 'spot', price: 0.5 } as const;
    await recordDecision(services, ref, 'offering-chosen', { attempt: 1, offering }, { rejected: { c2: 'too small' } });
    clock.advance(5000);
    // As the version before codes has left it.
    const old = { at: clock.now(), step: 'begin-create', text: 'asked for c4' };
    await services.state.put(`decisions/production/${uid}/${clock.now()}-2`, old);

    const answer = await get('/v1/claims/production/web-1/decisions');

    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      ...ref,
      // This world has no provider that would serve it.
      ours: false,
      decisions: [
        {
          at: '2026-01-01T00:00:00.000Z',
          step: 'choose',
          code: 'offering-chosen',
          fields: { attempt: 1, offering },
          text: 'attempt 1: c4 in a, spot, $0.5 per hour',
          detail: { rejected: { c2: 'too small' } },
        },
        { at: '2026-01-01T00:00:05.000Z', step: 'begin-create', text: 'asked for c4' },
      ],
      now: '2026-01-01T00:00:05.000Z',
      standing: { acts: true },
      pauses: [],
      workflows: [],
    });
  });

  it('come with what holds the claim now', async () => {
    const launch = { id: `production/${uid}/launch/1`, key: `production/${uid}/launch`, epoch: 1, workflow: 'launch' };
    const { services, get } = httpWorld({
      api,
      cluster: { paused: true },
      client: {
        ensure: async () => ({ id: 'none/1', epoch: 1, started: false }),
        signal: async () => undefined,
        latest: async (key) =>
          key === launch.key
            ? { ...launch, version: 2, status: 'running', startedAt: 0, waitingFor: 'call choose' }
            : undefined,
      },
    });
    await pause(services, { kind: 'provider', name: 'sim' }, 'money');
    await pause(services, { kind: 'cluster', name: 'staging' }, 'another');

    const { json } = await get('/v1/claims/production/web-1/decisions');

    expect(json.pauses).toMatchObject([
      { kind: 'cluster', name: 'production', setBy: 'configuration' },
      { kind: 'provider', name: 'sim', setBy: 'request', why: 'money' },
    ]);
    expect(json.workflows).toMatchObject([{ id: launch.id, status: 'running', waitingFor: 'call choose' }]);
  });

  it('are empty before the first', async () => {
    const answer = await httpWorld({ api }).get('/v1/claims/production/web-1/decisions');
    expect(answer).toMatchObject({ status: 200, json: { uid, decisions: [] } });
  });

  it('of a claim that is gone are found by its uid, without asking the cluster', async () => {
    const { services, get } = httpWorld();
    await recordDecision(services, { cluster: 'production', name: 'old', uid: 'u-old' }, 'released', {});

    expect(await get('/v1/claims/production/old/decisions?uid=u-old')).toMatchObject({
      status: 200,
      json: { decisions: [{ step: 'terminate', code: 'released' }] },
    });
  });

  it('of a claim that the cluster does not have ask for the uid', async () => {
    expect(await httpWorld({ api }).get('/v1/claims/production/web-2/decisions')).toMatchObject({
      status: 404,
      json: { detail: expect.stringContaining('?uid=') },
    });
  });

  it.each([
    ['/v1/claims/prodution/web-1/decisions', 404, /did you mean "production"\?$/],
    ['/v1/claims/production/WEB/decisions', 400, /: name must be the name of a Kubernetes object\.$/],
    ['/v1/claims/production/web-1/decisions?uuid=1', 400, /"uuid" is unknown; did you mean "uid"\?$/],
    ['/v1/claims/production/web-1/decisions?uid=a%2Fb', 400, /uid/],
    ['/v1/claims/production/..%2F..%2Fsecrets/decisions', 400, /name/],
  ])('%s is answered %i', async (path, status, detail) => {
    expect(await httpWorld({ api }).get(path)).toMatchObject({
      status,
      json: { detail: expect.stringMatching(detail) },
    });
  });

  it('say so when the cluster does not answer', async () => {
    const answer = await httpWorld().get('/v1/claims/production/web-1/decisions');
    expect(answer).toMatchObject({
      status: 503,
      json: { detail: expect.stringContaining("Cluster production can't be read") },
    });
  });
});

describe('dead letters', () => {
  async function withDeadLetters(count: number) {
    const world = httpWorld();
    await world.queue.send(Array.from({ length: count }, (_, n) => `bad ${n}`));
    for (const message of await world.queue.receive(count))
      await world.queue.deadLetter(message, `why ${message.body}`);
    return world;
  }
  const bodies = (json: { items?: unknown }) => (json.items as { body: string }[]).map(({ body }) => body);

  it('are looked at in pages', async () => {
    const { get } = await withDeadLetters(3);

    const first = await get('/v1/dead-letters?limit=2');
    expect(first.json.items).toMatchObject([
      { body: 'bad 0', reason: 'why bad 0', receiveCount: 1, deadAt: '2026-01-01T00:00:00.000Z' },
      { body: 'bad 1' },
    ]);
    const second = await get(`/v1/dead-letters?limit=2&after=${first.json.next}`);
    expect(bodies(second.json)).toEqual(['bad 2']);
    expect(second.json).not.toHaveProperty('next');
  });

  it('are found by the id of their event, or by their own', async () => {
    const { queue, get } = await withDeadLetters(2);
    await queue.send(['{"id":"e-7","data":{}}']);
    for (const message of await queue.receive(1)) await queue.deadLetter(message, 'why');
    const all = (await get('/v1/dead-letters')).json.items as { id: string }[];

    expect(bodies((await get('/v1/dead-letters?event=e-7')).json)).toEqual(['{"id":"e-7","data":{}}']);
    expect(bodies((await get(`/v1/dead-letters?event=${all[1]?.id}`)).json)).toEqual(['bad 1']);
    expect((await get('/v1/dead-letters?event=none')).json).toEqual({ items: [] });
  });

  it('are searched as far as that is bearable, and the answer says where it ended early', async () => {
    const { queue, get } = await withDeadLetters(1);
    const same = '{"id":"e-7"}';
    await queue.send([same, same, same]);
    for (const message of await queue.receive(3)) await queue.deadLetter(message, 'why');
    const two = await get('/v1/dead-letters?event=e-7&limit=2');
    expect(two.json).toMatchObject({ items: [{ body: same }, { body: same }], cut: true });
    expect((await get('/v1/dead-letters?event=e-7&limit=3')).json).not.toHaveProperty('cut');

    let read = 0;
    const endless = <Q extends object>(one: Q): Q => ({
      ...one,
      deadLetters: async ({ limit }: { limit: number }) => {
        read += limit;
        const letter = { id: 'l', body: '', reason: 'why', receiveCount: 1, enqueuedAt: 0, deadAt: 0 };
        return { items: Array.from({ length: limit }, () => letter), next: 'more' };
      },
    });
    const many = await httpWorld({ decorate: endless }).get('/v1/dead-letters?event=none');
    expect(many.json).toEqual({ items: [], cut: true });
    expect(read).toBeLessThanOrEqual(3000);
  });

  it.each([
    ['limit=0', 'limit must be at least 1'],
    ['limit=101', 'limit'],
    ['limit=many', 'limit must be a number'],
    ['after=nowhere', 'after must be the next of an earlier page'],
    ['limt=5', '"limt" is unknown; did you mean "limit"?'],
  ])('refuse the query %s', async (query, detail) => {
    const { get } = await withDeadLetters(1);
    expect(await get(`/v1/dead-letters?${query}`)).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining(detail) },
    });
  });

  it('go back on the queue, those named', async () => {
    const { get, send, queue } = await withDeadLetters(3);
    const [, second] = (await get('/v1/dead-letters')).json.items as { id: string }[];

    expect(await send('POST', '/v1/dead-letters/replay', { ids: [second!.id, '999', 'x'] })).toMatchObject({
      status: 200,
      json: { replayed: 1 },
    });
    expect((await queue.receive(10)).map(({ body }) => body)).toEqual(['bad 1']);
    expect(bodies((await get('/v1/dead-letters')).json)).toEqual(['bad 0', 'bad 2']);
  });

  it.each([
    ['without a body', {}],
    ['with an empty object', { headers: { 'content-type': 'application/json' }, body: '{}' }],
  ])('go back all, %s', async (_name, init) => {
    const { ask } = await withDeadLetters(3);
    expect(await ask('POST', '/v1/dead-letters/replay', init)).toMatchObject({ status: 200, json: { replayed: 3 } });
  });

  it.each([
    [{ id: ['1'] }, '"id" is unknown; did you mean "ids"?'],
    [{ ids: '1' }, 'ids must be an array, but it is a string'],
    [{ ids: [7] }, 'ids[0] must be a string'],
    [[], 'it must be a JSON object'],
    [null, 'it must be a JSON object'],
  ])('stay when the body is %j', async (body, detail) => {
    const { send, queue } = await withDeadLetters(1);
    expect(await send('POST', '/v1/dead-letters/replay', body)).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining(detail) },
    });
    expect((await queue.stats()).dead).toBe(1);
  });

  it.each(['application/json; x', 'Application/JSON ; charset="utf-8"', 'application/json;'])(
    'go back only those named, also when the content type is written %s',
    async (contentType) => {
      const { send } = await withDeadLetters(3);
      const answer = await send('POST', '/v1/dead-letters/replay', { ids: [] }, contentType);
      expect(answer).toMatchObject({ status: 200, json: { replayed: 0 } });
    },
  );

  it('are shown one by one, with what is wrong with them now', async () => {
    const { queue, get } = httpWorld();
    const unlike = anEvent({}, { name: 'Web_1' });
    const elsewhere = anEvent({}, { cluster: 'prodution' });
    await queue.send([JSON.stringify(unlike), JSON.stringify(elsewhere), JSON.stringify(anEvent()), '{"half":']);
    for (const message of await queue.receive(10)) await queue.deadLetter(message, 'why');
    const problems = await Promise.all(
      ['1', '2', '3', '4'].map(async (id) => (await get(`/v1/dead-letters/${id}`)).json.problem),
    );

    expect(problems).toEqual([
      expect.stringContaining('data.name has characters that are not allowed'),
      'cluster "prodution" is not in the configuration; did you mean "production"?',
      undefined,
      'the message is not JSON: it ends too early, at position 8',
    ]);
    expect((await get('/v1/dead-letters/4')).json).toMatchObject({ id: '4', body: '{"half":', reason: 'why' });
  });

  it.each(['9', 'x', '%2F'])('answer 404 for the id %s', async (id) => {
    const { get } = await withDeadLetters(1);
    expect(await get(`/v1/dead-letters/${id}`)).toMatchObject({
      status: 404,
      json: { type: 'urn:poolwright:problem:unknown-dead-letter' },
    });
  });

  it('are found behind many others', async () => {
    const { get } = await withDeadLetters(2500);
    expect((await get('/v1/dead-letters/2500')).json).toMatchObject({ body: 'bad 2499' });
  });

  it('are thrown away, those named, and the log knows', async () => {
    const { get, send, log } = await withDeadLetters(3);
    const drop = () => send('POST', '/v1/dead-letters/drop', { ids: ['2', '999', 'x'] });

    expect(await drop()).toMatchObject({ status: 200, json: { dropped: 1 } });
    expect(await drop()).toMatchObject({ status: 200, json: { dropped: 0 } });
    expect(bodies((await get('/v1/dead-letters')).json)).toEqual(['bad 0', 'bad 2']);
    expect(log.lines.filter(({ event }) => event === 'event.dropped')).toMatchObject([{ fields: { dropped: 1 } }]);
  });

  it('are all named in the log, however many are thrown away', async () => {
    const { send, log } = await withDeadLetters(120);
    const ids = Array.from({ length: 120 }, (_, index) => String(index + 1));
    expect((await send('POST', '/v1/dead-letters/drop', { ids })).json).toEqual({ dropped: 120 });
    const dropped = log.lines.filter(({ event }) => event === 'event.dropped');
    expect(dropped.flatMap(({ fields }) => fields?.ids)).toEqual(ids);
    // A line of the log shows fifty of a list.
    expect(dropped).toHaveLength(3);
  });

  it('are thrown away by a filter, however many match, and the log knows', async () => {
    const { queue, clock, send, log } = httpWorld();
    const bury = async (count: number, group: string, reason: string): Promise<void> => {
      await queue.send(Array(count).fill('x'), { group });
      for (const message of await queue.receive(count)) await queue.deadLetter(message, reason);
      clock.advance(60_000);
    };
    await bury(1500, 'production', 'the cluster is away');
    await bury(2, 'staging', 'the cluster is away');
    await bury(1, 'staging', 'not JSON');
    const drop = async (filter: { [key: string]: string | number }) =>
      (await send('POST', '/v1/dead-letters/drop', { filter })).json;
    expect(await drop({ cluster: 'production', olderThanSeconds: 3600 })).toEqual({ dropped: 0 });
    expect(await drop({ cluster: 'production', olderThanSeconds: 100 })).toEqual({ dropped: 1500 });
    expect(await drop({ reason: 'away' })).toEqual({ dropped: 2 });
    expect((await send('POST', '/v1/dead-letters/drop', { all: true })).json).toEqual({ dropped: 1 });
    const dropped = log.lines.filter(({ event }) => event === 'event.dropped');
    expect(dropped.map(({ fields }) => fields)).toEqual([
      { filter: { cluster: 'production', olderThanSeconds: 100 }, dropped: 1500 },
      { filter: { reason: 'away' }, dropped: 2 },
      { filter: 'all', dropped: 1 },
    ]);
  });

  it.each([
    {},
    { ids: [] },
    { id: ['1'] },
    { ids: '1' },
    { ids: [''] },
    [],
    { filter: {} },
    { filter: { clusters: 'a' } },
    { all: false },
    { ids: ['1'], all: true },
    { filter: { cluster: 'a' }, ids: ['1'] },
  ])('are not thrown away by the body %j', async (body) => {
    const { send, queue } = await withDeadLetters(1);
    expect((await send('POST', '/v1/dead-letters/drop', body)).status).toBe(400);
    expect((await queue.stats()).dead).toBe(1);
  });

  it('are not thrown away by a request without a body', async () => {
    const { ask, queue } = await withDeadLetters(1);
    expect((await ask('POST', '/v1/dead-letters/drop')).status).toBe(415);
    expect((await queue.stats()).dead).toBe(1);
  });

  it('are not replayed by a form of a foreign page', async () => {
    const { ask } = await withDeadLetters(1);
    const headers = { 'content-type': 'text/plain' };
    expect((await ask('POST', '/v1/dead-letters/replay', { headers, body: '{}' })).status).toBe(415);
  });
});

describe('pauses', () => {
  it('are set, listed, hold, and are lifted', async () => {
    const { services, send, get, ask } = httpWorld();
    const cluster = services.cluster('production')!;

    expect(await send('PUT', '/v1/pauses/cluster/production', { why: 'moving house' })).toMatchObject({
      status: 200,
      json: { kind: 'cluster', name: 'production', paused: true },
    });
    expect((await ask('PUT', '/v1/pauses/provider/sim')).status).toBe(200);
    expect(await pausedBy(services, cluster, 'sim')).toBe('cluster production is paused: moving house');
    expect((await get('/v1/pauses')).json.items).toEqual([
      { kind: 'cluster', name: 'production', setBy: 'request', why: 'moving house', at: '2026-01-01T00:00:00.000Z' },
      { kind: 'provider', name: 'sim', setBy: 'request', at: '2026-01-01T00:00:00.000Z' },
    ]);

    expect((await ask('DELETE', '/v1/pauses/cluster/production')).json).toMatchObject({ lifted: true });
    expect((await ask('DELETE', '/v1/pauses/cluster/production')).json).toMatchObject({ lifted: false });
    await ask('DELETE', '/v1/pauses/provider/sim');
    expect(await pausedBy(services, cluster, 'sim')).toBeUndefined();
  });

  it('of the configuration are listed, and not lifted here', async () => {
    const { get, ask } = httpWorld({ cluster: { paused: true, pausedProviders: new Set(['sim']) } });

    expect((await get('/v1/pauses')).json.items).toEqual([
      { kind: 'cluster', name: 'production', setBy: 'configuration' },
      { kind: 'provider', name: 'sim', setBy: 'configuration', cluster: 'production' },
      { kind: 'cluster', name: 'staging', setBy: 'configuration' },
      { kind: 'provider', name: 'sim', setBy: 'configuration', cluster: 'staging' },
    ]);
    expect((await ask('DELETE', '/v1/pauses/cluster/staging')).json).toMatchObject({
      lifted: false,
      stillPaused: 'cluster staging is still paused by the configuration',
    });
    expect((await ask('DELETE', '/v1/pauses/provider/sim')).json).toMatchObject({
      stillPaused: 'provider sim is still paused by the configuration in production, staging',
    });
  });

  it('of a cluster that has left the configuration can still be lifted', async () => {
    const { services, ask } = httpWorld();
    await services.state.put('pause/cluster/bygone', { why: '', at: 0 });

    expect(await ask('DELETE', '/v1/pauses/cluster/bygone')).toMatchObject({ status: 200, json: { lifted: true } });
    expect((await ask('DELETE', '/v1/pauses/cluster/bygone')).status).toBe(404);
  });

  it.each([
    ['a misspelled cluster', '/v1/pauses/cluster/stagin', {}, 404, 'did you mean "staging"?'],
    ['a misspelled provider', '/v1/pauses/provider/sims', {}, 404, 'did you mean "sim"?'],
    ['something else', '/v1/pauses/clusters/staging', {}, 400, 'kind must be "cluster" or "provider"'],
    ['a misspelled reason', '/v1/pauses/cluster/staging', { wy: 'x' }, 400, 'did you mean "why"?'],
    ['a long reason', '/v1/pauses/cluster/staging', { why: 'x'.repeat(201) }, 400, 'at most 200'],
    ['a huge reason', '/v1/pauses/cluster/staging', { why: 'x'.repeat(5000) }, 413, 'too big'],
  ])('are refused for %s', async (_name, path, body, status, detail) => {
    const { send, get } = httpWorld();
    expect(await send('PUT', path, body)).toMatchObject({ status, json: { detail: expect.stringContaining(detail) } });
    expect((await get('/v1/pauses')).json.items).toEqual([]);
  });

  it('are all listed, however many there are', async () => {
    const { services, get } = httpWorld();
    for (let n = 0; n < 150; n++) await services.state.put(`pause/cluster/c${n}`, { why: '', at: 0 });
    expect((await get('/v1/pauses')).json.items).toHaveLength(150);
  });
});

describe('metrics', () => {
  it('tell the state of the queue', async () => {
    const world = httpWorld();
    await world.send('POST', '/v1/events', [anEvent({ id: 'a' }), anEvent({ id: 'b' })]);
    const [first] = await world.queue.receive(1);
    await world.queue.deadLetter(first!, 'no use');
    world.clock.advance(7000);

    const answer = await world.get('/metrics');

    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(answer.text).toContain('poolwright_queue_depth{queue="events"} 1');
    expect(answer.text).toContain('poolwright_queue_oldest_age_seconds{queue="events"} 7');
    expect(answer.text).toContain('poolwright_dead_letters{queue="events"} 1');
  });

  it('still come when the queue can not tell its state', async () => {
    const world = httpWorld({ decorate: (queue) => ({ ...queue, stats: () => Promise.reject(new Error('broken')) }) });
    expect((await world.get('/metrics')).status).toBe(200);
  });
});
