/** Which of two providers serves a claim, and that the choice lasts. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { failed, ok } from '../../shared/base/result.ts';
import { notConfigured } from '../../shared/kube/cluster-settings.ts';
import { useWorld } from '../nodes/use-world.ts';
import { conditionOf, conditionStatus } from '../nodes/world.ts';
import { openAzureWorld, recordOf } from './azure-world.ts';

const open = useWorld();
const says = (provider: string): { metadata: { [key: string]: Json } } => ({
  metadata: { annotations: { 'poolwright.dev/provider': provider } },
});
const aksClass = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
const arcClass = { group: 'poolwright.dev', kind: 'ArcNodeClass', name: 'default' };

describe('a claim that two providers could serve', () => {
  it('goes to the default, unless it says otherwise', async () => {
    const world = await openAzureWorld(open);
    await world.kaitoClaim('silent');
    await world.kaitoClaim('asking', says('arc'));
    await world.pass(200);
    expect(world.poolsOf('silent')).toEqual(['aks']);
    expect(world.poolsOf('asking')).toEqual(['arc']);
    for (const claim of await world.claims()) expect(conditionStatus(claim, 'Ready')).toBe('True');
  });

  it('that names nobody we know says so, with the names that would do, and is served once it is corrected', async () => {
    const world = await openAzureWorld(open);
    const claim = await world.kaitoClaim('wrong', says('asks'));
    await world.pass(20);
    expect(conditionOf(await world.claim('wrong'), 'Launched')).toMatchObject({
      status: 'False',
      reason: 'InvalidClaim',
      message: expect.stringMatching(
        /annotations\["poolwright\.dev\/provider"\]: there is no provider "asks" in cluster test; use one of aks, arc.*did you mean "aks"/,
      ),
    });
    await world.patchClaim('wrong', { metadata: { annotations: { 'poolwright.dev/provider': 'aks' } } });
    await world.pass(300);
    expect(world.poolsOf('wrong')).toEqual(['aks']);
    expect((await world.decisionsOf(claim)).map(({ text }) => text).join()).toContain('there is no provider "asks"');
  });

  it('stays where it was made when its annotation, its labels or the default change later', async () => {
    const world = await openAzureWorld(open);
    const labels = { 'kaito.sh/workspace': 'falcon' };
    await world.kaitoClaim('steady', { metadata: { labels }, nodeClassRef: aksClass });
    await world.pass(150);
    world.prefer('arc');
    await world.patchClaim('steady', {
      metadata: { annotations: { 'poolwright.dev/provider': 'arc' }, labels: { 'kaito.sh/workspace': null } },
    });
    await world.pass(100);
    expect(world.poolsOf('steady')).toEqual(['aks']);
    await world.deleteClaim('steady');
    await world.pass(300);
    expect(await world.claim('steady')).toBeUndefined();
    expect(world.azure.living).toBe(0);
  });

  it('goes where its annotation says after it has failed elsewhere, and nothing is left there', async () => {
    const world = await openAzureWorld(open);
    world.azure.setFaults([{ on: 'create', do: { kind: 'unauthorised' } }]);
    await world.kaitoClaim('moved');
    await world.pass(100);
    expect(recordOf(await world.claim('moved'))).toMatchObject({ provider: 'aks', state: 'failed' });
    world.azure.setFaults([]);
    await world.patchClaim('moved', { metadata: { annotations: { 'poolwright.dev/provider': 'arc' } } });
    await world.pass(400);
    expect(world.poolsOf('moved')).toEqual(['arc']);
    expect(recordOf(await world.claim('moved'))).toMatchObject({ provider: 'arc', state: 'open' });
  });

  it('waits as long as nobody can tell which is the default, and one that says it itself does not', async () => {
    let known = false;
    const world = await openAzureWorld(open, {
      cluster: {
        preferredProviders: async () =>
          known ? { ok: true, value: ['arc'] } : failed('not-ready', 'the settings of cluster test are not known yet'),
      },
    });
    await world.kaitoClaim('silent');
    await world.kaitoClaim('asking', says('aks'));
    await world.pass(120);
    expect(world.poolsOf('silent')).toEqual([]);
    expect(world.poolsOf('asking')).toEqual(['aks']);
    known = true;
    await world.pass(200);
    expect(world.poolsOf('silent')).toEqual(['arc']);
  });
});

it('a claim waits, and says why, while the cluster names a type that is not configured; others that were begun go on', async () => {
  const types = ['aks'];
  let providerType: 'aks' | 'arc' = 'aks';
  const world = await openAzureWorld(open, {
    kinds: ['aks'],
    cluster: {
      preferredProviders: async () => {
        const lacking = notConfigured({ azure: { clusterName: '', providerType } }, types, 'test');
        return lacking === undefined ? ok([providerType]) : failed('not-ready', lacking);
      },
    },
  });
  await world.kaitoClaim('before');
  await world.pass(20);
  providerType = 'arc';
  await world.kaitoClaim('after');
  await world.pass(150);
  expect(conditionStatus(await world.claim('before'), 'Ready')).toBe('True');
  expect(world.poolsOf('after')).toEqual([]);
  expect(conditionOf(await world.claim('after'), 'Launched')).toMatchObject({
    status: 'Unknown',
    reason: 'ClusterSettingsUnusable',
    message: expect.stringContaining('cluster test has no provider of type arc'),
  });
  providerType = 'aks';
  await world.pass(200);
  expect(world.poolsOf('after')).toEqual(['aks']);
});

describe('the node class', () => {
  it('decides where only one provider knows it', async () => {
    const world = await openAzureWorld(open);
    const { group, kind, name } = arcClass;
    const resource = { group, kind, version: 'v1alpha1', plural: 'arcnodeclasses', namespaced: false };
    await world.api.create(resource, { apiVersion: `${group}/v1alpha1`, kind, metadata: { name }, spec: {} });
    await world.kaitoClaim('local', { nodeClassRef: arcClass });
    await world.kaitoClaim('wrong', { ...says('aks'), nodeClassRef: arcClass });
    await world.pass(200);
    expect(world.poolsOf('local')).toEqual(['arc']);
    expect(conditionOf(await world.claim('wrong'), 'Launched')?.message).toContain(
      'provider aks does not serve ArcNodeClass',
    );
  });

  it('of Karpenter for Azure is ours only where the claim is marked', async () => {
    const world = await openAzureWorld(open);
    await world.kaitoClaim('theirs', { nodeClassRef: aksClass });
    await world.kaitoClaim('marked', { ...says('aks'), nodeClassRef: aksClass });
    await world.pass(150);
    expect(world.poolsOf('marked')).toEqual(['aks']);
    expect(world.poolsOf('theirs')).toEqual([]);
    const theirs = await world.claim('theirs');
    expect(theirs?.metadata.finalizers).toBeUndefined();
    expect(theirs?.status).toBeUndefined();
  });
});
