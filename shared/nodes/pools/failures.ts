/** Why a pool's claims could not be had. The claims are deleted then, so their pool has to say it. */

import type { NodeClaim } from '../claims/spec/types.ts';
import type { LifecycleServices } from '../steps/services.ts';

export type PoolFailure = { claim: string; reason: string; message: string; at: number };

type Services = Pick<LifecycleServices, 'state' | 'clock'>;

const keepSeconds = 86_400;
const longestMessage = 600;
const keyOf = (cluster: string, poolUid: string): string => `pool-failure/${cluster}/${poolUid}`;

/** Called when a claim is given back to its pool; for a claim of nobody's pool it does nothing. */
export async function rememberPoolFailure(
  { state, clock }: Services,
  cluster: string,
  { metadata }: NodeClaim,
  reason: string,
  message: string,
): Promise<void> {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'NodePool');
  if (!owner) return;
  const failure: PoolFailure = {
    claim: metadata.name,
    reason,
    message: message.slice(0, longestMessage),
    at: clock.now(),
  };
  await state.put(keyOf(cluster, owner.uid), failure, { ttlSeconds: keepSeconds });
}

export async function lastPoolFailure(
  { state }: Services,
  cluster: string,
  uid: string,
): Promise<PoolFailure | undefined> {
  return (await state.get<PoolFailure>(keyOf(cluster, uid)))?.value;
}
