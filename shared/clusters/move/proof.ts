/** Whether the driver of the other place sees what a request has made, and whose it takes it for. Nothing in Azure is changed. */
import type { Result } from '../../base/result.ts';
import type { ClusterDriver } from '../drivers/contract.ts';
import type { Manifest } from '../manifests/manifest.ts';
import type { ClusterRequestServices, RequestPlace } from '../services.ts';
import { manifestsOf } from '../steps/judge.ts';
import { againAfter } from '../steps/place.ts';
import { recordOf } from '../steps/record.ts';
import type { StoredRequest } from '../store/contract.ts';
import { again, lookAgainSeconds, type MoveResult, refused } from './result.ts';

type Parts = Pick<ClusterRequestServices, 'deployment'>;

/** The manifests that say by tags whose they are, as the request there would have them. */
function marked(services: Parts, target: StoredRequest, kinds: readonly string[], uid?: string): Manifest[] {
  const record = recordOf(target);
  if (record === undefined) return [];
  return manifestsOf(services, uid === undefined ? record : { ...record, uid })
    .flatMap(({ manifests }) => manifests)
    .filter(({ kind }) => kinds.includes(kind));
}

/** Undefined: the driver there sees the group in Azure, with the marks that it has now. */
export async function isSeen(
  services: Parts,
  { driver, name }: RequestPlace,
  target: StoredRequest,
  signal: AbortSignal,
): Promise<MoveResult | undefined> {
  for (const manifest of marked(services, target, ['ResourceGroup'])) {
    const probed = await driver.probe(manifest, signal);
    if (!probed.ok) return againAfter(probed.error, lookAgainSeconds);
    const { value } = probed;
    if (value.state === 'pending') return again(value.waitingFor);
    if (value.state === 'failed') return refused(value.failure.message, `mend that in ${name}`);
    if (value.state === 'free') {
      const why = `${name} does not see the resource group of the request in Azure, so it would make everything again`;
      return refused(why, 'give the namespace there a credential for the subscription that the cluster is in');
    }
  }
  return undefined;
}

/** What was only looked at keeps what it has seen; the next look has to be a fresh one. */
async function forget(driver: ClusterDriver, manifest: Manifest, signal: AbortSignal): Promise<MoveResult | undefined> {
  // Without objects in between each look is a fresh one, and letting go would take the marks off in Azure.
  if (driver.name !== 'aso') return undefined;
  const kept = { ...manifest.metadata.annotations, 'serviceoperator.azure.com/reconcile-policy': 'detach-on-delete' };
  const detached = { ...manifest, metadata: { ...manifest.metadata, annotations: kept } };
  const gone: Result<{ state: string }> = await driver.lookRemoved(detached, signal);
  if (!gone.ok) return againAfter(gone.error, lookAgainSeconds);
  if (gone.value.state === 'gone') return undefined;
  const removed = await driver.remove(detached, signal);
  return removed.ok ? again(`${manifest.kind} to be looked at afresh`) : againAfter(removed.error, lookAgainSeconds);
}

/** What a request there that is gone has looked at is in the way of the next one. */
export async function forgetEarlier(
  services: Parts,
  { driver }: RequestPlace,
  target: StoredRequest,
  uid: string,
  signal: AbortSignal,
): Promise<MoveResult | undefined> {
  for (const manifest of marked(services, target, ['ManagedCluster', 'ResourceGroup'], uid)) {
    const forgotten = await forget(driver, manifest, signal);
    if (forgotten !== undefined) return forgotten;
  }
  return undefined;
}

/** Undefined: the driver there takes the group and the cluster for those of the request there. */
export async function isTaken(
  services: Parts,
  { driver }: RequestPlace,
  target: StoredRequest,
  signal: AbortSignal,
): Promise<MoveResult | undefined> {
  for (const manifest of marked(services, target, ['ResourceGroup', 'ManagedCluster'])) {
    const probed = await driver.probe(manifest, signal);
    if (!probed.ok) return againAfter(probed.error, lookAgainSeconds);
    const { value } = probed;
    if (value.state === 'ours') continue;
    if (value.state === 'foreign') {
      const forgotten = await forget(driver, manifest, signal);
      return forgotten ?? again(`${manifest.kind} to have its new marks`);
    }
    return again(value.state === 'pending' ? value.waitingFor : `${manifest.kind} to be seen there`);
  }
  return undefined;
}
