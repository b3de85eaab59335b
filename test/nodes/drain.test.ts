/** What holds a drain, what does not, and what a person is told meanwhile. On a virtual clock. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { ok } from '../../shared/base/result.ts';
import { type ClusterApi, nodes, persistentVolumeClaims, pods } from '../../shared/kube/contract.ts';
import { rememberNode } from '../../shared/nodes/node-objects/node-index.ts';
import { isReady as isReadyNode } from '../../shared/nodes/node-objects/node-stages.ts';
import { countRequests, described } from './counting-api.ts';
import {
  addPod,
  attachVolume,
  type DrainWorld,
  daemon,
  detachVolume,
  endPod,
  interpose,
  labeled,
  podNames,
  podsOf,
  readyWorld,
  setBudget,
} from './drain-world.ts';
import { useWorld } from './use-world.ts';
import { conditionOf } from './world.ts';

const open = useWorld();
const terminationTimestamp = 'karpenter.sh/nodeclaim-termination-timestamp';
const keep = (value = 'true') => ({ annotations: { 'karpenter.sh/do-not-disrupt': value } });
const quick = { spec: { terminationGracePeriodSeconds: 0 } };

const reasonsOf = async (world: DrainWorld): Promise<string[]> =>
  (await world.eventsOf('one')).map(({ reason }) => reason).filter((reason) => reason !== 'Ready');
const drained = async (world: DrainWorld) => conditionOf(await world.claim('one'), 'Drained');

async function expectGone(world: DrainWorld): Promise<void> {
  expect(await world.claim('one')).toBeUndefined();
  expect(await world.nodes()).toEqual([]);
  expect(world.cloud.living).toBe(0);
}

describe('budgets', () => {
  it('the claim names the budget that holds it, tells it once, and looks again in vain without end', async () => {
    const world = await readyWorld(open);
    await addPod(world, 'web', { metadata: labeled('web'), ...quick });
    await setBudget(world, 'guard', 'web', 0);
    const claim = await world.claim('one');
    await world.deleteClaim('one');
    await world.pass(3);
    const requests = countRequests(world.clusterServices);
    await world.pass(2100, 100);
    expect(await drained(world)).toMatchObject({
      status: 'Unknown',
      reason: 'Draining',
      message: expect.stringContaining('default/web is protected by PodDisruptionBudget default/guard'),
    });
    expect((await drained(world))?.message).toContain('no terminationGracePeriod');
    expect(await reasonsOf(world)).toEqual(expect.arrayContaining(['Draining', 'EvictionRefused']));
    // Once per reason and half hour, and the status once.
    const writes = requests.filter(({ verb }) => verb === 'create' || verb === 'patch');
    expect(writes.length).toBeLessThanOrEqual(8);
    expect(described(writes).filter((one) => one === 'patch NodeClaim')).toHaveLength(1);
    // Four a minute, over several lives.
    expect(requests.filter(({ verb }) => verb === 'evict').length).toBeLessThan(200);
    expect(world.engine.all().filter(({ workflow }) => workflow === 'terminate').length).toBeGreaterThan(1);

    expect((await world.decisionsOf(claim!)).some(({ text }) => text.includes('default/guard'))).toBe(true);

    await setBudget(world, 'guard', 'web', 1);
    await world.pass(60);
    await expectGone(world);
  });

  it('of one of several Nodes of a machine: the claim and its last decision speak of that one', async () => {
    const world = await readyWorld(open);
    const [first] = await world.nodes();
    // Their pods only leave, whichever of the three is looked at first or last.
    for (const name of ['a-second', 'zz-third']) {
      await world.api.create(nodes, {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name },
        spec: { providerID: first?.spec?.providerID ?? '' },
      });
      await world.api.mergePatch(nodes, { name }, { status: first?.status as Json }, { subresource: 'status' });
      await rememberNode(world.services, 'test', first?.spec?.providerID ?? '', name);
      await addPod({ ...world, node: name }, `leaving-${name}`, { metadata: { finalizers: ['test.dev/slow'] } });
    }
    await addPod(world, 'web', { metadata: labeled('web'), ...quick });
    await setBudget(world, 'guard', 'web', 0);
    const claim = await world.claim('one');
    await world.deleteClaim('one');
    await world.pass(60, 10);

    expect((await drained(world))?.message).toContain('PodDisruptionBudget default/guard');
    const told = (await world.decisionsOf(claim!)).filter(({ code }) => code === 'draining');
    expect(told.length).toBeGreaterThan(0);
    for (const { fields } of told) expect(fields).toMatchObject({ node: world.node, heldBy: ['EvictionRefused'] });
  });

  it('more than one budget has its own words, because waiting does not help', async () => {
    const world = await readyWorld(open);
    await addPod(world, 'web', { metadata: labeled('web'), ...quick });
    await setBudget(world, 'first', 'web', 1);
    await setBudget(world, 'second', 'web', 1);
    await world.deleteClaim('one');
    await world.pass(60);
    expect(await reasonsOf(world)).toContain('BudgetsOverlap');
    expect((await drained(world))?.message).toContain('more than one PodDisruptionBudget');
    expect(world.cloud.living).toBe(1);
  });

  it('an API server that is busy is no budget: nothing is told, and it is asked when it said', async () => {
    const world = await readyWorld(open);
    for (let pod = 0; pod < 20; pod++) await addPod(world, `p-${pod}`, quick);
    let asked = 0;
    const { evict } = world.clusterServices.api;
    interpose(world, {
      evict: async (ref, uid, signal) => {
        if (++asked > 8) return evict(ref, uid, signal);
        return { ok: false, error: { kind: 'throttled', message: 'too many requests', retryAfterSeconds: 3 } };
      },
    });
    await world.deleteClaim('one');
    const before = world.clock.now();
    await world.engine.runUntil(before);
    await world.resync();
    await world.engine.runUntil(before + 2_900);
    // One that is told to slow down speaks for all.
    expect(asked).toBe(8);
    await world.settle();
    await expectGone(world);
    expect(await reasonsOf(world)).toEqual([]);
  });

  it('an eviction that is not allowed at all is told with its reason', async () => {
    const world = await readyWorld(open);
    await addPod(world, 'web', quick);
    interpose(world, {
      evict: async () => ({ ok: false, error: { kind: 'unauthorised', message: 'pods/eviction is forbidden' } }),
    });
    await world.deleteClaim('one');
    await world.pass(60);
    expect(await reasonsOf(world)).toContain('EvictionFailed');
    expect((await drained(world))?.message).toContain('cannot be evicted: pods/eviction is forbidden');
  });
});

describe('pods that ask not to be disrupted', () => {
  it('are left to end by themselves, and the claim says so', async () => {
    const world = await readyWorld(open);
    await addPod(world, 'job', { metadata: keep() });
    await world.deleteClaim('one');
    await world.pass(1800, 60);
    expect((await podsOf(world))[0]?.metadata.deletionTimestamp).toBeUndefined();
    expect((await drained(world))?.message).toContain('default/job is marked do-not-disrupt');
    expect(await reasonsOf(world)).toContain('PodsNotToBeDisrupted');
    await world.api.mergePatch(
      pods,
      { name: 'job', namespace: 'default' },
      { status: { phase: 'Succeeded' } },
      { subresource: 'status' },
    );
    await world.pass(60);
    await expectGone(world);
  });

  it('for a time are evicted the moment it is over', async () => {
    const world = await readyWorld(open);
    await addPod(world, 'job', { metadata: keep('10m'), ...quick });
    const startedAt = world.clock.now();
    await world.deleteClaim('one');
    await world.pass(590, 30);
    expect(await podNames(world)).toEqual(['job']);
    await world.pass(15, 5);
    expect(await podNames(world)).toEqual([]);
    expect(world.clock.now() - startedAt).toBeLessThan(610_000);
  });
});

describe('the termination grace period', () => {
  it('deletes each pod in time for its own grace, past budgets and wishes, and announces it', async () => {
    const world = await readyWorld(open, { terminationGracePeriod: '10m' });
    const grace = (seconds: number) => ({ spec: { terminationGracePeriodSeconds: seconds } });
    await addPod(world, 'guarded', { metadata: labeled('web'), ...grace(60) });
    await setBudget(world, 'guard', 'web', 0);
    await addPod(world, 'patient', { metadata: keep(), ...grace(300) });
    await addPod(world, 'endless', { metadata: keep(), ...grace(3600) });
    const removed: { pod: string; after: number; grace: number | undefined }[] = [];
    const { delete: remove } = world.clusterServices.api;
    const begunAt = world.clock.now();
    interpose(world, {
      delete: (resource, ref, options, signal) => {
        const after = Math.round((world.clock.now() - begunAt) / 1000);
        if (resource === pods) removed.push({ pod: ref.name, after, grace: options.gracePeriodSeconds });
        return remove(resource, ref, options, signal);
      },
    });
    await world.deleteClaim('one');
    await world.pass(20, 5);
    // Its own grace is longer than all the time there is.
    expect(removed).toMatchObject([{ pod: 'endless', after: 0, grace: 600 }]);
    const claim = await world.claim('one');
    const announced = claim?.metadata.annotations?.[terminationTimestamp] ?? '';
    expect(Date.parse(announced)).toBe(Date.parse(claim!.metadata.deletionTimestamp!) + 600_000);
    expect(await reasonsOf(world)).toContain('TerminationGracePeriodExpiring');

    await world.pass(510, 10);
    expect(await podNames(world)).toEqual(['guarded']);
    expect(world.cloud.living).toBe(1);
    await world.pass(40, 10);
    expect(removed.slice(1)).toEqual([
      { pod: 'patient', after: 300, grace: 300 },
      { pod: 'guarded', after: 540, grace: 60 },
    ]);
    await expectGone(world);
  });

  it('ends the drain, with pods on it, and the claim says so while its machine goes', async () => {
    const world = await readyWorld(open, { terminationGracePeriod: '30s' });
    await addPod(world, 'stubborn', { metadata: { finalizers: ['example.com/never'] } });
    await world.cloud.setFaults([{ on: 'delete', do: { kind: 'error', status: 500 } }]);
    await world.deleteClaim('one');
    await world.pass(60, 5);
    expect(await drained(world)).toMatchObject({ status: 'False', reason: 'TerminationGracePeriodElapsed' });
    expect(await reasonsOf(world)).toContain('TerminationGracePeriodElapsed');
    await world.cloud.setFaults([]);
    await world.settle();
    await expectGone(world);
  });

  it('of none at all asks nobody', async () => {
    const world = await readyWorld(open, { terminationGracePeriod: '0s' });
    await addPod(world, 'job', { metadata: keep() });
    await world.deleteClaim('one');
    await world.pass(20, 5);
    await expectGone(world);
    expect(await podNames(world)).toEqual([]);
  });

  it('can be brought forward by whoever is in a hurry', async () => {
    const world = await readyWorld(open, { terminationGracePeriod: '10h' });
    await addPod(world, 'job', { metadata: keep() });
    await world.deleteClaim('one');
    await world.pass(60, 10);
    const now = new Date(world.clock.now()).toISOString();
    await world.patchClaim('one', { metadata: { annotations: { [terminationTimestamp]: now } } });
    await world.pass(30, 10);
    await expectGone(world);
  });
});

describe('volumes', () => {
  it('are waited for until they are detached, and the claim says so', async () => {
    const world = await readyWorld(open);
    await attachVolume(world, 'pv-1', world.node);
    await attachVolume(world, 'pv-elsewhere', 'another-node');
    await world.deleteClaim('one');
    await world.pass(30, 5);
    const claim = await world.claim('one');
    expect(conditionOf(claim, 'Drained')?.status).toBe('True');
    expect(conditionOf(claim, 'VolumesDetached')).toMatchObject({
      status: 'Unknown',
      reason: 'AwaitingVolumeDetachment',
      message: expect.stringContaining(`1 volume still attached to node ${world.node}: pv-1`),
    });
    expect(await reasonsOf(world)).toEqual(['AwaitingVolumeDetachment']);
    expect(world.cloud.living).toBe(1);
    await detachVolume(world, 'pv-1');
    await world.pass(20, 5);
    await expectGone(world);
  });

  it('are not waited for after the termination grace period', async () => {
    const world = await readyWorld(open, { terminationGracePeriod: '1m' });
    await attachVolume(world, 'pv-1', world.node);
    await world.deleteClaim('one');
    await world.pass(55, 5);
    expect(world.cloud.living).toBe(1);
    await world.pass(20, 5);
    await expectGone(world);
  });

  it('of pods that stay are not waited for', async () => {
    const world = await readyWorld(open);
    await addPod(world, 'agent', {
      spec: {
        tolerations: [{ operator: 'Exists' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    });
    await attachVolume(world, 'pv-agent', world.node);
    const { get } = world.clusterServices.api;
    const volumeClaim = { metadata: { name: 'data' }, spec: { volumeName: 'pv-agent' } };
    interpose(world, {
      get: (async (resource, ref, signal) =>
        resource === persistentVolumeClaims ? ok(volumeClaim) : get(resource, ref, signal)) as ClusterApi['get'],
    });
    await world.deleteClaim('one');
    await world.pass(20, 5);
    await expectGone(world);
  });

  it('that can not be looked at hold the machine, and the claim says why', async () => {
    const world = await readyWorld(open);
    const { list } = world.clusterServices.api;
    interpose(world, {
      list: (async (resource, options, signal) =>
        resource.kind === 'VolumeAttachment'
          ? { ok: false, error: { kind: 'unauthorised', message: 'volumeattachments is forbidden' } }
          : list(resource, options, signal)) as ClusterApi['list'],
    });
    await world.deleteClaim('one');
    await world.pass(30, 5);
    expect(conditionOf(await world.claim('one'), 'VolumesDetached')?.message).toContain('is forbidden');
    expect(world.cloud.living).toBe(1);
  });
});

describe('a node that is not there any more', () => {
  it('because somebody took it away by force, holds nothing', async () => {
    const world = await readyWorld(open);
    await addPod(world, 'job', { metadata: keep() });
    await world.deleteClaim('one');
    await world.pass(30, 5);
    await world.patchNode(world.node, { metadata: { finalizers: null } });
    await world.api.delete(nodes, { name: world.node }, {});
    await world.pass(30, 5);
    await expectGone(world);
  });

  it('because its machine died in the middle of it, is seen the moment that its node stops reporting', async () => {
    const vanishing = { on: 'create', count: 1, do: { kind: 'vanish', afterSeconds: 300 } } as const;
    const world = await readyWorld(open, {}, { cloud: { faults: [vanishing], nodeLostSeconds: 10 } });
    await addPod(world, 'web', { metadata: labeled('web'), ...quick });
    await setBudget(world, 'guard', 'web', 0);
    await world.deleteClaim('one');
    const isReady = async () => isReadyNode((await world.nodes())[0]!);
    // As finely as that, because the drain itself looks every quarter of a minute.
    while (await isReady()) {
      await world.resync();
      await world.engine.runUntil(world.clock.now() + 1_000);
      await world.cloud.settle();
    }
    expect(await world.claim('one')).toBeDefined();
    await world.deliver(world.nodeEvent((await world.nodes())[0]!));
    await world.engine.runUntil(world.clock.now());
    await expectGone(world);
  });

  it('because an administrator declared it out of service, is not drained', async () => {
    const world = await readyWorld(open);
    await addPod(world, 'job', { metadata: keep() });
    await world.patchNode(world.node, {
      spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' }] },
    });
    const ready = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', message: '' };
    const offline = { status: { conditions: [ready] } };
    await world.patchNode(world.node, offline, 'status');
    // The simulated kubelet would report again.
    const { get } = world.clusterServices.api;
    interpose(world, {
      get: (async (resource, ref, signal) => {
        const got = await get(resource, ref, signal);
        return got.ok && resource.kind === 'Node' ? ok({ ...got.value, ...offline }) : got;
      }) as ClusterApi['get'],
    });
    await world.deleteClaim('one');
    await world.pass(20, 5);
    await expectGone(world);
  });
});

it('pods that leave within a few seconds cost no status and no Event', async () => {
  const world = await readyWorld(open);
  await addPod(world, 'a', quick);
  await addPod(world, 'b', { metadata: { finalizers: ['example.com/soon'] } });
  await world.deleteClaim('one');
  const requests = countRequests(world.clusterServices);
  await world.resync();
  await world.engine.runUntil(world.clock.now() + 3_000);
  await world.api.mergePatch(pods, { name: 'b', namespace: 'default' }, { metadata: { finalizers: null } });
  await endPod(world, 'b');
  await world.settle();
  await expectGone(world);
  const writes = described(requests.filter(({ verb }) => verb !== 'get' && verb !== 'list'));
  expect(writes).toEqual(['patch Node', 'evict Pod', 'evict Pod', 'patch Node', 'delete Node', 'patch NodeClaim']);
});

it('hundreds of pods are listed by pages and evicted a few at a time', async () => {
  const world = await readyWorld(open);
  for (let pod = 0; pod < 300; pod++) await addPod(world, `p-${pod}`, quick);
  let now = 0;
  let most = 0;
  const { evict } = world.clusterServices.api;
  interpose(world, {
    evict: async (ref, uid, signal) => {
      most = Math.max(most, ++now);
      const answer = await evict(ref, uid, signal);
      now--;
      return answer;
    },
  });
  await world.deleteClaim('one');
  await world.settle();
  await expectGone(world);
  expect(await podNames(world)).toEqual([]);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(8);
});

it('a round ends in time, however slow the API server is, and the next one goes on', async () => {
  const world = await readyWorld(open);
  for (let pod = 0; pod < 40; pod++) await addPod(world, `p-${pod}`, quick);
  const requests = countRequests(world.clusterServices);
  const { evict } = world.clusterServices.api;
  interpose(world, {
    evict: async (ref, uid, signal) => {
      world.clock.advance(2_000);
      return evict(ref, uid, signal);
    },
  });
  await world.deleteClaim('one');
  await world.settle();
  await expectGone(world);
  const rounds = described(requests).join(' ').split('list Pod').slice(1);
  const evictions = rounds.map((round) => round.split('evict Pod').length - 1).filter((count) => count > 0);
  expect(evictions.length).toBeGreaterThan(1);
  expect(Math.max(...evictions)).toBeLessThan(20);
});

describe('a Node that somebody deletes under a living claim', () => {
  it.each(['the event', 'garbage collection, when the event was lost'])(
    'is drained and goes with its claim, by %s',
    async (by) => {
      const world = await readyWorld(open);
      await addPod(world, 'job', { metadata: keep() });
      await world.api.delete(nodes, { name: world.node }, {});
      const [node] = await world.nodes();
      expect(node?.metadata.deletionTimestamp).toBeDefined();
      if (by === 'the event') await world.deliver(world.nodeEvent(node!));
      else await world.collectGarbage();
      expect((await world.claim('one'))?.metadata.deletionTimestamp).toBeDefined();
      await world.pass(60, 10);
      expect(world.cloud.living).toBe(1);
      expect(await world.nodes()).toHaveLength(1);
      await endPod(world, 'job');
      await world.pass(30, 10);
      await expectGone(world);
    },
  );
});

describe.each(['before', 'after'] as const)('a crash %s any step of a drain', (when) => {
  it('changes nothing: pods, volume, machine, Node and claim go all the same', async () => {
    for (let step = 0; step < 9; step++) {
      let executions = 0;
      const world = await readyWorld(async (options) => {
        const opened = await open(options);
        opened.engine.beforeStep = () => {
          executions++;
          return opened.cloud.settle();
        };
        return opened;
      });
      await addPod(world, 'web', quick);
      await addPod(world, 'agent', { metadata: daemon, ...quick });
      await attachVolume(world, 'pv-1', world.node);
      await world.deleteClaim('one');
      world.engine.crashAt(executions + step, when);
      await world.pass(10, 5);
      expect(await podNames(world), `step ${step}`).toEqual([]);
      expect(world.cloud.living, `step ${step}`).toBe(1);
      await detachVolume(world, 'pv-1');
      await world.settle();
      await expectGone(world);
      expect(world.cloud.overlaps()).toEqual([]);
    }
  });
});
