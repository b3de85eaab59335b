/** `helm upgrade --set settings.azure.providerType=arc`, and back to aks, while a claim is in any stage. The ConfigMap is what the chart writes. */
import { expect, it } from 'vitest';
import { preferredProviders } from '../../functions/hosts/common/cluster-services.ts';
import { clusterSettingsSource, noClusterSettings, settingsConfigMap } from '../../shared/kube/cluster-settings.ts';
import { configMaps } from '../../shared/kube/contract.ts';
import { useWorld } from '../nodes/use-world.ts';
import { conditionStatus } from '../nodes/world.ts';
import { type AzureTestWorld, type Kind, openAzureWorld, recordOf } from './azure-world.ts';
import { isTrue, movingClaim, stages } from './stages.ts';

const open = useWorld();
const namespace = 'default';
const types = ['aks', 'arc'];

async function openChartWorld(): Promise<{ world: AzureTestWorld; upgrade(type: Kind): Promise<void> }> {
  let settings = noClusterSettings;
  const world = await openAzureWorld(open, {
    settings: { registerSeconds: 5, machineLeadSeconds: 20 },
    cluster: { preferredProviders: (signal) => preferredProviders(settings, { name: 'test' }, types, {}, signal) },
  });
  const { api, clock, services } = world;
  settings = clusterSettingsSource({ api, clock, namespace, log: services.log, providerTypes: types, keepSeconds: 0 });
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: settingsConfigMap, namespace }, data: {} };
  expect(await api.create(configMaps, object)).toMatchObject({ ok: true });
  return {
    world,
    upgrade: async (type) => {
      const data = { 'settings.azure.providerType': type };
      const patched = await api.mergePatch(configMaps, { namespace, name: settingsConfigMap }, { data });
      expect(patched).toMatchObject({ ok: true });
    },
  };
}

it.each(Object.entries(stages))(
  'a claim that %s keeps its one machine on the way to arc and back',
  async (stage, reach) => {
    const { world, upgrade } = await openChartWorld();
    await upgrade('aks');
    if (stage === 'waits for its turn') {
      await world.kaitoClaim('before');
      await world.resync();
      await world.engine.runUntil(world.clock.now() + 1000);
    }
    await world.kaitoClaim('moving');
    await reach(world);
    const made = recordOf(await movingClaim(world)).provider;

    await upgrade('arc');
    await world.kaitoClaim('there');
    await world.pass(400);
    await upgrade('aks');
    await world.kaitoClaim('back');
    await world.pass(400);

    expect(world.poolsOf('there')).toEqual(['arc']);
    expect(world.poolsOf('back')).toEqual(['aks']);
    for (const name of ['there', 'back']) expect(conditionStatus(await world.claim(name), 'Ready')).toBe('True');
    if (stage === 'is being deleted') expect(await movingClaim(world)).toBeUndefined();
    else {
      expect(await isTrue(world, 'Ready')).toBe(true);
      const where = recordOf(await movingClaim(world)).provider;
      if (made !== undefined) expect(where).toBe(made);
      expect(world.poolsOf('moving')).toEqual([where]);
    }
    for (const name of ['moving', 'there', 'back']) expect(world.everMade(name)).toBe(1);
    expect(world.azure.overlaps()).toEqual([]);

    for (const { metadata } of await world.claims()) await world.deleteClaim(metadata.name);
    await world.pass(300);
    expect(await world.claims()).toEqual([]);
    expect(world.azure.living).toBe(0);
  },
);
