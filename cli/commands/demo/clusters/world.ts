/** What the demo asks of the management cluster and of Azure's ledger. It never asks the host: what is shown is what others see. */
import { defined } from '../../../../shared/base/defined.ts';
import type { Json } from '../../../../shared/base/json.ts';
import type { StoredRequest } from '../../../../shared/clusters/store/contract.ts';
import { createHttpClient, type HttpClient, type HttpMethod } from '../../../../shared/net/http-client.ts';
import type { Node } from '../../../../shared/nodes/claims/spec/types.ts';
import { doubled } from '../../../../sim/aso/azure/ledger.ts';
import type { AzureResource } from '../../../../sim/aso/azure/resource.ts';
import type { ClustersWorld } from '../../../../sim/scenes/azure-clusters.ts';

export const team = 'team-a';
const collection = `/apis/poolwright.dev/v1alpha1/namespaces/${team}/clusterrequests`;
const timeoutMs = 20_000;

export interface RequestSight {
  requests: StoredRequest[];
  /** Everything that exists in Azure. */
  living: AzureResource[];
  /** Clusters that ever existed. */
  clustersMade: number;
  /** Machines of agent pools. */
  machines: number;
}

export interface RequestWorld {
  look(): Promise<RequestSight>;
  create(name: string, spec: Json): Promise<void>;
  annotate(name: string, annotations: Record<string, string>): Promise<void>;
  remove(name: string): Promise<void>;
  refuseForQuota(cluster: string): void;
  raiseQuota(): void;
  /** Nodes of a cluster that was made; none while it is not there. */
  nodesOf(cluster: string): Promise<Node[]>;
  /** Pairs of resources of which one request had two at the same time. */
  twice(): number;
  close(): void;
}

const isCluster = ({ type }: AzureResource): boolean => type === 'Microsoft.ContainerService/managedClusters';

export function openRequests(world: ClustersWorld): RequestWorld {
  const management = createHttpClient({ baseUrl: world.world.cluster.url, userAgent: 'poolwright-demo' });
  const ask = async <T>(client: HttpClient, method: HttpMethod, path: string, body?: Json): Promise<T> => {
    const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : undefined;
    const answer = await client.request({ method, path, timeoutMs, ...defined({ body, headers }) });
    if (!answer.ok) throw new Error(answer.message);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
    return answer.json() as T;
  };
  return {
    async look() {
      const { items } = await ask<{ items: StoredRequest[] }>(management, 'GET', collection);
      const ledger = world.ledger();
      return {
        requests: items,
        living: ledger.filter(({ goneAt }) => goneAt === null),
        clustersMade: ledger.filter(isCluster).length,
        machines: world.machines(),
      };
    },
    async create(name, spec) {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: team } };
      const path = '/api/v1/namespaces';
      await management.request({ method: 'POST', path, timeoutMs, body: namespace });
      const metadata = { name, namespace: team };
      await ask(management, 'POST', collection, {
        apiVersion: 'poolwright.dev/v1alpha1',
        kind: 'ClusterRequest',
        metadata,
        spec,
      });
    },
    annotate: (name, annotations) => ask(management, 'PATCH', `${collection}/${name}`, { metadata: { annotations } }),
    remove: (name) => ask(management, 'DELETE', `${collection}/${name}`),
    refuseForQuota: (cluster) => world.refuseForQuota(cluster),
    raiseQuota: () => world.raiseQuota(),
    async nodesOf(cluster) {
      const baseUrl = world.apiOf(cluster);
      if (baseUrl === undefined) return [];
      const client = createHttpClient({ baseUrl, userAgent: 'poolwright-demo' });
      try {
        return (await ask<{ items: Node[] }>(client, 'GET', '/api/v1/nodes')).items;
      } finally {
        client.close();
      }
    },
    twice: () => doubled(world.ledger()).length,
    close: () => management.close(),
  };
}
