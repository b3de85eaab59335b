import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manualClock, systemIds } from '../../../shared/base/runtime.ts';
import { partitions, toItem, toItemKey } from '../../../shared/state/dynamodb/item.ts';
import { openDynamoDbState } from '../../../shared/state/dynamodb/state.ts';
import { type DynamoDbStandIn, startDynamoDb } from '../../stand-ins/dynamodb/server.ts';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';
import { listAll } from './harness.ts';
import { knowsItsOwnWork } from './lost-answers.ts';

const tables = Array.from({ length: 20 }, (_, index) => `faults-${index}`);
let standIn: DynamoDbStandIn;
let proxy: FaultyProxy;
let used = 0;
beforeAll(async () => {
  standIn = await startDynamoDb({ tables });
  proxy = await startFaultyProxy(new URL(standIn.url));
});
afterAll(async () => {
  await proxy.close();
  await standIn.close();
});

const refusal = (code: string) => ({
  status: 400,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${code}`, message: 'as the test wants it' }),
});

function setUp(table = tables[used++] ?? '', maxAttempts = 2) {
  const clock = manualClock();
  const connection = {
    region: 'eu-west-1',
    endpoint: `http://127.0.0.1:${proxy.port}`,
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  };
  const open = (ids = systemIds) => openDynamoDbState({ connection, table, clock, ids, maxAttempts });
  return { clock, open, state: open() };
}

describe('state on DynamoDB when things go wrong', () => {
  it.each(['ThrottlingException', 'ProvisionedThroughputExceededException'])('asks again after %s', async (code) => {
    const { state } = setUp();
    proxy.spoil('POST', refusal(code));
    expect(await state.put('a', 1)).toBeTypeOf('string');
    expect((await state.get('a'))?.value).toBe(1);
  });

  it('gives up when it stays throttled, and says so', async () => {
    const { state } = setUp();
    const throttled = refusal('ThrottlingException');
    proxy.spoil('POST', throttled, throttled);
    await expect(state.get('a')).rejects.toMatchObject({
      code: 'ThrottlingException',
      message: expect.stringMatching(/the state in DynamoDB table "faults-\d+" \(eu-west-1\) is throttled/),
    });
    expect(await state.get('a')).toBeUndefined();
  });

  knowsItsOwnWork({ open: () => setUp().open, proxy: () => proxy, creates: 'POST', replaces: 'POST' });

  it.each([
    ['AccessDeniedException', /not authorized \(the role needs dynamodb:GetItem, PutItem, DeleteItem and Query/],
    [
      'ResourceNotFoundException',
      /does not exist \(the deployment makes it; check the name of the table and the region/,
    ],
    ['ValidationException', /failed: as the test wants it/],
  ])('says what %s means, and where', async (code, text) => {
    const { state } = setUp();
    for (const act of [() => state.get('a'), () => state.put('a', 1), () => state.delete('a')]) {
      proxy.spoil('POST', refusal(code));
      await expect(act()).rejects.toThrow(text);
    }
    // A list asks all partitions at once.
    proxy.spoil('POST', ...partitions.map(() => refusal(code)));
    await expect(state.list('a')).rejects.toThrow(text);
  });

  it('names a table that is not there', async () => {
    const { state } = setUp('no-such-table');
    await expect(state.get('a')).rejects.toThrow(/table "no-such-table" \(eu-west-1\) does not exist/);
  });
});

describe('how entries lie in the table', () => {
  it('spreads keys over partitions, evenly enough', () => {
    const counts = new Map<string, number>();
    for (let index = 0; index < 4000; index++) {
      const partition = toItemKey(`attempt/production/${index}`).pk?.S ?? '';
      counts.set(partition, (counts.get(partition) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual([...partitions]);
    for (const count of counts.values()) expect(count).toBeGreaterThan(850);
  });

  it('lets DynamoDB delete in whole seconds, and never too early', () => {
    const item = toItem({ key: 'a', text: '1', version: 'v', expiresAt: 1_500 });
    expect(item).toMatchObject({ expiresAt: { N: '1500' }, ttl: { N: '2' } });
    expect(toItem({ key: 'a', text: '1', version: 'v', expiresAt: undefined })).not.toHaveProperty('ttl');
  });

  it('reads for a page of a long list little more than it returns', async () => {
    const { state } = setUp();
    await Promise.all(Array.from({ length: 200 }, (_, index) => state.put(`a/${index + 1000}`, index)));
    await state.put('b', 1);
    const before = standIn.requests.get('Query') ?? 0;
    expect((await state.list('a/', { limit: 20 })).items).toHaveLength(20);
    expect((standIn.requests.get('Query') ?? 0) - before).toBeLessThanOrEqual(8);
    expect(await listAll(state, 'a/', 20)).toHaveLength(200);
  });
});
