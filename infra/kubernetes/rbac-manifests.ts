/** From the list of rights to what `kubectl apply` takes: service accounts, roles and their bindings, with the reason at each rule. */

import { Document } from 'yaml';
import { defined } from '../../shared/base/defined.ts';
import { type AccountName, type Right, type RightsOptions, rightsOf } from '../../shared/kube/rights.ts';

export interface RbacObject {
  apiVersion: string;
  kind: 'ServiceAccount' | 'ClusterRole' | 'ClusterRoleBinding' | 'Role' | 'RoleBinding';
  metadata: { name: string; namespace?: string; labels: Record<string, string> };
  rules?: RbacRule[];
  roleRef?: { apiGroup: string; kind: string; name: string };
  subjects?: { kind: 'ServiceAccount'; name: string; namespace: string }[];
}

interface RbacRule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

/**
 * Who runs with which rights. People have accounts of their own: for them there are roles that an administrator binds.
 * A host in the cluster and functions outside of it do the same work.
 */
export const serviceAccounts: Record<AccountName, readonly string[]> = {
  bridge: ['poolwright-bridge'],
  provisioner: ['poolwright-host', 'poolwright-functions'],
  reader: [],
  operator: [],
  installer: [],
  credentials: [],
  requests: [],
  providers: [],
  machines: [],
};

/** Rights of their own for accounts that are made with others. */
const boundTo: Record<AccountName, readonly string[]> = {
  ...serviceAccounts,
  credentials: serviceAccounts.provisioner,
  requests: serviceAccounts.provisioner,
  providers: serviceAccounts.provisioner,
  machines: serviceAccounts.provisioner,
};

const apiVersion = 'rbac.authorization.k8s.io/v1';
const labels = { 'app.kubernetes.io/name': 'poolwright', 'app.kubernetes.io/part-of': 'poolwright' };

export function rbacObjects(account: AccountName, options: RightsOptions): RbacObject[] {
  const rights = rightsOf(options)[account];
  const name = `poolwright-${account}`;
  const accounts = serviceAccounts[account];
  const subjects = boundTo[account].map((one) => ({
    kind: 'ServiceAccount' as const,
    name: one,
    namespace: options.namespace,
  }));
  const objects: RbacObject[] = accounts.map((one) => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: one, namespace: options.namespace, labels },
  }));
  const namespaces = [undefined, ...new Set(rights.flatMap(({ namespace }) => namespace ?? []))];
  for (const namespace of namespaces) {
    const kind = namespace === undefined ? 'ClusterRole' : 'Role';
    // The chart may be installed into a namespace that has roles of ours anyway, such as kube-system.
    const roleName = namespace === options.namespace ? `${name}-settings` : name;
    const metadata = { name: roleName, ...defined({ namespace }), labels };
    const rules = rights.filter((right) => right.namespace === namespace).map(ruleOf);
    if (rules.length === 0) continue;
    objects.push({ apiVersion, kind, metadata, rules });
    if (subjects.length === 0) continue;
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name: roleName };
    objects.push({ apiVersion, kind: `${kind}Binding`, metadata, roleRef, subjects });
  }
  return objects;
}

const ruleOf = ({ group, resource, names, verbs }: Right): RbacRule => ({
  apiGroups: [group],
  resources: [resource],
  ...(names === undefined ? {} : { resourceNames: [...names] }),
  verbs: [...verbs],
});

/** The same as YAML, with the reason before each rule. */
export function rbacText(account: AccountName, options: RightsOptions): string {
  const reasons = new Map(
    rightsOf(options)[account].map((right) => [JSON.stringify([right.namespace, ruleOf(right)]), right.why]),
  );
  return rbacObjects(account, options)
    .map((object) => {
      const document = new Document(object, { aliasDuplicateObjects: false });
      for (const [index, rule] of (object.rules ?? []).entries()) {
        const why = reasons.get(JSON.stringify([object.metadata.namespace, rule]));
        const node = document.getIn(['rules', index], true);
        if (why !== undefined && isNode(node)) node.commentBefore = ` ${why}`;
      }
      return document.toString({ lineWidth: 0 });
    })
    .join('---\n');
}

const isNode = (node: unknown): node is { commentBefore: string | null } => typeof node === 'object' && node !== null;
