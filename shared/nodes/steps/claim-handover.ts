/**
 * Handing a claim that was just read, or written, to the step that comes next, so that this step need not read it again:
 * reads are a good part of what a claim costs the API server.
 *
 * What is handed over may be stale by the time it is used. Two rules make that harmless. It is taken once: whoever asks a
 * second time reads. And it only ever leads to a conditional write, which fails if the claim has changed since; a step that
 * would refuse, or wait, on the strength of it reads first (`changeClaim` sees to that by `handed`).
 * Another process simply finds nothing here.
 */
import { RecentMap } from '../../base/recent-map.ts';
import type { Clock } from '../../base/runtime.ts';
import type { StoredClaim } from './claim-access.ts';
import type { ClusterServices } from './services.ts';

type Services = { readonly clock: Clock };
type Handed = { claim: StoredClaim; at: number };

const maxClaims = 2_000;
/** As long as an ordinary machine takes to join; older readings are likely to cost a conflict. */
const freshMs = 60_000;

const handovers = new WeakMap<ClusterServices, RecentMap<string, Handed>>();

export function handOver(services: Services, cluster: ClusterServices, claim: StoredClaim | undefined): void {
  if (!claim || claim.metadata.deletionTimestamp !== undefined) return;
  put(services, cluster, claim.metadata.uid, claim);
}

/** A claim that is being deleted gets no further: only its end still writes to it, so such a reading keeps well. */
export function handOverEnding(services: Services, cluster: ClusterServices, claim: StoredClaim | undefined): void {
  if (claim?.metadata.deletionTimestamp !== undefined) put(services, cluster, endingKey(claim.metadata.uid), claim);
}

/** What a watch in this process has just seen, for the watcher that gets the event about it. */
export const handOverSeen = (services: Services, cluster: ClusterServices, claim: StoredClaim): void =>
  put(services, cluster, seenKey(claim.metadata.uid), claim);

const seenKey = (uid: string): string => `${uid}/seen`;
const endingKey = (uid: string): string => `${uid}/ending`;

function put({ clock }: Services, cluster: ClusterServices, key: string, claim: StoredClaim): void {
  let known = handovers.get(cluster);
  if (!known) {
    known = new RecentMap({ max: maxClaims });
    handovers.set(cluster, known);
  }
  known.set(key, { claim, at: clock.now() });
}

/** Something has happened to the claim (every write of ours does this): whoever comes next reads it. */
export function dropHandover(cluster: ClusterServices, uid: string): void {
  handovers.get(cluster)?.delete(uid);
  handovers.get(cluster)?.delete(endingKey(uid));
  handovers.get(cluster)?.delete(seenKey(uid));
}

/** What the step before handed over, once, if it is not too old. */
export const takeHandover = (services: Services, cluster: ClusterServices, uid: string): StoredClaim | undefined =>
  take(services, cluster, uid);

/** The same for a claim that is being deleted. */
export const takeEndingHandover = (
  services: Services,
  cluster: ClusterServices,
  uid: string,
): StoredClaim | undefined => take(services, cluster, endingKey(uid));

/** Only if the event is about this very version. */
export function takeSeenHandover(
  services: Services,
  cluster: ClusterServices,
  uid: string,
  resourceVersion: string | undefined,
): StoredClaim | undefined {
  const claim = take(services, cluster, seenKey(uid));
  return claim?.metadata.resourceVersion === resourceVersion ? claim : undefined;
}

function take(services: Services, cluster: ClusterServices, key: string): StoredClaim | undefined {
  const known = handovers.get(cluster);
  const handed = known?.get(key);
  known?.delete(key);
  return handed && services.clock.now() - handed.at <= freshMs ? handed.claim : undefined;
}
