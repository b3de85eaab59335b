import { describe, expect, it } from 'vitest';
import { builtInPoolTypes } from '../pool-types/built-in.ts';
import { checkRequest } from './validate.ts';

type Fields = { [field: string]: unknown };
const today = '2026-08-31';

const check = (spec: Fields, metadata: Fields = {}) =>
  checkRequest(
    {
      apiVersion: 'poolwright.dev/v1alpha1',
      kind: 'ClusterRequest',
      metadata: { name: 'shop', namespace: 'team-a', ...metadata },
      spec: { location: 'westeurope', ...spec },
    },
    { types: builtInPoolTypes, today },
  );

const found = (spec: Fields, metadata?: Fields): string[] =>
  check(spec, metadata).findings.map(({ severity, code, field }) => `${severity} ${code} ${field}`);

it('a location is enough', () => {
  expect(check({}).findings).toEqual([]);
});

it('everything that is wrong is told at once, each with cause and fix', () => {
  const { findings } = check({
    kubernetesVersion: 'v1.35',
    nodePool: { type: 'standart', labels: { 'kubernetes.azure.com/x': 'y' } },
    network: { policy: 'calico' },
    tags: { 'azure-x': 'y' },
  });

  expect(findings.map(({ code }) => code)).toEqual([
    'KubernetesVersionInvalid',
    'PoolTypeUnknown',
    'NodeLabelRefused',
    'NapNetworkUnsupported',
    'TagInvalid',
  ]);
  for (const { cause, fix } of findings) {
    expect(cause).not.toBe('');
    expect(fix).not.toBe('');
  }
});

describe('names', () => {
  it.each<[string, Fields, Fields, string[]]>([
    ['legal in Kubernetes, not in Azure', {}, { name: 'shop.example' }, ['error ClusterNameInvalid metadata.name']],
    ['too long for Azure', {}, { name: 'a'.repeat(64) }, ['error ClusterNameInvalid metadata.name']],
    ['legal in Azure, not in Kubernetes', {}, { name: 'Shop_1' }, ['error RequestNameInvalid metadata.name']],
    ['legal in each where each counts', { clusterName: 'Shop_1' }, { name: 'shop.example' }, []],
    ['ending in a dash', { clusterName: 'shop-' }, {}, ['error ClusterNameInvalid spec.clusterName']],
    ['that Azure reserves', { clusterName: 'windows-shop' }, {}, ['error ClusterNameInvalid spec.clusterName']],
    [
      'of a group that ends in a dot',
      { resourceGroup: 'rg.' },
      {},
      ['error ResourceGroupNameInvalid spec.resourceGroup'],
    ],
    ['of a DNS prefix with a dot', { dnsPrefix: 'a.b' }, {}, ['error DnsPrefixInvalid spec.dnsPrefix']],
    ['of a DNS prefix of 55', { dnsPrefix: 'a'.repeat(55) }, {}, ['error DnsPrefixInvalid spec.dnsPrefix']],
    [
      'of a node group of 81',
      { nodeResourceGroup: 'a'.repeat(81) },
      {},
      ['error NodeResourceGroupInvalid spec.nodeResourceGroup'],
    ],
    [
      'of a node group that is the group',
      { nodeResourceGroup: 'RG-shop' },
      {},
      ['error NodeResourceGroupInvalid spec.nodeResourceGroup'],
    ],
    ['of a namespace', {}, { namespace: 'Team A' }, ['error RequestNameInvalid metadata.namespace']],
  ])('%s', (_, spec, metadata, expected) => {
    expect(found(spec, metadata)).toEqual(expected);
  });

  it('a node resource group that AKS could not name is named', () => {
    const usual = check({}, { name: 'a'.repeat(20) }).resolved?.nodeResourceGroup;
    const long = check({ clusterName: 'a'.repeat(60) }).resolved?.nodeResourceGroup;

    expect(usual).toBeUndefined();
    expect(long).toMatch(/^MC_rg-a+_a+-[0-9a-f]{8}$/);
    expect(long?.length).toBeLessThanOrEqual(80);
  });
});

