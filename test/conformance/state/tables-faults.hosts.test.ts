import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manualClock, systemIds } from '../../../shared/base/runtime.ts';
import { openTablesState } from '../../../shared/state/tables/state.ts';
import { type Azurite, startAzuriteTables } from '../../peers/azurite.ts';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';
import { listAll } from './harness.ts';
import { knowsItsOwnWork } from './lost-answers.ts';

let azurite: Azurite;
let proxy: FaultyProxy;
beforeAll(async () => {
  azurite = await startAzuriteTables();
  proxy = await startFaultyProxy(new URL(azurite.url));
});
afterAll(async () => {
  await proxy.close();
  await azurite.close();
});

const busy = { status: 503, body: '{"odata.error":{"code":"ServerBusy","message":{"value":"too many requests"}}}' };
let tables = 0;

function setUp() {
  const clock = manualClock();
  const connectionString = azurite.connectionString.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${proxy.port}`);
  const retry = { maxRetries: 3, retryDelayInMs: 1, maxRetryDelayInMs: 2 };
  const table = `faults${++tables}`;
  const open = (ids = systemIds) => openTablesState({ connection: { connectionString }, table, clock, ids, retry });
  return { clock, open, state: open() };
}

describe('state on tables when things go wrong', () => {
  it('asks a busy table again', async () => {
    const { state } = setUp();
    await state.put('a', 1);
    proxy.spoil('GET', busy, { status: 429, headers: { 'retry-after': '0' } }, busy);
    expect((await state.get('a'))?.value).toBe(1);
    proxy.spoil('PUT', busy);
    expect(await state.put('a', 2)).toBeTypeOf('string');
    expect((await state.get('a'))?.value).toBe(2);
  });

  it('gives up when it stays busy, and says so', async () => {
    const { state } = setUp();
    await state.put('a', 1);
    proxy.spoil('GET', busy, busy, busy, busy);
    await expect(state.get('a')).rejects.toMatchObject({ status: 503, message: expect.stringMatching(/answered 503/) });
    expect((await state.get('a'))?.value).toBe(1);
  });

  knowsItsOwnWork({ open: () => setUp().open, proxy: () => proxy, creates: 'POST', replaces: 'PUT' });

  it('reads a table that is not there as empty, and makes it with the first write', async () => {
    const { state } = setUp();
    expect(await state.get('a')).toBeUndefined();
    expect(await state.delete('a')).toBe(false);
    expect(await listAll(state, '')).toEqual([]);
    expect(await state.sweep()).toBe(0);
    await Promise.all([1, 2, 3].map((n) => state.put(`k/${n}`, n)));
    expect(await listAll(state, 'k/')).toHaveLength(3);
  });

  it('sweeps what has expired, up to a limit, and nothing else', async () => {
    const { clock, state } = setUp();
    await state.put('forever', 1);
    await state.put('later', 1, { ttlSeconds: 100 });
    await Promise.all(Array.from({ length: 40 }, (_, n) => state.put(`old/${n}`, n, { ttlSeconds: 10 })));
    clock.advance(10_000);
    expect(await state.sweep(25)).toBe(25);
    const before = proxy.seen.DELETE ?? 0;
    expect(await state.sweep()).toBe(15);
    expect((proxy.seen.DELETE ?? 0) - before).toBe(15);
    expect(await state.sweep()).toBe(0);
    expect((await listAll(state, '')).map(({ key }) => key)).toEqual(['forever', 'later']);
  });

  it('walks on through pages that hold only expired entries', async () => {
    const { clock, state } = setUp();
    for (let n = 0; n < 12; n++) await state.put(`p/${n + 10}`, n, n === 11 ? {} : { ttlSeconds: 1 });
    clock.advance(1000);
    expect((await state.list('p/', { limit: 2 })).items).toMatchObject([{ key: 'p/21' }]);
    expect(await state.list('p/', { limit: 1 })).not.toHaveProperty('next');
  });

  it('pages through keys that are longer than a partition key', async () => {
    const { state } = setUp();
    const long = 'k'.repeat(256);
    const keys = [
      'k',
      `${'k'.repeat(255)}`,
      long,
      `${long}-1`,
      `${long}.1`,
      `${long}/1`,
      `${long}/2`,
      'ka',
      'l'.repeat(300),
    ];
    for (const key of [...keys].reverse()) await state.put(key, key);
    for (const limit of [1, 2, 100]) {
      expect((await listAll(state, '', limit)).map(({ key }) => key)).toEqual(keys.toSorted());
      expect((await listAll(state, long, limit)).map(({ key }) => key)).toEqual(keys.slice(2, 7));
      expect((await listAll(state, `${long}/`, limit)).map(({ key }) => key)).toEqual(keys.slice(5, 7));
    }
    expect((await state.list('k', { after: 'l'.repeat(300) })).items).toEqual([]);
    expect((await state.list(`${long}/`, { after: `${'l'.repeat(300)}` })).items).toEqual([]);
  });

  it('names what is missing when there is no access', async () => {
    const { state } = setUp();
    proxy.spoil('GET', {
      status: 403,
      body: '{"odata.error":{"code":"AuthorizationPermissionMismatch","message":{"value":"no"}}}',
    });
    await expect(state.get('a')).rejects.toThrow(/Storage Table Data Contributor/);
  });
});
