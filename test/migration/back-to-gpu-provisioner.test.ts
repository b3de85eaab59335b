/** Back to gpu-provisioner: what Poolwright has made goes on there, by its rules, in whatever stage Poolwright was stopped. */
import { expect, it } from 'vitest';
import { useWorld } from '../nodes/use-world.ts';
import { conditionStatus } from '../nodes/world.ts';
import { type AzureTestWorld, openAzureWorld } from './azure-world.ts';
import { gpuProvisioner } from './gpu-provisioner.ts';

const open = useWorld();

const aClaim = (world: AzureTestWorld, name = 'wsone') =>
  world.kaitoClaim(name, {
    metadata: { labels: { 'kaito.sh/workspace': 'falcon' } },
    requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['Standard_NC12s_v3'] }],
  });

const stages: [string, (world: AzureTestWorld) => Promise<boolean>][] = [
  ['is being created', async (world) => world.poolsOf('wsone').length > 0],
  ['is launched', async (world) => conditionStatus(await world.claim('wsone'), 'Launched') === 'True'],
  ['is Ready', async (world) => conditionStatus(await world.claim('wsone'), 'Ready') === 'True'],
];

it.each(stages)('a claim that %s keeps its machine there, and ends without a trace', async (_, isThere) => {
  const world = await openAzureWorld(open, { kinds: ['aks'] });
  const claim = await aClaim(world);
  await world.resync();
  for (let seconds = 0; seconds < 300 && !(await isThere(world)); seconds += 0.5) await world.pass(0.5, 0.5);
  expect(await isThere(world)).toBe(true);

  // From here on time passes, and only gpu-provisioner acts.
  const theirs = gpuProvisioner(world);
  for (let round = 0; round < 12; round += 1) {
    world.clock.advance(20_000);
    await world.azure.settle();
    expect(await theirs.collect()).toEqual([]);
  }
  expect(await theirs.list()).toMatchObject([
    {
      name: 'wsone',
      properties: {
        provisioningState: 'Succeeded',
        nodeLabels: {
          'kaito.sh/machine-type': 'gpu',
          'kaito.sh/creation-timestamp': claim.metadata.creationTimestamp.replaceAll(':', '-'),
        },
      },
    },
  ]);
  const providerID = (await theirs.nodeOf('wsone'))?.spec?.providerID ?? '';
  expect(theirs.poolIn(providerID)).toBe('wsone');
  const seen = (await world.claim('wsone'))?.status?.providerID;
  if (seen) expect(seen).toBe(providerID);

  await world.deleteClaim('wsone');
  await theirs.end('wsone');
  expect(await world.claims()).toEqual([]);
  expect(world.azure.living).toBe(0);
});

it('it takes a pool whose claim is gone for a leak, as the page about the way back says', async () => {
  const world = await openAzureWorld(open, { kinds: ['aks'] });
  await aClaim(world);
  await world.pass(120);
  const claim = await world.claim('wsone');
  expect(conditionStatus(claim, 'Ready')).toBe('True');
  const theirs = gpuProvisioner(world);
  await world.deleteClaim('wsone');
  await world.patchClaim('wsone', { metadata: { finalizers: [] } });
  expect(await theirs.collect()).toEqual(['wsone']);
});
