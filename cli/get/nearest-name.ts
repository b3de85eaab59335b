/** The name that was perhaps meant by one that is not there. */
import { didYouMean } from '../../shared/claims/nearest.ts';
import type { ClusterApi, KubeObject, Resource } from '../../shared/cluster/contract.ts';

const sample = 500;

export async function nearestName(api: ClusterApi, resource: Resource, name: string): Promise<string> {
  const page = await api.list<KubeObject>(resource, { limit: sample });
  if (!page.ok) return '';
  return didYouMean(
    name,
    page.value.items.map(({ metadata }) => metadata.name),
  );
}
