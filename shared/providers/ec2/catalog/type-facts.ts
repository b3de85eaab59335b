/** An instance type, as much of it as a choice needs; more than a thousand of them are kept in state. */

import type { GpuInfo, InstanceTypeInfo, NetworkCardInfo, NetworkInfo } from '@aws-sdk/client-ec2';
import { defined } from '../../../base/defined.ts';
import { ok, type Result } from '../../../base/result.ts';
import type { Ec2Calls } from '../calls/calls.ts';
import { allPages } from '../calls/pages.ts';
import type { Arch, ImageVariant } from '../node-class/resolved.ts';

export type Accelerators = { name: string; maker: string; count: number; memoryMiB: number };

export type TypeFacts = {
  name: string;
  arch: Arch;
  cpu: number;
  memoryMiB: number;
  /** Network interfaces of the first card, and IPv4 addresses of each. */
  interfaces: number;
  addresses: number;
  /** Some of the newest are sold in capacity blocks only. */
  onDemand: boolean;
  spot: boolean;
  metal: boolean;
  hypervisor?: string;
  cpuMaker?: string;
  cpuMhz?: number;
  gpus?: Accelerators;
  /** Chips of AWS itself; `cores` are those that a pod can have one by one. */
  neuron?: Accelerators & { cores: number };
  /** Local disks, in GB in all. */
  nvmeGB?: number;
  ebsMbps?: number;
  networkMbps?: number;
  encryptsInTransit: boolean;
  /** How many network interfaces each network card has, by the index of the card. */
  cards?: number[];
  /** Only where EC2 says that it has none. */
  ena?: false;
  /** How many interfaces of the Elastic Fabric Adapter it has. */
  efaInterfaces?: number;
  nestedVirtualization?: true;
};

const typesPerPage = 100;

export function readTypes(calls: Pick<Ec2Calls, 'ec2'>, signal: AbortSignal): Promise<Result<TypeFacts[]>> {
  return allPages<TypeFacts>(async (token) => {
    const input = {
      Filters: [
        { Name: 'supported-virtualization-type', Values: ['hvm'] },
        { Name: 'processor-info.supported-architecture', Values: ['x86_64', 'arm64'] },
      ],
      MaxResults: typesPerPage,
      ...(token ? { NextToken: token } : {}),
    };
    const page = await calls.ec2('DescribeInstanceTypes', input, signal);
    if (!page.ok) return page;
    return ok({
      items: (page.value.InstanceTypes ?? []).flatMap((info) => toFacts(info) ?? []),
      next: page.value.NextToken,
    });
  });
}

/** Undefined: it lacks what a node needs, or is of an architecture that no node has. */
export function toFacts(info: InstanceTypeInfo): TypeFacts | undefined {
  const { InstanceType: name, VCpuInfo, MemoryInfo, NetworkInfo, ProcessorInfo } = info;
  const arch = archOf(ProcessorInfo?.SupportedArchitectures ?? []);
  const cpu = VCpuInfo?.DefaultVCpus;
  const memoryMiB = MemoryInfo?.SizeInMiB;
  if (name === undefined || arch === undefined || cpu === undefined || memoryMiB === undefined) return undefined;
  const card = NetworkInfo?.NetworkCards?.find(
    (one) => one.NetworkCardIndex === (NetworkInfo.DefaultNetworkCardIndex ?? 0),
  );
  const gpus = gpusOf(info.GpuInfo);
  const neuron = neuronOf(info);
  const mhz = ProcessorInfo?.SustainedClockSpeedInGhz;
  const gbps = baselineGbps(NetworkInfo?.NetworkCards ?? []);
  // Where it costs extra, a machine does not have it by itself.
  const ebsMbps =
    info.EbsInfo?.EbsOptimizedSupport === 'default' ? info.EbsInfo.EbsOptimizedInfo?.MaximumBandwidthInMbps : undefined;
  const disks = info.InstanceStorageInfo;
  const nvme =
    disks?.NvmeSupport !== undefined && disks.NvmeSupport !== 'unsupported' ? disks.TotalSizeInGB : undefined;
  return {
    name,
    arch,
    cpu,
    memoryMiB,
    interfaces: card?.MaximumNetworkInterfaces ?? NetworkInfo?.MaximumNetworkInterfaces ?? 0,
    addresses: NetworkInfo?.Ipv4AddressesPerInterface ?? 0,
    // What EC2 does not say is not held against a type.
    onDemand: info.SupportedUsageClasses?.includes('on-demand') ?? true,
    spot: info.SupportedUsageClasses?.includes('spot') ?? false,
    metal: info.BareMetal ?? false,
    encryptsInTransit: NetworkInfo?.EncryptionInTransitSupported ?? false,
    ...defined({ hypervisor: info.Hypervisor }),
    ...(ProcessorInfo?.Manufacturer === undefined ? {} : { cpuMaker: kebab(ProcessorInfo.Manufacturer) }),
    ...(mhz === undefined ? {} : { cpuMhz: Math.round(mhz * 1000) }),
    ...defined({ gpus, neuron, nvmeGB: nvme, ebsMbps }),
    ...(gbps === undefined ? {} : { networkMbps: Math.round(gbps * 1000) }),
    cards: cardsOf(NetworkInfo),
    ...(NetworkInfo?.EnaSupport === 'unsupported' ? { ena: false } : {}),
    ...defined({ efaInterfaces: NetworkInfo?.EfaInfo?.MaximumEfaInterfaces }),
    ...(ProcessorInfo?.SupportedFeatures?.includes('nested-virtualization') ? { nestedVirtualization: true } : {}),
  };
}

