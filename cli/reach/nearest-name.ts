/** The name that was perhaps meant by one that is not there. */
import { didYouMean } from '../../shared/base/nearest.ts';
import type { ClusterApi, KubeObject, Resource } from '../../shared/kube/contract.ts';

const sample = 500;

/** ` There is no NodeClaim "frist" now; did you mean "first"?`, or nothing where it is there or nobody can say. */
export async function unlessThere(api: ClusterApi, resource: Resource, name: string): Promise<string> {
  const found = await api.get(resource, { name });
  if (found.ok || found.error.kind !== 'not-found') return '';
  return ` There is no ${resource.kind} ${JSON.stringify(name)} now${await nearestName(api, resource, name)}`;
}

export async function nearestName(api: ClusterApi, resource: Resource, name: string): Promise<string> {
  const page = await api.list<KubeObject>(resource, { limit: sample });
  if (!page.ok) return '';
  return didYouMean(
    name,
    page.value.items.map(({ metadata }) => metadata.name),
  );
}
