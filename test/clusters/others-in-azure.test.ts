/** Without a management cluster, tags say whose something is. What others put next to it, or copy with its tags, stays theirs. */
import { afterEach, expect, it } from 'vitest';
import type { JsonObject } from '../../shared/base/json.ts';
import type { ArmWorld } from '../conformance/cluster-drivers/arm-harness.ts';
import { armRequestWorld } from './arm-request-world.ts';
import type { RequestWorld } from './request-world.ts';

let world: RequestWorld;
let arm: ArmWorld;
afterEach(async () => {
  await arm.close();
  await world.close();
});
const isReady = async (): Promise<boolean> => (await world.ready()) === 'True Ready';
const isGone = async (): Promise<boolean> => (await world.get()) === undefined;
const group = (name = 'rg-web'): string => `/subscriptions/${arm.subscription}/resourceGroups/${name}`;
const identity = (): string => `${group()}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/web-identity`;
const cluster = (name = 'web', of = 'rg-web'): string =>
  `${group(of)}/providers/Microsoft.ContainerService/managedClusters/${name}`;
const tagsOf = (id: string): JsonObject => arm.azure.get(id)?.body.tags as JsonObject;

async function readyWorld(): Promise<void> {
  ({ world, arm } = await armRequestWorld());
  await world.create();
  await world.until(isReady);
}

it('a database in the group stays, and so does the group, also where a policy gives it the tags of the group', async () => {
  await readyWorld();
  const database = `${group()}/providers/Microsoft.Sql/servers/theirs`;
  arm.azure.makeForeign(database, 'Microsoft.Sql/servers', { location: 'westeurope', tags: tagsOf(group()) });
  await world.delete();
  await world.until(isGone);
  expect(arm.azure.living().map(({ id }) => id)).toEqual([group(), database]);
});

it('a copy of a group with its tags stays, and does not hold the request', async () => {
  await readyWorld();
  const [tags, clusterTags] = [tagsOf(group()), tagsOf(cluster())];
  arm.azure.makeForeign(group('rg-copy'), 'Microsoft.Resources/resourceGroups', { location: 'westeurope', tags });
  arm.azure.makeForeign(cluster('copy', 'rg-copy'), 'Microsoft.ContainerService/managedClusters', {
    location: 'westeurope',
    tags: clusterTags,
  });
  await world.delete();
  await world.until(isGone, 1200);
  await world.pass(600, 60);
  expect(arm.azure.living().map(({ id }) => id)).toEqual([group('rg-copy'), cluster('copy', 'rg-copy')]);
});

it('what people add to the cluster and its identity outlives a change of the request', async () => {
  await readyWorld();
  const flux = `${cluster()}/providers/Microsoft.KubernetesConfiguration/extensions/flux`;
  const credential = `${identity()}/federatedIdentityCredentials/theirs`;
  arm.azure.makeForeign(flux, 'Microsoft.KubernetesConfiguration/extensions', { extensionType: 'microsoft.flux' });
  const issuer = arm.azure.get(cluster())?.facts.issuerURL as string;
  arm.azure.makeForeign(credential, 'Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials', {
    issuer,
    subject: 'system:serviceaccount:shop:app',
    audiences: ['api://AzureADTokenExchange'],
  });
  await world.change({ tags: { cost: 'shop' } });
  await world.until(async () => (await isReady()) && tagsOf(cluster()).cost === 'shop');
  await world.until(isReady);
  expect([arm.azure.get(flux), arm.azure.get(credential)].map((one) => one !== undefined)).toEqual([true, true]);
});

it('what a request no longer asks for goes', async () => {
  ({ world, arm } = await armRequestWorld());
  const one = { name: 'one', serviceAccount: 'a/b' };
  const two = { name: 'two', serviceAccount: 'a/c' };
  await world.create({ identity: { federatedCredentials: [one, two] }, addOns: { flux: true } });
  await world.until(isReady);
  await world.change({ identity: { federatedCredentials: [two] }, addOns: {} });
  await world.until(async () => (await world.get())?.status?.observedGeneration === 2);
  await world.until(isReady);
  const left = arm.azure.living().map(({ id }) => id.split('/').slice(-2).join('/'));
  expect(left).toContain('federatedIdentityCredentials/two');
  expect(left).not.toContain('federatedIdentityCredentials/one');
  expect(left).not.toContain('extensions/flux');
});
