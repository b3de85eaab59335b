/** What AKS makes for a cluster by itself: a resource group for its nodes, and an identity in there, with the tags of the cluster. */
import type { JsonObject } from '../../shared/base/json.ts';
import { type AzureResource, tagsOf } from '../aso/azure/resource.ts';
import { types } from './shapes.ts';

export function nodeGroups(living: readonly AzureResource[]): { groups: JsonObject[]; resources: JsonObject[] } {
  const groups: JsonObject[] = [];
  const resources: JsonObject[] = [];
  for (const cluster of living) {
    const { nodeResourceGroup: name } = cluster.facts;
    if (cluster.type !== types.cluster || typeof name !== 'string') continue;
    const id = `${cluster.id.split('/').slice(0, 3).join('/')}/resourceGroups/${name}`;
    const common = { location: cluster.body.location ?? '', tags: tagsOf(cluster.body) };
    groups.push({ id, name, type: types.group, ...common, managedBy: cluster.id });
    resources.push({
      id: `${id}/providers/${types.identity}/${cluster.name}-agentpool`,
      name: `${cluster.name}-agentpool`,
      type: types.identity,
      ...common,
    });
  }
  return { groups, resources };
}
