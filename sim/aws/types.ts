/** Some of what EC2 sells, with the real figures of each type: cores, memory, interfaces, addresses, price per hour. */
import type { CatalogType } from '../cloud/catalog.ts';

export type Architecture = 'x86_64' | 'arm64';

export interface Accelerator {
  kind: 'gpu' | 'neuron' | 'inference' | 'gaudi';
  name: string;
  manufacturer: string;
  count: number;
  memoryMiB: number;
}

export interface Ec2Type {
  name: string;
  arch: Architecture;
  vcpus: number;
  memoryMiB: number;
  interfaces: number;
  addressesPerInterface: number;
  price: number;
  accelerator: Accelerator | undefined;
  /** Disks of its own, in GB in all. */
  localDiskGB: number;
  metal: boolean;
  burstable: boolean;
  spot: boolean;
  /** In which of the region's zones, by their place; all when not said. */
  zones: readonly number[];
  /** The class under which its vCPUs count against a quota. */
  quotaClass: string;
}

/** Vcpus, memory in GiB, interfaces, addresses per interface. */
type Size = readonly [vcpus: number, memoryGi: number, interfaces: number, addresses: number];

const everywhere = [0, 1, 2] as const;

const make = (name: string, size: Size, price: number, more: Partial<Ec2Type> = {}): Ec2Type => ({
  name,
  arch: 'x86_64',
  vcpus: size[0],
  memoryMiB: Math.round(size[1] * 1024),
  interfaces: size[2],
  addressesPerInterface: size[3],
  price,
  accelerator: undefined,
  localDiskGB: 0,
  metal: false,
  burstable: false,
  spot: true,
  zones: everywhere,
  quotaClass: 'Standard',
  ...more,
});

/** Interfaces and addresses go with the size in all families of this kind; memory and price go with the vCPUs. */
const sizes: Record<string, readonly [vcpus: number, interfaces: number, addresses: number]> = {
  medium: [1, 2, 4],
  large: [2, 3, 10],
  xlarge: [4, 4, 15],
  '2xlarge': [8, 4, 15],
  '4xlarge': [16, 8, 30],
  '8xlarge': [32, 8, 30],
  '12xlarge': [48, 8, 30],
  '16xlarge': [64, 15, 50],
  '24xlarge': [96, 15, 50],
};

function family(
  prefix: string,
  names: readonly string[],
  perVcpu: { memoryGi: number; price: number },
  more: Partial<Ec2Type> = {},
): Ec2Type[] {
  return names.map((size) => {
    const [vcpus = 0, interfaces = 0, addresses = 0] = sizes[size] ?? [];
    const price = Math.round(vcpus * perVcpu.price * 1e6) / 1e6;
    return make(`${prefix}.${size}`, [vcpus, vcpus * perVcpu.memoryGi, interfaces, addresses], price, more);
  });
}

const gpu = (name: string, count: number, memoryMiB: number): Accelerator => ({
  kind: 'gpu',
  name,
  manufacturer: 'NVIDIA',
  count,
  memoryMiB,
});
const arm = { arch: 'arm64' } as const;
const burstable = { burstable: true } as const;

