/** What no server can be made to do at just that moment: answers in a row, one for each call. */
import { describe, expect, test } from 'vitest';
import { aCreateRequest, plainFacts, testContext } from '../../../../test/stand-ins/provider-context.ts';
import { type Failure, failed, ok, type Result } from '../../../base/result.ts';
import { aksKind } from '../../aks/kind.ts';
import type { AgentPools, Pool } from '../agent-pools.ts';
import { createPoolProvider } from './provider.ts';
import { tagsOf } from './tags.ts';

const owner = { deployment: 'main', cluster: 'c-uid', claimUid: 'claim-uid', attempt: 1 };
const kind = aksKind({ subscription: 's', resourceGroup: 'g', clusterName: 'c', location: 'eastus' });

const aPool = (more: Partial<Pool> = {}): Pool => ({
  id: kind.armId('ws1'),
  name: 'ws1',
  etag: 'etag-1',
  provisioningState: 'Succeeded',
  vmSize: 'Standard_NC12s_v3',
  count: 1,
  labels: {},
  taints: [],
  tags: tagsOf(owner, 'ws1'),
  zones: [],
  spot: false,
  ...more,
});

const request = aCreateRequest({
  owner,
  claimName: 'ws1',
  claim: { ...plainFacts, requests: { storage: '120Gi' } },
  offering: { instanceType: 'Standard_NC12s_v3', zone: '', capacityType: 'on-demand' },
});

type Script = [call: string, answer: Result<unknown>][];

function facing(script: Script, quota: Result<void> = ok(undefined)) {
  const calls: string[] = [];
  const next = async (call: string): Promise<Result<never>> => {
    calls.push(call);
    const [expected, answer] = script.shift() ?? ['nothing more', failed('unavailable', 'the script is over')];
    expect(call).toBe(expected);
    return answer as Result<never>;
  };
  const pools: AgentPools = {
    conditional: true,
    put: (name, _wish, { ifAbsent }) => next(`put ${name}${ifAbsent ? ' if absent' : ''}`),
    get: (name) => next(`get ${name}`),
    list: () => next('list'),
    delete: (name, { etag }) => next(`delete ${name} if ${etag}`),
    operation: ({ url }) => next(`operation ${url}`),
    close: () => {},
  };
  const catalog = {
    instanceTypes: async () => failed('unavailable', 'nobody knows what is sold'),
    checkQuota: async () => quota,
    place: 'sub-1/eastus',
    size: () => undefined,
    close: () => {},
  };
  const context = testContext();
  const options = { operationsAtOnce: 1, unlabelledAksNodeClasses: false };
  return { provider: createPoolProvider({ kind, pools, catalog, context, options }), calls, script };
}

const signal = new AbortController().signal;
const url = 'https://management.azure.com/operations/1';
const begun = ok({ operation: { url, by: 'azure-async-operation' } });
const conflict = failed('conflict', 'somebody was quicker');

describe('a delete', () => {
  test('that finds another etag than it looked at, and a pool of somebody else behind it, deletes nothing', async () => {
    const { provider, script } = facing([
      ['get ws1', ok(aPool())],
      ['delete ws1 if etag-1', conflict],
      ['get ws1', ok(aPool({ etag: 'etag-2', tags: {} }))],
    ]);

    expect(await provider.beginDelete({ id: 'ws1', owner }, signal)).toMatchObject({ error: { kind: 'invalid' } });
    expect(script).toEqual([]);
  });

  test('that finds another etag on its own pool is tried again by whoever asked for it', async () => {
    const { provider } = facing([
      ['get ws1', ok(aPool())],
      ['delete ws1 if etag-1', conflict],
      ['get ws1', ok(aPool({ etag: 'etag-2' }))],
    ]);

    expect(await provider.beginDelete({ id: 'ws1', owner }, signal)).toEqual(conflict);
  });

  test('is over when a pool of another attempt has the name by now', async () => {
    const { provider } = facing([
      ['get ws1', ok(aPool())],
      ['delete ws1 if etag-1', begun],
      [`operation ${url}`, failed('not-found', 'forgotten')],
      ['get ws1', ok(aPool({ tags: tagsOf({ ...owner, attempt: 2 }, 'ws1') }))],
    ]);
    const deleting = await provider.beginDelete({ id: 'ws1', owner }, signal);
    if (!deleting.ok || deleting.value.done) expect.fail('it should be going on');

    expect(await provider.pollDelete(deleting.value.handle, signal)).toEqual(ok({ done: true }));
  });
});

