/** Reading a claim as the rules see it, and changing it only from what was read. */

import type { Json } from '../../base/json.ts';
import type { Condition } from '../../base/kubernetes/object.ts';
import type { Failure } from '../../base/result.ts';
import type { Clock } from '../../base/runtime.ts';
import { findCondition, isTrue } from '../../kube/conditions.ts';
import { type KubeObject, nodeClaims } from '../../kube/contract.ts';
import { parseRecord } from '../claims/attempt/annotation.ts';
import type { ClaimReading, ClaimView } from '../claims/attempt/attempt.ts';
import type { NodeClaim } from '../claims/spec/types.ts';
import { annotations, conditionTypes, terminationFinalizer } from '../claims/spec/well-known.ts';
import { dropHandover, takeEndingHandover, takeHandover, takeSeenHandover } from './claim-handover.ts';
import { shapeClaim } from './claim-shape.ts';
import type { ClaimRef, ClusterServices } from './services.ts';

/** A claim as it comes from the API server. */
export type StoredClaim = NodeClaim & KubeObject;

export type ClaimRead =
  /** `handed`: not read just now but handed over by the step before; see `claim-handover.ts`. */
  | { found: 'claim'; claim: StoredClaim; view: ClaimView; handed?: true }
  | { found: 'absent' | 'other-uid' }
  | { found: 'unknown'; failure: Failure };

export async function readClaim(cluster: ClusterServices, ref: ClaimRef, signal?: AbortSignal): Promise<ClaimRead> {
  const answer = await cluster.api.get<StoredClaim>(nodeClaims, { name: ref.name }, signal);
  if (answer.ok) {
    const claim = shapeClaim(answer.value);
    if (claim.metadata.uid !== ref.uid) return { found: 'other-uid' };
    return { found: 'claim', claim, view: viewClaim(claim) };
  }
  return answer.error.kind === 'not-found' ? { found: 'absent' } : { found: 'unknown', failure: answer.error };
}

/** What the step before handed over, or else what the API server says. */
export async function takeClaim(
  services: { readonly clock: Clock },
  cluster: ClusterServices,
  ref: ClaimRef,
  signal?: AbortSignal,
): Promise<ClaimRead> {
  const claim = takeHandover(services, cluster, ref.uid);
  if (!claim) return readClaim(cluster, ref, signal);
  return { found: 'claim', claim, view: viewClaim(claim), handed: true };
}

/** The same for a claim that is being deleted. */
export async function takeEndingClaim(
  services: { readonly clock: Clock },
  cluster: ClusterServices,
  ref: ClaimRef,
  signal?: AbortSignal,
): Promise<ClaimRead> {
  const claim = takeEndingHandover(services, cluster, ref.uid);
  if (!claim) return readClaim(cluster, ref, signal);
  return { found: 'claim', claim, view: viewClaim(claim), handed: true };
}

/** What the watch of this process saw of the version that an event is about, or else what the API server says. */
export async function takeSeenClaim(
  services: { readonly clock: Clock },
  cluster: ClusterServices,
  ref: ClaimRef,
  resourceVersion: string | undefined,
  signal?: AbortSignal,
): Promise<ClaimRead> {
  const seen = takeSeenHandover(services, cluster, ref.uid, resourceVersion);
  if (!seen) return readClaim(cluster, ref, signal);
  const claim = shapeClaim(seen);
  return { found: 'claim', claim, view: viewClaim(claim) };
}

/** For rules that take a missing claim as `undefined`. */
export const viewOf = (read: Exclude<ClaimRead, { found: 'unknown' }>): ClaimView | undefined =>
  read.found === 'claim' ? read.view : undefined;

export const readingOf = (read: Exclude<ClaimRead, { found: 'unknown' }>): ClaimReading =>
  read.found === 'claim' ? { found: 'claim', claim: read.view } : { found: read.found };

