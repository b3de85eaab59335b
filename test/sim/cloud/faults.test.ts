import { afterEach, describe, expect, test } from 'vitest';
import type { FaultRule } from '../../../sim/kit/faults.ts';
import { type CloudUnderTest, startCloud } from './client.ts';

describe('faults of the simulated cloud', () => {
  let under: CloudUnderTest;
  const start = async (...faults: FaultRule[]) => {
    under = await startCloud({ bootSeconds: 30, deleteSeconds: 10, faults });
    return under;
  };
  afterEach(() => under.cloud.close());

  test.each<[string, FaultRule['do'], number, string, string | null]>([
    ['throttles and says for how long', { kind: 'throttle', retryAfterSeconds: 5 }, 429, 'Throttled', '5'],
    ['throttles without a word', { kind: 'throttle' }, 429, 'Throttled', null],
    ['has another operation in progress', { kind: 'conflict' }, 409, 'OperationInProgress', null],
    ['breaks', { kind: 'error', status: 500 }, 500, 'InternalError', null],
    ['breaks in between', { kind: 'error', status: 502 }, 502, 'BadGateway', null],
    ['is sold out', { kind: 'sold-out' }, 422, 'InsufficientCapacity', null],
    ['has no quota left', { kind: 'quota' }, 403, 'QuotaExceeded', null],
    ['does not know you', { kind: 'unauthorised', status: 401 }, 401, 'Unauthenticated', null],
    ['says no in words of its own', { kind: 'refused', status: 418, code: 'Tea', message: 'short' }, 418, 'Tea', null],
  ])('%s', async (_, fault, status, code, retryAfter) => {
    const { create, cloud } = await start({ on: 'create', count: 1, do: fault });

    const answer = await create();

    expect(answer.status).toBe(status);
    expect(answer.body.error.code).toBe(code);
    expect(answer.headers.get('retry-after')).toBe(retryAfter);
    expect(cloud.living).toBe(0);
    expect((await create()).status).toBe(201);
  });

  test.each([
    ['before', 'none', 0],
    ['after', 'done', 1],
  ] as const)('resets the connection %s the effect', async (_, effect, living) => {
    const { create, cloud } = await start({ on: 'create', count: 1, do: { kind: 'reset', effect } });

    await expect(create()).rejects.toThrow();

    expect(cloud.living).toBe(living);
  });

  test('stays silent, with or without the effect, until it is cut', async () => {
    const { create, cloud } = await start({ on: 'create', do: { kind: 'timeout', effect: 'done', holdMs: 0 } });

    await expect(create()).rejects.toThrow();
    await cloud.held(1);

    expect(cloud.living).toBe(1);
  });

  test('makes the instance later than the caller was told anything', async () => {
    const { create, advance, cloud } = await start({
      on: 'create',
      count: 1,
      do: { kind: 'reset', effect: 'late', lateSeconds: 2 },
    });
    await expect(create()).rejects.toThrow();
    await advance(1.9);
    expect(cloud.living).toBe(0);

    await advance(0.1);

    expect(cloud.living).toBe(1);
    expect((await create()).status).toBe(200);
  });

  test('deletes later than the caller was told anything', async () => {
    const { create, ask, advance, cloud } = await start({
      on: 'delete',
      do: { kind: 'reset', effect: 'late', lateSeconds: 2 },
    });
    const { id } = (await create()).body;
    await expect(ask('DELETE', `/instances/${id}`)).rejects.toThrow();
    expect(cloud.ledger()[0]?.deletingAt).toBeNull();

    await advance(12);

    expect(cloud.ledger()[0]).toMatchObject({ whyGone: 'deleted' });
  });

  test.each<FaultRule['do']>([
    { kind: 'never-running' },
    { kind: 'operation-fails', code: 'AllocationFailed', message: 'none left' },
  ])('never ends booting ($kind)', async (fault) => {
    const { create, ask, advance } = await start({ on: 'create', do: fault });
    const { id } = (await create()).body;
    await advance(100_000);

    expect((await ask('GET', `/instances/${id}`)).body).toMatchObject({ state: 'creating', remainingSeconds: null });
  });

  test('shows the list as it was a while ago', async () => {
    const { create, ask, advance } = await start({ on: 'list', do: { kind: 'lag', seconds: 5 } });
    const listed = async () => (await ask('GET', '/instances')).body.items.map(({ state }) => state);
    const { id } = (await create()).body;

    expect(await listed()).toEqual([]);
    await advance(5);
    expect(await listed()).toEqual(['creating']);
    await ask('DELETE', `/instances/${id}`);
    await advance(4);
    expect(await listed()).toEqual(['creating']);
    await advance(7);
    expect(await listed()).toEqual(['deleting']);
    await advance(4);
    expect(await listed()).toEqual([]);
  });

  test('loses an instance, which the ledger knows', async () => {
    const { create, advance, cloud } = await start({ on: 'create', do: { kind: 'vanish', afterSeconds: 40 } });
    const { createdAt } = (await create()).body;
    await advance(60);

    expect(cloud.ledger()).toMatchObject([{ goneAt: createdAt + 40_000, whyGone: 'vanished' }]);
  });

  test('interrupts a spot instance after a notice that everybody can read', async () => {
    const { create, ask, advance, cloud } = await start({
      on: 'create',
      offering: { capacityType: 'spot' },
      do: { kind: 'interrupt', afterSeconds: 60, noticeSeconds: 30 },
    });
    const { id, createdAt } = (await create()).body;
    await advance(60);

    const notices = (await ask('GET', '/interruptions')).body.items;
    expect(notices).toEqual([{ seq: 1, instance: id, at: createdAt + 60_000, goneAt: createdAt + 90_000 }]);
    expect((await ask('GET', `/instances/${id}`)).body).toMatchObject({
      state: 'running',
      interruptAt: createdAt + 90_000,
    });
    expect((await ask('GET', '/interruptions?after=1')).body.items).toEqual([]);
    await advance(30);
    expect(cloud.ledger()).toMatchObject([{ whyGone: 'interrupted' }]);
  });

  test('pulls the plug, or gives notice, when it is told to', async () => {
    const { create, ask, advance, cloud } = await start();
    const one = (await create()).body.id;
    const other = (await create({ token: 't2' })).body.id;

    expect((await ask('POST', `/instances/${one}/vanish`)).status).toBe(202);
    expect((await ask('POST', `/instances/${other}/interrupt?noticeSeconds=3`)).status).toBe(202);
    await advance(3);

    expect(cloud.ledger().map(({ whyGone }) => whyGone)).toEqual(['vanished', 'interrupted']);
    expect((await ask('POST', `/instances/${one}/vanish`)).status).toBe(404);
  });

  test('takes new rules while it runs', async () => {
    const { create, ask } = await start();

    expect((await ask('POST', '/faults', [{ on: 'create', do: { kind: 'sold-out' } }])).status).toBe(200);
    expect((await create()).status).toBe(422);
    await ask('POST', '/faults', []);
    expect((await create()).status).toBe(201);
  });

  test('strikes only one offering, and shows it as sold out when it shall', async () => {
    const until = 1e13;
    const { create, ask } = await start({
      on: 'create',
      offering: { instanceType: 'general-small', zone: 'zone-a' },
      until,
      do: { kind: 'sold-out', listed: true },
    });

    expect((await create()).status).toBe(422);
    expect((await create({ zone: 'zone-b' })).status).toBe(201);
    const types = (await ask('GET', '/instance-types')).body.items;
    const small = types.find(({ name }) => name === 'general-small')?.offerings;
    expect(small).toContainEqual(expect.objectContaining({ zone: 'zone-a', available: false, availableAt: until }));
    expect(small).toContainEqual(expect.objectContaining({ zone: 'zone-b', available: true }));
  });
});