describe('a create', () => {
  test('is refused for a quota only if its own pool is not there already, taking up that quota', async () => {
    const full = failed('quota-exceeded', 'nothing is left');
    const { provider } = facing([['get ws1', ok(aPool({ provisioningState: 'Creating' }))]], full);
    expect(await provider.beginCreate(request, signal)).toMatchObject({ ok: true, value: { done: false } });

    const other = facing([['get ws1', failed('not-found', 'there is none')]], full);
    expect(await other.provider.beginCreate(request, signal)).toEqual(full);
  });

  test('goes on when nobody can tell the quota', async () => {
    const { provider } = facing([['put ws1 if absent', begun]], failed('unavailable', 'no usages today'));

    expect(await provider.beginCreate(request, signal)).toMatchObject({ ok: true, value: { done: false } });
  });

  test('stays a conflict when it can not be seen what is in the way', async () => {
    const { provider } = facing([
      ['put ws1 if absent', conflict],
      ['get ws1', failed('unavailable', 'no answer')],
    ]);

    expect(await provider.beginCreate(request, signal)).toEqual(conflict);
  });

  test('that failed for a reason that means "ask again" ends its attempt all the same', async () => {
    const failure: Failure = { kind: 'unavailable', message: 'an internal error', cause: 'InternalError' };
    const { provider } = facing([
      ['put ws1 if absent', begun],
      [`operation ${url}`, ok({ state: 'failed', failure })],
      ['get ws1', ok(aPool({ provisioningState: 'Failed' }))],
    ]);
    const progress = await provider.beginCreate(request, signal);
    if (!progress.ok || progress.value.done) expect.fail('it should be going on');

    expect(await provider.pollCreate(progress.value.handle, signal)).toMatchObject({
      error: { kind: 'insufficient-capacity', message: 'an internal error' },
    });
  });

  test('waits in a state that it does not know', async () => {
    const { provider } = facing([
      ['put ws1 if absent', conflict],
      ['get ws1', ok(aPool({ provisioningState: 'Creating' }))],
      ['get ws1', ok(aPool({ provisioningState: 'Provisioning' }))],
      ['get ws1', ok(aPool({ provisioningState: 'Reflecting' }))],
    ]);
    const progress = await provider.beginCreate(request, signal);
    if (!progress.ok || progress.value.done) expect.fail('it should be going on');

    for (const _ of [1, 2]) {
      expect(await provider.pollCreate(progress.value.handle, signal)).toMatchObject({ value: { done: false } });
    }
  });

  test('is lost when Azure has taken its machine back, and its pool is still found', async () => {
    const emptied = aPool({ count: 0 });
    const { provider } = facing([
      ['put ws1 if absent', conflict],
      ['get ws1', ok(emptied)],
      ['get ws1', ok(emptied)],
      ['get ws1', ok(emptied)],
      ['get ws1', ok(emptied)],
    ]);
    const progress = await provider.beginCreate(request, signal);
    if (!progress.ok || progress.value.done) expect.fail('its poll should say so');

    expect(await provider.pollCreate(progress.value.handle, signal)).toMatchObject({ error: { kind: 'not-found' } });
    const providerID = `azure://${kind.armId('ws1')}`;
    expect(await provider.get(owner, providerID, signal)).toMatchObject({ error: { kind: 'not-found' } });
    const found = await provider.find({ ...owner, claimName: 'ws1' }, signal);
    expect(found).toMatchObject({ value: [{ id: 'ws1' }] });
  });
});
