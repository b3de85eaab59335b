import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requests } from '../../../test/clusters/requests.ts';
import { builtInPoolTypes } from '../pool-types/built-in.ts';
import type { ClusterRequestSpec } from '../request/schema.ts';
import { stages as stageNames } from '../request/stages.ts';
import { resolve } from '../resolved/resolve.ts';
import { isError } from '../rules/finding.ts';
import { checkRequest } from '../rules/validate.ts';
import { chooseVersion } from './api-versions.ts';
import type { GenerateContext } from './context.ts';
import { generate } from './generate.ts';

const context: GenerateContext = { deployment: 'office', uid: '11111111-2222-3333-4444-555555555555' };
const made = (spec: Partial<ClusterRequestSpec>, more: Partial<GenerateContext> = {}, name = 'shop') => {
  const request = {
    apiVersion: 'poolwright.dev/v1alpha1',
    kind: 'ClusterRequest',
    metadata: { name, namespace: 'team-a' },
    spec: { location: 'westeurope', ...spec },
  };
  return generate(resolve(request, builtInPoolTypes), { ...context, ...more });
};
const manifest = (generated: ReturnType<typeof made>, kind: string) =>
  generated.stages.flatMap(({ manifests }) => manifests).find((one) => one.kind === kind);
const stagesOf = ({ stages }: ReturnType<typeof made>): string[] => stages.map(({ stage }) => stage);

describe('the stages', () => {
  it('depend on who makes the nodes, and on what is wanted', () => {
    const always = ['ResourceGroup', 'Identity', 'ManagedCluster'];
    expect(stagesOf(made({}))).toEqual([...always, 'NodeClass', 'NodePool']);
    expect(stagesOf(made({ nodes: 'agentPools' }))).toEqual([...always, 'AgentPools']);
    expect(stagesOf(made({ identity: { type: 'SystemAssigned' }, addOns: { flux: true } }))).toEqual([
      'ResourceGroup',
      'ManagedCluster',
      'NodeClass',
      'NodePool',
      'Flux',
    ]);
    expect(stagesOf(made({ gitOps: { url: 'https://a.example/b' } })).slice(-2)).toEqual(['Flux', 'GitOps']);
    expect(stagesOf(made({ gitOps: { url: 'https://a.example/b', mode: 'remote' } })).slice(-2)).toEqual([
      'NodePool',
      'GitOps',
    ]);
  });

  it('are always in the one order, each with a deadline', () => {
    fc.assert(
      fc.property(requests, (one) => {
        const { stages } = generate(resolve(one, builtInPoolTypes), context);
        const places = stages.map(({ stage }) => stageNames.indexOf(stage));
        expect(places).toEqual([...places].sort((a, b) => a - b));
        for (const { deadlineSeconds } of stages) expect(deadlineSeconds).toBeGreaterThan(0);
      }),
    );
  });
});

