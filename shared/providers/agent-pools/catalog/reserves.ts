/** What is left for pods of a machine: AKS takes its share of cores, memory and disk for the kubelet and the system. */
import type { ResourceList } from '../../../nodes/claims/spec/types.ts';
import { gpuMaker, type Size } from '../../../platforms/azure/catalog/size.ts';

/** Millicores that AKS reserves, by cores; between two steps it is in proportion. */
const cpuReserves = [
  [1, 60],
  [2, 100],
  [4, 140],
  [8, 180],
  [16, 260],
  [32, 420],
  [64, 740],
] as const;

/** The hypervisor and the kernel keep some of what the size promises. */
const memoryOverhead = 0.075;
const memoryPerPodMiB = 20;
const memoryOnTopMiB = 50;
const evictionMiB = 100;
/** The kubelet begins to evict when less of the disk is free. */
const diskKept = 0.1;

export const usualMaxPods = 110;

export interface MachineShape {
  maxPods: number;
  diskGiB: number;
}

export function capacityOf(size: Size, { maxPods, diskGiB }: MachineShape): ResourceList {
  return {
    cpu: String(size.cpu),
    memory: `${shownMemoryMiB(size)}Mi`,
    'ephemeral-storage': `${diskGiB}Gi`,
    pods: String(maxPods),
    ...gpuResource(size),
  };
}

export function allocatableOf(size: Size, { maxPods, diskGiB }: MachineShape): ResourceList {
  const memory = shownMemoryMiB(size);
  const reserved = Math.min(memoryPerPodMiB * maxPods + memoryOnTopMiB, Math.floor(memory / 4));
  return {
    cpu: `${size.cpu * 1000 - reservedMillicores(size.cpu)}m`,
    memory: `${Math.max(0, memory - reserved - evictionMiB)}Mi`,
    'ephemeral-storage': `${Math.floor(diskGiB * 1024 * (1 - diskKept))}Mi`,
    pods: String(maxPods),
    ...gpuResource(size),
  };
}

const gpuResource = (size: Size): ResourceList =>
  size.gpus === 0 ? {} : { [`${gpuMaker(size)}.com/gpu`]: String(size.gpus) };

const shownMemoryMiB = (size: Size): number => Math.floor(size.memoryMiB * (1 - memoryOverhead));

function reservedMillicores(cores: number): number {
  const above = cpuReserves.findIndex(([step]) => step >= cores);
  const [fewer, reserved] = cpuReserves[above === 0 ? 0 : above < 0 ? cpuReserves.length - 1 : above - 1]!;
  const [more, moreReserved] = cpuReserves[above < 0 ? cpuReserves.length - 1 : above]!;
  // Beyond the last step it goes on as it did between the last two: ten millicores each.
  if (above < 0) return reserved + (cores - fewer) * 10;
  return more === fewer
    ? reserved
    : Math.ceil(reserved + ((cores - fewer) / (more - fewer)) * (moreReserved - reserved));
}

/** The system disk that AKS gives a machine when nobody says how large. */
export function usualDiskGiB(size: Pick<Size, 'cpu'>): number {
  if (size.cpu < 8) return 128;
  if (size.cpu < 16) return 256;
  return size.cpu < 64 ? 512 : 1024;
}
