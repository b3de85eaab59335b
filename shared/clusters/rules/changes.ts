/**
 * What a change of a request means for a cluster that exists: whether it is made in place, needs other nodes, or can't be made at all. Both
 * requests are compared with their defaults filled in, so to write a default out changes nothing. A field that is not in the table counts
 * as one that cannot change: a cluster is not the place to find out.
 */
import { isObject } from '../../base/json.ts';
import type { Resolved } from '../resolved/resolve.ts';
import { minorNumber } from './offered-versions.ts';

/** `new-nodes`: nodes are replaced, the cluster stays. */
export type ChangeClass = 'in-place' | 'new-nodes' | 'new-cluster';

export interface Change {
  /** Like `spec.network.podCidr`. */
  field: string;
  class: ChangeClass;
  why: string;
}

const inPlace: readonly string[] = [
  'kubernetesVersion',
  'tier',
  'supportPlan',
  'upgradeChannel',
  'nodeOSUpgradeChannel',
  'systemPool.count',
  'nodePool.limits',
  'nodePool.replicas',
  'nodePool.minCount',
  'nodePool.maxCount',
  'nodePool.consolidationPolicy',
  'nodePool.consolidateAfter',
  'network.authorizedIPRanges',
  'identity.federatedCredentials',
  'access',
  'addOns',
  'gitOps.url',
  'gitOps.branch',
  'gitOps.tag',
  'gitOps.semver',
  'gitOps.commit',
  'gitOps.secretRef',
  'gitOps.public',
  'gitOps.provider',
  'gitOps.interval',
  'gitOps.kustomizations',
  'tags',
  'lifetime',
  'deleteGuard',
  'dryRun',
  'aso',
];

const fixedFields: Readonly<Record<string, string>> = {
  name: 'it identifies the request',
  namespace: 'it identifies the request',
  clusterName: 'Azure never renames a cluster',
  location: 'a cluster never moves',
  resourceGroup: 'a cluster stays in its resource group',
  nodeResourceGroup: 'AKS sets it at creation only',
  dnsPrefix: 'AKS sets it at creation only',
  network: 'AKS sets it at creation only',
  identity: 'the roles of the cluster belong to its identity',
  systemPool: 'the first pool of a cluster keeps its size, disk and zones',
  driver: 'one driver owns what it has created',
};

/** Sorted by field. Empty: nothing changes. */
export function changesBetween(before: Resolved, after: Resolved): Change[] {
  const fields = differences(before, after, '');
  return fields.map((field) => classified(field, before, after)).sort((a, b) => (a.field < b.field ? -1 : 1));
}

function classified(field: string, before: Resolved, after: Resolved): Change {
  const change = (name: ChangeClass, why: string): Change => ({ field: `spec.${field}`, class: name, why });
  const within = (prefix: string): boolean => field === prefix || field.startsWith(`${prefix}.`);
  if (field === 'kubernetesVersion') {
    const fault = upgradeFault(before.kubernetesVersion, after.kubernetesVersion);
    return fault === undefined
      ? change('in-place', 'AKS upgrades the cluster, then its nodes')
      : change('new-cluster', fault);
  }
  if (field === 'addOns.workloadIdentity' && !after.addOns.workloadIdentity) {
    return change('new-cluster', 'AKS cannot switch the OIDC issuer off again');
  }
  if (field === 'nodes') {
    return after.nodes === 'nap'
      ? change(
          'in-place',
          'node auto-provisioning can be switched on at any time; nodes of before stay until they are removed',
        )
      : change('new-cluster', 'nodes of one kind would have to be removed before those of the other come');
  }
  if (within('gitOps') && (before.gitOps === undefined || after.gitOps === undefined)) {
    return change('in-place', after.gitOps === undefined ? 'Flux stops; what it has applied stays' : 'Flux is set up');
  }
  if (within('nodePool') && !inPlace.some(within)) return change('new-nodes', 'nodes keep what they were created with');
  if (inPlace.some(within)) return change('in-place', 'it is applied to the live cluster');
  const known = Object.keys(fixedFields).find(within);
  return change('new-cluster', known === undefined ? 'it is not known to change safely' : (fixedFields[known] ?? ''));
}

/** AKS goes up one minor version at a time, and never down. */
function upgradeFault(before: string | undefined, after: string | undefined): string | undefined {
  if (after === undefined) return undefined;
  if (before === undefined) return undefined;
  const step = minorNumber(after) - minorNumber(before);
  const patch = (version: string): number => Number(version.split('.')[2] ?? Number.POSITIVE_INFINITY);
  if (step < 0 || (step === 0 && patch(after) < patch(before))) return 'AKS cannot go back to an older version';
  return step > 1 ? 'AKS upgrades by one minor version at a time: choose the next one first' : undefined;
}

/** The innermost fields that differ; a list counts as one field, and so does what only one side has. */
function differences(a: unknown, b: unknown, path: string): string[] {
  if (!isObject(a) || !isObject(b)) return canonical(a) === canonical(b) ? [] : [path];
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].flatMap((key) => {
    const at = path === '' ? key : `${path}.${key}`;
    return differences(a[key], b[key], at);
  });
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([x], [y]) => (x < y ? -1 : 1))) : inner,
  ) ?? '';
