/** Looks for other provisioners in a cluster; what may not be read is left out. */

import type { Clock } from '../base/runtime.ts';
import { type ClusterApi, deployments, leases } from '../kube/contract.ts';
import type { State } from '../state/contract.ts';
import type { LeaseObject } from './lease.ts';
import { findRival, leaderLease, type RivalDeployment, rivalSelector, type ServedKind } from './rivals.ts';

type Written = { who: string; claim: string };

const key = (cluster: string): string => `rival-seen/${cluster}`;
/** Seen again and again while it goes on; forgotten soon after it was stopped. */
const rememberedSeconds = 300;

/** What was found last, so that nobody looks at every renewal. */
export const rivalKey = (cluster: string): string => `rival/${cluster}`;

/** Whoever lists claims anyway says what it saw; the next renewal takes it into account. */
export async function rememberRival(state: State, cluster: string, written: Written): Promise<void> {
  await state.put(key(cluster), written, { ttlSeconds: rememberedSeconds });
  await state.delete(rivalKey(cluster));
}

export async function lookForRival(
  parts: { api: ClusterApi; state: State; clock: Clock; serves: readonly ServedKind[] },
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { api, state, clock, serves } = parts;
  const [listed, leader, written] = await Promise.all([
    api.list<RivalDeployment>(deployments, { labelSelector: rivalSelector, limit: 50 }, signal),
    api.get<LeaseObject>(leases, leaderLease, signal),
    state.get<Written>(key(api.name)),
  ]);
  return findRival({
    serves,
    now: clock.now(),
    ...(listed.ok ? { deployments: listed.value.items } : {}),
    ...(leader.ok ? { leader: leader.value } : {}),
    ...(written ? { written: written.value } : {}),
  });
}
