/** Rights on KRO's kinds, which nothing needs once there is no graph any more. Those of KRO itself go with its chart, and are left. */
import type { Json } from '../../../base/json.ts';
import { ok, type Result } from '../../../base/result.ts';
import {
  type ClusterApi,
  failureCodes,
  type JsonPatchOperation,
  type KubeObject,
  type Resource,
} from '../../../kube/contract.ts';
import { listAll } from '../../../kube/list-all.ts';

interface Rule {
  apiGroups?: string[];
  [field: string]: unknown;
}

interface Role extends KubeObject {
  rules?: Rule[];
}

const group = 'rbac.authorization.k8s.io';
const clusterRoles: Resource = { group, version: 'v1', plural: 'clusterroles', kind: 'ClusterRole', namespaced: false };
const roles: Resource = { group, version: 'v1', plural: 'roles', kind: 'Role', namespaced: true };
const kroGroups = new Set(['kro.run', 'internal.kro.run']);

export interface RoleWithRights {
  resource: Resource;
  name: string;
  namespace?: string;
  /** Without KRO's groups nothing would be left of it. */
  onlyKro: boolean;
}

/** Of others than KRO itself: its chart names its roles after it. */
const isOfKro = ({ metadata }: Role): boolean =>
  metadata.labels?.['app.kubernetes.io/name'] === 'kro' || /^(kro|kro[-:].*)$/.test(metadata.name);

export async function rolesWithRights(api: ClusterApi, signal: AbortSignal): Promise<Result<RoleWithRights[]>> {
  const found: RoleWithRights[] = [];
  for (const resource of [clusterRoles, roles]) {
    const onItem = (role: Role): void => {
      if (isOfKro(role) || !namesKro(role.rules ?? [])) return;
      const { name, namespace } = role.metadata;
      const onlyKro = without(role.rules ?? []).length === 0;
      found.push({ resource, name, ...(namespace === undefined ? {} : { namespace }), onlyKro });
    };
    const listed = await listAll<Role>(api, resource, {}, { onItem }, signal);
    if (!listed.ok && listed.error.code !== failureCodes.notServed) return listed;
  }
  return ok(found);
}

const namesKro = (rules: readonly Rule[]): boolean =>
  rules.some(({ apiGroups = [] }) => apiGroups.some((one) => kroGroups.has(one)));

const without = (rules: readonly Rule[]): Rule[] =>
  rules.flatMap((rule) => {
    const { apiGroups = [] } = rule;
    const kept = apiGroups.filter((one) => !kroGroups.has(one));
    if (kept.length === apiGroups.length) return [rule];
    return kept.length === 0 ? [] : [{ ...rule, apiGroups: kept }];
  });

/** A role stays, even without rules: bindings name it, and it may get others again. */
export async function removeRights(api: ClusterApi, role: RoleWithRights, signal: AbortSignal): Promise<Result<void>> {
  const ref = { name: role.name, ...(role.namespace === undefined ? {} : { namespace: role.namespace }) };
  const read = await api.get<Role>(role.resource, ref, signal);
  if (!read.ok) return read.error.kind === 'not-found' ? ok(undefined) : read;
  const { rules = [], metadata } = read.value;
  if (!namesKro(rules)) return ok(undefined);
  const operations: JsonPatchOperation[] = [
    { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
    { op: 'replace', path: '/rules', value: JSON.parse(JSON.stringify(without(rules))) as Json },
  ];
  const written = await api.jsonPatch(role.resource, ref, operations, {}, signal);
  return written.ok ? ok(undefined) : written;
}
