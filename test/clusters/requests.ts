/** Requests that people could write: most of them valid, some contradicting themselves. */
import fc from 'fast-check';
import { builtInPoolTypes } from '../../shared/clusters/pool-types/built-in.ts';
import {
  consolidationPolicies,
  imageFamilies,
  networkPolicies,
  nodeMakers,
  nodeOsUpgradeChannels,
  outboundTypes,
  taintEffects,
  tiers,
  upgradeChannels,
} from '../../shared/clusters/request/choices.ts';
import type { ClusterRequest } from '../../shared/clusters/request/request.ts';

const perhaps = { requiredKeys: [] as never[] };
const group = '/subscriptions/0000/resourceGroups/Net_(1).a/providers';
const subnet = (name: string) => `${group}/Microsoft.Network/virtualNetworks/v/subnets/${name}`;

const text = (pattern: RegExp) => fc.stringMatching(pattern);
const label = text(/^[a-z]([a-z0-9.-]{0,20}[a-z0-9])?$/);
const key = fc.oneof(
  label,
  label.map((name) => `example.com/${name}`),
);
const zones = fc.subarray(['1', '2', '3']);
const sizes = [...builtInPoolTypes.values()].flatMap(({ acceptedVmSizes }) => acceptedVmSizes);

const nodePool = fc.record(
  {
    type: fc.constantFrom(...builtInPoolTypes.keys()),
    labels: fc.dictionary(key, fc.oneof(label, fc.constant('')), { maxKeys: 4 }),
    taints: fc.uniqueArray(
      fc.record({ key, value: label, effect: fc.constantFrom(...taintEffects) }, { requiredKeys: ['key', 'effect'] }),
      { maxLength: 3, selector: (one) => `${one.key}:${one.effect}` },
    ),
    limits: fc.record({ cpu: fc.constantFrom('100', 1000), memory: fc.constantFrom('1000Gi', '2Ti') }, perhaps),
    zones,
    osDiskSizeGB: fc.integer({ min: 30, max: 2048 }),
    imageFamily: fc.constantFrom(...imageFamilies),
    expireAfter: fc.constantFrom('720h', '1h30m', 'Never'),
    consolidationPolicy: fc.constantFrom(...consolidationPolicies),
    consolidateAfter: fc.constantFrom('0s', '5m', 'Never'),
    replicas: fc.nat(5),
    minCount: fc.nat(2),
    maxCount: fc.integer({ min: 2, max: 9 }),
    vmSizes: fc.uniqueArray(fc.constantFrom(...sizes), { minLength: 1, maxLength: 2 }),
  },
  perhaps,
);

/** What the makers of nodes do not share would leave few requests valid. */
function fitting(pool: Record<string, unknown>, nodes: string | undefined): Record<string, unknown> {
  const others: Record<string, readonly string[]> = {
    nap: ['replicas', 'minCount', 'maxCount'],
    poolwright: ['minCount', 'maxCount', 'limits'],
    agentPools: ['replicas', 'expireAfter', 'consolidationPolicy', 'consolidateAfter'],
  };
  const type = builtInPoolTypes.get(String(pool.type ?? 'standard'));
  const kept = Object.entries(pool).filter(([name]) => !others[nodes ?? 'nap']?.includes(name));
  return Object.fromEntries(
    kept.flatMap(([name, value]) => {
      if (name !== 'vmSizes') return [[name, value]];
      const accepted = (value as string[]).filter((size) => type?.acceptedVmSizes.includes(size));
      return accepted.length === 0 ? [] : [[name, accepted]];
    }),
  );
}

const network = fc.oneof(
  fc.record(
    {
      subnetID: fc.constant(subnet('nodes')),
      policy: fc.constantFrom(...networkPolicies),
      outboundType: fc.constantFrom(...outboundTypes),
      podCidr: fc.constant('10.244.0.0/16'),
      private: fc.boolean(),
    },
    perhaps,
  ),
  fc.constant({ serviceCidr: '10.0.0.0/16', dnsServiceIP: '10.0.0.10', authorizedIPRanges: ['203.0.113.0/24'] }),
  fc.constant({ subnetID: subnet('nodes'), podSubnetID: subnet('pods'), dataplane: 'azure', policy: 'azure' }),
  fc.constant({ plugin: 'kubenet', policy: 'calico' }),
  fc.constant({
    private: true,
    subnetID: subnet('nodes'),
    privateDNSZone: `${group}/Microsoft.Network/privateDnsZones/privatelink.westeurope.azmk8s.io`,
  }),
);

