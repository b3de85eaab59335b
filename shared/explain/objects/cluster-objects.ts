/** What the cluster itself says about a pool or a node class. A host asks it, and the command does where no host can be asked. */
import { ok, type Result } from '../../base/result.ts';
import { isTrue } from '../../kube/conditions.ts';
import { type ClusterApi, nodeClaims, nodePools, type Resource } from '../../kube/contract.ts';
import { listAll } from '../../kube/list-all.ts';
import { conditionTypes, labels } from '../../nodes/claims/spec/well-known.ts';
import type { StoredPool } from '../../nodes/disruption/types.ts';
import type { WithStatus } from '../../nodes/pools/object-status.ts';
import { isOwnedBy } from '../../nodes/pools/observe.ts';
import type { StoredClaim } from '../../nodes/steps/claim-access.ts';
import { shapeClaim } from '../../nodes/steps/claim-shape.ts';
import type { NodeClassKind } from '../../providers/contract.ts';
import { eventsAbout, type ShownEvent } from '../cluster-view.ts';
import { firstUnmet } from '../first-unmet.ts';
import type { PoolClaimFact } from './facts.ts';

export interface PoolView {
  pool: StoredPool;
  claims: PoolClaimFact[];
  events: ShownEvent[];
  /** The caller may not list Events. */
  eventsUnread: boolean;
}

/** `not-found` where there is none. */
export async function readPool(api: ClusterApi, name: string, signal?: AbortSignal): Promise<Result<PoolView>> {
  const got = await api.get<StoredPool>(nodePools, { name }, signal);
  if (!got.ok) return got;
  const pool = got.value;
  const claims = await claimsOf(api, pool, signal);
  if (!claims.ok) return claims;
  const told = await eventsAbout(api, pool.metadata.uid);
  return ok({ pool, claims: claims.value, events: told ?? [], eventsUnread: told === undefined });
}

async function claimsOf(api: ClusterApi, pool: StoredPool, signal?: AbortSignal): Promise<Result<PoolClaimFact[]>> {
  let claims: PoolClaimFact[] = [];
  const listed = await listAll<StoredClaim>(
    api,
    nodeClaims,
    { labelSelector: `${labels.nodePool}=${pool.metadata.name}` },
    {
      onStart: () => {
        claims = [];
      },
      onItem: (stored) => {
        const claim = shapeClaim(stored);
        if (!isOwnedBy(claim, pool)) return;
        const ready =
          claim.metadata.deletionTimestamp === undefined && isTrue(claim.status?.conditions, conditionTypes.ready);
        claims.push({ name: claim.metadata.name, ready, why: firstUnmet(claim) });
      },
    },
    signal,
  );
  return listed.ok ? ok(claims) : listed;
}

export interface NodeClassView {
  kind: NodeClassKind;
  nodeClass: WithStatus;
  /** Names of the pools that refer to it. */
  pools: string[];
  events: ShownEvent[];
  eventsUnread: boolean;
}

/** Of all kinds that have one of this name. A kind that the cluster does not have has none. */
export async function readNodeClasses(
  api: ClusterApi,
  kinds: readonly NodeClassKind[],
  name: string,
  signal?: AbortSignal,
): Promise<Result<NodeClassView[]>> {
  const found: NodeClassView[] = [];
  for (const kind of kinds) {
    const got = await api.get<WithStatus>(resourceFor(kind), { name }, signal);
    if (!got.ok && got.error.kind === 'not-found') continue;
    if (!got.ok) return got;
    const told = await eventsAbout(api, got.value.metadata.uid);
    const pools = await poolsWith(api, kind, name, signal);
    if (!pools.ok) return pools;
    found.push({
      kind,
      nodeClass: got.value,
      pools: pools.value,
      events: told ?? [],
      eventsUnread: told === undefined,
    });
  }
  return ok(found);
}

async function poolsWith(
  api: ClusterApi,
  { group, kind }: NodeClassKind,
  name: string,
  signal?: AbortSignal,
): Promise<Result<string[]>> {
  let pools: string[] = [];
  const listed = await listAll<StoredPool>(
    api,
    nodePools,
    {},
    {
      onStart: () => {
        pools = [];
      },
      onItem: ({ metadata, spec }) => {
        const ref = spec?.template?.spec?.nodeClassRef;
        if (ref?.kind === kind && ref.name === name && (ref.group ?? group) === group) pools.push(metadata.name);
      },
    },
    signal,
  );
  // A cluster without NodePools has node classes for claims.
  return listed.ok ? ok(pools) : listed.error.kind === 'not-found' ? ok([]) : listed;
}

export const resourceFor = ({ group, version, kind, plural }: NodeClassKind): Resource => ({
  group,
  version,
  kind,
  plural,
  namespaced: false,
});
