/**
 * Whose machine it is, by the id that the cloud gave it. Messages come about every machine of an account, so a stranger must
 * be cheap to tell. The index that launches write is asked first; it forgets what is very old, so a list of all claims
 * stands behind it, which is read at most once a minute. In a crowd the list comes first, and saves a request per message.
 */

import { ok, type Result } from '../../../base/result.ts';
import type { Provider } from '../../../providers/contract.ts';
import { instanceIdOf } from '../../../providers/instance-id.ts';
import { claimOfInstance } from '../../node-objects/node-index.ts';
import { readClaim, type StoredClaim } from '../../steps/claim-access.ts';
import { refOf } from '../../steps/ref.ts';
import type { ClusterServices, LifecycleServices } from '../../steps/services.ts';
import { hearsOfInterruptions, listedClaim } from './claim-list.ts';

export type Interrupted = {
  cluster: ClusterServices;
  provider: Provider;
  /** It may have been in a list, and have changed since: whoever acts on it makes that conditional on its version. */
  claim: StoredClaim;
};

export type FoundClaim =
  | { found: 'claim'; interrupted: Interrupted }
  /** Its claim is known, but does not say yet that this is its machine. */
  | { found: 'not-recorded' }
  /** Nobody's of ours, or of a claim that is gone or has another machine by now. */
  | { found: 'none' };

/** A claim that is new since the list was read stands in the index, and one that has changed is asked itself. */
const listSeconds = 60;

export async function findClaim(
  services: LifecycleServices,
  cluster: ClusterServices,
  instance: string,
  options: { byList: boolean },
  signal: AbortSignal,
): Promise<Result<FoundClaim>> {
  for (const provider of cluster.providers.filter(hearsOfInterruptions)) {
    const found: Result<Interrupted | undefined> = options.byList
      ? await inList(services, cluster, provider, instance, signal)
      : ok(undefined);
    if (!found.ok) return found;
    if (found.value) return ok({ found: 'claim', interrupted: found.value });
    const one = await findOne(services, cluster, provider, instance, signal);
    if (!one.ok || one.value.found !== 'none') return one;
  }
  return ok({ found: 'none' });
}

async function inList(
  services: LifecycleServices,
  cluster: ClusterServices,
  provider: Provider,
  instance: string,
  signal: AbortSignal,
): Promise<Result<Interrupted | undefined>> {
  const claim = await listedClaim(services, cluster, provider, instance, listSeconds, signal);
  if (!claim.ok) return claim;
  return ok(claim.value && { cluster, provider, claim: claim.value });
}

async function findOne(
  services: LifecycleServices,
  cluster: ClusterServices,
  provider: Provider,
  instance: string,
  signal: AbortSignal,
): Promise<Result<FoundClaim>> {
  let ref = await claimOfInstance(services, cluster.name, provider.name, instance);
  if (!ref) {
    const listed = await listedClaim(services, cluster, provider, instance, listSeconds, signal);
    if (!listed.ok) return listed;
    if (listed.value) ref = refOf(cluster.name, listed.value);
  }
  if (!ref) return ok({ found: 'none' });
  const read = await readClaim(cluster, ref, signal);
  if (read.found === 'unknown') return { ok: false, error: read.failure };
  if (read.found !== 'claim') return ok({ found: 'none' });
  const { providerID } = read.claim.status ?? {};
  if (!providerID) return ok({ found: read.view.deleting ? 'none' : 'not-recorded' });
  // A machine of an earlier attempt: the claim has moved past it.
  if (instanceIdOf(provider, providerID) !== instance) return ok({ found: 'none' });
  return ok({ found: 'claim', interrupted: { cluster, provider, claim: read.claim } });
}
