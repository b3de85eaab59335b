import { describe, expect, it } from 'vitest';
import { rememberSecret } from '../../shared/base/secrets/known-secrets.ts';
import type { State } from '../../shared/state/contract.ts';
import { httpWorld, token } from './world.ts';

const operator = 'the-token-of-an-operator';
const members = () => [{ name: 'on-call', role: 'operate' as const, team: 'platform', tokens: () => [operator] }];
const headers = { authorization: `Bearer ${operator}`, 'content-type': 'application/json' };

const world = () => httpWorld({ members });
type World = ReturnType<typeof world>;

const pause = ({ ask }: World, why: string) =>
  ask('PUT', '/v1/pauses/cluster/production', { headers, body: JSON.stringify({ why }) });
const entries = async ({ get }: World, query = '') => (await get(`/v1/audit${query}`)).json.items as object[];

describe('the audit log', () => {
  it('has who did what, with what, when, and what came of it', async () => {
    const here = world();
    await pause(here, 'migration');
    here.clock.advance(1000);
    await here.ask('DELETE', '/v1/pauses/cluster/production');

    expect(await entries(here)).toEqual([
      {
        at: '2026-01-01T00:00:01.000Z',
        caller: 'host-token',
        role: 'admin',
        action: 'resume',
        path: '/v1/pauses/cluster/production',
        given: {},
        status: 200,
        answer: { kind: 'cluster', name: 'production', lifted: true },
      },
      {
        at: '2026-01-01T00:00:00.000Z',
        caller: 'on-call',
        role: 'operate',
        team: 'platform',
        action: 'pause',
        path: '/v1/pauses/cluster/production',
        given: { why: 'migration' },
        status: 200,
        answer: { kind: 'cluster', name: 'production', paused: true },
      },
    ]);
    expect(here.log.lines).toMatchObject([
      { event: 'audit.recorded', fields: { caller: 'on-call', action: 'pause', given: { why: 'migration' } } },
      { event: 'audit.recorded', fields: { caller: 'host-token', action: 'resume' } },
    ]);
  });

  it.each([
    ['replay', 'POST', '/v1/dead-letters/replay', {}],
    ['drop', 'POST', '/v1/dead-letters/drop', { all: true }],
    ['clear', 'DELETE', '/v1/offerings/unavailable', undefined],
    ['confirm', 'POST', '/v1/clusters/production/confirm', undefined],
    ['restart', 'POST', '/v1/workflows/production/u-1/launch/1/restart', { force: true }],
    ['retry', 'POST', '/v1/workflows/production/u-1/launch/1/retry', undefined],
  ])('has %s', async (action, method, path, body) => {
    const found = { id: 'production/u-1/launch/1', epoch: 2 };
    const inspection = { ...found, key: 'k', epoch: 1, workflow: 'launch', version: 1, status: 'set-aside' as const };
    const workflows = {
      list: async () => ({ items: [] }),
      inspect: async () => ({ ...inspection, startedAt: 0, group: '', input: {}, history: [], signals: [] }),
      retrySetAside: async () => found,
      restart: async () => found,
    };
    const here = httpWorld({ workflows });
    const answer = body === undefined ? await here.ask(method, path) : await here.send(method, path, body);

    expect(answer.status).toBe(200);
    expect(await entries(here)).toMatchObject([{ action, path, given: body ?? {}, status: 200, answer: answer.json }]);
  });

  it('has no requests that change nothing: reads, dry runs, refused ones', async () => {
    const here = world();
    await here.get('/v1/pauses');
    await here.ask('DELETE', '/v1/offerings/unavailable?dryRun=true');
    await here.ask('PUT', '/v1/pauses/cluster/nowhere');
    await here.send('PUT', '/v1/pauses/cluster/production', { wrong: true });
    await here.ask('POST', '/v1/dead-letters/drop', { headers, body: '{"all":true}' });

    expect(await entries(here)).toEqual([]);
    expect((await here.services.state.list('audit/')).items).toEqual([]);
  });

  it('has no secret, whatever a caller sends', async () => {
    const here = world();
    rememberSecret('a-secret-that-the-process-knows');
    await pause(here, `see a-secret-that-the-process-knows, or Bearer ${token}, or https://me:pass-word@host/`);

    const kept = JSON.stringify((await here.services.state.list('audit/')).items);
    for (const secret of ['a-secret-that-the-process-knows', token, 'pass-word', operator]) {
      expect(kept).not.toContain(secret);
      expect(JSON.stringify(here.log.lines)).not.toContain(operator);
    }
  });

  it('is bounded: the oldest entries go, and all of them after their time', async () => {
    const here = httpWorld({ members, audit: { keepSeconds: 3600, max: 3 } });
    for (let index = 0; index < 51; index++) {
      await pause(here, `number ${index}`);
      here.clock.advance(1000);
    }
    expect((await entries(here)).map((entry) => (entry as { given: { why: string } }).given.why)).toEqual([
      'number 50',
      'number 49',
      'number 48',
    ]);
    here.clock.advance(3_600_000);
    expect(await entries(here)).toEqual([]);
  });

  it('keeps little of a long request', async () => {
    const here = world();
    const ids = Array.from({ length: 1000 }, (_, index) => `${'x'.repeat(200)}${index}`);
    await here.ask('POST', '/v1/dead-letters/replay', { headers, body: JSON.stringify({ ids }) });
    const [entry] = (await here.services.state.list('audit/')).items;
    expect(JSON.stringify(entry).length).toBeLessThan(20_000);
  });

  it('is read in pages, and by caller, action and time', async () => {
    const here = world();
    for (const why of ['one', 'two', 'three']) {
      await pause(here, why);
      here.clock.advance(60_000);
    }
    await here.ask('DELETE', '/v1/pauses/cluster/production');

    const first = (await here.get('/v1/audit?limit=3')).json;
    expect(first.items).toMatchObject([{ action: 'resume' }, { given: { why: 'three' } }, { given: { why: 'two' } }]);
    const second = (await here.get(`/v1/audit?limit=3&after=${first.next}`)).json;
    expect(second).toMatchObject({ items: [{ given: { why: 'one' } }] });
    expect(await entries(here, '?caller=host-token')).toHaveLength(1);
    expect(await entries(here, '?action=pause')).toHaveLength(3);
    expect(await entries(here, '?since=2026-01-01T00:01:30Z')).toHaveLength(2);
    expect((await here.get('/v1/audit?action=nothing')).status).toBe(400);
  });

  it('has an entry without a status when the host dies in the middle', async () => {
    const here = httpWorld({
      members,
      decorate: (queue) => ({ ...queue, replay: () => new Promise<number>(() => undefined) }),
    });
    void here.ask('POST', '/v1/dead-letters/replay', { headers, body: '{}' });
    await expect.poll(() => entries(here)).toMatchObject([{ action: 'replay', caller: 'on-call' }]);
    expect((await entries(here))[0]).not.toHaveProperty('status');
  });

  it('holds nothing up when it can not be written: the log line is the record', async () => {
    const here = world();
    const state = here.services.state as { put: State['put'] };
    const put = state.put.bind(here.services.state);
    state.put = (key, ...rest) => (key.startsWith('audit/') ? Promise.reject(new Error('full')) : put(key, ...rest));

    expect((await pause(here, 'now')).status).toBe(200);
    expect((await here.get('/v1/pauses')).json).toMatchObject({ items: [{ name: 'production' }] });
    expect(here.log.lines.map(({ event }) => event)).toEqual(['audit.lost', 'audit.recorded', 'audit.lost']);
  });
});
