/** What a static pool has: one list of claims, and one of nodes where a decision depends on them. No read per claim. */

import { defined } from '../../base/defined.ts';
import type { Result } from '../../base/result.ts';
import { ok } from '../../base/result.ts';
import { findCondition, isTrue } from '../../kube/conditions.ts';
import { nodeClaims, nodes } from '../../kube/contract.ts';
import { listAll } from '../../kube/list-all.ts';
import { addResources, formatResources, noResources, parseResources } from '../claims/spec/resources.ts';
import { annotations, conditionTypes, labels } from '../claims/spec/well-known.ts';
import { outdatedBecause, type Today } from '../disruption/drift.ts';
import type { PoolClaim, StoredPool } from '../disruption/types.ts';
import { isReady, type StoredNode } from '../node-objects/node-stages.ts';
import { type StoredClaim, viewClaim } from '../steps/claim-access.ts';
import { shapeClaim } from '../steps/claim-shape.ts';
import type { ClusterServices } from '../steps/services.ts';

export interface Observed {
  claims: PoolClaim[];
  /** As they are stored, by name; those of others that carry the pool's label included. */
  stored: Map<string, StoredClaim>;
}

/** Whose label a claim carries is a matter of taste; whose it is, its owner reference says. */
export const isOwnedBy = ({ metadata }: StoredClaim, pool: StoredPool): boolean =>
  metadata.ownerReferences?.some(({ kind, uid }) => kind === 'NodePool' && uid === pool.metadata.uid) ?? false;

export async function observeClaims(
  { api }: ClusterServices,
  pool: StoredPool,
  today: Today,
  signal: AbortSignal,
): Promise<Result<Observed>> {
  const claims: PoolClaim[] = [];
  const stored = new Map<string, StoredClaim>();
  const listed = await listAll<StoredClaim>(
    api,
    nodeClaims,
    { labelSelector: `${labels.nodePool}=${pool.metadata.name}` },
    {
      onStart: () => {
        claims.length = 0;
        stored.clear();
      },
      onItem: (raw) => {
        const claim = shapeClaim(raw);
        stored.set(claim.metadata.name, claim);
        if (isOwnedBy(claim, pool)) claims.push(toPoolClaim(claim, today));
      },
    },
    signal,
  );
  return listed.ok ? ok({ claims, stored }) : listed;
}

export function toPoolClaim(claim: StoredClaim, today: Today): PoolClaim {
  const { metadata, status } = claim;
  const view = viewClaim(claim);
  const joined = findCondition(status?.conditions, conditionTypes.initialized);
  const initialized = joined?.status === 'True';
  // Only what was bought can be compared with what is wanted now.
  const offering = view.launched ? view.record?.offering : undefined;
  const outdated = outdatedBecause(claim, offering, today);
  const replaces = metadata.annotations?.[annotations.replaces];
  return {
    name: metadata.name,
    uid: metadata.uid,
    createdAt: Date.parse(metadata.creationTimestamp),
    deleting: view.deleting,
    launched: status?.providerID !== undefined,
    initialized,
    ...(initialized ? { initializedAt: Date.parse(joined.lastTransitionTime) } : {}),
    nodeReady: initialized,
    doNotDisrupt: metadata.annotations?.[annotations.doNotDisrupt] === 'true',
    ...defined({ outdated, replaces }),
  };
}

/** Whether the nodes are ready now, and whether somebody marked them. */
export async function observeNodes(
  { api }: ClusterServices,
  pool: StoredPool,
  { claims, stored }: Observed,
  signal: AbortSignal,
): Promise<Result<PoolClaim[]>> {
  const byName = new Map<string, { ready: boolean; marked: boolean }>();
  const listed = await listAll<StoredNode>(
    api,
    nodes,
    { labelSelector: `${labels.nodePool}=${pool.metadata.name}` },
    {
      onStart: () => byName.clear(),
      onItem: (node) => {
        const marked = node.metadata.annotations?.[annotations.doNotDisrupt] === 'true';
        byName.set(node.metadata.name, { ready: isReady(node), marked });
      },
    },
    signal,
  );
  if (!listed.ok) return listed;
  return ok(
    claims.map((claim) => {
      const node = byName.get(stored.get(claim.name)?.status?.nodeName ?? '');
      return {
        ...claim,
        nodeReady: claim.initialized && node?.ready === true,
        doNotDisrupt: claim.doNotDisrupt || node?.marked === true,
      };
    }),
  );
}

/** What the pool's machines have together, and how many nodes have joined. */
export function sumOf({ claims, stored }: Observed): { nodes: number; resources: Record<string, string> } {
  let nodes = 0;
  let sum = noResources;
  for (const { name, deleting } of claims) {
    const claim = stored.get(name);
    if (!claim) continue;
    if (!deleting && isTrue(claim.status?.conditions, conditionTypes.registered)) nodes++;
    const capacity = parseResources(claim.status?.capacity);
    if (capacity.ok) sum = addResources(sum, capacity.value);
  }
  return { nodes, resources: { ...formatResources(sum), nodes: String(nodes) } };
}
