/**
 * Adopting: a person says that a claim is ours from now on. Its machine was made by a provisioner that is gone (`foreign`), or the record of
 * what was bought can't be read (`unreadable`).
 *
 * First the machine is marked, then the record is written. Whoever dies in between leaves a machine with our mark and a claim without
 * a record, which the next launch takes over by itself (rule 11), and which garbage collection does not touch. Both may be done twice.
 */

import { quoteInput } from '../../base/problems.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import { nodeClaims } from '../../kube/contract.ts';
import type { Instance, Provider } from '../../providers/contract.ts';
import {
  type AttemptRecord,
  type ClaimView,
  lacksItsRecord,
  rebuildRecord,
  takeOver,
} from '../claims/attempt/attempt.ts';
import { type Finder, recordFound } from '../launch/record-found.ts';
import { rememberClaim } from '../node-objects/node-index.ts';
import { type StoredClaim, viewClaim } from '../steps/claim-access.ts';
import { shapeClaim } from '../steps/claim-shape.ts';
import { currentLocation } from '../steps/lookup.ts';
import { claimKeyOf } from '../steps/machine-gone.ts';
import { refOf } from '../steps/ref.ts';
import { emitEvent } from '../steps/report/claim-events.ts';
import { decisionText } from '../steps/report/decision-catalog.ts';
import { recordDecision } from '../steps/report/decision-log.ts';
import { type ClaimRef, type LifecycleServices, logFor } from '../steps/services.ts';

export type AdoptionNeed = 'foreign' | 'unreadable';

export interface AdoptionWish {
  cluster: string;
  name: string;
  provider: string;
  dryRun: boolean;
}

/** What one provider has of a claim. Several of an unreadable one, or none, are no decision: nothing was written then. */
export interface AdoptionFound {
  uid: string;
  need: AdoptionNeed;
  instances: { id: string; providerID: string; attempt: number; instanceType: string; zone: string }[];
  /** What was put on the machine, or would be. */
  tags: Record<string, string>;
  /** The record stands on the claim. */
  done: boolean;
}

/** Whether there is something to adopt, and if not, why. It asks nobody. */
export function adoptionNeed(name: string, view: ClaimView): Result<AdoptionNeed> {
  if (view.deleting) {
    return failed(
      'conflict',
      `claim ${name} is being deleted; its instance is deleted with it, unless another provisioner created it`,
    );
  }
  if (view.unreadable) return ok('unreadable');
  if (lacksItsRecord(view)) {
    if (view.providerID) return ok('foreign');
    return failed('conflict', `claim ${name} is Launched but has no providerID, so there is nothing to adopt`);
  }
  const record = view.record;
  if (record !== undefined && record.attempt > 0) {
    return failed(
      'conflict',
      `claim ${name} already belongs to this deployment: attempt ${record.attempt} with provider ${record.provider}`,
    );
  }
  return failed(
    'conflict',
    `claim ${name} has no instance yet, so there is nothing to adopt; the host launches it like any other claim`,
  );
}

export async function adoptClaim(
  services: LifecycleServices,
  wish: AdoptionWish,
  signal: AbortSignal,
): Promise<Result<AdoptionFound>> {
  const cluster = services.cluster(wish.cluster);
  const provider = cluster?.providers.find(({ name }) => name === wish.provider);
  if (!cluster || !provider) {
    return failed(
      'not-found',
      `provider ${quoteInput(wish.provider)} does not serve cluster ${quoteInput(wish.cluster)}`,
    );
  }
  // Also before a machine is marked: a predecessor that still runs would end it, or make another.
  const standing = await services.ownership.standing(cluster.name);
  if (!standing.acts)
    return failed('conflict', `nothing was adopted, because this deployment is read-only there: ${standing.why}`);
  const read = await cluster.api.get<StoredClaim>(nodeClaims, { name: wish.name }, signal);
  if (!read.ok) return read;
  const claim = shapeClaim(read.value);
  const view = viewClaim(claim);
  const need = adoptionNeed(wish.name, view);
  if (!need.ok) return need;
  const identity = await cluster.identity();
  if (!identity.ok) return identity;
  const ref = refOf(cluster.name, claim);
  const key = claimKeyOf(services.deployment, identity.value, ref);
  const adoption = { services, cluster, provider, claim, ref, need: need.value, signal };
  if (need.value === 'unreadable') {
    const found = await provider.find(key, signal);
    if (!found.ok) return found;
    return await settle(adoption, found.value, {}, wish.dryRun);
  }
  if (provider.adopt === undefined) return takesOverByItself(provider, view);
  const adopted = await provider.adopt(key, view.providerID ?? '', { dryRun: wish.dryRun }, signal);
  // The claim and its machine don't fit together: nothing is wrong with what was asked.
  if (!adopted.ok && adopted.error.kind === 'invalid')
    return { ok: false, error: { ...adopted.error, kind: 'conflict' } };
  if (!adopted.ok) return adopted;
  const { instance, tags } = adopted.value;
  return await settle(adoption, [instance], { ...tags }, wish.dryRun);
}

