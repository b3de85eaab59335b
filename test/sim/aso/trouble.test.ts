/** How the operator goes wrong, by itself and on request. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type KubeObject, secrets } from '../../../shared/kube/contract.ts';
import { instantly } from '../../../sim/aso/settings.ts';
import { mustBe } from '../../cli/cluster-world.ts';
import { type AsoTestWorld, asoWorld, cluster, group, resourceOf, team } from './world.ts';

const policy = (name: string) => ({ 'serviceoperator.azure.com/reconcile-policy': name });
const groupId = '/subscriptions/11111111-1111-4111-8111-111111111111/resourceGroups/rg-a';
const groupType = 'Microsoft.Resources/resourceGroups';

let world: AsoTestWorld;
afterEach(() => world.close());

describe('what Azure says', () => {
  beforeEach(async () => {
    world = await asoWorld({
      settings: { ...instantly, retries: { slow: [1, 180], fast: [1, 30] }, versions: ['1.35'] },
    });
    await world.apply(group());
  });

  it.each<[string, Parameters<typeof cluster>[1], string]>([
    ['no name for the API server', { dnsPrefix: '' }, 'False Warning InvalidParameter'],
    ['no system pool', { agentPoolProfiles: [] }, 'False Warning InvalidParameter'],
    ['a version that is not offered', { kubernetesVersion: '1.20' }, 'False Error K8sVersionNotSupported'],
    ['a secret that local accounts would need', { disableLocalAccounts: true }, 'False Warning BadRequest'],
    [
      'an identity that is not there',
      {
        identity: {
          type: 'UserAssigned',
          userAssignedIdentities: [
            { reference: { group: 'managedidentity.azure.com', kind: 'UserAssignedIdentity', name: 'gone' } },
          ],
        },
      },
      'False Warning ReferenceNotFound',
    ],
  ])('about %s is in the condition', async (_, spec, standing) => {
    await world.apply(cluster('a', spec));
    await world.aso.settle();
    expect(await world.standing('ManagedCluster', 'a')).toBe(standing);
  });

  it('of a quota lets the operator sleep for an hour, until the spec or the policy changes', async () => {
    const quota = {
      kind: 'refused',
      code: 'ErrCode_InsufficientVCPUQuota',
      message: 'Insufficient vcpu quota requested 8, remaining 2',
    } as const;
    world.aso.setFaults([{ on: 'put', objects: 'ManagedCluster', do: quota }]);
    await world.apply(cluster());
    await world.aso.settle();
    expect(await world.standing('ManagedCluster', 'a')).toBe('False Warning ErrCode_InsufficientVCPUQuota');
    world.aso.setFaults([]);
    await world.pass(1800, 300);
    expect(await world.standing('ManagedCluster', 'a')).toBe('False Warning ErrCode_InsufficientVCPUQuota');
    for (const name of ['skip', 'manage']) {
      await world.apply(cluster('a', {}, policy(name)));
      await world.aso.settle();
    }
    expect(await world.standing('ManagedCluster', 'a')).toBe('True Succeeded');
  });

  it('that ends the try is a matter for a new spec alone', async () => {
    await world.apply(cluster('a', { kubernetesVersion: '1.20' }));
    await world.pass(8000, 4000);
    expect(await world.standing('ManagedCluster', 'a')).toBe('False Error K8sVersionNotSupported');
    await world.apply(cluster('a', { kubernetesVersion: '1.35' }));
    await world.aso.settle();
    expect(await world.standing('ManagedCluster', 'a')).toBe('True Succeeded');
  });

  it('at the end of an operation counts as well', async () => {
    world.aso.setFaults([
      {
        on: 'put',
        objects: 'ManagedCluster',
        count: 1,
        do: { kind: 'operation-fails', code: 'AllocationFailed', message: 'no room' },
      },
    ]);
    await world.apply(cluster());
    await world.aso.settle();
    expect(await world.standing('ManagedCluster', 'a')).toBe('False Warning AllocationFailed');
    // While it stands, the next try is on its way already: information does not replace a warning.
    await world.pass(2);
    expect(await world.standing('ManagedCluster', 'a')).toBe('True Succeeded');
  });

  it('to a cluster that changes for ever is no', async () => {
    await world.apply(cluster());
    await world.aso.settle();
    await world.apply(cluster('a', { dnsPrefix: 'other' }));
    await world.aso.settle();
    expect(await world.standing('ManagedCluster', 'a')).toBe('False Error PropertyChangeNotAllowed');
  });
});

describe('a policy', () => {
  beforeEach(async () => {
    world = await asoWorld({ settings: instantly });
  });

  it('of skip looks, and touches nothing', async () => {
    await world.apply(group('rg-a', {}, policy('skip')));
    await world.aso.settle();
    expect(await world.standing('ResourceGroup', 'rg-a')).toBe('False Warning AzureResourceNotFound');
    world.aso.azure.makeForeign(groupId, groupType, { location: 'westeurope', tags: { owner: 'somebody' } });
    await world.apply(group('rg-a', {}, policy('manage')));
    await world.apply(group('rg-a', {}, policy('skip')));
    await world.pass(1);
    expect(await world.standing('ResourceGroup', 'rg-a')).toBe('True Succeeded');
    expect((await world.get('ResourceGroup', 'rg-a'))?.status?.tags).toEqual({ owner: 'somebody' });
    await world.remove('ResourceGroup', 'rg-a');
    await world.aso.settle();
    expect(await world.standing('ResourceGroup', 'rg-a')).toBe('not-found');
    expect(world.aso.azure.get(groupId)).toBeDefined();
  });

  it('of manage takes over what exists, without a word', async () => {
    world.aso.azure.makeForeign(groupId, groupType, { location: 'westeurope', tags: { owner: 'somebody' } });
    await world.apply(group());
    await world.aso.settle();
    expect(await world.standing('ResourceGroup', 'rg-a')).toBe('True Succeeded');
    expect(world.aso.azure.get(groupId)?.takenOver).toMatchObject([
      { from: { owner: 'somebody' }, to: { owner: 'us' } },
    ]);
  });

  it('of detach-on-delete leaves Azure as it is, and takes the Secret with it', async () => {
    await world.apply(group());
    await world.apply(cluster('a', {}, policy('detach-on-delete')));
    await world.aso.settle();
    expect((await world.api.get(secrets, { name: 'a-kubeconfig', namespace: team })).ok).toBe(true);
    await world.remove('ManagedCluster', 'a');
    await world.aso.settle();
    expect(await world.standing('ManagedCluster', 'a')).toBe('not-found');
    expect((await world.api.get(secrets, { name: 'a-kubeconfig', namespace: team })).ok).toBe(false);
    expect(world.aso.azure.living().map(({ name }) => name)).toEqual(['rg-a', 'a']);
  });
});

describe('what is written once', () => {
  it.each<[string, Parameters<typeof cluster>[1], string]>([
    ['the name in Azure', { azureName: 'other' }, "updating 'spec.azureName' is not allowed"],
    ['the owner', { owner: { name: 'other' } }, "updating 'spec.owner.name' is not allowed"],
  ])('%s', async (_, spec, message) => {
    world = await asoWorld({ settings: instantly });
    await world.apply(cluster());
    const refused = await world.api.apply(resourceOf('ManagedCluster'), cluster('a', spec), { force: true });
    expect(refused).toMatchObject({ ok: false, error: { kind: 'invalid', message: expect.stringContaining(message) } });
  });

  it('is named by the operator where nobody did', async () => {
    world = await asoWorld({ settings: instantly });
    const { azureName: _, ...spec } = group().spec as { azureName: string; location: string };
    await world.apply({ ...group(), spec });
    await world.aso.settle();
    expect((await world.get('ResourceGroup', 'rg-a'))?.spec.azureName).toBe('rg-a');
    expect(await world.standing('ResourceGroup', 'rg-a')).toBe('True Succeeded');
  });
});

describe('credentials', () => {
  it('are the namespace’s own, or those that an object names, or else the operator’s', async () => {
    world = await asoWorld({ settings: { ...instantly, globalCredential: false } });
    await world.apply(group());
    await world.aso.settle();
    const none = await world.get('ResourceGroup', 'rg-a');
    expect(none?.status?.conditions?.[0]?.message).toContain('global credential not configured');
    await world.apply(group('rg-b', {}, { 'serviceoperator.azure.com/credential-from': 'other' }));
    await world.aso.settle();
    expect((await world.get('ResourceGroup', 'rg-b'))?.status?.conditions?.[0]?.message).toContain(
      'credential secret not found',
    );
    const secret = (name: string, subscription: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: team },
      stringData: { AZURE_SUBSCRIPTION_ID: subscription },
    });
    mustBe(await world.api.create<KubeObject>(secrets, secret('aso-credential', 's-1')));
    mustBe(await world.api.create<KubeObject>(secrets, secret('other', 's-2')));
    await world.pass(2);
    expect((await world.get('ResourceGroup', 'rg-a'))?.status?.id).toBe('/subscriptions/s-1/resourceGroups/rg-a');
    expect((await world.get('ResourceGroup', 'rg-b'))?.status?.id).toBe('/subscriptions/s-2/resourceGroups/rg-b');
  });
});

describe('on request', () => {
  const start = async (...faults: NonNullable<Parameters<typeof asoWorld>[0]>['faults'] & object): Promise<void> => {
    world = await asoWorld({ settings: instantly, faults });
    await world.apply(group());
    await world.apply(cluster());
    await world.aso.settle();
  };

  it('it is late, and a condition tells of an older spec meanwhile', async () => {
    await start({ on: 'notice', objects: 'ManagedCluster', skip: 1, do: { kind: 'late', seconds: 60 } });
    await world.apply(cluster('a', { kubernetesVersion: '1.36' }));
    await world.aso.settle();
    const stale = await world.get('ManagedCluster', 'a');
    expect(stale?.status?.conditions?.[0]).toMatchObject({ status: 'True', observedGeneration: 1 });
    expect(stale?.metadata.generation).toBe(2);
    await world.pass(61);
    expect((await world.get('ManagedCluster', 'a'))?.status?.currentKubernetesVersion).toBe('1.36.2');
  });

  it('an object is Ready and then not, and Ready again', async () => {
    await start({
      on: 'ready',
      objects: 'ManagedCluster',
      do: {
        kind: 'not-ready-again',
        afterSeconds: 10,
        forSeconds: 30,
        code: 'AuthorizationFailed',
        message: 'no right',
      },
    });
    expect(await world.standing('ManagedCluster', 'a')).toBe('True Succeeded');
    await world.pass(11);
    expect(await world.standing('ManagedCluster', 'a')).toBe('False Warning AuthorizationFailed');
    await world.pass(31);
    expect(await world.standing('ManagedCluster', 'a')).toBe('True Succeeded');
  });

  it('the Secret is missing although the cluster is Ready, or comes later', async () => {
    const there = async () => (await world.api.get(secrets, { name: 'a-kubeconfig', namespace: team })).ok;
    await start({ on: 'export', objects: 'ManagedCluster', do: { kind: 'missing' } });
    expect([await world.standing('ManagedCluster', 'a'), await there()]).toEqual(['True Succeeded', false]);
    await world.close();
    await start({ on: 'export', objects: 'ManagedCluster', do: { kind: 'late', seconds: 30 } });
    expect([await world.standing('ManagedCluster', 'a'), await there()]).toEqual(['True Succeeded', false]);
    await world.pass(31);
    expect(await there()).toBe(true);
  });

  it('a target that is somebody else’s is not overwritten', async () => {
    world = await asoWorld({ settings: instantly });
    const foreign = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a-kubeconfig', namespace: team } };
    mustBe(await world.api.create<KubeObject>(secrets, foreign));
    await world.apply(group());
    await world.apply(cluster());
    await world.aso.settle();
    expect(await world.standing('ManagedCluster', 'a')).toBe('False Error FailedWritingAdditionalKubernetesObjects');
  });

  it('a delete is refused until the policy lets go', async () => {
    await start({
      on: 'delete',
      objects: 'ManagedCluster',
      do: { kind: 'refused', code: 'AuthorizationFailed', message: 'no right', status: 403 },
    });
    await world.remove('ManagedCluster', 'a');
    await world.pass(600, 100);
    expect(await world.standing('ManagedCluster', 'a')).toBe('False Warning AuthorizationFailed');
    await world.api.mergePatch(
      resourceOf('ManagedCluster'),
      { name: 'a', namespace: team },
      { metadata: { annotations: policy('skip') } },
    );
    await world.pass(200, 100);
    expect(await world.standing('ManagedCluster', 'a')).toBe('not-found');
  });

  it('what somebody deletes in Azure is made again with the next resync', async () => {
    await start({ on: 'ready', objects: 'ManagedCluster', do: { kind: 'vanish', afterSeconds: 5 }, count: 1 });
    await world.pass(6);
    expect(world.aso.azure.living().map(({ name }) => name)).toEqual(['rg-a']);
    await world.pass(6000, 1000);
    expect(world.aso.azure.living().map(({ name }) => name)).toEqual(['rg-a', 'a']);
  });

  it('a configuration of Flux without its extension waits for ever', async () => {
    await start();
    await world.apply({
      apiVersion: 'kubernetesconfiguration.azure.com/v1api20241101',
      kind: 'FluxConfiguration',
      metadata: { name: 'a-gitops', namespace: team },
      spec: {
        owner: { group: 'containerservice.azure.com', kind: 'ManagedCluster', name: 'a' },
        sourceKind: 'GitRepository',
      },
    });
    await world.pass(3600, 600);
    expect(await world.standing('FluxConfiguration', 'a-gitops')).toBe('False Info Reconciling');
  });
});
