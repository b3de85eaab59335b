/** The paths of Azure Resource Manager that the stand-in knows, for whole clusters and what belongs to them. */
import type { Offer } from './offers.ts';
import { types } from './shapes.ts';

export type Route =
  | { to: 'resource'; id: string; type: string }
  /** Everything of one type below an id; of role assignments, wherever they are. */
  | { to: 'list'; above: string; type: string }
  | { to: 'groups' }
  /** Of the subscription, or of one group. */
  | { to: 'resources'; above: string }
  | { to: 'tags'; id: string }
  | { to: 'credentials'; id: string; admin: boolean }
  | { to: 'operation'; id: string }
  | { to: 'offer'; what: Offer; location: string };

const part = '[^/]+';
const group = `/subscriptions/${part}/resourceGroups/${part}`;
const cluster = `${group}/providers/Microsoft.ContainerService/managedClusters/${part}`;
const identity = `${group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${part}`;
const configuration = '/providers/Microsoft.KubernetesConfiguration';
const tags = '/providers/Microsoft.Resources/tags/default';

const at = (path: string): RegExp => new RegExp(`^${path}$`, 'i');
const cut = (path: string, ending: string): string => path.slice(0, -ending.length);

const resources: readonly [RegExp, string][] = [
  [at(group), types.group],
  [at(identity), types.identity],
  [at(`${identity}/federatedIdentityCredentials/${part}`), types.credential],
  [at(`/.+/providers/Microsoft.Authorization/roleAssignments/${part}`), types.role],
  [at(cluster), types.cluster],
  [at(`${cluster}/agentPools/${part}`), types.pool],
  [at(`${cluster}${configuration}/extensions/${part}`), types.extension],
  [at(`${cluster}${configuration}/fluxConfigurations/${part}`), types.flux],
];

const lists: readonly [RegExp, string, string][] = [
  [at(`${identity}/federatedIdentityCredentials`), '/federatedIdentityCredentials', types.credential],
  [at(`${cluster}/agentPools`), '/agentPools', types.pool],
  [at(`${cluster}${configuration}/extensions`), `${configuration}/extensions`, types.extension],
  [at(`${cluster}${configuration}/fluxConfigurations`), `${configuration}/fluxConfigurations`, types.flux],
  [
    at(`/subscriptions/${part}/providers/Microsoft.Authorization/roleAssignments`),
    '/providers/Microsoft.Authorization/roleAssignments',
    types.role,
  ],
];

const offers: readonly [RegExp, Offer][] = [
  [at(`/subscriptions/${part}/locations`), 'locations'],
  [at(`/subscriptions/${part}/providers`), 'providers'],
  [at(`/subscriptions/${part}/providers/Microsoft.ContainerService`), 'provider'],
  [
    at(`/subscriptions/${part}/providers/Microsoft.ContainerService/locations/(${part})/kubernetesVersions`),
    'versions',
  ],
  [at(`/subscriptions/${part}/providers/Microsoft.Compute/skus`), 'skus'],
  [at(`/subscriptions/${part}/providers/Microsoft.Compute/locations/(${part})/usages`), 'usages'],
];

export function routeOf(path: string): Route | undefined {
  for (const [pattern, what] of offers) {
    const [found, location = ''] = pattern.exec(path) ?? [];
    if (found !== undefined) return { to: 'offer', what, location };
  }
  if (at(`/subscriptions/${part}/resourcegroups`).test(path)) return { to: 'groups' };
  if (at(`(${group}|/subscriptions/${part})/resources`).test(path)) {
    return { to: 'resources', above: cut(path, '/resources') };
  }
  if (path.toLowerCase().endsWith(tags.toLowerCase())) return { to: 'tags', id: cut(path, tags) };
  for (const [ending, admin] of [
    ['/listClusterAdminCredential', true],
    ['/listClusterUserCredential', false],
  ] as const) {
    if (at(`${cluster}${ending}`).test(path)) return { to: 'credentials', id: cut(path, ending), admin };
  }
  if (at(`/subscriptions/${part}/operations/${part}`).test(path)) {
    return { to: 'operation', id: path.split('/').at(-1) ?? '' };
  }
  const list = lists.find(([pattern]) => pattern.test(path));
  if (list !== undefined) return { to: 'list', above: cut(path, list[1]), type: list[2] };
  const found = resources.find(([pattern]) => pattern.test(path));
  return found === undefined ? undefined : { to: 'resource', id: path, type: found[1] };
}
