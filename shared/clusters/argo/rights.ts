/** What the pods of the exported workflow may do: the kinds that it applies in its own namespace, and nothing of Secrets. */
import type { JsonObject } from '../../base/json.ts';
import type { Manifest } from '../manifests/manifest.ts';
import { resourceOf } from '../manifests/resources.ts';

export function workflowRights(name: string, namespace: string, manifests: readonly Manifest[]): JsonObject[] {
  const pluralsByGroup = new Map<string, Set<string>>();
  for (const manifest of manifests) {
    const { group, plural } = resourceOf(manifest);
    pluralsByGroup.set(group, (pluralsByGroup.get(group) ?? new Set()).add(plural));
  }
  const metadata = { name, namespace };
  const rules = [
    // How the executor of a step tells the controller what became of it.
    { apiGroups: ['argoproj.io'], resources: ['workflowtaskresults'], verbs: ['create', 'patch'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create'] },
    ...[...pluralsByGroup].map(([group, plurals]) => ({
      apiGroups: [group],
      resources: [...plurals].sort(),
      verbs: ['get', 'list', 'watch', 'create', 'patch'],
    })),
  ];
  const rbac = 'rbac.authorization.k8s.io';
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ];
}
