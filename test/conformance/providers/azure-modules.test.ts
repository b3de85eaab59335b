/** What is wrong with the configuration of aks and arc, and what Azure says to those who have no right: each in its own words. */

import { describe, expect, onTestFinished, test } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import { failed, ok } from '../../../shared/base/result.ts';
import { parseClusterSettings } from '../../../shared/kube/cluster-settings.ts';
import type { ProviderContext } from '../../../shared/providers/context.ts';
import { instanceIdOf } from '../../../shared/providers/instance-id.ts';
import { manifestOf } from '../../../shared/providers/manifests.ts';
import { type AzureHarness, startAzureHarness } from './azure-harness.ts';
import { aKey, aRequest, created, failure, patience, value } from './requests.ts';

type Fields = { [key: string]: Json };

describe.each(['aks', 'arc'] as const)('the provider %s', (kind) => {
  const start = async (more: Parameters<typeof startAzureHarness>[1] = {}): Promise<AzureHarness> => {
    const harness = await startAzureHarness(kind, more);
    onTestFinished(() => harness.close());
    return harness;
  };
  const create = async (harness: AzureHarness, changes: Fields = {}, context: Partial<ProviderContext> = {}) => {
    const { createProvider } = await manifestOf(kind)!.load();
    const options = { ...(harness.options as Fields), ...changes };
    for (const [key, field] of Object.entries(changes)) if (field === null) delete options[key as keyof typeof options];
    const created = await createProvider(options, { ...harness.context, ...context });
    if (created.ok) onTestFinished(() => created.value.close?.());
    return created;
  };

  test.each<[Fields, string]>([
    [{ subscription: null }, 'options.subscription: is missing; set it, or ARM_SUBSCRIPTION_ID'],
    [{ resourceGroup: null }, 'options.resourceGroup: is missing; set it, or ARM_RESOURCE_GROUP'],
    [{ clusterNam: 'x' }, 'options'],
    ...(kind === 'aks'
      ? [[{ location: null }, 'options.location: is missing; set it, or LOCATION'] satisfies [Fields, string]]
      : []),
  ])('refuses %j by the name of the field', async (changes, expected) => {
    const refused = failure(await create(await start(), changes), 'invalid');

    expect(refused.message).toContain(expected);
  });

  test('takes the name of the cluster from what the cluster says about itself', async () => {
    const harness = await start();
    const settings = (clusterName: string) => ({
      current: async () => parseClusterSettings({ 'settings.azure.clusterName': clusterName }),
      problem: () => undefined,
    });

    const right = value(await create(harness, { clusterName: 'wrong' }, { settings: settings(harness.cluster.name) }));
    expect(value(await right.find(aKey(), patience()))).toEqual([]);

    const wrong = value(await create(harness, {}, { settings: settings('wrong') }));
    const refused = await wrong.beginCreate(aRequest(harness), patience());
    expect(failure(refused, 'invalid').message).toMatch(/there is no such cluster.*wrong/s);
  });

  test('starts without a cluster that can not be asked about itself, and waits rather than guess', async () => {
    const harness = await start();
    let answers = false;
    const settings = {
      current: async () =>
        answers ? parseClusterSettings({}) : failed('unavailable', 'the API server does not answer'),
      problem: () => undefined,
    };
    const provider = value(await create(harness, {}, { settings }));

    const refused = failure(await provider.beginCreate(aRequest(harness), patience()), 'unavailable');
    expect(refused.message).toContain('the API server does not answer');
    expect(harness.azure.armCalls()).toBe(0);

    answers = true;
    value(await provider.beginCreate(aRequest(harness), patience()));
  });

  test('knows its machines by their shape before it knows the name of the cluster', async () => {
    const harness = await start();
    const { providerID } = await created(harness);
    const provider = value(await create(harness, { clusterName: null }));

    expect(instanceIdOf(provider, providerID)).toBe(aRequest(harness).name);
    expect(instanceIdOf(provider, 'sim:///zone-a/i-1')).toBeUndefined();
    expect(failure(await provider.find(aKey(), patience()), 'invalid').message).toContain(
      'set clusterName of the provider, AZURE_CLUSTER_NAME, or settings.azure.clusterName',
    );
  });

  test.each([
    ['no such secret', { env: { AZURE_CLIENT_SECRET: 'wrong' } }, {}, /secret/i],
    ['another tenant', {}, { tenant: '99999999-9999-4999-8999-999999999999' }, /tenant/i],
  ])('says what is wrong with the identity: %s', async (_, context, changes, expected) => {
    const provider = value(await create(await start(), changes, context));

    const refused = failure(await provider.find(aKey(), patience()), 'unauthorised');

    expect(refused.message).toMatch(expected);
    expect(JSON.stringify(refused)).not.toContain('AZURE_CLIENT_SECRET=');
  });

  test('names the right that is missing on the cluster', async () => {
    const harness = await start();
    const action = `${kind === 'aks' ? 'Microsoft.ContainerService/managedClusters' : 'Microsoft.HybridContainerService/provisionedClusterInstances'}/agentPools/write`;
    harness.azure.setFaults([{ on: 'create', do: { kind: 'unauthorised' } }]);

    const refused = failure(await harness.provider.beginCreate(aRequest(harness), patience()), 'unauthorised');

    expect(refused.message).toContain(action);
  });

  if (kind === 'arc') {
    test('finds the custom location of the cluster by itself', async () => {
      const harness = await start();

      const types = value(await harness.provider.instanceTypes(harness.nodeClass, patience()));

      expect(types.map(({ name }) => name)).toContain('Standard_A4_v2');
    });

    test('says that a cluster without a custom location can have no agent pools', async () => {
      const harness = await start({ cluster: { customLocation: null } });

      const refused = failure(await harness.provider.instanceTypes(harness.nodeClass, patience()), 'invalid');

      expect(refused.message).toContain(`connected cluster ${harness.cluster.name} has no custom location`);
      expect(refused.message).toContain('customLocation');
    });

    test('takes the custom location that it is told', async () => {
      const harness = await start();
      const customLocation = harness.cluster.customLocation!;
      const provider = value(await create(harness, { customLocation }));

      expect(value(await provider.instanceTypes(harness.nodeClass, patience())).length).toBeGreaterThan(0);
      expect(harness.azure.calls()['clusters.get']).toBeUndefined();
    });
  }

  test('resolves a node class to what there is to choose from', async () => {
    const harness = await start();

    const good = value((await harness.provider.resolveNodeClass?.(harness.nodeClass, patience())) ?? ok(undefined));
    const wrong = { name: 'wrong', spec: harness.wrongNodeClass.spec };
    const bad = value((await harness.provider.resolveNodeClass?.(wrong, patience())) ?? ok(undefined));

    expect(good).toMatchObject({ ready: true, resolved: { instanceTypes: expect.any(Number) } });
    expect(bad).toMatchObject({ ready: false, reason: 'InvalidSpec' });
    expect(bad?.message).toContain(harness.wrongNodeClass.field);
  });
});
