/** What only agent pools have: operations that are asked about by their URL, and clusters that allow one at a time. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Json } from '../../../../shared/base/json.ts';
import type { CreateProgress } from '../../../../shared/providers/contract.ts';
import { type AzureHarness, type AzureWorldOptions, startAzureHarness } from '../azure-harness.ts';
import {
  aKey,
  anOwner,
  aRequest,
  created,
  failure,
  foundOf,
  patience,
  untilCreated,
  untilDeleted,
  value,
} from '../requests.ts';

describe.each(['aks', 'arc'] as const)('operations of %s', (kind) => {
  const start = async (options: AzureWorldOptions = {}): Promise<AzureHarness> => {
    const harness = await startAzureHarness(kind, options);
    onTestFinished(() => harness.close());
    return harness;
  };
  const begin = async (harness: AzureHarness, owner = {}): Promise<Extract<CreateProgress, { done: false }>> => {
    const begun = value(await harness.provider.beginCreate(aRequest(harness, owner), patience()));
    if (begun.done) expect.fail('it should take its time');
    return begun;
  };
  const poll = (harness: AzureHarness, handle: Json) => harness.provider.pollCreate(handle, patience());

  test('a begin returns the URL of the operation and when to ask, and waits for nothing', async () => {
    const harness = await start({ settings: { retryAfterSeconds: 12 } });

    const begun = await begin(harness);

    expect(begun.retryAfterSeconds).toBe(12);
    expect(begun.handle).toMatchObject({ operation: { url: expect.stringContaining(`${harness.azure.url}/`) } });
    expect(value(await poll(harness, begun.handle))).toMatchObject({ done: false, retryAfterSeconds: 12 });
  });

  test('asks every five seconds where Azure does not say when', async () => {
    const harness = await start({ settings: { retryAfterSeconds: null } });

    const begun = await begin(harness);

    expect(begun.retryAfterSeconds).toBe(5);
    expect(value(await poll(harness, begun.handle))).toMatchObject({ done: false, retryAfterSeconds: 5 });
    const { instance } = await untilCreated(harness, begun);
    const deleting = value(await harness.provider.beginDelete(instance, patience()));
    expect(deleting).toMatchObject({ done: false, retryAfterSeconds: 5 });
  });

  test('costs at most eleven calls of ARM in a life with three polls each way, the last look included', async () => {
    const harness = await start({ settings: { createSeconds: 45, deleteSeconds: 45 } });

    const { instance, polls } = await untilCreated(harness, await begin(harness));
    const deletePolls = await untilDeleted(harness, instance);
    expect(value(await harness.provider.find(aKey(), patience()))).toEqual([]);

    expect([polls, deletePolls]).toEqual([3, 3]);
    // What is sold, and how much of it, is read now and then for all claims together.
    const calls = Object.entries(harness.azure.calls()).filter(([call]) => /pools|operations/.test(call));
    // The lifecycle may ask once more whose pool it is, when the node is ready, and the last look may be another process's.
    expect(calls.reduce((sum, [, count]) => sum + count, 0)).toBe(kind === 'aks' ? 9 : 10);
  });

  test('goes on with the pool when Azure has forgotten the operation', async () => {
    const harness = await start({ settings: { operationKeptSeconds: 60 } });
    const begun = await begin(harness);
    await harness.advance(3600);

    const polled = value(await poll(harness, begun.handle));
    if (!polled.done) expect.fail('it should be there');
    const deleting = value(await harness.provider.beginDelete(polled.instance, patience()));
    if (deleting.done) expect.fail('it should take its time');
    await harness.advance(3600);

    expect(value(await harness.provider.pollDelete(deleting.handle, patience()))).toEqual({ done: true });
    expect(await harness.living()).toEqual([]);
  });

  test('a create whose answer was lost goes on without the URL of its operation', async () => {
    const harness = await start();
    await harness.inject({ do: 'lose-answer', on: 'create' });
    failure(await harness.provider.beginCreate(aRequest(harness), patience()), 'outcome-unknown');

    const again = await begin(harness);

    expect(again.handle).not.toHaveProperty('operation');
    const { instance } = await untilCreated(harness, again);
    expect(instance).toMatchObject({ state: 'running', owner: anOwner() });
    expect(await harness.living()).toEqual([instance.id]);
  });

  describe('while another operation is in progress', () => {
    test.each([
      ['of the whole cluster', 'Upgrading'],
      ['of some other kind', 'Certificate rotation'],
    ])('%s, creates and deletes wait', async (_, what) => {
      const harness = await start({ cluster: { operationsAtOnce: 1 } });
      const instance = await created(harness);
      const operation = harness.azure.beginOperation({ what });

      const other = { claimUid: 'c1a1-0002' };
      failure(await harness.provider.beginCreate(aRequest(harness, other), patience()), 'conflict');
      failure(await harness.provider.beginDelete(instance, patience()), 'conflict');
      expect(await harness.living()).toEqual([instance.id]);

      operation.end();
      await untilDeleted(harness, instance);
      await created(harness, other);
    });

    test('of another claim, a create waits and then gets its turn', async () => {
      const harness = await start({ cluster: { operationsAtOnce: 1 } });
      const first = await begin(harness);
      const request = aRequest(harness, { claimUid: 'c1a1-0002' });

      failure(await harness.provider.beginCreate(request, patience()), 'conflict');
      await untilCreated(harness, first);

      await untilCreated(harness, value(await harness.provider.beginCreate(request, patience())));
      expect(await harness.living()).toHaveLength(2);
    });

    test.each(['ConcurrentOperationInProgress', 'OperationPreempted', 'Conflict'])(
      'in the words of %s, it is a conflict too',
      async (code) => {
        const harness = await start();
        const refused = { kind: 'refused', status: 409, code, message: 'Another operation is in progress.' } as const;
        harness.azure.setFaults([{ on: 'create', count: 1, do: refused }]);

        failure(await harness.provider.beginCreate(aRequest(harness), patience()), 'conflict');

        expect(await harness.living()).toEqual([]);
      },
    );
  });

  test.each([7, undefined])('a poll that is throttled (Retry-After: %s) loses nothing', async (retryAfterSeconds) => {
    const harness = await start();
    const begun = await begin(harness);
    await harness.inject({ do: 'throttle', on: 'get', ...(retryAfterSeconds ? { retryAfterSeconds } : {}) });

    const throttled = failure(await poll(harness, begun.handle), 'throttled');

    expect(throttled.retryAfterSeconds).toBe(retryAfterSeconds);
    await untilCreated(harness, begun);
  });

  describe('that fail after the pool exists', () => {
    const failing = async (code: string, message: string, settings = {}): Promise<AzureHarness> => {
      const harness = await start({ settings });
      harness.azure.setFaults([{ on: 'create', count: 1, do: { kind: 'operation-fails', code, message } }]);
      return harness;
    };
    const ended = async (harness: AzureHarness) => {
      const begun = await begin(harness);
      await harness.advance(30);
      return poll(harness, begun.handle);
    };

    test.each([
      ['AllocationFailed', 'Allocation failed.', 'insufficient-capacity'],
      ['ZonalAllocationFailed', 'Allocation failed.', 'insufficient-capacity'],
      ['SkuNotAvailable', 'The requested VM size is currently not available.', 'insufficient-capacity'],
      ['OperationNotAllowed', 'exceeding approved standardDSv5Family Cores quota.', 'quota-exceeded'],
      ['InvalidParameter', 'The value of parameter is invalid.', 'invalid'],
      ['LinkedAuthorizationFailed', 'The client has no right on the subnet.', 'invalid'],
      ['InternalOperationError', 'Something went wrong.', 'insufficient-capacity'],
    ] as const)('with %s, "%s", are told as %s', async (code, message, expected) => {
      for (const operationErrors of ['plain', 'nested'] as const) {
        const harness = await failing(code, message, { operationErrors });

        expect(failure(await ended(harness), expected).message).toContain(message);
      }
    });

    test('leave a pool that is found, and is gone before the next size is tried', async () => {
      const harness = await failing('AllocationFailed', 'Allocation failed.');
      failure(await ended(harness), 'insufficient-capacity');
      const next = aRequest(harness, { attempt: 2 });

      const [left] = await foundOf(harness);
      expect(left).toMatchObject({ owner: anOwner(), state: 'creating' });
      failure(await harness.provider.beginCreate(next, patience()), 'conflict');
      await untilDeleted(harness, left!);
      expect(await foundOf(harness)).toEqual([]);

      const begun = value(await harness.provider.beginCreate(next, patience()));
      const { instance } = await untilCreated(harness, begun);
      expect(instance.owner.attempt).toBe(2);
      expect(harness.azure.overlaps()).toEqual([]);
    });

    test('are told as well to whoever has lost the URL of the operation', async () => {
      const harness = await failing('AllocationFailed', 'There is no machine left.');
      await begin(harness);
      await harness.advance(30);

      const again = await begin(harness);

      expect(failure(await poll(harness, again.handle), 'insufficient-capacity').message).toContain('no machine left');
    });
  });

  describe('that never end', () => {
    test('leave the pool in Creating, from where it can be deleted', async () => {
      const harness = await start();
      harness.azure.setFaults([{ on: 'create', count: 1, do: { kind: 'never-running' } }]);
      const begun = await begin(harness);
      await harness.advance(7200);

      expect(value(await poll(harness, begun.handle))).toMatchObject({ done: false });
      const [stuck] = await foundOf(harness);
      expect(stuck).toMatchObject({ state: 'creating' });
      await untilDeleted(harness, stuck!);

      expect(await harness.living()).toEqual([]);
      failure(await poll(harness, begun.handle), 'not-found');
    });
  });

  test('a delete during a create waits where Azure refuses it', async () => {
    const harness = await start({ settings: { deleteDuringCreate: 'conflicts' }, cluster: { operationsAtOnce: 1 } });
    const begun = await begin(harness);
    const [booting] = await foundOf(harness);

    failure(await harness.provider.beginDelete(booting!, patience()), 'conflict');
    await untilCreated(harness, begun);

    await untilDeleted(harness, booting!);
    expect(await harness.living()).toEqual([]);
  });

  test('a delete of a pool that is being deleted is the first one, also where Azure refuses it', async () => {
    const harness = await start({ settings: { deleteDuringDelete: 'conflicts' }, cluster: { operationsAtOnce: 1 } });
    const instance = await created(harness);
    value(await harness.provider.beginDelete(instance, patience()));

    const answers = await Promise.all([1, 2, 3].map(() => harness.anotherProvider().beginDelete(instance, patience())));

    for (const answer of answers) expect(value(answer)).toMatchObject({ done: false });
    await untilDeleted(harness, instance);
  });

  test('a delete that fails is begun again', async () => {
    const harness = await start();
    const instance = await created(harness);
    const fails = { kind: 'operation-fails', code: 'InternalOperationError', message: 'The drain failed.' } as const;
    harness.azure.setFaults([{ on: 'delete', count: 1, do: fails }]);
    const deleting = value(await harness.provider.beginDelete(instance, patience()));
    if (deleting.done) expect.fail('it should take its time');
    await harness.advance(15);

    const polled = await harness.provider.pollDelete(deleting.handle, patience());

    expect(failure(polled, 'outcome-unknown').message).toContain('The drain failed.');
    await untilDeleted(harness, instance);
  });

  test.each([
    ['no URL', 'operations/1', 'which is not valid'],
    ['plain http', 'http://management.azure.com/operations/1', 'which is not valid'],
    ["somebody else's", 'https://evil.example/operations/1', 'https://evil.example'],
  ])('an operation URL in a history that is %s ends that attempt alone', async (_, url, expected) => {
    const harness = await start();
    const begun = await begin(harness);
    const { operation, ...rest } = begun.handle as { [key: string]: Json };
    const edited = { ...rest, operation: { ...(operation as { [key: string]: Json }), url } };

    expect(failure(await poll(harness, edited), 'invalid').message).toContain(expected);

    await untilCreated(harness, begun);
  });

  if (kind === 'aks') {
    test('a quota that is used up is told with its numbers, before anything is asked for', async () => {
      const harness = await start({ settings: { quota: { standardDSv5Family: 2 } } });

      const refused = failure(await harness.provider.beginCreate(aRequest(harness), patience()), 'quota-exceeded');

      expect(refused.message).toMatch(/DSv5Family.*limit 2, in use 0, needed 4/);
      expect(harness.azure.ledger()).toEqual([]);
    });
  }
});
