/** Pools and node classes that are not ready: a failing pool has no claim that would show it. */
import type { Check } from '../../../../../shared/base/checks.ts';
import { resourceFor } from '../../../../../shared/explain/objects/cluster-objects.ts';
import { nodeClassUnmet, type ObjectUnmet, poolUnmet } from '../../../../../shared/explain/objects/unmet.ts';
import { failureCodes, nodePools } from '../../../../../shared/kube/contract.ts';
import { listAll } from '../../../../../shared/kube/list-all.ts';
import type { StoredPool } from '../../../../../shared/nodes/disruption/types.ts';
import type { WithStatus } from '../../../../../shared/nodes/pools/object-status.ts';
import type { ClusterServices } from '../../../../../shared/nodes/steps/services.ts';
import { findError } from '../../../../../shared/observe/errors/catalog.ts';
import { kindsOf } from '../../../../../shared/providers/serving.ts';

const group = 'Pools and node classes';

export async function poolChecks(cluster: ClusterServices, signal: AbortSignal): Promise<Check[]> {
  const label = `cluster ${cluster.name}: pools`;
  let found: Check[] = [];
  let ours = 0;
  const listed = await listAll<StoredPool>(
    cluster.api,
    nodePools,
    {},
    {
      onStart: () => {
        found = [];
        ours = 0;
      },
      onItem: (pool) => {
        const { metadata: template = {}, spec } = pool.spec.template;
        const { labels = {}, annotations = {} } = template;
        if (cluster.serving({ nodeClassRef: spec.nodeClassRef, labels, annotations }).length === 0) return;
        ours += 1;
        const unmet = worthTelling(poolUnmet(pool));
        const { name } = pool.metadata;
        const { replicas } = pool.spec;
        const count = replicas === undefined ? '' : ` (${pool.status?.nodes ?? 0} of ${replicas} nodes)`;
        if (unmet) found.push(checkOf(`${label}: ${name}`, unmet, count, `poolwright explain pool/${name}`));
      },
    },
    signal,
  );
  if (!listed.ok) {
    // A cluster need not have NodePools.
    if (listed.error.code === failureCodes.notServed) return [];
    return [{ group, name: label, state: 'warn', message: `not checked: ${listed.error.message}` }];
  }
  return summed(label, ours, found);
}

export async function nodeClassChecks(
  { name, api, providers }: ClusterServices,
  signal: AbortSignal,
): Promise<Check[]> {
  const label = `cluster ${name}: node classes`;
  const found: Check[] = [];
  let count = 0;
  for (const kind of kindsOf(providers)) {
    let ofKind: Check[] = [];
    let here = 0;
    const { optional = false } = kind;
    const listed = await listAll<WithStatus>(
      api,
      resourceFor(kind),
      {},
      {
        onStart: () => {
          ofKind = [];
          here = 0;
        },
        onItem: (nodeClass) => {
          here += 1;
          const unmet = worthTelling(nodeClassUnmet(nodeClass, { optional }));
          const path = `${kind.kind}/${nodeClass.metadata.name}`;
          // What another provisioner says of its own class binds only that one.
          if (!unmet || optional) return;
          ofKind.push(checkOf(`${label}: ${path}`, unmet, '', `poolwright explain nodeclass/${path}`));
        },
      },
      signal,
    );
    // That a definition is missing is a check of its own.
    if (!listed.ok && listed.error.code !== failureCodes.notServed) {
      ofKind = [{ group, name: label, state: 'warn', message: `not checked: ${listed.error.message}` }];
    }
    count += here;
    found.push(...ofKind);
  }
  return summed(label, count, found);
}

/** What comes or goes as it was asked to is in order. */
const worthTelling = (unmet: ObjectUnmet | undefined): ObjectUnmet | undefined =>
  unmet?.reason === 'Scaling' || unmet?.reason === 'Deleting' ? undefined : unmet;

/** So many are listed; the rest is a number. */
const most = 20;

function summed(name: string, count: number, found: readonly Check[]): Check[] {
  if (found.length === 0) {
    const message = count === 0 ? 'none' : `${count} served by this deployment, none of them failing`;
    return [{ group, name, state: 'pass', message }];
  }
  // Failures first: the list may be cut.
  const worst = found.toSorted((a, b) => rank(a) - rank(b));
  if (worst.length <= most) return worst;
  const rest = worst.slice(most);
  const state = rest.some((one) => one.state === 'fail') ? 'fail' : 'warn';
  return [...worst.slice(0, most), { group, name, state, message: `${rest.length} more of ${count} are not ready` }];
}

const rank = ({ state }: Check): number => (state === 'fail' ? 0 : 1);

function checkOf(name: string, { reason, message, severity }: ObjectUnmet, count: string, repair: string): Check {
  return {
    group,
    name,
    state: severity === 'failed' ? 'fail' : 'warn',
    message: `${reason}: ${message}${count}`,
    ...(findError(reason) === undefined ? {} : { code: reason }),
    repair,
  };
}