/** A claim that was read is not changed any more, and several look at it: its record is parsed once. */
const views = new WeakMap<StoredClaim, ClaimView>();

export function viewClaim(claim: StoredClaim): ClaimView {
  const known = views.get(claim);
  if (known) return known;
  const view = makeView(claim);
  views.set(claim, view);
  return view;
}

function makeView(claim: StoredClaim): ClaimView {
  const { metadata, status } = claim;
  const parsed = parseRecord(metadata.annotations?.[annotations.attempt], metadata.uid);
  const view: ClaimView = {
    uid: metadata.uid,
    deleting: metadata.deletionTimestamp !== undefined,
    finalizer: metadata.finalizers?.includes(terminationFinalizer) ?? false,
    record: 'record' in parsed ? parsed.record : undefined,
    launched: isTrue(status?.conditions, conditionTypes.launched),
    ready: isTrue(status?.conditions, conditionTypes.initialized),
  };
  if ('unreadable' in parsed) view.unreadable = true;
  if (status?.providerID) view.providerID = status.providerID;
  return view;
}

export const conditionOf = (claim: StoredClaim, type: string): Condition | undefined =>
  findCondition(claim.status?.conditions, type);

/** How often a conditional write that met somebody else's is tried again from a fresh reading. */
const maxConflicts = 8;

export type ClaimChange<R> = { write: Json; subresource?: 'status'; result: R } | { write: undefined; result: R };

/** A change of the status, or none. */
export const statusChange = <R>(write: Json | undefined, result: R): ClaimChange<R> =>
  write === undefined ? { write, result } : { write, subresource: 'status', result };

export type Changed<R> = { ok: true; result: R; claim: StoredClaim | undefined } | { ok: false; failure: Failure };

/**
 * Reads the claim, lets `decide` say what to write, and writes it on the condition that nothing changed in between;
 * if something did, decides anew. `decide` sees `undefined` for a claim that is gone.
 * A write whose outcome is unknown is returned as a failure: the caller's repeat finds out by reading.
 */
export async function changeClaim<R>(
  cluster: ClusterServices,
  ref: ClaimRef,
  decide: (read: Exclude<ClaimRead, { found: 'unknown' }>) => ClaimChange<R>,
  signal?: AbortSignal,
  first?: ClaimRead,
): Promise<Changed<R>> {
  let read = first ?? (await readClaim(cluster, ref, signal));
  for (let conflicts = 0; ; conflicts++) {
    if (read.found === 'unknown') return { ok: false, failure: read.failure };
    const change = decide(read);
    // A reading that was handed over may lead to a write, which proves it, and to nothing else.
    if (change.write === undefined && read.found === 'claim' && read.handed) {
      read = await readClaim(cluster, ref, signal);
      continue;
    }
    if (change.write === undefined || read.found !== 'claim') {
      return { ok: true, result: change.result, claim: read.found === 'claim' ? read.claim : undefined };
    }
    const { uid, resourceVersion } = read.claim.metadata;
    dropHandover(cluster, uid);
    const answer = await cluster.api.mergePatch<StoredClaim>(
      nodeClaims,
      { name: ref.name },
      withPreconditions(change.write, uid, resourceVersion),
      change.subresource ? { subresource: change.subresource } : {},
      signal,
    );
    if (answer.ok) return { ok: true, result: change.result, claim: shapeClaim(answer.value) };
    const { kind } = answer.error;
    if ((kind !== 'conflict' && kind !== 'not-found') || conflicts >= maxConflicts) {
      return { ok: false, failure: answer.error };
    }
    read = await readClaim(cluster, ref, signal);
  }
}

/** Every write to a claim carries its uid and the version that the decision was made on. */
function withPreconditions(write: Json, uid: string, resourceVersion: string): Json {
  const body = write as { metadata?: { [key: string]: Json } };
  return { ...body, metadata: { ...body.metadata, uid, resourceVersion } };
}