/** Where EC2 describes no cards, there is one, with all interfaces. */
function cardsOf(info: NetworkInfo | undefined): number[] {
  const cards = info?.NetworkCards ?? [];
  if (cards.length === 0) return [info?.MaximumNetworkInterfaces ?? 0];
  const last = Math.max(...cards.map(({ NetworkCardIndex = 0 }) => NetworkCardIndex));
  const byIndex = (index: number) => cards.find(({ NetworkCardIndex = 0 }) => NetworkCardIndex === index);
  return Array.from({ length: last + 1 }, (_, index) => byIndex(index)?.MaximumNetworkInterfaces ?? 0);
}

/** Of all cards together: `4x 100 Gigabit` are 400. */
function baselineGbps(cards: readonly NetworkCardInfo[]): number | undefined {
  const known = cards.flatMap(({ BaselineBandwidthInGbps }) => BaselineBandwidthInGbps ?? []);
  return known.length === 0 ? undefined : sum(known);
}

function archOf(architectures: readonly string[]): Arch | undefined {
  if (architectures.includes('x86_64')) return 'amd64';
  return architectures.includes('arm64') ? 'arm64' : undefined;
}

function gpusOf(info: GpuInfo | undefined): Accelerators | undefined {
  const [first] = info?.Gpus ?? [];
  if (first === undefined) return undefined;
  return {
    name: kebab(first.Name ?? ''),
    maker: kebab(first.Manufacturer ?? ''),
    count: sum((info?.Gpus ?? []).map((gpu) => gpu.Count)),
    memoryMiB: first.MemoryInfo?.SizeInMiB ?? 0,
  };
}

/** Older types are described as inference accelerators only. */
function neuronOf({ NeuronInfo, InferenceAcceleratorInfo }: InstanceTypeInfo): TypeFacts['neuron'] {
  const devices = NeuronInfo?.NeuronDevices ?? [];
  const [device] = devices;
  if (device !== undefined) {
    return {
      name: kebab(device.Name ?? ''),
      maker: 'aws',
      count: sum(devices.map((one) => one.Count)),
      memoryMiB: device.MemoryInfo?.SizeInMiB ?? 0,
      cores: sum(devices.map((one) => (one.Count ?? 0) * (one.CoreInfo?.Count ?? 0))),
    };
  }
  const [older] = InferenceAcceleratorInfo?.Accelerators ?? [];
  if (older === undefined) return undefined;
  const memoryMiB = older.MemoryInfo?.SizeInMiB ?? 0;
  return {
    name: kebab(older.Name ?? ''),
    maker: kebab(older.Manufacturer ?? 'aws'),
    count: older.Count ?? 0,
    memoryMiB,
    cores: 0,
  };
}

const sum = (counts: readonly (number | undefined)[]): number =>
  counts.reduce<number>((all, one) => all + (one ?? 0), 0);

/** Label values know neither spaces nor, by habit, capitals: `Radeon Pro V520` → `radeon-pro-v520`. */
const kebab = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9._]+/g, '-');

/** Which image a machine needs. */
export const variantOf = ({ gpus, neuron }: TypeFacts): ImageVariant =>
  gpus !== undefined ? 'nvidia' : neuron !== undefined ? 'neuron' : 'standard';

/** Taken only by a claim that asks for it, or that nothing else fits. */
export const isExotic = ({ metal, gpus, neuron }: TypeFacts): boolean =>
  metal || gpus !== undefined || neuron !== undefined;
