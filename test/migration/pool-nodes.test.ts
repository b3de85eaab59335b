/** Machines of pools: their Nodes come and go under other names, and the claim stays with its pool. */
import { describe, expect, it } from 'vitest';
import { nodes } from '../../shared/kube/contract.ts';
import { useWorld } from '../nodes/use-world.ts';
import { conditionStatus } from '../nodes/world.ts';
import { type AzureTestWorld, openAzureWorld } from './azure-world.ts';

const open = useWorld();

async function readyClaim(): Promise<AzureTestWorld> {
  const world = await openAzureWorld(open, { kinds: ['aks'] });
  await world.kaitoClaim('wsone');
  await world.pass(120);
  expect(conditionStatus(await world.claim('wsone'), 'Ready')).toBe('True');
  return world;
}

describe('a pool', () => {
  it('whose VM was replaced keeps its claim, which follows to the new Node', async () => {
    const world = await readyClaim();
    const [old] = await world.nodes();
    await world.patchNode(old!.metadata.name, { metadata: { finalizers: [] } });
    await world.api.delete(nodes, { name: old!.metadata.name }, {});
    const { 'karpenter.sh/registered': _, 'karpenter.sh/initialized': __, ...labels } = old!.metadata.labels ?? {};
    const providerID = old!.spec!.providerID!.replace(/\/0$/, '/1');
    const made = await world.api.create(nodes, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'replaced', labels },
      spec: { providerID },
    });
    expect(made.ok).toBe(true);
    const { conditions = [], allocatable = {} } = old!.status ?? {};
    const fresh = await world.patchNode(
      'replaced',
      JSON.parse(JSON.stringify({ status: { conditions, allocatable } })),
      'status',
    );
    expect(await world.deliver(world.nodeEvent(fresh))).toBe('done');

    expect((await world.claim('wsone'))?.status).toMatchObject({ providerID, nodeName: 'replaced' });
    const [node] = await world.nodes();
    expect(node?.metadata.labels).toMatchObject({
      'karpenter.sh/registered': 'true',
      'karpenter.sh/initialized': 'true',
    });
    await world.collectGarbage();
    await world.pass(120);
    await world.collectGarbage();
    expect(world.azure.living).toBe(1);

    await world.deleteClaim('wsone');
    await world.pass(200);
    expect(await world.claims()).toEqual([]);
    expect(world.azure.living).toBe(0);
    expect(await world.nodes()).toEqual([]);
  });

  it.each(['an event', 'garbage collection'])(
    'that is upgraded keeps its claim, as %s tells of the Node that goes',
    async (by) => {
      const world = await readyClaim();
      const [old] = await world.nodes();
      const { 'karpenter.sh/registered': _, 'karpenter.sh/initialized': __, ...labels } = old!.metadata.labels ?? {};
      const providerID = old!.spec!.providerID!.replace(/\/0$/, '/1');
      const metadata = { name: 'surge', labels };
      expect(
        (await world.api.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata, spec: { providerID } })).ok,
      ).toBe(true);
      const { conditions = [], allocatable = {} } = old!.status ?? {};
      const status = JSON.parse(JSON.stringify({ status: { conditions, allocatable } }));
      await world.deliver(world.nodeEvent(await world.patchNode('surge', status, 'status')));

      // AKS deletes the Node of the machine that it takes away; our finalizer keeps it.
      await world.api.delete(nodes, { name: old!.metadata.name }, {});
      const going = (await world.nodes()).find(({ metadata: { name } }) => name === old!.metadata.name);
      expect(going?.metadata.deletionTimestamp).toBeDefined();
      if (by === 'an event') await world.deliver(world.nodeEvent(going!));
      else await world.collectGarbage();
      await world.pass(60);
      expect((await world.nodes()).map(({ metadata: { name } }) => name)).toEqual(['surge']);
      expect((await world.claim('wsone'))?.status).toMatchObject({ providerID, nodeName: 'surge' });
      expect(world.everMade('wsone')).toBe(1);

      // Whoever deletes the one Node that is left means the claim.
      await world.api.delete(nodes, { name: 'surge' }, {});
      const [last] = await world.nodes();
      await world.deliver(world.nodeEvent(last!));
      await world.pass(200);
      expect(await world.claims()).toEqual([]);
      expect(world.azure.living).toBe(0);
      expect(await world.nodes()).toEqual([]);
    },
  );

  it('that vanished by itself is noticed, and its claim gets another one', async () => {
    const world = await readyClaim();
    world.azure.vanish('wsone');
    const [node] = await world.nodes();
    if (node) {
      await world.patchNode(node.metadata.name, { metadata: { finalizers: [] } });
      await world.api.delete(nodes, { name: node.metadata.name }, {});
    }
    for (let round = 0; round < 4; round++) {
      await world.collectGarbage();
      await world.pass(90);
    }
    await world.pass(200);
    expect(conditionStatus(await world.claim('wsone'), 'Ready')).toBe('True');
    expect(world.everMade('wsone')).toBe(2);
    expect(world.azure.living).toBe(1);
  });

  it('that nobody has a claim for any more is collected', async () => {
    const world = await readyClaim();
    await world.patchClaim('wsone', { metadata: { finalizers: [] } });
    await world.deleteClaim('wsone');
    for (let round = 0; round < 4; round++) {
      await world.collectGarbage();
      await world.pass(90);
    }
    expect(world.azure.living).toBe(0);
    expect(await world.nodes()).toEqual([]);
  });
});
