import { afterEach, describe, expect, test } from 'vitest';
import { type CloudUnderTest, owned, startCloud } from './client.ts';

describe('the simulated cloud', () => {
  let under: CloudUnderTest;
  const start = async (options: Parameters<typeof startCloud>[0] = {}) => {
    under = await startCloud({ bootSeconds: 30, deleteSeconds: 10, ...options });
    return under;
  };
  afterEach(() => under.cloud.close());

  test('boots an instance in its time and says how long it takes', async () => {
    const { ask, create, advance } = await start();

    const created = await create();
    await advance(29);
    const booting = await ask('GET', `/instances/${created.body.id}`);
    await advance(1);
    const running = await ask('GET', `/instances/${created.body.id}`);

    expect(created).toMatchObject({ status: 201, body: { state: 'creating', remainingSeconds: 30 } });
    expect(booting.body).toMatchObject({ state: 'creating', remainingSeconds: 1 });
    expect(running.body).toMatchObject({ state: 'running', providerID: `sim:///zone-a/${created.body.id}` });
  });

  test('lets whoever creates it choose another boot time', async () => {
    const { create } = await start();

    expect((await create({ bootSeconds: 0 })).body).toMatchObject({ state: 'running', remainingSeconds: 0 });
  });

  test('deletes in its time, only under the right tags, and writes it all into the ledger', async () => {
    const { ask, create, advance, cloud } = await start();
    const { id, createdAt } = (await create()).body;
    await advance(30);

    expect((await ask('DELETE', `/instances/${id}?tag.poolwright.dev%2Fattempt=2`)).status).toBe(412);
    const deleting = await ask('DELETE', `/instances/${id}?tag.poolwright.dev%2Fattempt=1`);
    await advance(10);

    expect(deleting).toMatchObject({ status: 202, body: { state: 'deleting', remainingSeconds: 10 } });
    expect((await ask('GET', `/instances/${id}`)).body.error.code).toBe('InstanceNotFound');
    expect(cloud.ledger()).toEqual([
      {
        seq: 1,
        id,
        name: 'web-1',
        token: 'token-1',
        tags: owned('u1'),
        claimUid: 'u1',
        attempt: 1,
        instanceType: 'general-small',
        zone: 'zone-a',
        capacityType: 'spot',
        price: 0.0144,
        createdAt,
        runningAt: createdAt + 30_000,
        deletingAt: createdAt + 30_000,
        goneAt: createdAt + 40_000,
        whyGone: 'deleted',
      },
    ]);
    expect(cloud.living).toBe(0);
  });

  test('never lets run what is deleted while it boots', async () => {
    const { ask, create, advance, cloud } = await start({ deleteSeconds: 60 });
    const { id } = (await create()).body;
    await ask('DELETE', `/instances/${id}`);
    await advance(100);

    expect(cloud.ledger()).toMatchObject([{ runningAt: null, whyGone: 'deleted' }]);
  });

  test('remembers a token also when its instance is long gone', async () => {
    const { ask, create } = await start({ deleteSeconds: 0 });
    const first = await create();
    await ask('DELETE', `/instances/${first.body.id}`);

    const again = await create();

    expect(again).toMatchObject({ status: 200, body: { id: first.body.id, state: 'gone' } });
    expect((await create({ zone: 'zone-b' })).body.error.code).toBe('TokenMismatch');
  });

  test('gives a name away again when its instance is gone', async () => {
    const { ask, create } = await start({ idempotency: 'name', deleteSeconds: 0 });
    const first = await create();

    expect((await create()).body.error).toMatchObject({ code: 'NameInUse', instance: first.body.id });
    await ask('DELETE', `/instances/${first.body.id}`);
    expect((await create()).status).toBe(201);
  });

  test('shows two instances that were alive at once', async () => {
    const { ask, create, advance } = await start();
    await create();
    await advance(5);
    await create({ token: 'token-2' });

    const overlaps = await ask('GET', '/ledger/overlaps');

    expect(overlaps.body.items).toMatchObject([{ claimUid: 'u1', until: null }]);
  });

  test('pages the ledger', async () => {
    const { ask, create } = await start();
    for (const number of [1, 2, 3]) await create({ token: `t${number}` });

    const first = await ask('GET', '/ledger?limit=2');
    const second = await ask('GET', `/ledger?limit=2&after=${first.body.next}`);

    expect(first.body.items.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(second.body).toMatchObject({ items: [{ seq: 3 }] });
    expect(second.body.next).toBeUndefined();
  });

  test('lists by tags, in pages', async () => {
    const { ask, create } = await start();
    for (const number of [1, 2, 3]) await create({ token: `t${number}`, tags: owned('u1', number) });
    await create({ token: 't4', tags: owned('u2') });

    const first = await ask('GET', '/instances?limit=2&tag.poolwright.dev%2Fclaim-uid=u1');
    const second = await ask('GET', `/instances?limit=2&page=${first.body.next}&tag.poolwright.dev%2Fclaim-uid=u1`);
    const all = await ask('GET', '/instances');

    expect([first.body.items.length, second.body.items.length, all.body.items.length]).toEqual([2, 1, 4]);
    expect(second.body.next).toBeUndefined();
  });

  test('sells 24 types: GPUs and arm64 among them, spot and on demand, some without a price', async () => {
    const { ask } = await start();

    const { items } = (await ask('GET', '/instance-types')).body;

    expect(items).toHaveLength(24);
    const text = JSON.stringify(items);
    for (const part of ['"nvidia.com/gpu":"8"', '"arm64"', '"spot"', '"on-demand"', '"price":null', '"zone-c"']) {
      expect(text).toContain(part);
    }
  });

  test('stops at its quota', async () => {
    const { create } = await start({ quota: 1 });
    await create();

    expect(await create({ token: 't2' })).toMatchObject({ status: 403, body: { error: { code: 'QuotaExceeded' } } });
  });

  test.each([
    ['no JSON', '{', 'not JSON'],
    ['no name', { instanceType: 'x', zone: 'y', capacityType: 'spot' }, 'name'],
    ['a wrong capacity type', { name: 'a', instanceType: 'x', zone: 'y', capacityType: 'free' }, 'capacityType'],
    ['an unknown field', { name: 'a', instanceType: 'x', zone: 'y', capacityType: 'spot', color: 1 }, 'color'],
    ['an unknown offering', { name: 'a', instanceType: 'x', zone: 'y', capacityType: 'spot' }, 'no offering x'],
  ])('refuses %s with a code and a message', async (_, body, part) => {
    const { ask } = await start();

    const answer = await ask('POST', '/instances', body);

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'InvalidRequest' } } });
    expect(answer.body.error.message).toContain(part);
  });

  test('refuses wrong fault rules, and what it has no route for', async () => {
    const { ask } = await start();

    expect(await ask('POST', '/faults', [{ on: 'create', do: { kind: 'explode' } }])).toMatchObject({ status: 400 });
    expect(await ask('GET', '/nowhere')).toMatchObject({ status: 404, body: { error: { code: 'NoSuchRoute' } } });
    expect(await ask('PUT', '/instances')).toMatchObject({ status: 404 });
    expect(await ask('GET', '/healthz')).toMatchObject({ status: 200 });
  });
});