export const defaultTypes: readonly Ec2Type[] = [
  make('t3.micro', [2, 1, 2, 2], 0.0104, burstable),
  make('t3.small', [2, 2, 3, 4], 0.0208, burstable),
  make('t3.medium', [2, 4, 3, 6], 0.0416, burstable),
  make('t3.large', [2, 8, 3, 12], 0.0832, burstable),
  make('t3.xlarge', [4, 16, 4, 15], 0.1664, burstable),
  make('t3.2xlarge', [8, 32, 4, 15], 0.3328, burstable),
  make('t3a.medium', [2, 4, 3, 6], 0.0376, { ...burstable, zones: [0, 1] }),
  make('t3a.large', [2, 8, 3, 12], 0.0752, { ...burstable, zones: [0, 1] }),
  make('t4g.small', [2, 2, 3, 4], 0.0168, { ...burstable, ...arm }),
  make('t4g.medium', [2, 4, 3, 6], 0.0336, { ...burstable, ...arm }),
  make('t4g.large', [2, 8, 3, 12], 0.0672, { ...burstable, ...arm }),
  make('t4g.xlarge', [4, 16, 4, 15], 0.1344, { ...burstable, ...arm }),
  ...family('m5', ['large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge', '16xlarge', '24xlarge'], {
    memoryGi: 4,
    price: 0.048,
  }),
  make('m5.metal', [96, 384, 15, 50], 4.608, { metal: true }),
  make('m5d.large', [2, 8, 3, 10], 0.113, { localDiskGB: 75 }),
  ...family('m6i', ['large', 'xlarge', '2xlarge', '4xlarge', '8xlarge'], { memoryGi: 4, price: 0.048 }),
  ...family('m6g', ['medium', 'large', 'xlarge', '2xlarge', '4xlarge'], { memoryGi: 4, price: 0.0385 }, arm),
  ...family('m7g', ['medium', 'large', 'xlarge', '2xlarge'], { memoryGi: 4, price: 0.0408 }, { ...arm, zones: [1, 2] }),
  ...family('m7i', ['large', 'xlarge', '2xlarge'], { memoryGi: 4, price: 0.0504 }, { zones: [0, 2] }),
  ...family('c5', ['large', 'xlarge', '2xlarge', '4xlarge', '12xlarge'], { memoryGi: 2, price: 0.0425 }),
  ...family('c6i', ['large', 'xlarge', '2xlarge', '4xlarge'], { memoryGi: 2, price: 0.0425 }),
  ...family('c6g', ['medium', 'large', 'xlarge', '2xlarge'], { memoryGi: 2, price: 0.034 }, arm),
  ...family('c7g', ['large', 'xlarge'], { memoryGi: 2, price: 0.03625 }, { ...arm, zones: [0, 1] }),
  ...family('r5', ['large', 'xlarge', '2xlarge', '4xlarge'], { memoryGi: 8, price: 0.063 }),
  ...family('r6i', ['large', 'xlarge', '2xlarge'], { memoryGi: 8, price: 0.063 }),
  ...family('r6g', ['medium', 'large', 'xlarge'], { memoryGi: 8, price: 0.0504 }, arm),
  make('i4i.large', [2, 16, 3, 10], 0.172, { localDiskGB: 468 }),
  ...(
    [
      ['g4dn.xlarge', [4, 16, 3, 10], 0.526, gpu('T4', 1, 16_384), 125],
      ['g4dn.2xlarge', [8, 32, 3, 10], 0.752, gpu('T4', 1, 16_384), 225],
      ['g4dn.12xlarge', [48, 192, 8, 30], 3.912, gpu('T4', 4, 16_384), 900],
      ['g5.xlarge', [4, 16, 4, 15], 1.006, gpu('A10G', 1, 24_576), 250],
      ['g5.2xlarge', [8, 32, 4, 15], 1.212, gpu('A10G', 1, 24_576), 450],
      ['g5.12xlarge', [48, 192, 15, 50], 5.672, gpu('A10G', 4, 24_576), 3800],
      ['g6.xlarge', [4, 16, 4, 15], 0.8048, gpu('L4', 1, 22_888), 250],
    ] as const
  ).map(([name, size, price, accelerator, localDiskGB]) =>
    make(name, size, price, { accelerator, localDiskGB, quotaClass: 'G' }),
  ),
  make('g5g.xlarge', [4, 8, 4, 15], 0.42, { ...arm, accelerator: gpu('T4g', 1, 16_384), quotaClass: 'G' }),
  make('p3.2xlarge', [8, 61, 4, 15], 3.06, { accelerator: gpu('V100', 1, 16_384), quotaClass: 'P' }),
  make('p4d.24xlarge', [96, 1152, 60, 50], 32.7726, {
    accelerator: gpu('A100', 8, 40_960),
    localDiskGB: 8000,
    quotaClass: 'P',
    zones: [0, 1],
  }),
  make('p5.48xlarge', [192, 2048, 64, 50], 98.32, {
    accelerator: gpu('H100', 8, 81_920),
    localDiskGB: 30_400,
    quotaClass: 'P',
    zones: [0],
    spot: false,
  }),
  make('inf1.xlarge', [4, 8, 4, 10], 0.228, {
    accelerator: { kind: 'inference', name: 'Inferentia', manufacturer: 'AWS', count: 1, memoryMiB: 8192 },
    quotaClass: 'Inf',
  }),
  make('inf2.xlarge', [4, 16, 4, 15], 0.7582, {
    accelerator: { kind: 'neuron', name: 'Inferentia2', manufacturer: 'AWS', count: 1, memoryMiB: 32_768 },
    quotaClass: 'Inf',
    zones: [1, 2],
  }),
  make('trn1.2xlarge', [8, 32, 4, 15], 1.34375, {
    accelerator: { kind: 'neuron', name: 'Trainium', manufacturer: 'AWS', count: 1, memoryMiB: 32_768 },
    quotaClass: 'Trn',
    localDiskGB: 474,
    zones: [1],
  }),
  make('dl1.24xlarge', [96, 768, 60, 50], 13.10904, {
    accelerator: { kind: 'gaudi', name: 'Gaudi HL-205', manufacturer: 'Habana', count: 8, memoryMiB: 32_768 },
    quotaClass: 'DL',
    localDiskGB: 4000,
    zones: [2],
  }),
];

/**
 * A third of the price, a little different from zone to zone. What everybody wants costs more than on demand now and then:
 * the V100 does, in the second zone.
 */
export function spotPriceOf(type: Ec2Type, zone: number): number {
  const share = type.name === 'p3.2xlarge' && zone === 1 ? 1.2 : 0.3 + 0.02 * zone;
  return Math.round(type.price * share * 1e4) / 1e4;
}

/** What a kubelet on such a machine finds. */
export const machineTypes = (types: readonly Ec2Type[], zones: readonly string[]): Map<string, CatalogType> =>
  new Map(
    types.map((type) => [
      type.name,
      {
        name: type.name,
        arch: type.arch === 'arm64' ? 'arm64' : 'amd64',
        cpu: type.vcpus,
        memoryGi: type.memoryMiB / 1024,
        gpus: type.accelerator?.kind === 'gpu' ? type.accelerator.count : 0,
        price: type.price,
        spot: type.spot,
        zones: type.zones.flatMap((index) => zones[index] ?? []),
      },
    ]),
  );
