/**
 * What is wrong with an identity, a right, a name or a number is told on the claim, with what to do; no secret is told with
 * it, and a claim of another provider in the same cluster does not notice.
 */
import { expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { countingIds } from '../../shared/base/runtime.ts';
import { manifestOf } from '../../shared/providers/manifests.ts';
import { nodeLookup } from '../../shared/providers/node-lookup.ts';
import type { TypedProvider } from '../../shared/providers/serving.ts';
import type { AzureClusterOptions } from '../../sim/azure/clusters.ts';
import { defaultPrincipal } from '../../sim/azure/identity/tokens.ts';
import type { AzureSettings } from '../../sim/azure/settings.ts';
import { type Azure, startAzure } from '../../sim/azure/start.ts';
import { selfSigned } from '../../sim/kit/self-signed.ts';
import { useWorld } from '../nodes/use-world.ts';
import { type CloudParts, conditionOf, conditionStatus, type JoinedCloud, type TestWorld } from '../nodes/world.ts';
import { testContext } from '../stand-ins/provider-context.ts';

type Kind = 'aks' | 'arc';

const open = useWorld();
/** Made once: keys take their time. */
const certificate = selfSigned('stand-in');
const clusters: readonly AzureClusterOptions[] = [
  { kind: 'aks', name: 'aks-one' },
  { kind: 'arc', name: 'arc-one' },
  { kind: 'arc', name: 'arc-bare', customLocation: null },
];
/** What must be seen nowhere. */
const wrongSecret = 'w8Q~a-wrong-secret';
const nobody = { ...defaultPrincipal, clientId: '33333331-3333-4333-8333-333333333333' };

interface Case {
  kind?: Kind;
  /** Instead of what is right. */
  options?: { [key: string]: Json };
  env?: Record<string, string>;
  /** What the identity may not do. */
  denied?: string[];
  settings?: Partial<AzureSettings>;
  /** The size of the claim, and what else is in its spec. */
  size?: string;
  spec?: { [key: string]: Json };
  before?: (azure: Azure) => void;
  /** The reason of the condition and of the Event. */
  reason: string;
  /** All that the condition, the Event and `explain` have to say. */
  says: (string | RegExp)[];
}

const asNobody = { credential: { type: 'client-secret', clientId: nobody.clientId } };
const aksPools = 'Microsoft.ContainerService/managedClusters/agentPools';

const cases: Record<string, Case> = {
  'no token of the pod': {
    options: { credential: { type: 'workload-identity', clientId: 'x', tokenFile: '/nowhere/token' } },
    reason: 'Unauthorized',
    says: ['workload identity', '/nowhere/token'],
  },
  'the wrong tenant': {
    options: { tenant: '99999999-9999-4999-8999-999999999999' },
    reason: 'Unauthorized',
    says: ['the tenant does not exist', 'AZURE_TENANT_ID', 'AADSTS90002'],
  },
  'the wrong secret': {
    env: { AZURE_CLIENT_SECRET: wrongSecret },
    reason: 'Unauthorized',
    says: ['the client secret is wrong', 'AADSTS7000215'],
  },
  'a secret that the key vault has not given': {
    env: { AZURE_CLIENT_SECRET: '@Microsoft.KeyVault(VaultName=v;SecretName=s)' },
    reason: 'Unauthorized',
    says: ['AZURE_CLIENT_SECRET: is a Key Vault reference', 'Key Vault Secrets User'],
  },
  'no right to make pools': {
    options: asNobody,
    denied: [`${aksPools}/write`],
    reason: 'Unauthorized',
    says: [
      `the identity ${nobody.clientId} lacks the permission ${aksPools}/write on /subscriptions/`,
      'assign it a role',
    ],
  },
  'no right to read sizes': {
    options: asNobody,
    denied: ['Microsoft.Compute/skus/read'],
    reason: 'Unauthorized',
    says: ['lacks the permission Microsoft.Compute/skus/read on /subscriptions/', 'assign it a role'],
  },
  'no right to anything on an Arc cluster': {
    kind: 'arc',
    options: asNobody,
    denied: ['Microsoft.HybridContainerService/*'],
    reason: 'Unauthorized',
    says: [
      'lacks the permission Microsoft.HybridContainerService/provisionedClusterInstances/read on',
      'assign it a role',
    ],
  },
  'an unknown size': {
    size: 'Standard_D4s_v55',
    reason: 'NoInstanceTypeFits',
    says: ['Standard_D4s_v55', 'Standard_D4s_v5'],
  },
  'a size without quota': {
    settings: { quota: { standardDSv5Family: 3 } },
    reason: 'QuotaExceeded',
    says: ['the quota Standard DSv5Family vCPUs of subscription', 'limit 3, in use 0, needed 4', 'Request an increase'],
  },
  'no such cluster': {
    options: { clusterName: 'aks-noe' },
    reason: 'InvalidConfiguration',
    says: ['there is no such cluster', 'aks-noe', 'AZURE_CLUSTER_NAME or clusterName'],
  },
  'no such connected cluster': {
    kind: 'arc',
    options: { clusterName: 'arc-noe' },
    reason: 'InvalidConfiguration',
    says: ['there is no such cluster', 'connectedClusters/arc-noe', 'AZURE_CLUSTER_NAME or clusterName'],
  },
  'no such resource group': {
    options: { resourceGroup: 'pollwright' },
    reason: 'InvalidConfiguration',
    says: ['there is no such resource group', 'pollwright', 'ARM_RESOURCE_GROUP or resourceGroup'],
  },
  'no such resource group of an Arc cluster': {
    kind: 'arc',
    options: { resourceGroup: 'pollwright' },
    reason: 'InvalidConfiguration',
    says: ['there is no such resource group', 'pollwright', 'ARM_RESOURCE_GROUP or resourceGroup'],
  },
  'no such subscription': {
    options: { subscription: '11111111-1111-4111-8111-111111111112' },
    reason: 'InvalidConfiguration',
    says: ['there is no such subscription', 'ARM_SUBSCRIPTION_ID'],
  },
  'an Arc cluster without a custom location': {
    kind: 'arc',
    options: { clusterName: 'arc-bare' },
    reason: 'InvalidConfiguration',
    says: ['connected cluster arc-bare has no custom location', 'check clusterName and resourceGroup'],
  },
  'no storage request': {
    spec: { resources: { requests: { cpu: '1' } } },
    reason: 'InvalidConfiguration',
    says: ['spec.resources.requests.storage', 'missing', '120Gi'],
  },
  'a storage request of zero': {
    spec: { resources: { requests: { storage: '0' } } },
    reason: 'InvalidConfiguration',
    says: ['spec.resources.requests.storage', /zero|\b0\b/],
  },
  "somebody else's pool of the name": {
    before: (azure) => void azure.makeForeignPool('bad'),
    reason: 'NameTaken',
    says: ['agent pool bad already exists, and it is not owned by this deployment', 'use another claim name'],
  },
};

it.each(Object.entries(cases))('%s: the claim says so, and others go on', async (_, wrong) => {
  const kind = wrong.kind ?? 'aks';
  const other: Kind = kind === 'aks' ? 'arc' : 'aks';
  const log: string[] = [];
  let azure: Azure | undefined;
  const world = await open({
    logTo: (line) => void log.push(line),
    join: async (parts) => {
      azure = await startAzure({
        clock: parts.clock,
        ids: countingIds(),
        wakeByItself: false,
        certificate,
        kubelet: { clusterUrl: parts.clusterUrl },
        clusters,
        principals: [defaultPrincipal, { ...nobody, denied: wrong.denied ?? [] }],
        settings: { createSeconds: 5, ...wrong.settings },
      });
      return join(parts, azure, { [kind]: wrong, [other]: undefined });
    },
  });
  wrong.before?.(azure!);
  await makeClaim(world, 'bad', kind, wrong);
  await makeClaim(world, 'well', other, {});
  await world.pass(30, 5);

  const launched = conditionOf(await world.claim('bad'), 'Launched');
  expect(launched).toMatchObject({ reason: wrong.reason });
  expect(launched?.status).not.toBe('True');
  const events = await world.eventsOf('bad');
  const event = events.find(({ type, reason }) => type === 'Warning' && reason === wrong.reason);
  const decided = (await world.decisionsOf((await world.claim('bad'))!)).map(({ text }) => text).join('\n');
  for (const part of wrong.says) {
    const matching = typeof part === 'string' ? expect.stringContaining(part) : expect.stringMatching(part);
    expect(launched?.message, `the condition, ${launched?.message}`).toEqual(matching);
    expect(event?.message, `the Event among ${JSON.stringify(events)}`).toEqual(matching);
    expect(decided, `explain, ${decided}`).toEqual(matching);
  }
  expect(conditionStatus(await world.claim('well'), 'Ready')).toBe('True');

  await world.deleteClaim('well');
  await world.pass(60, 5);
  expect(await world.claim('well')).toBeUndefined();
  const everything = [...log, JSON.stringify(await world.claims()), JSON.stringify(events), decided].join('\n');
  for (const secret of [defaultPrincipal.secret!, wrongSecret, 'eyJ']) expect(everything).not.toContain(secret);
});

/** A claim for a size that every kind has, unless told otherwise. */
async function makeClaim(world: TestWorld, name: string, kind: Kind, { size, spec }: Pick<Case, 'size' | 'spec'>) {
  const chosen = size ?? (kind === 'aks' ? 'Standard_D4s_v5' : 'Standard_A4_v2');
  await world.createClaim(name, {
    metadata: { labels: { 'kaito.sh/workspace': 'none' }, annotations: { 'poolwright.dev/provider': kind } },
    nodeClassRef: { group: 'kaito.sh', kind: 'KaitoNodeClass', name: 'default' },
    requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: [chosen] }],
    resources: { requests: { storage: '120Gi' } },
    ...spec,
  });
}

