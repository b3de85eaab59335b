/**
 * What the labels of a claim say of its machine. Where the provider makes what it was asked for, they are written with the
 * right to ask. Where the cloud takes one of many, they are written from the instance, before the claim says Launched.
 */

import { labelDomain } from '../../base/kubernetes/label-syntax.ts';
import type { Instance, Provider } from '../../providers/contract.ts';
import type { OfferingRef } from '../claims/choice/offerings.ts';
import { isRestrictedLabel, launchedLabels, nodeClassLabel } from '../claims/spec/labels.ts';
import { noRequirements, parseRequirements } from '../claims/spec/requirements.ts';
import { labels } from '../claims/spec/well-known.ts';
import { type StoredClaim, viewClaim } from './claim-access.ts';

/** Whether the cloud may make something else than the offering that the attempt was opened for. */
export const takesAlternatives = ({ traits }: Provider): boolean => (traits.alternatives ?? 0) > 0;

/** What one of many may differ in. The capacity type is the same for all that are asked for together. */
export const unsureLabels: readonly string[] = [labels.instanceType, labels.zone];

const aboutMachine: ReadonlySet<string> = new Set([...unsureLabels, labels.capacityType]);

export function labelsFor(
  claim: StoredClaim,
  offering: OfferingRef,
  reported: Record<string, string> = {},
): Record<string, string> {
  const requirements = parseRequirements(claim.spec.requirements ?? []);
  // What an earlier attempt wrote about its machine is not the claim's own.
  const own = Object.entries(claim.metadata.labels ?? {}).filter(
    ([key]) => !aboutMachine.has(key) && reported[key] === undefined,
  );
  return launchedLabels({
    offering,
    reported,
    requirements: requirements.ok ? requirements.value : noRequirements,
    nodeClassRef: claim.spec.nodeClassRef,
    own: Object.fromEntries(own),
  });
}

/** The change that makes a claim's labels say what this instance is; null takes one away. Undefined: they do. */
export function relabel(
  claim: StoredClaim,
  { offering, labels: reported = {} }: Pick<Instance, 'offering' | 'labels'>,
): Record<string, string | null> | undefined {
  const present = claim.metadata.labels ?? {};
  const wanted = labelsFor(claim, offering, reported);
  const changes: Record<string, string | null> = {};
  for (const key of Object.keys(present)) {
    if (isOfOtherMachine(claim, key, reported) || (aboutMachine.has(key) && wanted[key] === undefined))
      changes[key] = null;
  }
  for (const [key, value] of Object.entries(wanted)) {
    if (changes[key] !== null && present[key] !== value) changes[key] = value;
  }
  return Object.keys(changes).length === 0 ? undefined : changes;
}

/** Of the provider's own labels, one that this machine does not have was left by an earlier attempt's. */
function isOfOtherMachine(claim: StoredClaim, key: string, reported: Record<string, string>): boolean {
  const domain = labelDomain(key);
  if (domain === '' || reported[key] !== undefined || isRestrictedLabel(key)) return false;
  const asked = claim.spec.requirements?.some((one) => one.key === key) ?? false;
  if (asked || key in nodeClassLabel(claim.spec.nodeClassRef)) return false;
  return Object.keys(reported).some((one) => !isRestrictedLabel(one) && labelDomain(one) === domain);
}

/** What the claim's machine was bought as: by its labels where they know better than the record of what was asked for. */
export function boughtAs(claim: StoredClaim, provider: Provider | undefined): OfferingRef | undefined {
  const asked = viewClaim(claim).record?.offering;
  const { [labels.instanceType]: instanceType, [labels.zone]: zone = '' } = claim.metadata.labels ?? {};
  if (!asked || !provider || !takesAlternatives(provider) || instanceType === undefined) return asked;
  return { ...asked, instanceType, zone };
}