describe('versions', () => {
  it.each<[string, string[]]>([
    ['1.35', []],
    ['1.36.2', []],
    ['1.33', ['error']],
    ['1.20', ['error']],
    ['1.40', ['warning']],
    ['2.0', ['error']],
    ['1.35.x', ['error']],
    ['01.35', ['error']],
    ['latest', ['error']],
  ])('%s', (kubernetesVersion, expected) => {
    expect(check({ kubernetesVersion }).findings.map(({ severity }) => severity)).toEqual(expected);
  });

  it('long-term support reaches further, with the tier that it needs', () => {
    const longTerm = { kubernetesVersion: '1.33', supportPlan: 'AKSLongTermSupport' };

    expect(found({ ...longTerm, tier: 'Premium' })).toEqual([]);
    expect(found(longTerm)).toEqual(['error TierInvalid spec.tier']);
  });

  it('the end of support is told two months ahead', () => {
    const soon = checkRequest(
      {
        apiVersion: 'poolwright.dev/v1alpha1',
        kind: 'ClusterRequest',
        metadata: { name: 'a' },
        spec: { location: 'westeurope', kubernetesVersion: '1.34' },
      },
      { types: builtInPoolTypes, today: '2026-11-18' },
    );

    expect(soon.findings).toMatchObject([{ severity: 'warning', code: 'KubernetesVersionUnsupported' }]);
  });

  it('what Azure itself offers counts more than the list', () => {
    const versions = { asOf: 'today in westeurope', versions: [{ minor: '1.38', ends: '2028-01-31' }] };
    const request = (kubernetesVersion: string) => ({
      apiVersion: 'poolwright.dev/v1alpha1',
      kind: 'ClusterRequest',
      metadata: { name: 'a' },
      spec: { location: 'westeurope', kubernetesVersion },
    });
    const withVersions = (version: string) =>
      checkRequest(request(version), { types: builtInPoolTypes, today, versions }).findings;

    expect(withVersions('1.38')).toEqual([]);
    expect(withVersions('1.35')).toMatchObject([{ severity: 'error' }]);
  });
});

describe('nodes', () => {
  const pool = (nodePool: Fields, nodes?: string) => found({ nodePool, ...(nodes === undefined ? {} : { nodes }) });

  it.each<[string, string[], Fields, string?]>([
    [
      'a size of the design, with a warning',
      ['warning VmSizeRetiring spec.nodePool.vmSizes[0]'],
      { vmSizes: ['Standard_DS2_v2'] },
    ],
    ['a size of another type', ['error VmSizeNotAccepted spec.nodePool.vmSizes[0]'], { vmSizes: ['Standard_E4s_v5'] }],
    ['a size in another case', ['error VmSizeNotAccepted spec.nodePool.vmSizes[0]'], { vmSizes: ['standard_d4s_v5'] }],
    [
      'sizes of another family',
      ['error NodePoolInvalid spec.nodePool.family'],
      { vmSizes: ['Standard_D4s_v5'], family: 'E' },
    ],
    ['replicas for NAP', ['error NodePoolInvalid spec.nodePool.replicas'], { replicas: 2 }],
    ['replicas for Poolwright', [], { replicas: 2 }, 'poolwright'],
    [
      'a limit of a static pool',
      ['error NodePoolInvalid spec.nodePool.limits.cpu'],
      { limits: { cpu: 9 } },
      'poolwright',
    ],
    [
      'more fewest than most',
      ['error NodePoolInvalid spec.nodePool.minCount'],
      { minCount: 5, maxCount: 3 },
      'agentPools',
    ],
    ['an unknown limit', ['error NodePoolInvalid spec.nodePool.limits.disk'], { limits: { disk: '1' } }],
    [
      'the same taint twice',
      ['error NodeTaintInvalid spec.nodePool.taints[1]'],
      {
        taints: [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'a', value: 'b', effect: 'NoSchedule' },
        ],
      },
    ],
    [
      'a taint of Karpenter',
      ['error NodeTaintInvalid spec.nodePool.taints[0]'],
      { taints: [{ key: 'karpenter.sh/x', effect: 'NoSchedule' }] },
    ],
    [
      'a label that AKS keeps',
      ['error NodeLabelRefused spec.nodePool.labels["storagetier"]'],
      { labels: { storagetier: 'x' } },
    ],
    [
      'a label of Kubernetes',
      ['error NodeLabelRefused spec.nodePool.labels["kubernetes.io/role"]'],
      { labels: { 'kubernetes.io/role': 'x' } },
    ],
    ['a label for kubelets', [], { labels: { 'node.kubernetes.io/team': 'x' } }],
    [
      'a label of the request',
      ['error NodeLabelRefused spec.nodePool.labels["cluster-name"]'],
      { labels: { 'cluster-name': 'x' } },
    ],
  ])('%s', (_, expected, nodePool, nodes) => {
    expect(pool(nodePool, nodes)).toEqual(expected);
  });

  it.each([
    [
      'Standard_B2s',
      ['warning SystemPoolTooSmall spec.systemPool.vmSize', 'warning VmSizeRetiring spec.systemPool.vmSize'],
    ],
    [
      'Standard_B1s',
      ['error SystemPoolTooSmall spec.systemPool.vmSize', 'warning VmSizeRetiring spec.systemPool.vmSize'],
    ],
    ['Standard_D2s_v5', ['warning SystemPoolTooSmall spec.systemPool.vmSize']],
    ['Standard_D32s_v5', []],
  ])('a system pool of %s', (vmSize, expected) => {
    expect(found({ systemPool: { vmSize } })).toEqual(expected);
  });

  it('one system node is too few to be replaced', () => {
    expect(found({ systemPool: { count: 1 } })).toEqual(['warning SystemPoolTooSmall spec.systemPool.count']);
  });
});

