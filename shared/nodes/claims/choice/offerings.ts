/** What a provider can sell: instance types, each with its offerings. Plain data: it is cached and journalled. */
import type { ResourceList } from '../spec/types.ts';
import type { CapacityType } from '../spec/well-known.ts';

/** What names an offering: enough to ask for it, and to write it down. */
export interface OfferingRef {
  instanceType: string;
  /** Empty where the provider has no zones, or places the instance itself. */
  zone: string;
  capacityType: CapacityType;
}

/** Which offerings share the fate of one that can't be had: those of which all that is said here holds. */
export type OfferingScope = {
  instanceType?: string;
  zone?: string;
  capacityType?: CapacityType;
  /** Labels that their instance types have. */
  labels?: { [key: string]: string };
  /** Labels that are numbers, of this size or more: who can't have four cores can't have eight. */
  labelsAtLeast?: { [key: string]: number };
};

/** One of several offerings that a single request named, and that could not be had. */
export type RefusedOffering = {
  offering: OfferingRef;
  kind: 'insufficient-capacity' | 'quota-exceeded';
  message: string;
  scope?: OfferingScope;
  /** How long it is not worth asking again, where the cloud's word tells more than that it is out. */
  retryAfterSeconds?: number;
};

/** What a failed create adds to any failure: which offerings it says something about. `base` knows no offering. */
declare module '../../../base/result.ts' {
  interface Failure {
    /** With `insufficient-capacity` and `quota-exceeded`: every offering with the same problem; without it, only the one that was asked for. */
    scope?: OfferingScope;
    /** Where one request named several offerings: exactly those that are unavailable. Without it, the one that was asked for. */
    refused?: RefusedOffering[];
  }
}

export interface Offering extends OfferingRef {
  /** Per hour, in US dollars. `undefined` is unknown: never shown as zero, and sorted last. */
  price: number | undefined;
  /** Whether the provider itself says that it can be had now. */
  available: boolean;
  unavailableReason?: string;
  /** A limit of the account refuses it, and not the stock of the cloud. */
  overQuota?: true;
  /** When it is worth asking again, in milliseconds since the epoch. */
  unavailableUntil?: number;
  /** What only machines of this offering have besides zone and capacity type, such as the id that a cloud gives the zone. */
  labels?: { readonly [key: string]: string };
}

/** A kind of machine. A provider lists every type, also those that are sold out everywhere. */
export interface InstanceType {
  name: string;
  /**
   * Labels that every instance of this type gets (arch, os, region, the provider's own). Instance type, zone and capacity
   * type need not be here: they come from the name and the offerings.
   */
  labels: Record<string, string>;
  capacity: ResourceList;
  /** What is left for pods. Without it, all of the capacity is. */
  allocatable?: ResourceList;
  /** Bare metal, accelerators and their like: taken only by a claim that nothing else fits, however cheap they are just now. */
  exotic?: true;
  offerings: Offering[];
}

/** Whether an offering of a type with these labels is one of those. */
export function isInScope(offering: OfferingRef, labels: ReadonlyMap<string, string>, scope: OfferingScope): boolean {
  const { instanceType, zone, capacityType } = scope;
  return (
    (instanceType === undefined || instanceType === offering.instanceType) &&
    (zone === undefined || zone === offering.zone) &&
    (capacityType === undefined || capacityType === offering.capacityType) &&
    Object.entries(scope.labels ?? {}).every(([key, value]) => labels.get(key) === value) &&
    Object.entries(scope.labelsAtLeast ?? {}).every(([key, least]) => Number(labels.get(key)) >= least)
  );
}

/** What is written down of an offering. */
export const offeringRef = ({ instanceType, zone, capacityType }: OfferingRef): OfferingRef => ({
  instanceType,
  zone,
  capacityType,
});

/** One text per offering, for maps of what is unavailable. */
export const offeringKey = (offering: OfferingRef): string =>
  `${offering.instanceType}/${offering.zone}/${offering.capacityType}`;

/** For people: `gpu-large in zone-1, spot, $1.2 per hour`. */
export function describeOffering(offering: OfferingRef & { price?: number | undefined }): string {
  return `${nameOffering(offering)}, ${describePrice(offering.price)}`;
}

/** For people: `gpu-large in zone-1, spot`. */
export function nameOffering({ instanceType, zone, capacityType }: OfferingRef): string {
  return `${instanceType}${zone === '' ? '' : ` in ${zone}`}, ${capacityType}`;
}

const describePrice = (price: number | undefined): string =>
  knownPrice(price) === undefined ? 'price unknown' : `$${price} per hour`;

/** Of an average month, as clouds count it. */
export const hoursPerMonth = 730;

/** A price that can be compared, or `undefined`: what is not a finite, non-negative number is unknown. */
export const knownPrice = (price: number | undefined): number | undefined =>
  price !== undefined && Number.isFinite(price) && price >= 0 ? price : undefined;
