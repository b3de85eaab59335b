/** What a machine has, and what is left of it for pods. */
import type { InstanceType } from '../../../nodes/claims/choice/offerings.ts';
import type { ResourceList } from '../../../nodes/claims/spec/types.ts';
import { leftForPods, usualPods } from '../../kubelet.ts';
import type { OfferingGpu, ResolvedOffering, ResolvedTemplate } from '../node-class/resolved.ts';
import type { CloudStackNodeClassSpec } from '../node-class/schema.ts';
import type { Size } from './labels.ts';

const gibibyte = 1024 ** 3;

/** Under which name the device plugin of a vendor tells its GPUs. */
const vendors: readonly (readonly [RegExp, string])[] = [
  [/nvidia|tesla|quadro|geforce|rtx|grid|\b[AHLTVP]\d{1,4}[a-z]?\b/i, 'nvidia.com/gpu'],
  [/\bamd\b|advanced micro devices|radeon|instinct|\bMI\d{2,3}/i, 'amd.com/gpu'],
  [/intel|\bflex\b|\bmax \d/i, 'gpu.intel.com/i915'],
];

export const gpuResource = ({ card, profile = '' }: OfferingGpu): string =>
  vendors.find(([pattern]) => pattern.test(card) || pattern.test(profile))?.[1] ?? 'nvidia.com/gpu';

export interface OverheadOptions {
  /** The share of memory that the kernel of the guest keeps for itself, so that the node shows less than the offering says. */
  vmMemoryOverheadPercent: number;
}

export function resourcesOf(
  offering: ResolvedOffering,
  { cpuNumber, memory }: Size,
  template: ResolvedTemplate | undefined,
  { rootDiskSize, kubelet = {} }: Pick<CloudStackNodeClassSpec, 'rootDiskSize' | 'kubelet'>,
  { vmMemoryOverheadPercent }: OverheadOptions,
): Required<Pick<InstanceType, 'capacity' | 'allocatable'>> {
  const disk = rootDiskSize ?? (offering.rootDiskSize || Math.ceil((template?.size ?? 0) / gibibyte));
  const seen = Math.floor(memory * (1 - vmMemoryOverheadPercent));
  const capacity: ResourceList = {
    cpu: String(cpuNumber),
    memory: `${seen}Mi`,
    pods: String(kubelet.maxPods ?? usualPods),
    ...(disk === 0 ? {} : { 'ephemeral-storage': `${disk}Gi` }),
    ...(offering.gpu === undefined ? {} : { [gpuResource(offering.gpu)]: String(offering.gpu.count) }),
  };
  return { capacity, allocatable: leftForPods(capacity, kubelet, { memoryMiB: seen, diskGiB: disk }) };
}