it('the same request gives the same bytes, and no two objects of it have one name', () => {
  let judged = 0;
  fc.assert(
    fc.property(requests, (one) => {
      const { resolved, findings } = checkRequest(one, { types: builtInPoolTypes, today: '2026-08-31' });
      if (resolved === undefined || findings.some(isError)) return;
      const first = generate(resolved, context);
      expect(JSON.stringify(generate(structuredClone(resolved), context))).toBe(JSON.stringify(first));
      const keys = first.stages.flatMap(({ manifests }) =>
        manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`),
      );
      expect(new Set(keys).size).toBe(keys.length);
      for (const { metadata } of first.stages.flatMap(({ manifests }) => manifests)) {
        expect(metadata.name.length).toBeLessThanOrEqual(63);
      }
      judged += 1;
    }),
    { numRuns: 300, seed: 20_261_118 },
  );
  expect(judged).toBeGreaterThan(60);
});

describe('everything that is made in Azure', () => {
  it('says whose it is', () => {
    const { spec, metadata } = manifest(made({ tags: { team: 'web' } }), 'ManagedCluster')!;

    expect(spec.tags).toEqual({
      team: 'web',
      'poolwright-deployment': 'office',
      'poolwright-cluster-request': 'team-a/shop',
      'poolwright-cluster-request-uid': context.uid,
    });
    expect(metadata).toMatchObject({
      namespace: 'team-a',
      annotations: { 'serviceoperator.azure.com/reconcile-policy': 'manage' },
    });
  });

  it('is left alone at the end where the request has a guard, and only looked at where that is asked', () => {
    const policy = (generated: ReturnType<typeof made>) => [
      ...new Set(
        generated.stages
          .filter(({ cluster }) => cluster === 'management')
          .flatMap(({ manifests }) =>
            manifests.map(({ metadata }) => metadata.annotations?.['serviceoperator.azure.com/reconcile-policy']),
          ),
      ),
    ];
    expect(policy(made({ deleteGuard: true }))).toEqual(['detach-on-delete']);
    expect(policy(made({ deleteGuard: true }, { policy: 'skip' }))).toEqual(['skip']);
  });
});

describe('the cluster', () => {
  it('has node auto-provisioning with our pool alone', () => {
    expect(manifest(made({}), 'ManagedCluster')?.spec).toMatchObject({
      dnsPrefix: 'shop',
      nodeProvisioningProfile: { mode: 'Auto', defaultNodePools: 'None' },
      agentPoolProfiles: [{ name: 'systempool', mode: 'System', count: 2, enableAutoScaling: false }],
      operatorSpec: { secrets: { adminCredentials: { name: 'shop-kubeconfig', key: 'value' } } },
    });
    expect(manifest(made({ nodes: 'agentPools' }), 'ManagedCluster')?.spec).not.toHaveProperty(
      'nodeProvisioningProfile',
    );
  });

  it('hands out the credentials of users where the administrator has none', () => {
    const { spec } = manifest(made({ access: { disableLocalAccounts: true, azureRBAC: true } }), 'ManagedCluster')!;

    expect(spec.operatorSpec).toMatchObject({ secrets: { userCredentials: { name: 'shop-kubeconfig' } } });
    expect(spec.operatorSpec).not.toHaveProperty('secrets.adminCredentials');
  });

  it('has its add-ons, and raw profiles as they are', () => {
    const addOns = {
      azurePolicy: false,
      keyVaultSecretsProvider: { rotation: true },
      profiles: { aciConnectorLinux: { enabled: true, config: { SubnetName: 'x' } } },
    };
    expect(manifest(made({ addOns }), 'ManagedCluster')?.spec.addonProfiles).toEqual({
      aciConnectorLinux: { enabled: true, config: { SubnetName: 'x' } },
      azurepolicy: { enabled: false },
      azureKeyvaultSecretsProvider: { enabled: true, config: { enableSecretRotation: 'true' } },
    });
  });
});

describe('the nodes', () => {
  it('of a family, unless sizes are named', () => {
    const keys = (spec: Partial<ClusterRequestSpec>) => {
      const { template } = manifest(made(spec), 'NodePool')!.spec as unknown as {
        template: { spec: { requirements: { key: string }[] } };
      };
      return template.spec.requirements.map(({ key }) => key);
    };
    expect(keys({})).toContain('karpenter.azure.com/sku-version');
    expect(keys({})).not.toContain('node.kubernetes.io/instance-type');
    expect(keys({ nodePool: { vmSizes: ['Standard_DS2_v2'] } })).toContain('node.kubernetes.io/instance-type');
    expect(keys({ nodes: 'poolwright' })).toContain('node.kubernetes.io/instance-type');
  });

  it('of Poolwright are a static pool', () => {
    const spec = manifest(made({ nodes: 'poolwright', nodePool: { replicas: 4 } }), 'NodePool')?.spec;

    expect(spec).toMatchObject({ replicas: 4 });
    expect(spec).not.toHaveProperty('limits');
  });

  it('of agent pools scale from 1 to 3, and their number is left alone once they exist', () => {
    const spec = (more?: Partial<GenerateContext>) =>
      manifest(made({ nodes: 'agentPools' }, more), 'ManagedClustersAgentPool')?.spec;

    expect(spec()).toMatchObject({ enableAutoScaling: true, minCount: 1, maxCount: 3, count: 1 });
    expect(spec({ poolsExist: true })).not.toHaveProperty('count');
    expect(spec()?.azureName).toMatch(/^[a-z][a-z0-9]{0,11}$/);
  });

  it('of agent pools of another size are another pool', () => {
    const name = (nodePool: ClusterRequestSpec['nodePool']) =>
      manifest(
        made({ nodes: 'agentPools', ...(nodePool === undefined ? {} : { nodePool }) }),
        'ManagedClustersAgentPool',
      )?.spec.azureName;

    expect(name({ vmSizes: ['Standard_D8s_v5'] })).not.toBe(name(undefined));
    expect(name({ labels: { a: 'b' } })).toBe(name(undefined));
  });
});

it('a subnet of yours gets a role for the created identity, and an identity of yours none', () => {
  const subnetID = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n';
  const role = manifest(made({ network: { subnetID } }), 'RoleAssignment');

  expect(role?.spec).toMatchObject({
    owner: { armId: subnetID },
    roleDefinitionReference: { wellKnownName: 'Network Contributor' },
  });
  expect(role?.spec.azureName).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const resourceID = '/subscriptions/s/resourceGroups/g/providers/Microsoft.ManagedIdentity/userAssignedIdentities/i';
  expect(manifest(made({ network: { subnetID }, identity: { resourceID } }), 'RoleAssignment')).toBeUndefined();
});

describe('API versions', () => {
  const served = (...ManagedCluster: string[]) => ({ served: { ManagedCluster } });

  it.each([
    [['v1api20240901', 'v1api20250801'], 'v1api20250801'],
    [['v1api20240901', 'v20251002preview'], 'v20251002preview'],
    [['v1api20240402preview', 'v1api20240901'], 'v1api20240402preview'],
  ])('of %j, %s is used', (versions, expected) => {
    expect(manifest(made({}, served(...versions)), 'ManagedCluster')?.apiVersion).toBe(
      `containerservice.azure.com/${expected}`,
    );
  });

  it('without a field that is needed are an error, and a warning where AKS still makes a cluster', () => {
    expect(made({}, served('v1api20240901')).findings).toMatchObject([
      { severity: 'error', code: 'ApiVersionLacksField' },
    ]);
    expect(made({ nodes: 'agentPools' }, served('v1api20240901')).findings).toEqual([]);
    const closed = made({ nodes: 'agentPools', network: { outboundType: 'none' } }, served('v1api20240901'));
    expect(closed.findings).toMatchObject([{ severity: 'error', field: 'spec.network.outboundType' }]);
    const older = made({}, served('v1api20240402preview'));
    expect(older.findings).toMatchObject([{ severity: 'warning', code: 'ApiVersionLacksField' }]);
    expect(manifest(older, 'ManagedCluster')?.spec.nodeProvisioningProfile).toEqual({ mode: 'Auto' });
  });

  it('that are not served are an error', () => {
    expect(made({}, served('v1api20230201')).findings).toMatchObject([{ code: 'ApiVersionNotServed' }]);
    expect(made({ aso: { apiVersion: 'v9' } }).findings).toMatchObject([{ code: 'ApiVersionNotServed' }]);
    expect(made({}, { served: { ResourceGroup: [] } }).findings).toMatchObject([{ code: 'ApiVersionNotServed' }]);
  });

  it('that a request names are used', () => {
    expect(chooseVersion('ManagedCluster', {}, { wanted: 'v20251002preview' })?.apiVersion).toMatch(
      /v20251002preview$/,
    );
  });
});

it('long names are cut, and stay different', () => {
  const one = made({ clusterName: 'a' }, {}, `${'a'.repeat(120)}1`);
  const other = made({ clusterName: 'a' }, {}, `${'a'.repeat(120)}2`);

  expect(manifest(one, 'NodePool')?.metadata.name).not.toBe(manifest(other, 'NodePool')?.metadata.name);
});
