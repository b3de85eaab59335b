/**
 * What the API server refuses as such (a right that was taken away, an admission policy) does not pass by itself: no step waits
 * for it in silence, and none waits past its deadline. On a virtual clock.
 */
import { describe, expect, it } from 'vitest';
import type { Failure } from '../../shared/base/result.ts';
import { type ClusterApi, nodes, pods } from '../../shared/kube/contract.ts';
import { addPod, interpose, podNames, readyWorld } from './drain-world.ts';
import { only, useWorld } from './use-world.ts';
import { conditionOf, type TestWorld } from './world.ts';

const open = useWorld();
const refusal: Failure = { kind: 'unauthorised', message: 'nodes is forbidden by policy p' };
const refused = { ok: false as const, error: refusal };
const reasonsOf = async (world: TestWorld): Promise<string[]> =>
  (await world.eventsOf('one')).map(({ reason }) => reason).filter((reason) => reason !== 'Ready');

/** Ways in which the API server refuses one thing. */
const refuse: { [what: string]: (real: ClusterApi) => Partial<ClusterApi> } = {
  'to taint the Node': (real) => ({
    jsonPatch: (async (kind, ref, ...rest) =>
      kind === nodes ? refused : real.jsonPatch(kind, ref, ...rest)) as ClusterApi['jsonPatch'],
  }),
  'to list its pods': (real) => ({
    list: (async (kind, ...rest) => (kind === pods ? refused : real.list(kind, ...rest))) as ClusterApi['list'],
  }),
  'to show the Node': (real) => ({
    get: (async (kind, ...rest) => (kind === nodes ? refused : real.get(kind, ...rest))) as ClusterApi['get'],
  }),
};

describe.each(Object.keys(refuse))('a drain to which the API server refuses %s', (what) => {
  it('holds the machine, says so on the claim and in an Event, and goes on when it may', async () => {
    const world = await readyWorld(open);
    const { api } = world.clusterServices;
    await addPod(world, 'web', { spec: { terminationGracePeriodSeconds: 0 } });
    interpose(world, refuse[what]!(api));
    await world.deleteClaim('one');
    await world.pass(60);
    expect(world.cloud.living).toBe(1);
    expect(conditionOf(await world.claim('one'), 'Drained')).toMatchObject({
      status: 'Unknown',
      reason: 'Draining',
      message: expect.stringContaining('forbidden by policy p'),
    });
    expect(await reasonsOf(world)).toEqual(['DrainFailed']);

    Object.assign(world.clusterServices, { api });
    await world.pass(60);
    expect(await world.claim('one')).toBeUndefined();
    expect(await podNames(world)).toEqual([]);
  });
});

it.each(['to taint the Node', 'to list its pods'])(
  'a drain to which the API server refuses %s ends with the termination grace period all the same',
  async (what) => {
    const world = await readyWorld(open, { terminationGracePeriod: '2m' });
    const { api } = world.clusterServices;
    await addPod(world, 'web', {
      metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
      spec: { terminationGracePeriodSeconds: 30 },
    });
    interpose(world, refuse[what]!(api));
    await world.deleteClaim('one');
    await world.pass(85);
    expect(await podNames(world)).toEqual(['web']);
    await world.pass(15);
    expect(world.cloud.living).toBe(1);
    // In time for its own grace, where it can be seen.
    expect(await podNames(world)).toEqual(what === 'to taint the Node' ? [] : ['web']);
    await world.pass(60);
    expect(world.cloud.living).toBe(0);
  },
);

it('a Node that may not be deleted holds its claim, which says so, and goes when it may', async () => {
  const world = await readyWorld(open);
  const { api } = world.clusterServices;
  interpose(world, {
    delete: (async (kind, ...rest) => (kind === nodes ? refused : api.delete(kind, ...rest))) as ClusterApi['delete'],
  });
  await world.deleteClaim('one');
  await world.pass(120);
  expect(world.cloud.living).toBe(0);
  expect(conditionOf(await world.claim('one'), 'InstanceTerminating')).toMatchObject({
    status: 'True',
    reason: 'NodeNotDeleted',
    message: expect.stringContaining('forbidden by policy p'),
  });
  expect(await reasonsOf(world)).toEqual(['NodeNotDeleted']);

  Object.assign(world.clusterServices, { api });
  await world.pass(120);
  expect(await world.claim('one')).toBeUndefined();
  expect(await world.nodes()).toEqual([]);
});

describe.each(['to taint the Node', 'to show the Node'])('a Node that the API server refuses %s', (what) => {
  it('is not Registered, the claim says why, and the deadline of that stage counts', async () => {
    const world = await open();
    const { api } = world.clusterServices;
    interpose(world, refuse[what]!(api));
    await world.createClaim('one', {
      requirements: only(['general-small']),
      metadata: { annotations: { 'poolwright.dev/registration-deadline': '5m' } },
    });
    await world.pass(120);
    expect(conditionOf(await world.claim('one'), 'Registered')).toMatchObject({
      status: 'False',
      reason: 'NodeNotUsable',
      message: expect.stringContaining('forbidden by policy p'),
    });
    // The Node of the machine that is given up is tried for a while, too.
    await world.pass(1300, 60);
    expect(await reasonsOf(world)).toContain('RegistrationTimeout');
  });

  it('is Registered as soon as it may be', async () => {
    const world = await open();
    const { api } = world.clusterServices;
    interpose(world, refuse[what]!(api));
    await world.createClaim('one', { requirements: only(['general-small']) });
    await world.pass(60);
    Object.assign(world.clusterServices, { api });
    await world.pass(60);
    expect(conditionOf(await world.claim('one'), 'Ready')?.status).toBe('True');
  });
});
