/**
 * What a machine has, and what is left of it for pods, reckoned as Karpenter does, so that a claim fits here if it fits there.
 * All of it is an estimate until the node itself reports.
 */
import { parseQuantity, toNumber } from '../../../nodes/claims/spec/quantities.ts';
import type { ResourceList } from '../../../nodes/claims/spec/types.ts';
import { ephemeralStorageBytes } from '../node-class/block-devices.ts';
import type { ResolvedEc2Class } from '../node-class/resolved.ts';
import type { KubeletSettings } from '../node-class/schema-kubelet.ts';
import { efaOnlyCount } from '../node-class/schema-network.ts';
import { maxPodsOf, podsByInterfaces } from './pods.ts';
import type { TypeFacts } from './type-facts.ts';

export interface OverheadOptions {
  /** The share of memory that the hypervisor and the kernel keep; 0.075 is usual. */
  vmMemoryOverheadPercent: number;
  reservedENIs: number;
}

type Amounts = { milliCpu: number; memoryBytes: number; storageBytes: number; pods: number };

const mib = 1024 ** 2;
const gib = 1024 ** 3;
/** Graviton machines keep so much for contiguous allocation. */
const armReserveMiB = 64;

export function resourcesOf(
  type: TypeFacts,
  resolved: Pick<ResolvedEc2Class, 'spec' | 'family'>,
  options: OverheadOptions,
): { capacity: ResourceList; allocatable: ResourceList } {
  const { spec, family } = resolved;
  const kubelet = spec.kubelet ?? {};
  const efaInterfaces = efaOnlyCount(spec.networkInterfaces);
  const capacity: Amounts = {
    milliCpu: type.cpu * 1000,
    memoryBytes: memoryOf(type, options.vmMemoryOverheadPercent),
    storageBytes: storageOf(type, resolved),
    pods: maxPodsOf(type, { family, kubelet, reservedENIs: options.reservedENIs + efaInterfaces }),
  };
  // The script of Amazon Linux 2 reserves for as many pods as there are addresses, whatever maxPods and reservedENIs say.
  const countedPods = family === 'AL2' || family === 'Custom' ? podsByInterfaces(type, 0) : capacity.pods;
  const taken = [kubeReserved(type.cpu, countedPods, kubelet), systemReserved(kubelet), eviction(capacity, kubelet)];
  const left = (field: 'milliCpu' | 'memoryBytes' | 'storageBytes'): number =>
    Math.max(0, capacity[field] - taken.reduce((all, one) => all + one[field], 0));
  const devices = {
    ...devicesOf(type, family.startsWith('Windows')),
    ...(efaInterfaces === 0 ? {} : { 'vpc.amazonaws.com/efa': String(efaInterfaces) }),
  };
  return {
    capacity: { ...listOf(capacity), ...devices },
    allocatable: {
      ...listOf({
        milliCpu: left('milliCpu'),
        memoryBytes: left('memoryBytes'),
        storageBytes: left('storageBytes'),
        pods: capacity.pods,
      }),
      ...devices,
    },
  };
}

function memoryOf({ memoryMiB, arch }: TypeFacts, overhead: number): number {
  const seen = memoryMiB - (arch === 'arm64' ? armReserveMiB : 0);
  return Math.max(0, seen - Math.ceil(seen * overhead)) * mib;
}

function storageOf({ nvmeGB }: TypeFacts, { spec, family }: Pick<ResolvedEc2Class, 'spec' | 'family'>): number {
  if (spec.instanceStorePolicy === 'RAID0' && nvmeGB !== undefined) return nvmeGB * 1000 ** 3;
  return ephemeralStorageBytes(spec, family);
}

/** Of the first core 6 %, of the second 1 %, of the next two half a percent each, of all others a quarter. */
const cpuSteps = [
  { from: 0, to: 1, share: 60 },
  { from: 1, to: 2, share: 10 },
  { from: 2, to: 4, share: 5 },
  { from: 4, to: Number.POSITIVE_INFINITY, share: 2.5 },
] as const;

function kubeReserved(cpu: number, pods: number, { kubeReserved: given = {} }: KubeletSettings) {
  const usual = cpuSteps.reduce((all, { from, to, share }) => all + Math.max(0, Math.min(cpu, to) - from) * share, 0);
  return {
    milliCpu: given.cpu === undefined ? Math.floor(usual) : milli(given.cpu),
    memoryBytes: given.memory === undefined ? (11 * pods + 255) * mib : amount(given.memory),
    storageBytes: given['ephemeral-storage'] === undefined ? gib : amount(given['ephemeral-storage']),
  };
}

const systemReserved = ({ systemReserved: given = {} }: KubeletSettings) => ({
  milliCpu: given.cpu === undefined ? 0 : milli(given.cpu),
  memoryBytes: given.memory === undefined ? 0 : amount(given.memory),
  storageBytes: given['ephemeral-storage'] === undefined ? 0 : amount(given['ephemeral-storage']),
});

/** What the kubelet keeps free: pods are evicted before it is used. A soft threshold only warns, and takes nothing. */
function eviction(capacity: Amounts, { evictionHard = {} }: KubeletSettings) {
  const most = (signal: 'memory.available' | 'nodefs.available', all: number, usual: number): number => {
    const given = evictionHard[signal];
    return given === undefined ? usual : share(given, all);
  };
  return {
    milliCpu: 0,
    memoryBytes: most('memory.available', capacity.memoryBytes, 100 * mib),
    storageBytes: most('nodefs.available', capacity.storageBytes, Math.ceil(capacity.storageBytes / 10)),
  };
}

/** `5%` of all, or a quantity. One hundred percent switches a threshold off. */
function share(text: string, all: number): number {
  if (!text.endsWith('%')) return amount(text);
  const percent = Number(text.slice(0, -1));
  return percent >= 100 ? 0 : Math.ceil((all * percent) / 100);
}

const amount = (text: string): number => {
  const parsed = parseQuantity(text);
  return parsed.ok ? toNumber(parsed.value) : 0;
};
const milli = (text: string): number => Math.round(amount(text) * 1000);

const listOf = ({ milliCpu, memoryBytes, storageBytes, pods }: Amounts): ResourceList => ({
  cpu: milliCpu % 1000 === 0 ? String(milliCpu / 1000) : `${milliCpu}m`,
  memory: bytesText(memoryBytes),
  'ephemeral-storage': bytesText(storageBytes),
  pods: String(pods),
});

/** Whole mebibytes read better; what is left over is cut off. */
const bytesText = (bytes: number): string =>
  bytes >= mib ? `${Math.floor(bytes / mib)}Mi` : String(Math.floor(bytes));

const gpuResources: Readonly<Record<string, string>> = {
  nvidia: 'nvidia.com/gpu',
  amd: 'amd.com/gpu',
  habana: 'habana.ai/gaudi',
};

function devicesOf({ gpus, neuron, addresses }: TypeFacts, windows: boolean): ResourceList {
  const gpu = gpus && gpuResources[gpus.maker];
  return {
    ...(gpu === undefined ? {} : { [gpu]: String(gpus?.count ?? 0) }),
    ...(neuron === undefined ? {} : { 'aws.amazon.com/neuron': String(neuron.count) }),
    ...(neuron === undefined || neuron.cores === 0 ? {} : { 'aws.amazon.com/neuroncore': String(neuron.cores) }),
    // Pods on Windows take addresses of the first interface only.
    ...(windows ? { 'vpc.amazonaws.com/PrivateIPv4Address': String(Math.max(0, addresses - 1)) } : {}),
  };
}
