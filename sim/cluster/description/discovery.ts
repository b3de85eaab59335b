/** What kinds there are: the documents by which clients find their way. */
import type { Registry } from '../resources/registry.ts';
import { apiVersionOf, type JsonObject, type Resource } from '../types.ts';

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** The release whose behavior the simulator keeps to. */
export const serverVersion: JsonObject = {
  major: '1',
  minor: '32',
  gitVersion: 'v1.32.0-poolwright-sim',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'node',
  platform: 'sim/sim',
};

export function coreVersions(host: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: host }],
  };
}

export function groupList(registry: Registry): JsonObject {
  const groups = new Map<string, string>();
  for (const { group, version } of registry.all()) if (group !== '') groups.set(group, version);
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [...groups].sort().map(([group, version]) => groupOf(group, version)),
  };
}

export function oneGroup(registry: Registry, group: string): JsonObject | undefined {
  const resource = registry.all().find((one) => one.group === group && group !== '');
  return resource ? { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group, resource.version) } : undefined;
}

function groupOf(group: string, version: string): JsonObject {
  const groupVersion = { groupVersion: `${group}/${version}`, version };
  return { name: group, versions: [groupVersion], preferredVersion: groupVersion };
}

export function resourceList(registry: Registry, apiVersion: string): JsonObject | undefined {
  const resources = registry.all().filter((resource) => apiVersionOf(resource) === apiVersion);
  if (resources.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersion,
    resources: resources.flatMap(describe),
  };
}

function describe(resource: Resource): JsonObject[] {
  const { plural, singular, kind, namespaced, shortNames, categories } = resource;
  const entries: JsonObject[] = [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs,
      ...(shortNames.length === 0 ? {} : { shortNames }),
      ...(categories.length === 0 ? {} : { categories }),
    },
  ];
  if (resource.statusSubresource) {
    entries.push({ name: `${plural}/status`, singularName: '', namespaced, kind, verbs: ['get', 'patch', 'update'] });
  }
  if (resource.scale !== undefined) {
    entries.push({
      name: `${plural}/scale`,
      singularName: '',
      namespaced,
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
    });
  }
  if (plural === 'pods' && resource.group === '') {
    entries.push({
      name: 'pods/eviction',
      singularName: '',
      namespaced: true,
      group: 'policy',
      version: 'v1',
      kind: 'Eviction',
      verbs: ['create'],
    });
  }
  return entries;
}
