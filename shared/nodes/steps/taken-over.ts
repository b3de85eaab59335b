/**
 * Which claims of a predecessor are worth a look. One that is not ours to take over is not looked at with every resync, and not left
 * alone in silence either.
 */
import { instanceIdOf } from '../../providers/instance-id.ts';
import { lacksItsRecord } from '../claims/attempt/attempt.ts';
import { type StoredClaim, viewClaim } from './claim-access.ts';
import { servedClaim } from './provider-choice.ts';
import { refOf } from './ref.ts';
import { emitEventThrottled } from './report/claim-events.ts';
import { decisionText } from './report/decision-catalog.ts';
import { recordDecision } from './report/decision-log.ts';
import { type ClaimRef, type ClusterServices, type LifecycleServices, logFor } from './services.ts';

/** Long enough that nobody floods the cloud, short enough that a repaired configuration is noticed. */
const leftAloneSeconds = 900;

const foreignKey = ({ cluster, uid }: Pick<ClaimRef, 'cluster' | 'uid'>): string => `foreign/${cluster}/${uid}`;

/** True for every claim but one that another provisioner launched, and that is no provider's here. */
export async function mayBeOurs(
  services: LifecycleServices,
  cluster: ClusterServices,
  claim: StoredClaim,
): Promise<boolean> {
  const view = viewClaim(claim);
  if (view.deleting || !lacksItsRecord(view)) return true;
  const { providerID } = view;
  const known = cluster.serving(servedClaim(claim)).some(({ provider }) => instanceIdOf(provider, providerID ?? ''));
  if (!known) await sayForeign(services, cluster, claim);
  return known && (await services.state.get(foreignKey({ cluster: cluster.name, uid: view.uid }))) === undefined;
}

/** It says Launched, but what it names is nobody's here: whoever launched it keeps it. */
export async function leaveAlone(
  services: LifecycleServices,
  cluster: ClusterServices,
  claim: StoredClaim,
): Promise<void> {
  const ref = refOf(cluster.name, claim);
  await services.state.put(foreignKey(ref), true, { ttlSeconds: leftAloneSeconds });
  await sayForeign(services, cluster, claim);
}

async function sayForeign(services: LifecycleServices, cluster: ClusterServices, claim: StoredClaim): Promise<void> {
  const ref = refOf(cluster.name, claim);
  const providerID = viewClaim(claim).providerID ?? '';
  const message = decisionText('left-alone', { providerID });
  if (!(await emitEventThrottled(services, cluster, claim, 'Warning', 'ForeignInstance', message))) return;
  await recordDecision(services, ref, 'left-alone', { providerID });
  logFor(services, ref).write('claim.foreign', { providerID });
}
