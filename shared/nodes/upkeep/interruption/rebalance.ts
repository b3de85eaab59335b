/** Whether a machine that is only likely to be taken back is replaced before it is: whoever asked for it. */
import { ok, type Result } from '../../../base/result.ts';
import { type KubeObject, nodePools } from '../../../kube/contract.ts';
import { annotations } from '../../claims/spec/well-known.ts';
import type { StoredClaim } from '../../steps/claim-access.ts';
import { nodePoolOf } from '../../steps/pool-owner.ts';
import type { ClusterServices, LifecycleServices } from '../../steps/services.ts';

/** Such messages come in waves, and a pool has many claims. */
const keepSeconds = 20;

type Known = { at: number; answer: Promise<Result<string | undefined>> };
const pools = new WeakMap<ClusterServices, Map<string, Known>>();

/** What the claim says itself comes first; else its NodePool decides. */
export async function wantsRebalance(
  services: Pick<LifecycleServices, 'clock'>,
  cluster: ClusterServices,
  claim: StoredClaim,
  signal: AbortSignal,
): Promise<Result<boolean>> {
  const own = claim.metadata.annotations?.[annotations.rebalance];
  if (own !== undefined) return ok(own === 'replace');
  const name = nodePoolOf(claim);
  if (name === '') return ok(false);
  const known = pools.get(cluster) ?? new Map<string, Known>();
  pools.set(cluster, known);
  const now = services.clock.now();
  for (const [key, { at }] of known) if (now - at >= keepSeconds * 1000) known.delete(key);
  const asked = known.get(name) ?? { at: now, answer: annotationOf(cluster, name, signal) };
  known.set(name, asked);
  const answer = await asked.answer;
  if (answer.ok) return ok(answer.value === 'replace');
  known.delete(name);
  return answer;
}

async function annotationOf(
  cluster: ClusterServices,
  name: string,
  signal: AbortSignal,
): Promise<Result<string | undefined>> {
  const pool = await cluster.api.get<KubeObject>(nodePools, { name }, signal);
  if (pool.ok) return ok(pool.value.metadata.annotations?.[annotations.rebalance]);
  // A pool that is gone asks for nothing; nor does a cluster that has no NodePools at all.
  return pool.error.kind === 'not-found' || pool.error.kind === 'unavailable' ? ok(undefined) : pool;
}
