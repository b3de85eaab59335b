/** What a class can be made of: its sizes as instance types, in its zones. */
import { RecentMap } from '../../../base/recent-map.ts';
import type { InstanceType, OfferingRef } from '../../../nodes/claims/choice/offerings.ts';
import { parseQuantity } from '../../../nodes/claims/spec/quantities.ts';
import type { ResourceList } from '../../../nodes/claims/spec/types.ts';
import { labels } from '../../../nodes/claims/spec/well-known.ts';
import { leftForPods, usualPods } from '../../kubelet.ts';
import { type Zone, zonesOf } from './parse.ts';
import type { MachineNodeClassSpec, SizeSpec } from './schema.ts';

const gpuLabel = 'poolwright.dev/gpu-type';
const usualGpu = 'nvidia.com/gpu';
const rootDisk = 'root';

/** By the name of the server, why nothing can be made there now. */
export type Unavailable = ReadonlyMap<string, string>;

export class MachineCatalog {
  readonly #overhead: number;
  readonly #lists = new RecentMap<string, readonly InstanceType[]>({ max: 50 });

  /** @param overhead The share of memory that the kernel of a guest keeps. */
  constructor(overhead: number) {
    this.#overhead = overhead;
  }

  /** The same list as long as nothing has changed. */
  instanceTypes(spec: MachineNodeClassSpec, unavailable: Unavailable): readonly InstanceType[] {
    const key = JSON.stringify([spec, [...unavailable]]);
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const types = spec.sizes.map((size) => this.#typeOf(size, spec, unavailable));
    this.#lists.set(key, types);
    return types;
  }

  #typeOf(size: SizeSpec, spec: MachineNodeClassSpec, unavailable: Unavailable): InstanceType {
    return {
      name: size.name,
      labels: labelsOf(size),
      ...this.resourcesOf(size, spec),
      ...(size.gpu === undefined ? {} : { exotic: true }),
      offerings: zonesOf(spec).map((zone) => {
        const why = unavailable.get(zone.server);
        return {
          instanceType: size.name,
          zone: zone.name,
          capacityType: 'on-demand' as const,
          price: size.price,
          available: why === undefined,
          ...(why === undefined ? {} : { unavailableReason: why }),
        };
      }),
    };
  }

  resourcesOf(size: SizeSpec, { disks = [], kubelet = {} }: MachineNodeClassSpec) {
    const diskGiB = (disks.find(({ name }) => name === rootDisk) ?? disks[0])?.sizeGiB ?? 0;
    const memoryMiB = Math.floor(memoryOf(size) * (1 - this.#overhead));
    const capacity: ResourceList = {
      cpu: String(size.cpu),
      memory: `${memoryMiB}Mi`,
      pods: String(kubelet.maxPods ?? usualPods),
      ...(diskGiB === 0 ? {} : { 'ephemeral-storage': `${diskGiB}Gi` }),
      ...(size.gpu === undefined ? {} : { [size.gpu.resource ?? usualGpu]: String(size.gpu.count) }),
    };
    return { capacity, allocatable: leftForPods(capacity, kubelet, { memoryMiB, diskGiB }) };
  }
}

/** In MiB. */
export function memoryOf({ memory }: SizeSpec): number {
  const parsed = parseQuantity(memory);
  return parsed.ok ? Number(parsed.value.nanos / 1_000_000_000n / 1_048_576n) : 0;
}

export const labelsOf = ({ arch = 'amd64', gpu }: SizeSpec): Record<string, string> => ({
  [labels.os]: 'linux',
  [labels.arch]: arch,
  ...(gpu?.type === undefined ? {} : { [gpuLabel]: gpu.type }),
});

/** Undefined: the class has no such size, or not there, by now. */
export function setUpOf(
  spec: MachineNodeClassSpec,
  { instanceType, zone: wanted, capacityType }: OfferingRef,
): { size: SizeSpec; zone: Zone } | undefined {
  const size = spec.sizes.find(({ name }) => name === instanceType);
  const zone = zonesOf(spec).find(({ name }) => name === wanted);
  return size === undefined || zone === undefined || capacityType !== 'on-demand' ? undefined : { size, zone };
}
