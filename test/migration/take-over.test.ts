/** Taking over from gpu-provisioner: its claims and pools go on as they are, in whatever stage it was stopped. */
import { describe, expect, it } from 'vitest';
import { nodes } from '../../shared/kube/contract.ts';
import { terminationFinalizer } from '../../shared/nodes/claims/spec/well-known.ts';
import type { StoredClaim } from '../../shared/nodes/steps/claim-access.ts';
import { useWorld } from '../nodes/use-world.ts';
import { conditionStatus } from '../nodes/world.ts';
import { type AzureTestWorld, type Kind, openAzureWorld, recordOf } from './azure-world.ts';

const open = useWorld();
const vmSize = { aks: 'Standard_NC12s_v3', arc: 'Standard_A4_v2' } as const;
const sizeWish = (kind: Kind) => [
  { key: 'node.kubernetes.io/instance-type', operator: 'In', values: [vmSize[kind]] },
  { key: 'karpenter.sh/nodepool', operator: 'In', values: ['kaito'] },
];

/** The claim as KAITO has made it, with the finalizer that gpu-provisioner puts on before anything else. */
const theirClaim = (world: AzureTestWorld, kind: Kind, name = 'wsone') =>
  world.kaitoClaim(name, {
    metadata: { finalizers: [terminationFinalizer], labels: { 'kaito.sh/workspace': 'falcon' } },
    requirements: sizeWish(kind),
  });

/** The labels that gpu-provisioner gives to a pool, for a claim that was made at this time. */
const theirLabels = (createdAt: string): Record<string, string> => ({
  'karpenter.sh/nodepool': 'kaito',
  'kaito.sh/workspace': 'falcon',
  'kaito.sh/machine-type': 'gpu',
  'kaito.sh/creation-timestamp': createdAt.replaceAll(':', '-'),
});

async function theirPool(world: AzureTestWorld, kind: Kind, claim: StoredClaim, createdAt?: string): Promise<void> {
  const nodeLabels = theirLabels(createdAt ?? claim.metadata.creationTimestamp);
  const cluster = world.azure.clusters.find((one) => one.kind === kind)!.name;
  const body = { properties: { vmSize: vmSize[kind], nodeLabels } };
  world.azure.makeForeignPool(claim.metadata.name, { cluster, body });
  await world.azure.settle();
}

/** Once the machine has joined, gpu-provisioner writes this much of the status. */
async function theirStatus(world: AzureTestWorld, name: string, ...types: string[]): Promise<string> {
  for (let seconds = 0; seconds < 60 && (await world.nodes()).length === 0; seconds += 5) {
    world.clock.advance(5000);
    await world.azure.settle();
  }
  const [node] = await world.nodes();
  const providerID = node?.spec?.providerID ?? '';
  const conditions = types.map((type) => ({
    ...{ type, status: 'True', reason: type, message: '' },
    lastTransitionTime: new Date(world.clock.now()).toISOString(),
  }));
  await world.patchClaim(name, { status: { providerID, nodeName: node!.metadata.name, conditions } }, 'status');
  return providerID;
}

async function expectNothingLeft(world: AzureTestWorld): Promise<void> {
  expect(await world.claims()).toEqual([]);
  expect(world.azure.living).toBe(0);
  expect(await world.nodes()).toEqual([]);
}

const stages = [['Launched'], ['Launched', 'Registered'], ['Launched', 'Registered', 'Initialized', 'Ready']];