interface Adoption extends Finder {
  claim: StoredClaim;
  need: AdoptionNeed;
}

const takesOverByItself = ({ name }: Provider, { providerID }: ClaimView): Result<never> =>
  failed(
    'conflict',
    `provider ${name} automatically takes over an instance that was created for this claim, and ${providerID} was not: ` +
      'its name, labels and creation time do not match, or it is gone. If no other provisioner serves the claim, delete it and remove its finalizer',
  );

/** Writes the record, if there is exactly one machine to write about. */
async function settle(
  adoption: Adoption,
  found: readonly Instance[],
  tags: Record<string, string>,
  dryRun: boolean,
): Promise<Result<AdoptionFound>> {
  const { ref, need } = adoption;
  const leaving = found.find(({ state }) => state === 'deleting');
  if (leaving !== undefined) {
    return failed(
      'conflict',
      `instance ${leaving.id} of claim ${ref.name} is being deleted; try again when it is gone`,
    );
  }
  const answer = (done: boolean): Result<AdoptionFound> =>
    ok({ uid: ref.uid, need, instances: found.map(shown), tags, done });
  const [instance, ...others] = found;
  if (dryRun || instance === undefined || others.length > 0) return answer(false);
  const written = await writeRecord(adoption, instance);
  return written.ok ? answer(true) : written;
}

async function writeRecord(adoption: Adoption, instance: Instance): Promise<Result<void>> {
  const { provider, claim, ref, need } = adoption;
  const where = await currentLocation(provider);
  if (!where.ok) return where;
  const at = where.value === undefined ? {} : { place: where.value };
  const rule = need === 'foreign' ? takeOver : rebuildRecord;
  const taken = await recordFound(adoption, claim, instance, { rule, at, keepPrice: true });
  if (!taken.ok) return { ok: false, error: taken.failure };
  const { verdict, view } = taken.result;
  if (!verdict.ok) return stands(view?.record, instance, provider) ? ok(undefined) : lostRace(ref, verdict.why);
  await tellAll(adoption, instance, taken.claim, view);
  return ok(undefined);
}

/** Somebody else wrote the very record that we wanted: the launch that found the mark, or the same command twice. */
const stands = (record: AttemptRecord | undefined, { owner }: Instance, { name }: Provider): boolean =>
  record?.uid === owner.claimUid &&
  record.attempt === owner.attempt &&
  record.provider === name &&
  record.state === 'open';

const reasons: Record<string, string> = {
  gone: 'the claim is gone',
  deleting: 'the claim is being deleted, which also deletes instances that are tagged as ours',
  'moved-on': 'another client wrote a different attempt record in the meantime',
  'foreign-instance': 'the claim refers to another instance',
};

const lostRace = (ref: ClaimRef, why: string): Result<never> =>
  failed('conflict', `claim ${ref.name} was not adopted: ${reasons[why] ?? why}`);

async function tellAll(
  { services, cluster, provider, ref, need }: Adoption,
  instance: Instance,
  claim: StoredClaim | undefined,
  view: ClaimView | undefined,
): Promise<void> {
  const adopted = { instance: instance.id, attempt: instance.owner.attempt, need };
  logFor(services, ref).write('claim.taken-over', { instance: instance.id, provider: provider.name });
  await recordDecision(services, ref, 'adopted', adopted);
  if (claim) await emitEvent(services, cluster, claim, 'Normal', 'TakenOver', decisionText('adopted', adopted));
  const { launched, ready, providerID } = view ?? {};
  if (launched && providerID) await rememberClaim(services, ref, providerID, ready ? { ready } : {});
}

const shown = ({ id, providerID, owner, offering }: Instance): AdoptionFound['instances'][number] => ({
  id,
  providerID,
  attempt: owner.attempt,
  instanceType: offering.instanceType,
  zone: offering.zone,
});
