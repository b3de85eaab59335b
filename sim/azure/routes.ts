/** The paths of ARM that the stand-in knows. Names in paths are compared without regard to case, as ARM does. */

export type CallKind =
  | 'pools.put'
  | 'pools.get'
  | 'pools.list'
  | 'pools.delete'
  | 'machines.list'
  | 'operations.get'
  | 'clusters.get'
  | 'clusters.credentials'
  | 'skus.list'
  | 'usages.list'
  | 'versions.get'
  | 'permissions.list'
  | 'prices.list'
  | 'tokens';

export type Verb = 'GET' | 'PUT' | 'DELETE' | 'POST';

export type Route =
  | { to: 'pools'; cluster: string }
  | { to: 'pool'; cluster: string; name: string }
  | { to: 'machines'; cluster: string; name: string }
  | { to: 'operation'; style: 'status' | 'result'; id: string }
  | { to: 'cluster'; cluster: string }
  | { to: 'instance'; cluster: string }
  | { to: 'permissions'; cluster: string }
  | { to: 'credentials'; cluster: string; admin: boolean }
  | { to: 'arc-skus' | 'arc-versions'; customLocation: string }
  | { to: 'skus'; subscription: string }
  | { to: 'usages'; subscription: string; location: string };

const segment = '([^/]+)';
const group = `(/subscriptions/${segment}/resourceGroups/${segment}`;
const aks = `${group}/providers/Microsoft.ContainerService/managedClusters/${segment})`;
const connected = `${group}/providers/Microsoft.Kubernetes/connectedClusters/${segment})`;
const arc = `${connected}/providers/Microsoft.HybridContainerService/provisionedClusterInstances/default`;
const place = `${group}/providers/Microsoft.ExtendedLocation/customLocations/${segment})`;
const permissions = '/providers/Microsoft.Authorization/permissions';
const hybrid = '/providers/Microsoft.HybridContainerService';
const locations = `/subscriptions/${segment}/providers/(?:Microsoft.ContainerService|Microsoft.HybridContainerService)/locations/${segment}`;

const at = (path: string): RegExp => new RegExp(`^${path}/?$`, 'i');

/** The first group of a path with a cluster is the cluster's id; after it come subscription, resource group and name. */
const table: readonly [RegExp, (found: string[]) => Route][] = [
  [at(`${aks}/agentPools`), ([cluster = '']) => ({ to: 'pools', cluster })],
  [at(`${aks}/agentPools/${segment}`), ([cluster = '', , , , name = '']) => ({ to: 'pool', cluster, name })],
  [
    at(`${aks}/agentPools/${segment}/machines`),
    ([cluster = '', , , , name = '']) => ({ to: 'machines', cluster, name }),
  ],
  [at(aks), ([cluster = '']) => ({ to: 'cluster', cluster })],
  [at(`${aks}/listClusterUserCredential`), ([cluster = '']) => ({ to: 'credentials', cluster, admin: false })],
  [at(`${aks}/listClusterAdminCredential`), ([cluster = '']) => ({ to: 'credentials', cluster, admin: true })],
  [at(`${arc}/agentPools`), ([cluster = '']) => ({ to: 'pools', cluster })],
  [at(`${arc}/agentPools/${segment}`), ([cluster = '', , , , name = '']) => ({ to: 'pool', cluster, name })],
  [at(connected), ([cluster = '']) => ({ to: 'cluster', cluster })],
  [at(`${aks}${permissions}`), ([cluster = '']) => ({ to: 'permissions', cluster })],
  [at(`${connected}${permissions}`), ([cluster = '']) => ({ to: 'permissions', cluster })],
  [at(arc), ([cluster = '']) => ({ to: 'instance', cluster })],
  [at(`${arc}/listUserKubeconfig`), ([cluster = '']) => ({ to: 'credentials', cluster, admin: false })],
  [at(`${arc}/listAdminKubeconfig`), ([cluster = '']) => ({ to: 'credentials', cluster, admin: true })],
  [at(`${place}${hybrid}/skus/default`), ([customLocation = '']) => ({ to: 'arc-skus', customLocation })],
  [
    at(`${place}${hybrid}/kubernetesVersions/default`),
    ([customLocation = '']) => ({ to: 'arc-versions', customLocation }),
  ],
  [at(`${locations}/operations/${segment}`), ([, , id = '']) => ({ to: 'operation', style: 'status', id })],
  [at(`${locations}/operationresults/${segment}`), ([, , id = '']) => ({ to: 'operation', style: 'result', id })],
  [
    at(`/subscriptions/${segment}/providers/Microsoft.Compute/skus`),
    ([subscription = '']) => ({ to: 'skus', subscription }),
  ],
  [
    at(`/subscriptions/${segment}/providers/Microsoft.Compute/locations/${segment}/usages`),
    ([subscription = '', location = '']) => ({ to: 'usages', subscription, location }),
  ],
];

export function routeOf(path: string): Route | undefined {
  for (const [pattern, make] of table) {
    const found = pattern.exec(path);
    if (found !== null) return make(found.slice(1));
  }
  return undefined;
}
