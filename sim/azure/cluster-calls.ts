/** Calls about clusters themselves: what they are, and how to get in. */
import { type Answer, json, wrapped } from './answer.ts';
import type { ArmRequest, Handling } from './api.ts';
import { type AzureCluster, machineGroup } from './clusters.ts';
import type { Tokens } from './identity/tokens.ts';
import type { PoolCalls } from './pool-calls.ts';
import type { AzureWorld } from './world.ts';

export class ClusterCalls {
  readonly #world: AzureWorld;
  readonly #pools: PoolCalls;
  readonly #tokens: Tokens;

  constructor(parts: { world: AzureWorld; pools: PoolCalls; tokens: Tokens }) {
    this.#world = parts.world;
    this.#pools = parts.pools;
    this.#tokens = parts.tokens;
  }

  get(cluster: AzureCluster): Handling {
    const perform = (): Answer => json(200, cluster.kind === 'aks' ? this.#managed(cluster) : connected(cluster));
    return { kind: 'clusters.get', operation: 'get', subject: {}, cluster, perform };
  }

  /** What Azure Local keeps of a connected cluster: there is none where it has not made the cluster. */
  instance(cluster: AzureCluster): Handling {
    return {
      kind: 'clusters.get',
      operation: 'get',
      subject: {},
      cluster,
      perform: () => {
        if (cluster.customLocation === undefined) return noInstance(cluster);
        return json(200, {
          id: `${cluster.id}/providers/Microsoft.HybridContainerService/provisionedClusterInstances/default`,
          name: 'default',
          type: 'Microsoft.HybridContainerService/provisionedClusterInstances',
          extendedLocation: { type: 'CustomLocation', name: cluster.customLocation },
          properties: {
            provisioningState: 'Succeeded',
            kubernetesVersion: '1.30.4',
            status: { currentState: 'Succeeded' },
          },
        });
      },
    };
  }

  /** What the caller may do: everything but what he may not. */
  permissions(cluster: AzureCluster, { headers }: ArmRequest): Handling {
    return {
      kind: 'permissions.list',
      operation: 'get',
      subject: {},
      cluster,
      perform: () => {
        const { authorization } = headers;
        const checked = this.#tokens.check(typeof authorization === 'string' ? authorization : undefined);
        const notActions = checked.ok ? [...checked.facts.principal.denied] : [];
        return json(200, { value: [{ actions: ['*'], notActions, dataActions: [], notDataActions: [] }] });
      },
    };
  }

  /** AKS answers at once, Arc by an operation. */
  credentials(cluster: AzureCluster, admin: boolean): Handling {
    const name = admin ? 'clusterAdmin' : 'clusterUser';
    const answer = {
      kubeconfigs: [{ name, value: Buffer.from(cluster.kubeconfig ?? '').toString('base64') }],
    };
    return {
      kind: 'clusters.credentials',
      operation: 'get',
      subject: {},
      cluster,
      perform: () => {
        if (cluster.kubeconfig === undefined) {
          return wrapped(404, {
            code: 'NotFound',
            message: `The cluster ${cluster.name} has no kubeconfig.`,
          });
        }
        if (cluster.kind === 'aks') return json(200, answer);
        if (cluster.customLocation === undefined) return noInstance(cluster);
        const operation = this.#world.beginOutput(cluster, {
          id: `${cluster.id}/providers/Microsoft.HybridContainerService/provisionedClusterInstances/default`,
          status: 'Succeeded',
          properties: answer,
        });
        return { status: 202, body: '', headers: this.#pools.operationHeaders(operation, ['status', 'result']) };
      },
    };
  }

  #managed(cluster: AzureCluster) {
    const [running] = this.#world.operations.inProgress(cluster).filter(({ pool }) => pool === undefined);
    return {
      id: cluster.id,
      name: cluster.name,
      type: 'Microsoft.ContainerService/ManagedClusters',
      location: cluster.location,
      sku: { name: 'Base', tier: 'Standard' },
      properties: {
        provisioningState: running?.what ?? 'Succeeded',
        powerState: { code: 'Running' },
        kubernetesVersion: '1.34.2',
        currentKubernetesVersion: '1.34.2',
        nodeResourceGroup: machineGroup(cluster),
        fqdn: `${cluster.name}.stand-in`,
        agentPoolProfiles: [],
      },
    };
  }
}

const connected = (cluster: AzureCluster) => ({
  id: cluster.id,
  name: cluster.name,
  type: 'Microsoft.Kubernetes/connectedClusters',
  location: cluster.location,
  kind: 'ProvisionedCluster',
  ...(cluster.customLocation === undefined
    ? {}
    : { extendedLocation: { type: 'CustomLocation', name: cluster.customLocation } }),
  properties: { provisioningState: 'Succeeded', connectivityStatus: 'Connected', kubernetesVersion: '1.30.4' },
});

const noInstance = (cluster: AzureCluster): Answer =>
  wrapped(404, {
    code: 'ResourceNotFound',
    message: `The Resource 'Microsoft.HybridContainerService/provisionedClusterInstances/default' under resource group '${cluster.resourceGroup}' was not found.`,
  });