const subnet = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n';

describe('the network', () => {
  it.each<[string, Fields, Fields, string[]]>([
    ['kubenet without NAP', { plugin: 'kubenet', policy: 'calico' }, { nodes: 'agentPools' }, []],
    ['kubenet with NAP', { plugin: 'kubenet' }, {}, ['error NapNetworkUnsupported spec.network.plugin']],
    [
      'a subnet for pods with NAP',
      { subnetID: subnet, podSubnetID: `${subnet}2` },
      {},
      ['error NapNetworkUnsupported spec.network.podSubnetID'],
    ],
    [
      'the overlay without the plugin',
      { plugin: 'none', pluginMode: 'overlay' },
      { nodes: 'agentPools' },
      ['error NetworkInvalid spec.network.pluginMode'],
    ],
    ['half of Cilium', { policy: 'cilium', dataplane: 'azure' }, {}, ['error NetworkInvalid spec.network.policy']],
    ['a subnet by its name', { subnetID: 'aks-subnet' }, {}, ['error NetworkInvalid spec.network.subnetID']],
    [
      'ranges that overlap',
      { podCidr: '10.0.0.0/8', serviceCidr: '10.0.0.0/16', dnsServiceIP: '10.0.0.10' },
      {},
      ['error NetworkInvalid spec.network.serviceCidr'],
    ],
    [
      'a range without a DNS service',
      { serviceCidr: '10.1.0.0/16' },
      {},
      ['error NetworkInvalid spec.network.dnsServiceIP'],
    ],
    [
      'a DNS service elsewhere',
      { serviceCidr: '10.1.0.0/16', dnsServiceIP: '10.2.0.10' },
      {},
      ['error NetworkInvalid spec.network.dnsServiceIP'],
    ],
    ['a range that is none', { podCidr: '10.0.0.0/40' }, {}, ['error NetworkInvalid spec.network.podCidr']],
    [
      'addresses of a private server',
      { private: true, authorizedIPRanges: ['1.2.3.4'] },
      {},
      ['error NetworkInvalid spec.network.authorizedIPRanges'],
    ],
    [
      'a route of nobody',
      { outboundType: 'userDefinedRouting' },
      {},
      ['error NetworkInvalid spec.network.outboundType'],
    ],
    [
      'a subnet for an identity that does not exist yet',
      { subnetID: subnet },
      { identity: { type: 'SystemAssigned' } },
      ['error IdentityInvalid spec.identity.type'],
    ],
  ])('%s', (_, network, more, expected) => {
    expect(found({ network, ...more })).toEqual(expected);
  });
});

describe('the repository', () => {
  it.each<[string, Fields, string[]]>([
    ['public', { url: 'https://github.com/a/b', public: true }, []],
    ['perhaps public', { url: 'https://github.com/a/b' }, ['warning GitCredentialsMissing spec.gitOps.secretRef']],
    [
      'of Azure DevOps without credentials',
      { url: 'https://dev.azure.com/a' },
      ['error GitCredentialsMissing spec.gitOps.secretRef'],
    ],
    ['of Azure DevOps by identity', { url: 'https://dev.azure.com/a', provider: 'Azure' }, []],
    ['by ssh without a key', { url: 'ssh://git@example.com/a' }, ['error GitCredentialsMissing spec.gitOps.secretRef']],
    ['by ssh with a key', { url: 'ssh://git@example.com/a', secretRef: { name: 'git' } }, []],
    ['in the short form', { url: 'git@example.com:a/b' }, ['error GitUrlInvalid spec.gitOps.url']],
    [
      'with a token in it',
      { url: 'https://me:s3cr3t@example.com/a', secretRef: { name: 'git' } },
      ['error GitUrlInvalid spec.gitOps.url'],
    ],
    [
      'of two kinds',
      { url: 'https://a.example/b', public: true, tag: 'v1', semver: '1.x' },
      ['error GitOpsInvalid spec.gitOps.tag'],
    ],
    [
      'in a circle',
      {
        url: 'https://a.example/b',
        public: true,
        kustomizations: [
          { name: 'a', dependsOn: ['b'] },
          { name: 'b', dependsOn: ['a'] },
        ],
      },
      ['error GitOpsInvalid spec.gitOps.kustomizations[0].dependsOn'],
    ],
  ])('%s', (_, gitOps, expected) => {
    expect(found({ gitOps })).toEqual(expected);
  });

  it('by the extension needs a node without a taint', () => {
    const tainted = { systemPool: { criticalAddonsOnly: true }, nodePool: { type: 'memory-optimized' } };
    const gitOps = { url: 'https://github.com/a/b', public: true };

    expect(found({ ...tainted, gitOps })).toEqual(['error GitOpsInvalid spec.systemPool.criticalAddonsOnly']);
    expect(found({ ...tainted, gitOps: { ...gitOps, mode: 'remote' } })).toEqual([]);
    expect(found({ ...tainted, gitOps, nodePool: { type: 'memory-optimized', taints: [] } })).toEqual([]);
  });

  it('a credential is never repeated', () => {
    for (const url of ['https://me:s3cr3t@example.com/a', 'me:s3cr3t@example.com/a', 'https://s3cr3t@x y/']) {
      expect(JSON.stringify(check({ gitOps: { url } }).findings)).not.toContain('s3cr3t');
    }
  });
});

