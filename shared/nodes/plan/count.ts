/** How many machines a plan comes to, and whether the cluster has room for them. It takes no turn. */
import { ok, type Result } from '../../base/result.ts';
import { nodeClaims } from '../../kube/contract.ts';
import { listAll } from '../../kube/list-all.ts';
import { labels } from '../claims/spec/well-known.ts';
import { areTurnsCounted, turnHolders } from '../pauses/turns.ts';
import type { StoredClaim } from '../steps/claim-access.ts';
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';
import type { PlannedObject } from './object.ts';

/** The cap of the cluster; who waits for a turn holds none, so those are not among the used ones. */
export async function capOf(services: LifecycleServices, cluster: ClusterServices, machines: number) {
  const limit = cluster.maxInstances;
  if (limit === undefined) return undefined;
  const used = (await turnHolders(services, cluster)).size;
  const numbers = { used, limit, after: used + machines };
  const code = 'WaitingForTurn';
  if (!(await areTurnsCounted(services, cluster))) {
    const why = `counting the existing instances of cluster ${cluster.name} against maxInstances`;
    return { numbers, wait: { code, why } };
  }
  if (used >= limit && machines > 0) {
    return { numbers, wait: { code, why: `cluster ${cluster.name} has reached maxInstances (${limit})` } };
  }
  if (used + machines <= limit) return { numbers };
  return {
    numbers,
    hint: `only ${limit - used} of ${machines} fit under maxInstances of cluster ${cluster.name}`,
  };
}

/** A pool that is there already has some of its claims. */
export async function countOf(
  { api }: ClusterServices,
  { kind, name, replicas }: PlannedObject,
  signal: AbortSignal,
): Promise<Result<{ count: number | undefined; hints: string[] }>> {
  if (kind === 'NodeClaim') {
    const there = await api.get<StoredClaim>(nodeClaims, { name }, signal);
    if (!there.ok && there.error.kind !== 'not-found') return there;
    const hints = there.ok
      ? [`NodeClaim ${name} already exists in the cluster; this is a plan for another one like it`]
      : [];
    return ok({ count: 1, hints });
  }
  if (replicas === undefined) {
    return ok({ count: undefined, hints: ['it has no replicas, so this plan is for one claim'] });
  }
  let present = 0;
  const listed = await listAll<StoredClaim>(
    api,
    nodeClaims,
    { labelSelector: `${labels.nodePool}=${name}` },
    {
      onStart: () => {
        present = 0;
      },
      onItem: ({ metadata }) => {
        if (metadata.deletionTimestamp === undefined) present++;
      },
    },
    signal,
  );
  if (!listed.ok) return listed;
  const hints = present === 0 ? [] : [`it already has ${present} of its ${replicas} claims`];
  return ok({ count: Math.max(0, replicas - present), hints });
}
