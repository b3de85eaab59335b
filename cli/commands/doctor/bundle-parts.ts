/** What goes into an archive, and where each part comes from. */
import {
  type ClusterApi,
  events,
  type KubeObject,
  leases,
  nodeClaims,
  nodePools,
  nodes,
  type Resource,
} from '../../../shared/kube/contract.ts';
import { manifests } from '../../../shared/providers/manifests.ts';
import { kindsOf } from '../../../shared/providers/serving.ts';
import { allPages, type HostApi } from '../../reach/host-api.ts';
import type { Patient } from './patient.ts';

export interface Part {
  /** In the archive. */
  name: string;
  what: string;
  /** A text as it is, or what becomes JSON. Throws what is then said to be missing. */
  read(): Promise<unknown>;
}

const mostObjects = 1000;
const mostWorkflows = 500;
const mostLetters = 200;
const mostLines = 1000;

export const partsOf = ({ cluster, host }: Patient): Part[] => [
  ...hostParts(async () => {
    if ('problem' in host) throw host.problem;
    return host.api;
  }),
  ...clusterParts(async () => {
    if ('problem' in cluster) throw cluster.problem;
    return cluster.api;
  }),
];

function hostParts(api: () => Promise<HostApi>): Part[] {
  const get = (name: string, what: string, path: string): Part => ({
    name: `host/${name}.json`,
    what,
    read: async () => (await api()).ask('GET', path),
  });
  const pages = (name: string, what: string, path: string, most: number): Part => ({
    name: `host/${name}.json`,
    what,
    read: async () => (await allPages<unknown>(await api(), path, {}, most)).slice(0, most),
  });
  return [
    get('health', 'the host version', '/healthz'),
    get('clusters', 'which clusters it serves, and which deployment acts on each', '/v1/clusters'),
    get('providers', 'its providers', '/v1/providers'),
    get('pauses', 'what is paused', '/v1/pauses'),
    get('instances', 'the first instances that it knows', '/v1/instances'),
    get('unavailable-offerings', 'offerings that were recently unavailable', '/v1/offerings/unavailable'),
    pages('workflows', 'workflows', '/v1/workflows', mostWorkflows),
    pages('dead-letters', 'messages that could not be processed', '/v1/dead-letters', mostLetters),
    {
      name: 'host/logs.json',
      what: 'recent lines of its log',
      read: async () => (await api()).ask('GET', '/v1/logs', { query: { limit: mostLines } }),
    },
    { name: 'host/metrics.txt', what: 'its metrics', read: async () => (await api()).text('/metrics') },
  ];
}

function clusterParts(api: () => Promise<ClusterApi>): Part[] {
  const list = (resource: Resource, what: string, more: { namespace?: string; fieldSelector?: string } = {}): Part => ({
    name: `cluster/${resource.plural}.json`,
    what,
    read: async () => listed(await api(), resource, more),
  });
  const classes = kindsOf(manifests).map((kind) =>
    list({ ...kind, namespaced: false }, `node classes of the kind ${kind.kind}`),
  );
  return [
    list(nodeClaims, 'claims'),
    list(nodePools, 'pools'),
    list(nodes, 'nodes'),
    // Those of cluster-wide objects live in this namespace.
    list(events, 'Events about claims, pools, node classes and nodes', { namespace: 'default' }),
    list(leases, 'the Lease that names the acting deployment', {
      namespace: 'kube-system',
      fieldSelector: 'metadata.name=poolwright',
    }),
    ...classes,
  ];
}

async function listed(
  api: ClusterApi,
  resource: Resource,
  more: { namespace?: string; fieldSelector?: string },
): Promise<unknown> {
  const page = await api.list<KubeObject>(resource, { ...more, limit: mostObjects });
  if (!page.ok) throw new Error(page.error.message);
  return page.value.continue === undefined ? page.value.items : { cut: true, items: page.value.items };
}
