/** Instance types from sizes: labels as users of Karpenter on Azure know them, and an offering per zone and capacity type. */

import { defined } from '../../../base/defined.ts';
import { isObject, type Json } from '../../../base/json.ts';
import type { InstanceType, Offering } from '../../../nodes/claims/choice/offerings.ts';
import { type CapacityType, labels } from '../../../nodes/claims/spec/well-known.ts';
import type { Prices } from '../../../platforms/azure/catalog/prices.ts';
import { gpuMaker, nameParts, type Size } from '../../../platforms/azure/catalog/size.ts';
import { allocatableOf, capacityOf, usualDiskGiB, usualMaxPods } from './reserves.ts';

export const skuLabels = {
  name: 'karpenter.azure.com/sku-name',
  family: 'karpenter.azure.com/sku-family',
  series: 'karpenter.azure.com/sku-series',
  version: 'karpenter.azure.com/sku-version',
  cpu: 'karpenter.azure.com/sku-cpu',
  memory: 'karpenter.azure.com/sku-memory',
  gpuName: 'karpenter.azure.com/sku-gpu-name',
  gpuManufacturer: 'karpenter.azure.com/sku-gpu-manufacturer',
  gpuCount: 'karpenter.azure.com/sku-gpu-count',
  acceleratedNetworking: 'karpenter.azure.com/sku-networking-accelerated',
  premiumStorage: 'karpenter.azure.com/sku-storage-premium-capable',
  ephemeralDisk: 'karpenter.azure.com/sku-storage-ephemeralos-maxsize',
  ultraDisk: 'karpenter.azure.com/sku-storage-ultra-ssd',
  placementScope: 'karpenter.azure.com/placement-scope',
} as const;

/** Labels that AKS itself puts on Nodes, as far as they are known before there is one. */
const aksLabels = {
  cpu: 'kubernetes.azure.com/sku-cpu',
  memory: 'kubernetes.azure.com/sku-memory',
  mode: 'kubernetes.azure.com/mode',
  osSku: 'kubernetes.azure.com/os-sku',
  fips: 'kubernetes.azure.com/fips_enabled',
  priority: 'kubernetes.azure.com/priority',
  scaleSetPriority: 'kubernetes.azure.com/scalesetpriority',
} as const;

/** Not on any node: it says which sizes share a quota, so that one refusal speaks for all of them. */
export const quotaFamilyLabel = 'poolwright.dev/azure-quota-family';

/** Nor this: where a size is bought. Quotas and stock of one place say nothing about another, whatever the size is called. */
export const placeLabel = 'poolwright.dev/azure-place';

export interface TypesInput {
  sizes: readonly Size[];
  place: string;
  location: string;
  prices?: Prices | undefined;
  /** The spec of the node class: how many pods and how large a disk it asks for. */
  nodeClass: Json;
}

export function toInstanceTypes({ sizes, place, location, prices, nodeClass }: TypesInput): InstanceType[] {
  const spec = isObject(nodeClass) ? nodeClass : {};
  const maxPods = positive(spec.maxPods) ?? usualMaxPods;
  const osDiskGiB = positive(spec.osDiskSizeGB);
  return sizes.map((size) => {
    const shape = { maxPods, diskGiB: osDiskGiB ?? size.diskGiB ?? usualDiskGiB(size) };
    return {
      name: size.name,
      labels: { ...labelsOf(size, location), ...classLabels(spec, location), [placeLabel]: place },
      capacity: capacityOf(size, shape),
      allocatable: allocatableOf(size, shape),
      offerings: offeringsOf(size, location, prices),
    };
  });
}

/** The label value of a zone: `eastus-1`. */
export const zoneName = (location: string, number: string): string => `${location}-${number}`;

/**
 * The first offering is for the location as a whole: Azure places the machine where it has one. It comes before the zones
 * at the same price, so a claim that does not care about zones gets a pool without any, as it always did.
 */
