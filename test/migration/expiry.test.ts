/** The API server gives every claim 720 hours to live. gpu-provisioner never heeded that, and KAITO makes no new claim. */
import { expect, it } from 'vitest';
import { endClaims } from '../../shared/nodes/pools/end-of-claims.ts';
import { useWorld } from '../nodes/use-world.ts';
import { openAzureWorld } from './azure-world.ts';

const open = useWorld();

it("KAITO's claims live until somebody deletes them; others end when they are older than expireAfter", async () => {
  const world = await openAzureWorld(open);
  const aksClass = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
  await world.kaitoClaim('bare', { expireAfter: '10m' });
  const labels = { 'kaito.sh/ragengine': 'rag' };
  await world.kaitoClaim('labeled', { metadata: { labels }, nodeClassRef: aksClass, expireAfter: '10m' });
  const annotations = { 'poolwright.dev/provider': 'aks' };
  await world.kaitoClaim('other', { metadata: { annotations }, nodeClassRef: aksClass, expireAfter: '10m' });
  await world.pass(900, 60);
  await endClaims(world.services, world.clusterServices, new AbortController().signal);
  await world.pass(200);
  expect((await world.claims()).map(({ metadata }) => metadata.name).sort()).toEqual(['bare', 'labeled']);
  expect(world.azure.living).toBe(2);
});