const workspaceID = `${group}/Microsoft.OperationalInsights/workspaces/w`;
const addOns = fc.record(
  {
    monitoring: fc.record({ workspaceID: fc.constant(workspaceID), metrics: fc.constant(true) }, perhaps),
    azurePolicy: fc.boolean(),
    keyVaultSecretsProvider: fc.record({ rotation: fc.boolean(), rotationInterval: fc.constant('2m') }, perhaps),
    applicationRouting: fc.record(
      { dnsZoneIDs: fc.constant([`${group}/Microsoft.Network/dnszones/a.example`]) },
      perhaps,
    ),
    workloadIdentity: fc.boolean(),
    defender: fc.constant({ workspaceID }),
    flux: fc.boolean(),
    profiles: fc.constant({
      openServiceMesh: { enabled: true, config: { level: 'debug' } },
      aciConnectorLinux: { enabled: false },
    }),
  },
  perhaps,
);

const identity = fc.oneof(
  fc.constant({ type: 'SystemAssigned' }),
  fc.constant({ resourceID: `${group}/Microsoft.ManagedIdentity/userAssignedIdentities/mine` }),
  fc.constant({
    federatedCredentials: [
      { name: 'Web_App', serviceAccount: 'shop/web' },
      { name: 'jobs', serviceAccount: 'batch/jobs', audience: 'api://other' },
    ],
  }),
);

const gitOps = fc.record(
  {
    url: fc.constantFrom(
      'https://github.com/example/fleet',
      'ssh://git@example.com/fleet.git',
      'https://dev.azure.com/o/p/_git/r',
    ),
    branch: fc.constant('main'),
    mode: fc.constantFrom('extension', 'remote'),
    secretRef: fc.constant({ name: 'git' }),
    provider: fc.constantFrom('Generic', 'Azure'),
    interval: fc.constantFrom('1m', '1h30m'),
    kustomizations: fc.constantFrom(
      [{ name: 'infra', path: './infra' }],
      [{ name: 'infra' }, { name: 'apps', path: './apps', dependsOn: ['infra'], prune: false, wait: false }],
    ),
  },
  { requiredKeys: ['url'] },
);

const access = fc.record(
  {
    disableLocalAccounts: fc.boolean(),
    azureRBAC: fc.boolean(),
    adminGroupObjectIDs: fc.uniqueArray(fc.uuid(), { maxLength: 2 }),
  },
  perhaps,
);

const spec = fc
  .record(
    {
      location: fc.constantFrom('westeurope', 'West Europe', 'eastus2'),
      clusterName: text(/^[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$/),
      resourceGroup: text(/^[A-Za-z0-9_().-]{0,60}[A-Za-z0-9_()]$/),
      kubernetesVersion: fc.constantFrom('1.35', '1.36.1'),
      tier: fc.constantFrom(...tiers),
      upgradeChannel: fc.constantFrom(...upgradeChannels),
      nodeOSUpgradeChannel: fc.constantFrom(...nodeOsUpgradeChannels),
      nodes: fc.constantFrom(...nodeMakers),
      nodePool,
      systemPool: fc.record(
        {
          vmSize: fc.constantFrom('Standard_D4s_v5', 'Standard_B2s'),
          count: fc.integer({ min: 1, max: 5 }),
          zones,
          osDiskSizeGB: fc.integer({ min: 30, max: 2048 }),
          criticalAddonsOnly: fc.boolean(),
        },
        perhaps,
      ),
      network,
      identity,
      access,
      addOns,
      gitOps,
      tags: fc.dictionary(text(/^[a-z][a-z0-9 .:-]{0,30}$/), fc.string({ maxLength: 40 }), { maxKeys: 5 }),
      lifetime: fc.constantFrom('72h', '1h30m'),
      deleteGuard: fc.boolean(),
      dryRun: fc.boolean(),
      aso: fc.record({ credentialFrom: fc.constant('credential') }, perhaps),
    },
    { requiredKeys: ['location'] },
  )
  .map(({ lifetime, access: entry, nodePool: pool, ...one }) => ({
    ...one,
    ...(lifetime === undefined || one.deleteGuard ? {} : { lifetime }),
    ...(entry === undefined || one.gitOps?.mode === 'remote' ? {} : { access: entry }),
    ...(pool === undefined ? {} : { nodePool: fitting(pool, one.nodes) }),
  }));

/** Names up to the longest that Kubernetes has. */
const name = fc.oneof(
  text(/^[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?$/),
  text(/^[a-z0-9]([a-z0-9-]{60}[a-z0-9])$/),
  text(/^[a-z0-9]([a-z0-9-]{100,200}[a-z0-9])$/),
);

export const requests: fc.Arbitrary<ClusterRequest> = fc.record({ name, spec, uid: fc.uuid() }).map(
  (one) =>
    ({
      apiVersion: 'poolwright.dev/v1alpha1',
      kind: 'ClusterRequest',
      metadata: { name: one.name, namespace: 'team-a', uid: one.uid },
      spec: one.spec,
    }) as unknown as ClusterRequest,
);
