/**
 * Lets what waits continue now: after a pause is lifted or unavailable offerings are cleared, a person should not have to wait for the
 * next retry. Whatever is missed here is found by the timers, only later.
 */
import { eventBody } from '../../events/make.ts';
import { inParallel } from '../../shared/base/in-parallel.ts';
import { nodeClaims, nodePools } from '../../shared/kube/contract.ts';
import { listAll } from '../../shared/kube/list-all.ts';
import { formatRecord } from '../../shared/nodes/claims/attempt/annotation.ts';
import { phaseOf } from '../../shared/nodes/claims/attempt/attempt.ts';
import { annotations } from '../../shared/nodes/claims/spec/well-known.ts';
import type { StoredPool } from '../../shared/nodes/disruption/types.ts';
import { ensureWorkflow, wakeLaunch } from '../../shared/nodes/ensure.ts';
import { type Tries, triesKey } from '../../shared/nodes/pools/tries.ts';
import { type ClaimChange, changeClaim, type StoredClaim, viewClaim } from '../../shared/nodes/steps/claim-access.ts';
import { shapeClaim } from '../../shared/nodes/steps/claim-shape.ts';
import { isOurs } from '../../shared/nodes/steps/is-ours.ts';
import { refOf } from '../../shared/nodes/steps/ref.ts';
import type { ClusterServices } from '../../shared/nodes/steps/services.ts';
import type { FunctionServices } from '../declaration.ts';

const width = 8;
/** The caller waits for it. */
const mostClaims = 1000;

/** How many claims and pools were woken. */
export async function wakeWaiting(
  services: FunctionServices,
  clusters: readonly ClusterServices[],
  signal: AbortSignal,
): Promise<number> {
  let woken = 0;
  for (const cluster of clusters) {
    if (!(await services.ownership.standing(cluster.name)).acts) continue;
    const claims = await waitingClaims(services, cluster, signal);
    await inParallel(claims.slice(0, mostClaims), width, (claim) => wakeClaim(services, cluster, claim, signal));
    woken += Math.min(claims.length, mostClaims) + (await wakePools(services, cluster, signal));
  }
  return woken;
}

async function waitingClaims(services: FunctionServices, cluster: ClusterServices, signal: AbortSignal) {
  const claims: StoredClaim[] = [];
  await listAll<StoredClaim>(
    cluster.api,
    nodeClaims,
    {},
    {
      onStart: () => {
        claims.length = 0;
      },
      onItem: (stored) => {
        const claim = shapeClaim(stored);
        const view = viewClaim(claim);
        if (!view.deleting && !view.launched && isOurs(services, cluster.name, claim)) claims.push(claim);
      },
    },
    signal,
  );
  return claims;
}

/** Of an attempt that failed nothing is left, so its next one may begin at any time; only the record says when. */
async function wakeClaim(
  services: FunctionServices,
  cluster: ClusterServices,
  claim: StoredClaim,
  signal: AbortSignal,
): Promise<void> {
  const ref = refOf(cluster.name, claim);
  const now = services.clock.now();
  const changed = await changeClaim(
    cluster,
    ref,
    (read): ClaimChange<null> => {
      const record = read.found === 'claim' && phaseOf(read.view) === 'failed' ? read.view.record : undefined;
      if (!record || (record.retryAt ?? 0) <= now) return { write: undefined, result: null };
      const text = formatRecord({ ...record, retryAt: now });
      return { write: { metadata: { annotations: { [annotations.attempt]: text } } }, result: null };
    },
    signal,
  );
  // A launch that is woken before its time would end, and only the resync would start it again.
  if (!changed.ok) return;
  await wakeLaunch(services, ref);
  if (changed.claim) await ensureWorkflow(services, cluster.name, changed.claim);
}

/** Pools that pause after failures make claims at the next look, and that look comes now. */
async function wakePools(services: FunctionServices, cluster: ClusterServices, signal: AbortSignal): Promise<number> {
  const pools: StoredPool[] = [];
  await listAll<StoredPool>(
    cluster.api,
    nodePools,
    {},
    {
      onStart: () => {
        pools.length = 0;
      },
      onItem: (pool) => void (pool.spec?.replicas !== undefined && pools.push(pool)),
    },
    signal,
  );
  let woken = 0;
  for (const { metadata, spec, status } of pools) {
    if ((status?.nodes ?? 0) >= (spec.replicas ?? 0)) continue;
    const { name, uid } = metadata;
    const key = triesKey(cluster.name, uid);
    const tries = await services.state.get<Tries>(key);
    const now = services.clock.now();
    if (tries) {
      // Another run that was faster has tried again already.
      await services.state.put(
        key,
        { ...tries.value, notBefore: Math.min(tries.value.notBefore, now) },
        { ifVersion: tries.version, ttlSeconds: triesKeptSeconds },
      );
    }
    const data = { cluster: cluster.name, name, uid, deleting: false, observedBy: 'resync' as const };
    const attributes = { id: services.ids.next(), time: now, source: '/pools', subject: `${cluster.name}/${name}` };
    await services.events.send([eventBody('dev.poolwright.pool.changed.v1', data, attributes)], {
      group: cluster.name,
    });
    woken += 1;
  }
  return woken;
}

const triesKeptSeconds = 86_400;
