/** What the removal of a request must not lose, and what it must not take with it. */
import { afterEach, expect, it } from 'vitest';
import { type RequestWorld, requestWorld } from './request-world.ts';

let world: RequestWorld;
afterEach(() => world.close());

const inAzure = (end: string): boolean => world.aso.aso.azure.living().some(({ id }) => id.endsWith(`/${end}`));

const quotaOnly = {
  on: 'put',
  objects: 'ManagedCluster',
  do: { kind: 'operation-fails', code: 'QuotaExceeded', message: 'no cores' },
} as const;

it('waits as long as Azure refuses to delete a cluster that failed while it was made, and never forgets it', async () => {
  world = await requestWorld();
  const { aso } = world.aso;
  aso.setFaults([
    quotaOnly,
    {
      on: 'delete',
      objects: 'ManagedCluster',
      do: { kind: 'refused', status: 403, code: 'AuthorizationFailed', message: 'the role is gone' },
    },
  ]);
  await world.create();
  await world.until(() => inAzure('managedClusters/web'));
  await world.pass(600, 30);
  await world.delete();
  await world.pass(3600, 60);
  expect(inAzure('managedClusters/web')).toBe(true);
  expect(await world.get()).toBeDefined();

  aso.setFaults([]);
  await world.until(async () => (await world.get()) === undefined);
  expect(aso.azure.living()).toEqual([]);
});

it('gives up what Azure refuses to delete and never had', async () => {
  world = await requestWorld();
  const { aso } = world.aso;
  const refused = { kind: 'refused', status: 400, code: 'InvalidParameter', message: 'the name is wrong' } as const;
  aso.setFaults([
    { on: 'put', objects: 'ManagedCluster', do: refused },
    { on: 'delete', objects: 'ManagedCluster', do: refused },
  ]);
  await world.create();
  await world.until(async () => (await world.ready()).startsWith('False Invalid'));
  await world.delete();
  await world.until(async () => (await world.get()) === undefined);
  expect(aso.azure.living()).toEqual([]);
});
