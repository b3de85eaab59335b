/** Which claims of a predecessor are worth a look. One that is not ours to take over is not looked at with every resync. */
import { lacksItsRecord } from '../claims/attempt.ts';
import { type StoredClaim, viewClaim } from './claim-access.ts';
import { servedClaim } from './provider-choice.ts';
import type { ClaimRef, ClusterServices, LifecycleServices } from './services.ts';

/** Long enough that nobody floods the cloud, short enough that a repaired configuration is noticed. */
const leftAloneSeconds = 900;

const foreignKey = ({ cluster, uid }: Pick<ClaimRef, 'cluster' | 'uid'>): string => `foreign/${cluster}/${uid}`;

/** True for every claim but one that another provisioner launched, and that is no provider's here. */
export async function mayBeOurs(
  { state }: LifecycleServices,
  cluster: ClusterServices,
  claim: StoredClaim,
): Promise<boolean> {
  const view = viewClaim(claim);
  if (view.deleting || !lacksItsRecord(view)) return true;
  const { providerID } = view;
  const known = cluster.serving(servedClaim(claim)).some(({ provider }) => provider.instanceId(providerID ?? ''));
  return known && (await state.get(foreignKey({ cluster: cluster.name, uid: view.uid }))) === undefined;
}

export async function leaveAlone({ state }: LifecycleServices, ref: ClaimRef): Promise<void> {
  await state.put(foreignKey(ref), true, { ttlSeconds: leftAloneSeconds });
}
