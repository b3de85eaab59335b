/** A resource group that a request has made, and in which somebody has put a cluster of their own: it stays, and so does that cluster. */
import { afterEach, expect, it } from 'vitest';
import { createAsoDriver } from '../../shared/clusters/drivers/aso/driver.ts';
import type { ClusterApi } from '../../shared/kube/contract.ts';
import { cluster } from '../sim/aso/world.ts';
import { type RequestWorld, requestWorld } from './request-world.ts';

let world: RequestWorld;
afterEach(() => world.close());

const inAzure = (end: string): boolean => world.aso.aso.azure.living().some(({ id }) => id.endsWith(`/${end}`));

/** No page has more objects. */
const inPages = (api: ClusterApi, limit: number): ClusterApi =>
  new Proxy(api, {
    get: (target, name: keyof ClusterApi) =>
      name === 'list'
        ? (...[resource, options, signal]: Parameters<ClusterApi['list']>) =>
            target.list(resource, { ...options, limit }, signal)
        : target[name],
  });

it('the cluster of somebody else stays, wherever in the list it is', async () => {
  world = await requestWorld();
  const driver = createAsoDriver({ api: inPages(world.aso.api, 1), clock: world.clock });
  Object.assign(world.place, { driver });
  await world.create();
  await world.until(async () => (await world.ready()) === 'True Ready');
  await world.aso.apply(cluster('aaa', { owner: { name: 'rg-nowhere' } }));
  await world.aso.apply(cluster('zzz', { owner: { name: 'rg-web' } }));
  await world.until(() => inAzure('zzz'), 1200);

  await world.delete();
  await world.until(async () => (await world.get()) === undefined);
  await world.pass(1800, 300);
  expect(inAzure('managedClusters/web')).toBe(false);
  expect([inAzure('zzz'), inAzure('rg-web')]).toEqual([true, true]);
  // An object whose owner has gone would be collected, and Azure Service Operator would delete what it stands for.
  expect((await world.aso.get('ManagedCluster', 'zzz'))?.metadata.deletionTimestamp).toBeUndefined();
});
