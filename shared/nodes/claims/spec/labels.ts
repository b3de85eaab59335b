/** Which labels a claim and its node get when an instance has been made for it. */

import { labelDomain, labelKeyFault, labelValueFault } from '../../../base/kubernetes/label-syntax.ts';
import type { InstanceType, OfferingRef } from '../choice/offerings.ts';
import { labelsFrom, type Requirements } from './requirements.ts';
import type { NodeClassRef } from './types.ts';
import { labels, wellKnownLabels } from './well-known.ts';

const restrictedDomains = ['kubernetes.io', 'k8s.io', 'karpenter.sh'];
/** Inside the restricted domains, but meant for users. */
const freeDomains = ['node.kubernetes.io', 'node-restriction.kubernetes.io', 'kops.k8s.io'];

/**
 * Whether a label is none of the user's: its value comes from the provider, the kubelet or a controller. A requirement on
 * such a label chooses among machines; it never becomes a label by itself.
 */
export function isRestrictedLabel(key: string): boolean {
  if (wellKnownLabels.has(key)) return true;
  const domain = labelDomain(key);
  if (freeDomains.some((free) => isWithin(domain, free))) return false;
  return restrictedDomains.some((restricted) => isWithin(domain, restricted));
}

const isWithin = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);

/** `karpenter.azure.com/aksnodeclass: default`: says which node class a node came from. Nothing for a ref without a group. */
export function nodeClassLabel(ref: NodeClassRef): Record<string, string> {
  if (ref.group === '') return {};
  return legalLabels({ [`${ref.group}/${ref.kind.toLowerCase()}`]: ref.name });
}

/** What the machine itself says: labels of its type, and where and how it was bought. */
export function offeringLabels(
  instanceType: Pick<InstanceType, 'labels'> | undefined,
  offering: OfferingRef,
): Record<string, string> {
  return legalLabels({
    ...instanceType?.labels,
    [labels.instanceType]: offering.instanceType,
    [labels.capacityType]: offering.capacityType,
    ...(offering.zone === '' ? {} : { [labels.zone]: offering.zone }),
  });
}

/**
 * All labels of a launched claim. Where two sources name the same label, the later in this order wins, as in Karpenter:
 * the machine, the provider's answer, requirements with a single value, the node class, the claim's own labels.
 */
export function launchedLabels(from: {
  instanceType?: Pick<InstanceType, 'labels'>;
  offering: OfferingRef;
  /** What the provider reported for the instance. */
  reported?: Record<string, string>;
  requirements: Requirements;
  nodeClassRef: NodeClassRef;
  own?: Record<string, string>;
}): Record<string, string> {
  // The pool is restricted too, but only the claim knows it.
  const wished = Object.entries(labelsFrom(from.requirements)).filter(
    ([key]) => key === labels.nodePool || !isRestrictedLabel(key),
  );
  return {
    ...offeringLabels(from.instanceType, from.offering),
    ...legalLabels(from.reported ?? {}),
    ...Object.fromEntries(wished),
    ...nodeClassLabel(from.nodeClassRef),
    ...from.own,
  };
}

/** Drops what the API server would refuse: one illegal label would make it refuse the whole object. */
const legalLabels = (all: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(all).filter(
      ([key, value]) => labelKeyFault(key) === undefined && labelValueFault(value) === undefined,
    ),
  );
