/** From offerings to what a fleet is made of: for each a subnet, a template and, where it is reserved, a reservation. */
import { failed, ok, type Result } from '../../../base/result.ts';
import {
  describeOffering,
  type InstanceType,
  type OfferingRef,
  offeringKey,
} from '../../../nodes/claims/choice/offerings.ts';
import { labels as labelKeys } from '../../../nodes/claims/spec/well-known.ts';
import type { CreateRequest } from '../../contract.ts';
import { launchTemplateData } from '../node-class/launch-template.ts';
import type { Ec2Cluster, ResolvedAmi, ResolvedEc2Class, ResolvedReservation } from '../node-class/resolved.ts';
import { awsLabels } from '../node-labels.ts';
import type { Candidate } from './fleet.ts';
import type { WantedTemplate } from './launch-templates.ts';

export interface LaunchParts {
  request: CreateRequest;
  resolved: ResolvedEc2Class;
  cluster: Ec2Cluster;
  types: ReadonlyMap<string, InstanceType>;
  /** The image for a type, and how many pods its kubelet has to be told. */
  setUp(resolved: ResolvedEc2Class, type: InstanceType): { ami: ResolvedAmi | undefined; maxPods?: number | undefined };
  /** Subnets that had no address left a moment ago. */
  isFull(subnetId: string): boolean;
}

export interface Launchable {
  candidates: Candidate[];
  templates: WantedTemplate[];
}

/** EC2 takes at most three hundred overrides; the contract has fewer alternatives than that. */
export function launchable(parts: LaunchParts): Result<Launchable> {
  const { request, resolved, types } = parts;
  const first = request.offering;
  if (!types.has(first.instanceType)) {
    return failed('invalid', `there is no instance type ${first.instanceType} in this region, or no image for it`);
  }
  const seen = new Set<string>();
  const candidates: Candidate[] = [];
  const templates = new Map<string, Result<WantedTemplate> & { ok: true }>();
  for (const offering of [first, ...(request.alternatives ?? [])]) {
    const type = types.get(offering.instanceType);
    // A fleet has one capacity type, and no pool of it twice.
    if (type === undefined || offering.capacityType !== first.capacityType || seen.has(offeringKey(offering))) continue;
    seen.add(offeringKey(offering));
    const subnetId = subnetIn(resolved, offering.zone, parts.isFull);
    const reservation = offering.capacityType === 'reserved' ? reservationFor(resolved, offering) : undefined;
    if (subnetId === undefined || (offering.capacityType === 'reserved' && reservation === undefined)) continue;
    const { ami, maxPods } = parts.setUp(resolved, type);
    if (ami === undefined) continue;
    // Types are many and differ in little: what they share is made, and hashed, once.
    const key = `${ami.id} ${maxPods} ${reservation?.id}`;
    const template = templates.get(key) ?? templateFor(parts, ami, maxPods, reservation);
    if (!template.ok) return template;
    templates.set(key, template);
    candidates.push({ offering, subnetId, template: template.value.name });
  }
  if (candidates.length > 0) return ok({ candidates, templates: [...templates.values()].map(({ value }) => value) });
  return failed('insufficient-capacity', `${describeOffering(first)}: ${whyNot(parts, first)}`);
}

/** The one with most free addresses; one that was full a moment ago only if there is no other. */
function subnetIn({ subnets }: ResolvedEc2Class, zone: string, isFull: (id: string) => boolean): string | undefined {
  const here = subnets.filter((subnet) => subnet.zone === zone);
  const best = here.toSorted((one, other) => other.freeAddresses - one.freeAddresses || (one.id < other.id ? -1 : 1));
  return (best.find(({ id }) => !isFull(id)) ?? best[0])?.id;
}

function reservationFor({ reservations }: ResolvedEc2Class, offering: OfferingRef): ResolvedReservation | undefined {
  return reservations
    .filter(({ instanceType, zone }) => instanceType === offering.instanceType && zone === offering.zone)
    .filter(({ available }) => available > 0)
    .toSorted((one, other) => other.available - one.available || (one.id < other.id ? -1 : 1))[0];
}

function templateFor(
  { request, resolved, cluster }: LaunchParts,
  ami: ResolvedAmi,
  maxPods: number | undefined,
  reservation: ResolvedReservation | undefined,
): Result<WantedTemplate> {
  return launchTemplateData(resolved, {
    cluster,
    owner: `${request.owner.deployment}/${request.owner.cluster}`,
    ami,
    labels: sharedLabels(request),
    taints: request.taints,
    maxPods,
    reservationId: reservation?.id,
  });
}

/**
 * What kubelets register with. Claims of a pool have the same labels, and share a template; a claim that stands alone may have
 * labels of its own, which would make a template for each: those come to the Node when it is registered, as all others.
 */
function sharedLabels({ labels, nodeClass }: CreateRequest): Record<string, string> {
  if (labels[labelKeys.nodePool] !== undefined) return labels;
  const capacityType = labels[labelKeys.capacityType];
  return {
    [awsLabels.nodeClass]: nodeClass.name,
    ...(capacityType === undefined ? {} : { [labelKeys.capacityType]: capacityType }),
  };
}

function whyNot({ resolved, types, setUp }: LaunchParts, { instanceType, zone, capacityType }: OfferingRef): string {
  if (!resolved.subnets.some((subnet) => subnet.zone === zone)) return `the node class has no subnet in ${zone}`;
  if (capacityType === 'reserved') return 'no capacity reservation of the node class has capacity left';
  const type = types.get(instanceType);
  const noImage = type !== undefined && setUp(resolved, type).ami === undefined;
  return noImage ? 'the node class has no image for this architecture' : 'it cannot be launched';
}
