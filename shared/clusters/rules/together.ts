/**
 * Requests that are in each other's way. The operator takes over what exists in Azure under the same name, without a word: two requests
 * for one cluster would change it back and forth, and the first that is deleted deletes it for both.
 */
import type { Resolved } from '../resolved/resolve.ts';
import type { Finding } from './finding.ts';

export interface Placed {
  resolved: Resolved;
  /** Where its author finds it: a file with its line, or a name. */
  where: string;
}

/** The findings of each, in the same order; the first of two that collide has none. Azure ignores case in names. */
export function findingsAmong(requests: readonly Placed[]): Finding[][] {
  const objects = new Map<string, string>();
  const clusters = new Map<string, string>();
  const groups = new Map<string, string>();
  return requests.map(({ resolved, where }) => {
    const { namespace, name, clusterName, resourceGroup } = resolved;
    const findings: Finding[] = [];
    const report = (severity: Finding['severity'], field: string, cause: string, fix: string): void =>
      void findings.push({ severity, field, code: 'ClusterRequestsCollide', cause, fix });
    // A namespace is a subscription, and names in another one are other names.
    const group = `${namespace}/${resourceGroup.toLowerCase()}`;
    const cluster = `${group}/${clusterName.toLowerCase()}`;
    const object = `${namespace}/${name}`;
    const [sameObject, sameCluster, sameGroup] = [objects.get(object), clusters.get(cluster), groups.get(group)];
    if (sameObject !== undefined) {
      report(
        'error',
        'metadata.name',
        `${object} is requested already, in ${sameObject}`,
        'give one of the two another name',
      );
    } else if (sameCluster !== undefined) {
      const cause = `cluster ${clusterName} in resource group ${resourceGroup} is requested already, in ${sameCluster}`;
      report('error', 'spec.clusterName', cause, 'give one of the two another clusterName or resourceGroup');
    } else if (sameGroup !== undefined) {
      const cause = `resource group ${resourceGroup} is used already, in ${sameGroup}, and is deleted with the request that made it`;
      report('warning', 'spec.resourceGroup', cause, 'use a resource group of its own for each cluster');
    }
    if (!objects.has(object)) objects.set(object, where);
    if (!clusters.has(cluster)) clusters.set(cluster, where);
    if (!groups.has(group)) groups.set(group, where);
    return findings;
  });
}