describe('the shape', () => {
  it('is told field by field', () => {
    const { findings, request } = check({ nodes: 'magic', nodePol: {}, systemPool: { count: 'two' } });

    expect(request).toBeUndefined();
    expect(findings.map(({ field }) => field).sort()).toEqual(['spec.nodePol', 'spec.nodes', 'spec.systemPool.count']);
    expect(JSON.stringify(findings)).toContain('did you mean');
  });

  it('does not hide what else is wrong', () => {
    const mixed = {
      nodes: 'magic',
      colour: 'red',
      kubernetesVersion: 'v1.35',
      tags: { a: 7, 'azure-x': 'y' },
      nodePool: { type: 'standart', taints: [{ key: 'a', effect: 'Never' }] },
    };
    expect(found(mixed).sort()).toEqual([
      'error ClusterRequestInvalid spec.colour',
      'error ClusterRequestInvalid spec.nodePool.taints.0.effect',
      'error ClusterRequestInvalid spec.nodes',
      'error ClusterRequestInvalid spec.tags.a',
      'error KubernetesVersionInvalid spec.kubernetesVersion',
      'error PoolTypeUnknown spec.nodePool.type',
      'error TagInvalid spec.tags["azure-x"]',
    ]);
    expect(found({ location: 7, kubernetesVersion: 'x' })).toEqual([
      'error ClusterRequestInvalid spec.location',
      'error KubernetesVersionInvalid spec.kubernetesVersion',
    ]);
  });

  it.each([undefined, null, 'x', [], {}, { kind: 7 }, { metadata: null, spec: null }])(
    '%j is no request, and no crash',
    (object) => {
      expect(checkRequest(object, { types: builtInPoolTypes, today }).findings.length).toBeGreaterThan(0);
    },
  );
});

it.each<[string, Fields, string]>([
  ['an add-on that has a field', { addOns: { profiles: { azurePolicy: { enabled: true } } } }, 'AddOnInvalid'],
  ['an add-on of no name', { addOns: { profiles: { 'a-b': { enabled: true } } } }, 'AddOnInvalid'],
  ['a workspace by its name', { addOns: { defender: { workspaceID: 'logs' } } }, 'AddOnInvalid'],
  ['no way in', { access: { disableLocalAccounts: true } }, 'AccessInvalid'],
  ['a group by its name', { access: { adminGroupObjectIDs: ['admins'] } }, 'AccessInvalid'],
  ['a guard with a lifetime', { lifetime: '72h', deleteGuard: true }, 'LifetimeInvalid'],
  ['no lifetime at all', { lifetime: '0h' }, 'LifetimeInvalid'],
  [
    'a credential for no identity',
    { identity: { type: 'SystemAssigned', federatedCredentials: [{ name: 'web', serviceAccount: 'a/b' }] } },
    'IdentityInvalid',
  ],
  [
    'a service account without a namespace',
    { identity: { federatedCredentials: [{ name: 'web', serviceAccount: 'web' }] } },
    'IdentityInvalid',
  ],
  [
    'too many tags',
    { tags: Object.fromEntries(Array.from({ length: 48 }, (_, index) => [`t${index}`, 'x'])) },
    'TagInvalid',
  ],
  ['tags that differ in case', { tags: { Team: 'a', team: 'b' } }, 'TagInvalid'],
  ['a tag of ours', { tags: { 'Poolwright-deployment': 'x' } }, 'TagInvalid'],
  ['a location that is none', { location: 'the moon!' }, 'LocationInvalid'],
])('%s is refused', (_, spec, code) => {
  expect(check(spec).findings).toMatchObject([{ severity: 'error', code }]);
});