describe.each(['aks', 'arc'] as const)('a pool of gpu-provisioner on %s', (kind) => {
  it.each(stages.map((types) => [types.at(-1)!, types]))('whose claim is %s goes on as it is', async (_, types) => {
    const world = await openAzureWorld(open);
    const claim = await theirClaim(world, kind);
    await theirPool(world, kind, claim);
    const providerID = await theirStatus(world, 'wsone', ...types);
    await world.pass(120);

    const ours = await world.claim('wsone');
    expect(conditionStatus(ours, 'Ready')).toBe('True');
    expect(ours?.status?.providerID).toBe(providerID);
    expect(recordOf(ours)).toMatchObject({ provider: kind, attempt: 1, state: 'open' });
    expect(world.azure.ledger()).toHaveLength(1);
    expect(world.azure.calls()['pools.put']).toBeUndefined();
    expect((await world.eventsOf('wsone')).map(({ reason }) => reason)).toContain('TakenOver');
    expect(world.engine.all().filter(({ status }) => status === 'running')).toEqual([]);

    await world.collectGarbage();
    await world.pass(120);
    await world.collectGarbage();
    expect(world.azure.living).toBe(1);

    await world.deleteClaim('wsone');
    await world.pass(300);
    await expectNothingLeft(world);
  });

  it('whose claim says nothing yet is waited for, and not made again', async () => {
    const world = await openAzureWorld(open);
    await theirPool(world, kind, await theirClaim(world, kind));
    await world.pass(120);
    const ours = await world.claim('wsone');
    expect(conditionStatus(ours, 'Ready')).toBe('True');
    expect(recordOf(ours)).toMatchObject({ provider: kind, attempt: 1 });
    expect(world.azure.ledger()).toHaveLength(1);
    await world.deleteClaim('wsone');
    await world.pass(300);
    await expectNothingLeft(world);
  });

  it.each([[[]], [['Launched']], [stages[2]!]])(
    'whose claim is deleted before anybody took it over goes with its claim (%j)',
    async (types) => {
      const world = await openAzureWorld(open);
      await theirPool(world, kind, await theirClaim(world, kind));
      if (types.length > 0) await theirStatus(world, 'wsone', ...types);
      await world.deleteClaim('wsone');
      await world.pass(400);
      await expectNothingLeft(world);
    },
  );

  it('of an earlier claim of that name is somebody else’s: it stays, and the new claim says so', async () => {
    const world = await openAzureWorld(open, { kinds: [kind] });
    const claim = await theirClaim(world, kind);
    await theirPool(world, kind, claim, '2020-01-01T00:00:00Z');
    await world.pass(120);
    const said = (await world.claim('wsone'))?.status?.conditions?.find(({ type }) => type === 'Launched');
    expect(said).toMatchObject({
      status: 'Unknown',
      message: expect.stringContaining('agent pool wsone already exists'),
    });
    expect(said?.message).toContain('Poolwright does not touch it');

    const other = await theirClaim(world, kind, 'other');
    await theirStatus(world, other.metadata.name, 'Launched', 'Registered', 'Initialized');
    await world.pass(60);
    expect(recordOf(await world.claim('other'))).toEqual({});
    expect((await world.eventsOf('other')).map(({ reason }) => reason)).toContain('ForeignInstance');

    for (const name of ['wsone', 'other']) await world.deleteClaim(name);
    await world.pass(600);
    expect(await world.claim('wsone')).toBeUndefined();
    expect(world.poolsOf('wsone')).toEqual([kind]);
  });

  it('goes with its Node when somebody deletes that', async () => {
    const world = await openAzureWorld(open);
    await theirPool(world, kind, await theirClaim(world, kind));
    await world.pass(120);
    const [node] = await world.nodes();
    await world.api.delete(nodes, { name: node!.metadata.name }, {});
    const [leaving] = await world.nodes();
    expect(await world.deliver(world.nodeEvent(leaving!))).toBe('done');
    await world.pass(400);
    await expectNothingLeft(world);
  });
});

it('a claim that gpu-provisioner had only begun with is launched by us', async () => {
  const world = await openAzureWorld(open);
  await theirClaim(world, 'aks');
  await world.pass(200);
  expect(conditionStatus(await world.claim('wsone'), 'Ready')).toBe('True');
  expect(world.azure.ledger()).toHaveLength(1);
  await world.deleteClaim('wsone');
  await world.pass(300);
  await expectNothingLeft(world);
});

it('a claim that Karpenter launched with another kind of machine is left alone, asked about only now and then, and told so', async () => {
  const world = await openAzureWorld(open);
  await theirClaim(world, 'aks');
  const vm = 'azure:///subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/aks-default-abc';
  const launched = {
    ...{ type: 'Launched', status: 'True', reason: 'Launched', message: '' },
    lastTransitionTime: new Date(world.clock.now()).toISOString(),
  };
  await world.patchClaim('wsone', { status: { providerID: vm, conditions: [launched] } }, 'status');
  const before = world.azure.armCalls();
  await world.pass(300);
  expect(recordOf(await world.claim('wsone'))).toEqual({});
  expect(world.azure.armCalls() - before).toBeLessThanOrEqual(4);
  const told = await world.eventsOf('wsone');
  expect(told).toMatchObject([{ reason: 'ForeignInstance', message: expect.stringContaining(vm), count: 1 }]);
  expect((await world.decisionsOf((await world.claim('wsone'))!)).at(-1)?.text).toBe(told[0]?.message);
});
