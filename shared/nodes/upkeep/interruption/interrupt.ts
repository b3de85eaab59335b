/**
 * The cloud says something about a machine: its claim is found and deleted, which drains the node while there is time, and
 * whoever made the claim makes the next one. Done twice, late, or about a machine that is not ours, it does no harm: the claim
 * must still have this very machine, and is deleted by its uid.
 */
import { ok, type Result } from '../../../base/result.ts';
import { interruptionRules } from '../../claims/interruption-rules.ts';
import type { ClusterServices, LifecycleServices } from '../../steps/services.ts';
import { joinsCrowd } from './crowd.ts';
import { type Ended, endClaim } from './end-claim.ts';
import { findClaim } from './find-claim.ts';
import { type Note, noteInterruption } from './notes.ts';

/** `not-recorded`: look again soon, the claim is about to say that this is its machine. */
export type Outcome = Exclude<Ended, 'changed'> | 'not-ours' | 'not-recorded';

/** In one of several clusters, or in none. */
export async function interruptInstance(
  services: LifecycleServices,
  clusters: readonly ClusterServices[],
  instance: string,
  note: Note,
  signal: AbortSignal,
): Promise<Result<Outcome>> {
  const byList = joinsCrowd(services);
  const first = await findAndEnd(services, clusters, instance, note, byList, signal);
  if (!first.ok || first.value !== 'not-ours' || !interruptionRules[note.kind].isWarning) return first;
  await noteInterruption(services, instance, note);
  // Its launch may have looked for a note just before there was one, and written the index by now.
  return findAndEnd(services, clusters, instance, note, byList, signal);
}

async function findAndEnd(
  services: LifecycleServices,
  clusters: readonly ClusterServices[],
  instance: string,
  note: Note,
  byList: boolean,
  signal: AbortSignal,
): Promise<Result<Outcome>> {
  let failure: Result<never> | undefined;
  for (const cluster of clusters) {
    const outcome = await endIn(services, cluster, instance, note, byList, signal);
    // Another cluster may know it, and should not wait for one that does not answer.
    if (!outcome.ok) failure = outcome;
    else if (outcome.value !== 'not-ours') return outcome;
  }
  return failure ?? ok('not-ours');
}

async function endIn(
  services: LifecycleServices,
  cluster: ClusterServices,
  instance: string,
  note: Note,
  byList: boolean,
  signal: AbortSignal,
): Promise<Result<Outcome>> {
  // What a list said may be outdated; then the claim itself is asked, and that answer holds.
  for (let asListed = byList; ; asListed = false) {
    const found = await findClaim(services, cluster, instance, { byList: asListed }, signal);
    if (!found.ok) return found;
    if (found.value.found === 'none') return ok('not-ours');
    if (found.value.found === 'not-recorded') return ok('not-recorded');
    const ended = await endClaim(services, found.value.interrupted, note, signal);
    if (!ended.ok) return ended;
    if (ended.value !== 'changed') return ok(ended.value);
  }
}
