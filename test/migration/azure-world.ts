/** A cluster with both kinds of agent pools: the real providers and clients, before a stand-in for Azure, on a manual clock. */

import type { Json } from '../../shared/base/json.ts';
import { ok } from '../../shared/base/result.ts';
import { countingIds } from '../../shared/base/runtime.ts';
import type { ClusterSettingsSource } from '../../shared/kube/cluster-settings.ts';
import { nodeClaims } from '../../shared/kube/contract.ts';
import type { StoredClaim } from '../../shared/nodes/steps/claim-access.ts';
import type { ClusterServices } from '../../shared/nodes/steps/services.ts';
import { manifestOf } from '../../shared/providers/manifests.ts';
import { nodeLookup } from '../../shared/providers/node-lookup.ts';
import type { TypedProvider } from '../../shared/providers/serving.ts';
import { defaultSizes } from '../../sim/azure/catalog/sizes.ts';
import type { AzureSettings } from '../../sim/azure/settings.ts';
import { type Azure, startAzure } from '../../sim/azure/start.ts';
import { selfSigned } from '../../sim/kit/self-signed.ts';
import type { useWorld } from '../nodes/use-world.ts';
import type { CloudParts, JoinedCloud, TestWorld } from '../nodes/world.ts';
import { testContext } from '../stand-ins/provider-context.ts';

export type Kind = 'aks' | 'arc';

/** Made once: keys take their time. */
const certificate = selfSigned('stand-in');
/** As Azure has it by default: the operations of one cluster come one after the other. */
const clusters = [
  { kind: 'aks', name: 'aks-with-hyphens' },
  { kind: 'arc', name: 'arc-with-hyphens' },
  // Somebody else's: only a wrong setting leads here.
  { kind: 'aks', name: 'elsewhere' },
  { kind: 'arc', name: 'elsewhere' },
] as const;

export interface AzureTestWorld extends TestWorld {
  azure: Azure;
  /** What the cluster's settings name as the default from now on. */
  prefer(kind: Kind): void;
  /** What the cluster says from now on is its name in Azure; nothing: as the provider's options have it. */
  callCluster(name?: string): void;
  /** A claim as KAITO makes it, for a machine that both kinds have. */
  kaitoClaim(
    name: string,
    more?: { metadata?: { [key: string]: Json }; [key: string]: Json | undefined },
  ): Promise<StoredClaim>;
  /** Where the living pools of this name are. */
  poolsOf(name: string): Kind[];
  /** How many pools of this name there ever were. */
  everMade(name: string): number;
}

export interface AzureTestOptions {
  kinds?: readonly Kind[];
  settings?: Partial<AzureSettings>;
  cluster?: Partial<ClusterServices>;
}

export async function openAzureWorld(
  open: ReturnType<typeof useWorld>,
  { kinds = ['aks', 'arc'], settings, cluster }: AzureTestOptions = {},
): Promise<AzureTestWorld> {
  let azure: Azure | undefined;
  let preferred: Kind = kinds[0] ?? 'aks';
  let clusterName = '';
  const clusterSettings: ClusterSettingsSource = {
    current: async () => ok({ azure: { clusterName } }),
    problem: () => undefined,
  };
  const world = await open({
    join: async (parts) => {
      azure = await startStandIn(parts, settings);
      return providersOf(parts, azure, kinds, clusterSettings);
    },
    cluster: { preferredProviders: async () => ok([preferred]), ...cluster },
  });
  const standIn = azure!;
  const ledgerOf = (name: string) => standIn.ledger().filter((pool) => pool.name === name);
  return {
    ...world,
    azure: standIn,
    prefer: (kind) => {
      preferred = kind;
    },
    callCluster: (name = '') => {
      clusterName = name;
    },
    poolsOf: (name) =>
      ledgerOf(name)
        .filter(({ goneAt }) => goneAt === null)
        .map(({ provider }) => provider),
    everMade: (name) => ledgerOf(name).length,
    async kaitoClaim(name, { metadata = {}, ...spec } = {}) {
      const created = await world.api.create<StoredClaim>(nodeClaims, {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodeClaim',
        metadata: { name, ...metadata },
        spec: {
          nodeClassRef: { group: 'kaito.sh', kind: 'KaitoNodeClass', name: 'default' },
          requirements: [
            { key: 'karpenter.sh/nodepool', operator: 'In', values: ['kaito'] },
            { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
          ],
          resources: { requests: { storage: '120Gi' } },
          ...spec,
        },
      });
      if (!created.ok) throw new Error(created.error.message);
      return created.value;
    },
  };
}

const startStandIn = ({ clusterUrl, clock }: CloudParts, settings: Partial<AzureSettings> = {}): Promise<Azure> =>
  startAzure({
    clock,
    ids: countingIds(),
    wakeByItself: false,
    certificate,
    kubelet: { clusterUrl },
    clusters,
    sizes: defaultSizes.filter(({ name }) => /_(D4s_v5|NC12s_v3)$/.test(name)),
    settings: { createSeconds: 30, deleteSeconds: 15, readySeconds: 10, retryAfterSeconds: 5, ...settings },
  });

async function providersOf(
  parts: CloudParts,
  azure: Azure,
  kinds: readonly Kind[],
  settings: ClusterSettingsSource,
): Promise<JoinedCloud> {
  const { api, clock, log } = parts;
  const context = testContext({
    clock,
    log,
    settings,
    env: { AZURE_CLIENT_SECRET: azure.secret },
    nodes: nodeLookup(api),
  });
  const closers: (() => void)[] = [];
  const providers: TypedProvider[] = [];
  for (const kind of kinds) {
    const cluster = azure.clusters.find((one) => one.kind === kind)!;
    const options = {
      subscription: cluster.subscription,
      resourceGroup: cluster.resourceGroup,
      clusterName: cluster.name,
      location: cluster.location,
      tenant: azure.tenant,
      credential: { type: 'client-secret', clientId: azure.clientId },
      cloud: { authorityHost: azure.authority, armEndpoint: azure.url, audience: 'https://management.azure.com' },
      certificateAuthority: azure.certificate,
      prices: false,
    };
    const module = await manifestOf(kind)!.load();
    const made = await module.createProvider(options, context);
    if (!made.ok) throw new Error(made.error.message);
    const provider = made.value;
    closers.push(() => provider.close?.());
    providers.push({ provider, type: kind });
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

export const recordOf = (claim: StoredClaim | undefined): { provider?: string; attempt?: number; state?: string } =>
  JSON.parse(claim?.metadata.annotations?.['poolwright.dev/attempt'] ?? '{}');
