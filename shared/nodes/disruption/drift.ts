/** Whether a claim is still what its pool would make today. */
import { parseNillableDuration } from '../../base/durations.ts';
import type { OfferingRef } from '../claims/choice/offerings.ts';
import { compatible, parseRequirements, requirementsFromLabels } from '../claims/spec/requirements.ts';
import type { NodeClaim } from '../claims/spec/types.ts';
import { annotations, changedByHand, conditionTypes, labels } from '../claims/spec/well-known.ts';
import { hashVersion, templateHash } from './hash.ts';
import type { DriftReason, OutdatedReason, StoredPool } from './types.ts';

export interface Today {
  template: StoredPool['spec']['template'];
  /** The pool's hash, counted once for all its claims. */
  hash: string;
  /** What the node class makes machines from, when its provider can tell. */
  nodeClassHash?: string | undefined;
  /** The images that it makes them of, when its provider can tell those apart. */
  images?: readonly string[] | undefined;
  now: number;
}

export const todayOf = (
  template: StoredPool['spec']['template'],
  nodeClass: { hash?: string | undefined; images?: readonly string[] | undefined },
  now: number,
): Today => ({
  template,
  hash: templateHash(template),
  nodeClassHash: nodeClass.hash,
  images: nodeClass.images,
  now,
});

export function outdatedBecause(
  claim: NodeClaim,
  offering: OfferingRef | undefined,
  today: Today,
): OutdatedReason | undefined {
  const expiresAt = expiryOf(claim);
  return expiresAt !== undefined && expiresAt <= today.now ? 'Expired' : driftOf(claim, offering, today);
}

/** When a claim's time is over; undefined when it never is. What can't be read never ends anything. */
export function expiryOf({ metadata, spec }: NodeClaim): number | undefined {
  if (typeof spec?.expireAfter !== 'string') return undefined;
  const after = parseNillableDuration(spec.expireAfter);
  const created = Date.parse(metadata.creationTimestamp ?? '');
  if (!after.ok || after.milliseconds === 'Never' || Number.isNaN(created)) return undefined;
  return created + after.milliseconds;
}

function driftOf(claim: NodeClaim, offering: OfferingRef | undefined, today: Today): DriftReason | undefined {
  const stamps = claim.metadata.annotations ?? {};
  if (stamps[annotations.nodePoolHashVersion] === hashVersion && stamps[annotations.nodePoolHash] !== today.hash) {
    return 'NodePoolDrifted';
  }
  if (offering && !meetsRequirements(claim, offering, today)) return 'RequirementsDrifted';
  const stamped = stamps[annotations.nodeClassHash];
  const drifted = stamped !== undefined && today.nodeClassHash !== undefined && stamped !== today.nodeClassHash;
  if (drifted || hasOldImage(claim, today)) return 'NodeClassDrifted';
  return wasChanged(claim) ? 'InstanceDrifted' : undefined;
}

/** Garbage collection has looked at the machine, and says so on its claim. */
const wasChanged = ({ status }: NodeClaim): boolean =>
  status?.conditions?.some(
    ({ type, status: is, reason }) =>
      type === conditionTypes.instanceChanged && is === 'True' && reason === changedByHand,
  ) ?? false;

/** No image at all is no answer: then the class would not be ready. */
function hasOldImage({ status }: NodeClaim, { images = [] }: Today): boolean {
  const own = status?.imageID;
  return own !== undefined && own !== '' && images.length > 0 && !images.includes(own);
}

/** What a machine is like stands on its claim: in its labels, and in the record of what was bought. */
function meetsRequirements({ metadata }: NodeClaim, offering: OfferingRef, { template }: Today): boolean {
  const wanted = parseRequirements(template.spec.requirements ?? []);
  // The pool's condition says what is wrong with them; a mistake there must not take nodes away.
  if (!wanted.ok) return true;
  const known = requirementsFromLabels({
    ...metadata.labels,
    [labels.instanceType]: offering.instanceType,
    // Empty where the provider has no zones.
    ...(offering.zone === '' ? {} : { [labels.zone]: offering.zone }),
    [labels.capacityType]: offering.capacityType,
  });
  // Of a label that nobody wrote down it can't be said that it is wrong.
  return compatible(known, wanted.value, () => true).ok;
}

/** Whether a claim carries a hash that was counted in another way, or none: it is stamped anew. */
export const needsStamp = ({ metadata }: NodeClaim): boolean =>
  metadata.annotations?.[annotations.nodePoolHashVersion] !== hashVersion;
