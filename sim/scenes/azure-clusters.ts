/**
 * A management cluster with a stand-in for Azure Service Operator, and agent pools for some of the clusters that are made there: their
 * machines join them as soon as they are there, and go when they go.
 */
import { join } from 'node:path';
import type { AzureResource } from '../aso/azure/resource.ts';
import type { AsoFaultRule } from '../aso/faults.ts';
import { operatorSubscription } from '../aso/settings.ts';
import { type Azure, startAzure } from '../azure/start.ts';
import { httpNodeApi, type KubeletHook } from '../cloud/node-api.ts';
import { providerOptions, standInSecretVariable } from './azure.ts';
import { startWorld, type World, type WorldOptions } from './sim.ts';

export interface ClustersWorld {
  /** The management cluster and its operator; and machines that are not in Azure. */
  readonly world: World & Required<Pick<World, 'aso'>>;
  /** What the host's configuration needs for nodes in the new clusters, and its environment. */
  readonly provider: object;
  readonly env: Record<string, string>;
  /** Azure refuses this cluster for want of quota, until it is raised. */
  refuseForQuota(cluster: string): void;
  raiseQuota(): void;
  /** Everything that ever existed in Azure, apart from pools' machines. */
  ledger(): readonly AzureResource[];
  /** Machines of agent pools in the new clusters that run. */
  machines(): number;
  /** URL of the API of a cluster that was made; undefined while it is not there. */
  apiOf(cluster: string): string | undefined;
  close(): Promise<void>;
}

export interface ClustersWorldOptions {
  directory: string;
  aso: NonNullable<WorldOptions['aso']>;
  /** The clusters whose nodes Poolwright makes, each in its usual resource group. */
  clusters: readonly string[];
  location: string;
}

const poolSettings = { createSeconds: 0.8, readySeconds: 0.5, deleteSeconds: 0.4, retryAfterSeconds: 0.2, seed: 1 };

export async function startClustersWorld(options: ClustersWorldOptions): Promise<ClustersWorld> {
  const { directory, clusters, location } = options;
  const world = await startWorld({ directory: join(directory, 'world'), aso: options.aso });
  const { aso } = world;
  if (aso === undefined) throw new Error('the world was started without an operator');
  const apiOf = (name: string): string | undefined =>
    aso.clusters.all().find(({ id }) => id.toLowerCase().endsWith(`/managedclusters/${name}`))?.server.url;
  let azure: Azure;
  try {
    azure = await startAzure({
      settings: poolSettings,
      clusters: clusters.map((name) => ({
        kind: 'aks',
        name,
        resourceGroup: `rg-${name}`,
        subscription: operatorSubscription,
        location,
        kubelet: lateNodeApi(() => apiOf(name)),
      })),
    });
  } catch (error) {
    await world.close();
    throw error;
  }
  return {
    world: { ...world, aso },
    provider: { type: 'aks', ...providerOptions(azure).aks },
    env: { [standInSecretVariable]: azure.secret },
    refuseForQuota: (name) => aso.setFaults([{ on: 'put', objects: 'ManagedCluster', name, do: quota }]),
    raiseQuota: () => aso.setFaults([]),
    ledger: () => aso.azure.ledger(),
    machines() {
      // Azure deletes the pools of a cluster with it.
      for (const { id, cluster, goneAt } of azure.ledger()) {
        if (goneAt === null && apiOf(cluster) === undefined) azure.vanish(id, { cluster });
      }
      return azure.living;
    },
    apiOf,
    async close() {
      await azure.close();
      await world.close();
    },
  };
}

const quota: AsoFaultRule['do'] = {
  kind: 'refused',
  status: 400,
  code: 'ErrCode_InsufficientVCPUQuota',
  message:
    'Insufficient vcpu quota requested 8, remaining 0 for family standardDSv5Family for region westeurope. Details: it was asked for.',
};

/** Joins a cluster that is not there yet, and may go again. */
function lateNodeApi(url: () => string | undefined): KubeletHook {
  let open: { url: string; api: KubeletHook } | undefined;
  const api = (): KubeletHook | undefined => {
    const now = url();
    if (open !== undefined && open.url !== now) {
      open.api.close?.();
      open = undefined;
    }
    if (now !== undefined) open ??= { url: now, api: httpNodeApi({ clusterUrl: now }) };
    return open?.api;
  };
  const absent = { answer: 'retry' as const, message: 'the cluster is not there' };
  return {
    createNode: async (node) => (await api()?.createNode(node)) ?? absent,
    getNode: async (name) => (await api()?.getNode(name)) ?? absent,
    patchNode: async (...given) => (await api()?.patchNode(...given)) ?? absent,
    deleteNode: async (name) => (await api()?.deleteNode(name)) ?? absent,
    getNodeClaim: async (name) => (await api()?.getNodeClaim(name)) ?? absent,
    close: () => open?.api.close?.(),
  };
}
