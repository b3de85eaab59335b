/** Claims that change hands: a provider that got another name, and machines that somebody else's provisioner made. */
import { expect, it } from 'vitest';
import { terminationFinalizer } from '../../shared/nodes/claims/spec/well-known.ts';
import type { StoredClaim } from '../../shared/nodes/steps/claim-access.ts';
import { workflowKey } from '../../shared/nodes/steps/services.ts';
import type { Provider } from '../../shared/providers/contract.ts';
import { meterProvider } from '../../shared/providers/metered.ts';
import { servingOf } from '../../shared/providers/serving.ts';
import { only, useWorld } from '../nodes/use-world.ts';
import { clusterName, conditionOf, conditionStatus, type TestWorld } from '../nodes/world.ts';

const open = useWorld();
const oneType = { requirements: only(['general-small']) };

const launchOf = (claim: StoredClaim): string =>
  workflowKey({ cluster: clusterName, name: claim.metadata.name, uid: claim.metadata.uid }, 'launch');

/** A world in which the node class is served by another provider from some moment on. */
async function renamedWorld(keepsOld: boolean): Promise<TestWorld & { rename(): void }> {
  const list: Provider[] = [];
  const world = await open({
    cloud: { bootSeconds: 100 },
    decorate: (provider) => {
      list.push(provider);
      return provider;
    },
    cluster: {
      providers: list,
      serving: (claim) =>
        servingOf(
          list.map((provider) => ({ provider, type: 'sim' })),
          claim,
        ),
    },
  });
  const rename = (): void => {
    const [old] = list;
    const copy = meterProvider(old!, { clock: world.clock, onCall: () => {} });
    const renamed = { ...copy, name: 'other' };
    list.splice(0, 1, ...(keepsOld ? [{ ...copy, nodeClasses: [] }, renamed] : [renamed]));
  };
  return { ...world, rename };
}

it('an attempt that was opened with a provider of another name is closed there, and the claim goes on', async () => {
  const world = await renamedWorld(true);
  const made = await world.createClaim('one', oneType);
  await world.pass(20);
  world.rename();
  world.engine.loseHistory(launchOf(made));
  await world.pass(600);
  const one = await world.claim('one');
  expect(conditionStatus(one, 'Ready')).toBe('True');
  expect(JSON.parse(one?.metadata.annotations?.['poolwright.dev/attempt'] ?? '{}').provider).toBe('other');
  expect(world.cloud.living).toBe(1);
});

it('an attempt with a provider that is no longer configured waits for it, says so, and asks only now and then', async () => {
  const world = await renamedWorld(false);
  const made = await world.createClaim('one', oneType);
  await world.pass(20);
  world.rename();
  world.engine.loseHistory(launchOf(made));
  await world.pass(300);
  expect(conditionOf(await world.claim('one'), 'Launched')?.message).toContain('provider sim is not configured');
  expect(world.cloud.ledger()).toHaveLength(1);
  expect(world.engine.all().length).toBeLessThan(10);
});

it('the end of a claim whose provider is no longer configured waits for it, and says so', async () => {
  const world = await renamedWorld(false);
  await world.createClaim('one', oneType);
  await world.settle();
  world.rename();
  await world.deleteClaim('one');
  await world.pass(300);
  expect(conditionOf(await world.claim('one'), 'InstanceTerminating')).toMatchObject({
    status: 'Unknown',
    reason: 'ProviderNotConfigured',
    message: expect.stringContaining('provider sim is not configured'),
  });
  const told = (await world.eventsOf('one')).filter(({ reason }) => reason === 'ProviderNotConfigured');
  expect(told).toHaveLength(1);
  expect(world.cloud.living).toBe(1);
});

it('the end of a claim that another provisioner launched is left to that provisioner', async () => {
  const world = await open();
  await world.createClaim('theirs', { ...oneType, metadata: { finalizers: [terminationFinalizer] } });
  const launched = {
    type: 'Launched',
    status: 'True',
    reason: 'Launched',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  await world.patchClaim(
    'theirs',
    { status: { providerID: 'sim:///zone-a/i-theirs', conditions: [launched] } },
    'status',
  );
  await world.pass(60);
  await world.deleteClaim('theirs');
  await world.pass(600);
  expect((await world.claim('theirs'))?.metadata.finalizers).toEqual([terminationFinalizer]);
});

it('a claim whose record somebody took away is still ended with all its machines', async () => {
  const world = await open();
  await world.createClaim('ours', oneType);
  await world.settle();
  await world.patchClaim('ours', { metadata: { annotations: { 'poolwright.dev/attempt': null } } });
  await world.deleteClaim('ours');
  await world.settle();
  expect(await world.claim('ours')).toBeUndefined();
  expect(world.cloud.living).toBe(0);
  expect(await world.nodes()).toEqual([]);
});