async function join(
  { api, clock, log }: CloudParts,
  azure: Azure,
  kinds: { readonly [kind: string]: Case | undefined },
): Promise<JoinedCloud> {
  const closers: (() => void)[] = [];
  const providers: TypedProvider[] = [];
  for (const [type, wrong] of Object.entries(kinds)) {
    const { name, subscription, resourceGroup, location } = azure.clusters.find(({ kind }) => kind === type)!;
    const options = {
      subscription,
      resourceGroup,
      clusterName: name,
      location,
      tenant: azure.tenant,
      credential: { type: 'client-secret', clientId: azure.clientId },
      cloud: { authorityHost: azure.authority, armEndpoint: azure.url },
      certificateAuthority: azure.certificate,
      prices: false,
      ...wrong?.options,
    };
    const env = { AZURE_CLIENT_SECRET: azure.secret, ...wrong?.env };
    const module = await manifestOf(type)!.load();
    // Each with a memory of its own: what one has read must not hide that the other may not read it.
    const made = await module.createProvider(options, testContext({ clock, log, env, nodes: nodeLookup(api) }));
    if (!made.ok) throw new Error(made.error.message);
    const provider = made.value;
    closers.push(() => provider.close?.());
    providers.push({ provider, type });
  }
  return {
    providers,
    settle: () => azure.settle(),
    close: async () => {
      for (const close of closers) close();
      await azure.close();
    },
  };
}
