/**
 * Handing a claim that was just read, or written, to the step that comes next, so that this step need not read it again:
 * reads are a good part of what a claim costs the API server.
 *
 * What is handed over may be stale by the time it is used. Two rules make that harmless. It is taken once: whoever asks a
 * second time reads. And it only ever leads to a conditional write, which fails if the claim has changed since; a step that
 * would refuse, or wait, on the strength of it reads first (`changeClaim` sees to that by `handed`).
 * Another process simply finds nothing here.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../runtime.ts';
import type { StoredClaim } from './claim-access.ts';
import type { ClusterServices } from './services.ts';

type Services = { readonly clock: Clock };
type Handed = { claim: StoredClaim; at: number };

const maxClaims = 5_000;
/** As long as an ordinary machine takes to join; older readings are likely to cost a conflict. */
const freshMs = 60_000;

const handovers = new WeakMap<ClusterServices, LRUCache<string, Handed>>();

export function handOver(services: Services, cluster: ClusterServices, claim: StoredClaim | undefined): void {
  if (!claim || claim.metadata.deletionTimestamp !== undefined) return;
  let known = handovers.get(cluster);
  if (!known) {
    known = new LRUCache({ max: maxClaims });
    handovers.set(cluster, known);
  }
  known.set(claim.metadata.uid, { claim, at: services.clock.now() });
}

/** Something has happened to the claim (every write of ours does this): whoever comes next reads it. */
export function dropHandover(cluster: ClusterServices, uid: string): void {
  handovers.get(cluster)?.delete(uid);
}

/** What the step before handed over, once, if it is not too old. */
export function takeHandover(services: Services, cluster: ClusterServices, uid: string): StoredClaim | undefined {
  const known = handovers.get(cluster);
  const handed = known?.get(uid);
  known?.delete(uid);
  return handed && services.clock.now() - handed.at <= freshMs ? handed.claim : undefined;
}
