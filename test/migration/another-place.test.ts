/** A provider that is pointed at another cluster while claims have machines in the first one. */
import { describe, expect, it } from 'vitest';
import { nodes } from '../../shared/kube/contract.ts';
import { useWorld } from '../nodes/use-world.ts';
import { conditionOf, conditionStatus } from '../nodes/world.ts';
import { type AzureTestWorld, type Kind, openAzureWorld, recordOf } from './azure-world.ts';

const open = useWorld();

async function openWith(kind: Kind): Promise<AzureTestWorld> {
  const world = await openAzureWorld(open, { kinds: [kind], settings: { registerSeconds: 5, machineLeadSeconds: 20 } });
  await world.kaitoClaim('one');
  return world;
}

const isTrue = async (world: AzureTestWorld, type: string) =>
  conditionStatus(await world.claim('one'), type) === 'True';

/** In small steps, because each stage lasts only seconds. */
async function until(world: AzureTestWorld, isSo: () => Promise<boolean>): Promise<void> {
  for (let step = 0; step < 600; step++) {
    if (await isSo()) return;
    await world.pass(0.5, 0.5);
  }
  throw new Error('it never came to that');
}

const stages: Record<string, (world: AzureTestWorld) => Promise<void>> = {
  'is being created': (world) => until(world, async () => world.poolsOf('one').length > 0),
  'is launched': (world) => until(world, () => isTrue(world, 'Launched')),
  'is Ready': (world) => until(world, () => isTrue(world, 'Ready')),
  'is Ready, and its Node is gone': async (world) => {
    await until(world, () => isTrue(world, 'Ready'));
    const [node] = await world.nodes();
    const name = node!.metadata.name;
    await world.patchNode(name, { metadata: { finalizers: null } });
    await world.api.delete(nodes, { name }, {});
  },
};

const told = async (world: AzureTestWorld): Promise<string[]> =>
  (await world.eventsOf('one')).filter(({ reason }) => reason === 'ProviderNotConfigured').map((one) => one.message);

describe.each(['aks', 'arc'] as const)('%s that is pointed at another cluster', (kind) => {
  it.each(Object.entries(stages))('neither loses nor doubles the machine of a claim that %s', async (stage, reach) => {
    const world = await openWith(kind);
    await reach(world);
    const before = recordOf(await world.claim('one'));

    world.callCluster('elsewhere');
    for (let round = 0; round < 8; round++) {
      await world.pass(600, 60);
      await world.collectGarbage();
    }
    expect(world.everMade('one')).toBe(1);
    expect(world.poolsOf('one')).toEqual([kind]);
    expect(recordOf(await world.claim('one'))).toMatchObject({ attempt: before.attempt, state: 'open' });
    expect((await told(world))[0]).toMatch(/was started in .*with-hyphens.* points to .*elsewhere/);

    world.callCluster();
    await world.pass(300);
    if (!stage.includes('gone')) expect(await isTrue(world, 'Ready')).toBe(true);
    expect(world.everMade('one')).toBe(1);
  });

  it('keeps a claim that is deleted meanwhile, says why, and ends it when it may look again', async () => {
    const world = await openWith(kind);
    await until(world, () => isTrue(world, 'Ready'));
    world.callCluster('elsewhere');
    await world.deleteClaim('one');
    await world.pass(3600, 60);
    await world.collectGarbage();
    expect(world.poolsOf('one')).toEqual([kind]);
    expect(conditionOf(await world.claim('one'), 'InstanceTerminating')).toMatchObject({
      status: 'Unknown',
      reason: 'ProviderNotConfigured',
      message: expect.stringContaining('with-hyphens'),
    });

    world.callCluster();
    await world.pass(600);
    expect(await world.claim('one')).toBeUndefined();
    expect(world.poolsOf('one')).toEqual([]);
  });

  it('notices a change in the middle of an end', async () => {
    const world = await openWith(kind);
    await until(world, () => isTrue(world, 'Ready'));
    await world.deleteClaim('one');
    await until(world, async () => conditionStatus(await world.claim('one'), 'InstanceTerminating') === 'True');
    world.callCluster('elsewhere');
    await world.pass(1800, 60);
    expect(await world.claim('one')).toBeDefined();
    world.callCluster();
    await world.pass(1200);
    expect(await world.claim('one')).toBeUndefined();
    expect(world.poolsOf('one')).toEqual([]);
    expect(world.everMade('one')).toBe(1);
  });

  it('makes what has nothing yet where it points', async () => {
    const world = await openWith(kind);
    await until(world, () => isTrue(world, 'Ready'));
    world.callCluster('elsewhere');
    await world.kaitoClaim('two');
    await until(world, async () => world.poolsOf('two').length > 0);
    expect(JSON.stringify(recordOf(await world.claim('two')))).toContain('/elsewhere"');
    await world.deleteClaim('two');
    await world.pass(900);
    expect(world.poolsOf('two')).toEqual([]);
    expect(await world.claim('two')).toBeUndefined();
  });
});

/** What ARM says when something above the pool is missing, or is not to be seen by this identity any more. */
const notThere = [
  ['ResourceGroupNotFound', "Resource group 'gpu' could not be found."],
  ['SubscriptionNotFound', "The subscription 's' could not be found."],
  [
    'ResourceNotFound',
    "The Resource 'Microsoft.ContainerService/managedClusters/east' under resource group 'gpu' was not found.",
  ],
  [
    'ResourceNotFound',
    "The Resource 'Microsoft.Kubernetes/connectedClusters/east' under resource group 'gpu' was not found.",
  ],
  ['NotFound', 'no route matched'],
] as const;

describe.each(['aks', 'arc'] as const)('%s of which ARM says for a while that it is not there', (kind) => {
  it.each(notThere)('keeps every machine: %s, %s', async (code, message) => {
    const world = await openWith(kind);
    await world.kaitoClaim('two');
    await until(world, () => isTrue(world, 'Ready'));
    await until(world, async () => world.poolsOf('two').length > 0);
    const nodeName = (await world.claim('one'))?.status?.nodeName ?? '';
    await world.patchNode(nodeName, { status: { conditions: [{ type: 'Ready', status: 'False' }] } }, 'status');
    await world.kaitoClaim('three');
    await world.deleteClaim('three');

    world.azure.setFaults([
      { on: ['get', 'list', 'create', 'delete'], do: { kind: 'refused', status: 404, code, message } },
    ]);
    await world.pass(60, 10);
    for (let round = 0; round < 4; round++) {
      await world.pass(400, 40);
      await world.collectGarbage();
    }
    expect(world.poolsOf('one')).toEqual([kind]);
    expect(recordOf(await world.claim('one'))).toMatchObject({ attempt: 1, state: 'open' });
    expect(world.poolsOf('two')).toEqual([kind]);

    world.azure.setFaults([]);
    for (const name of ['one', 'two']) await world.deleteClaim(name);
    await world.pass(4000, 40);
    expect(await world.claims()).toEqual([]);
    expect(world.azure.living).toBe(0);
  });
});
