/** When our finalizer leaves a Node: with the taint, if nobody would miss the Node, and otherwise after its machine. On a virtual clock. */
import { describe, expect, it } from 'vitest';
import { type ClusterApi, nodes, pods } from '../../shared/kube/contract.ts';
import {
  addPod,
  attachVolume,
  type DrainWorld,
  daemon,
  detachVolume,
  endPod,
  interpose,
  podNames,
  readyWorld,
} from './drain-world.ts';
import { useWorld } from './use-world.ts';

const open = useWorld();
const finalizer = 'karpenter.sh/termination';
const slowDelete = { cloud: { deleteSeconds: 60 } };
const tolerant = { tolerations: [{ operator: 'Exists' }] };

const nodeOf = async (world: DrainWorld) => (await world.nodes()).find(({ metadata }) => metadata.name === world.node);
const isHeld = async (world: DrainWorld) => (await nodeOf(world))?.metadata.finalizers?.includes(finalizer) ?? false;
const isTainted = async (world: DrainWorld) =>
  (await nodeOf(world))?.spec?.taints?.some(({ key }) => key === 'karpenter.sh/disrupted') ?? false;

async function expectGone(world: DrainWorld): Promise<void> {
  expect(await world.claim('one')).toBeUndefined();
  expect(await world.nodes()).toEqual([]);
  expect(world.cloud.living).toBe(0);
}

describe('a Node that nobody would miss', () => {
  it.each<[string, (world: DrainWorld) => Promise<void>]>([
    ['without pods', async () => {}],
    ['with a daemon that stays', (world) => addPod(world, 'agent', { metadata: daemon, spec: tolerant })],
    ['with a pod that has ended', (world) => addPod(world, 'job', { phase: 'Succeeded' as never })],
  ])('%s, is let go with the taint', async (_, prepare) => {
    const world = await readyWorld(open, {}, slowDelete);
    await prepare(world);
    await world.deleteClaim('one');
    await world.pass(3);
    expect(await isTainted(world)).toBe(true);
    expect(await isHeld(world)).toBe(false);
    expect(world.cloud.living).toBe(1);
    await world.settle();
    await expectGone(world);
  });

  it('may be deleted by anybody from then on, and its machine goes all the same', async () => {
    const world = await readyWorld(open, {}, slowDelete);
    await world.deleteClaim('one');
    await world.pass(3);
    await world.api.delete(nodes, { name: world.node }, {});
    expect(await nodeOf(world)).toBeUndefined();
    expect(world.cloud.living).toBe(1);
    await world.settle();
    await expectGone(world);
  });
});

describe('a Node is kept until its machine is gone', () => {
  it.each<[string, (world: DrainWorld) => Promise<void>]>([
    ['if a pod is on it', (world) => addPod(world, 'web', { spec: { terminationGracePeriodSeconds: 0 } })],
    ['if a pod stays that is no daemon', (world) => addPod(world, 'web', { spec: tolerant })],
    ['if a daemon has to leave', (world) => addPod(world, 'agent', { metadata: daemon })],
    ['if somebody has deleted it', async ({ api, node }) => void (await api.delete(nodes, { name: node }, {}))],
  ])('%s', async (_, prepare) => {
    const world = await readyWorld(open, {}, slowDelete);
    await prepare(world);
    await world.deleteClaim('one');
    await world.pass(3);
    for (const name of await podNames(world)) await endPod(world, name);
    await world.pass(10);
    expect(await isTainted(world)).toBe(true);
    expect(await isHeld(world)).toBe(true);
    expect(world.cloud.living).toBe(1);
    await world.settle();
    await expectGone(world);
  });

  it('if a volume is attached to it', async () => {
    const world = await readyWorld(open, {}, slowDelete);
    await attachVolume(world, 'data', world.node);
    await world.deleteClaim('one');
    await world.pass(10);
    expect(await isHeld(world)).toBe(true);
    await detachVolume(world, 'data');
    await world.pass(30);
    expect(await isHeld(world)).toBe(true);
    await world.settle();
    await expectGone(world);
  });

  it('if somebody deletes it between the look and the taint', async () => {
    const world = await readyWorld(open, {}, slowDelete);
    const { api } = world.clusterServices;
    let deleted = false;
    interpose(world, {
      jsonPatch: (async (...asked) => {
        if (!deleted) await world.api.delete(nodes, { name: world.node }, {});
        deleted = true;
        return api.jsonPatch(...asked);
      }) as ClusterApi['jsonPatch'],
    });
    await world.deleteClaim('one');
    await world.pass(10);
    expect(await isTainted(world)).toBe(true);
    expect(await isHeld(world)).toBe(true);
    await world.settle();
    await expectGone(world);
  });

  it('if it was let go and a pod had come before the taint: it is held again, and the pod is drained', async () => {
    const world = await readyWorld(open, {}, slowDelete);
    await addPod(world, 'web', { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } });
    const { api } = world.clusterServices;
    let lists = 0;
    interpose(world, {
      list: (async (resource, options, signal) => {
        const answer = await api.list(resource, options, signal);
        if (resource !== pods || lists++ > 0 || !answer.ok) return answer;
        return { ok: true, value: { ...answer.value, items: [] } };
      }) as ClusterApi['list'],
    });
    await world.deleteClaim('one');
    await world.pass(10);
    expect(await isHeld(world)).toBe(true);
    await world.api.delete(nodes, { name: world.node }, {});
    expect(await nodeOf(world)).toBeDefined();
    expect(await podNames(world)).toEqual(['web']);
    await endPod(world, 'web');
    await world.settle();
    await expectGone(world);
  });
});