function offeringsOf(size: Size, location: string, prices: Prices | undefined): Offering[] {
  const capacityTypes: CapacityType[] = size.spot ? ['on-demand', 'spot'] : ['on-demand'];
  const price = prices?.[size.name];
  return capacityTypes.flatMap((capacityType) =>
    ['', ...size.zones].map((zone): Offering => {
      const refusal =
        size.restricted ??
        (size.restrictedZones?.includes(zone)
          ? `Azure does not offer it to this subscription in zone ${zone}`
          : undefined);
      return {
        instanceType: size.name,
        zone: zone === '' ? '' : zoneName(location, zone),
        capacityType,
        price: (capacityType === 'spot' ? price?.spot : price?.onDemand) ?? undefined,
        available: refusal === undefined,
        labels: offeringLabels(zone === '' ? 'regional' : 'zonal', capacityType, location),
        ...defined({ unavailableReason: refusal }),
      };
    }),
  );
}

/** One object for each of the few kinds of offerings: thousands of offerings share it. Azure Arc has no location, and no such labels. */
function offeringLabels(scope: 'regional' | 'zonal', capacityType: CapacityType, location: string): OfferingLabels {
  const key = `${scope} ${capacityType} ${location === ''}`;
  const known = sharedLabels.get(key);
  if (known !== undefined) return known;
  const priority = capacityType === 'spot' ? 'spot' : 'regular';
  const made: OfferingLabels = {
    [skuLabels.placementScope]: scope,
    ...(location === '' ? {} : { [aksLabels.priority]: priority, [aksLabels.scaleSetPriority]: priority }),
  };
  sharedLabels.set(key, made);
  return made;
}
type OfferingLabels = NonNullable<Offering['labels']>;
const sharedLabels = new Map<string, OfferingLabels>();

/** What the class decides for all its nodes. Pools are of mode User, which is what AKS makes of a pool without a mode. */
const classLabels = ({ imageFamily, fipsMode }: { [field: string]: Json }, location: string): Record<string, string> =>
  location === ''
    ? {}
    : {
        [aksLabels.mode]: 'user',
        [aksLabels.osSku]: imageFamily === 'AzureLinux' ? 'AzureLinux' : 'Ubuntu',
        ...(fipsMode === 'FIPS' ? { [aksLabels.fips]: 'true' } : {}),
      };

function labelsOf(size: Size, location: string): Record<string, string> {
  const { family, series, version, gpu } = nameParts(size.name);
  const gpuName = size.gpuName ?? gpu;
  return {
    [labels.arch]: size.arch,
    [labels.os]: 'linux',
    ...(location === '' ? {} : { [labels.region]: location }),
    [skuLabels.name]: size.name,
    [skuLabels.cpu]: String(size.cpu),
    [skuLabels.memory]: String(size.memoryMiB),
    [skuLabels.gpuCount]: String(size.gpus),
    // Pools are created without ultra disks, whatever the size could do.
    [skuLabels.ultraDisk]: 'false',
    ...(location === '' ? {} : { [aksLabels.cpu]: String(size.cpu), [aksLabels.memory]: String(size.memoryMiB) }),
    ...(family === undefined ? {} : { [skuLabels.family]: family }),
    ...(series === undefined ? {} : { [skuLabels.series]: series }),
    ...(version === undefined ? {} : { [skuLabels.version]: version }),
    ...(size.gpus === 0 ? {} : { [skuLabels.gpuManufacturer]: gpuMaker(size) }),
    ...(size.gpus === 0 || gpuName === undefined ? {} : { [skuLabels.gpuName]: gpuName }),
    ...(size.acceleratedNetworking ? { [skuLabels.acceleratedNetworking]: 'true' } : {}),
    ...(size.premiumStorage ? { [skuLabels.premiumStorage]: 'true' } : {}),
    ...(size.ephemeralDiskGiB === undefined ? {} : { [skuLabels.ephemeralDisk]: String(size.ephemeralDiskGiB) }),
    ...(size.family === '' ? {} : { [quotaFamilyLabel]: size.family }),
  };
}

const positive = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && value > 0 ? value : undefined;
