/** What a usual private cloud offers: sizes of VMs, some preemptible, some with GPUs, one that is customized; and disks. */
import type { DiskOffering, GpuProfile, Offering } from './types.ts';
import { uuidOf } from './uuid.ts';

type Given = Partial<Offering> & Pick<Offering, 'name'>;

export const offering = (given: Given): Offering => ({
  id: uuidOf('offering', given.name),
  cpuNumber: 2,
  cpuSpeed: 2000,
  memory: 4096,
  hostTags: '',
  storageTags: '',
  rootDiskSize: 0,
  networkRate: 1000,
  gpu: undefined,
  details: {},
  zones: undefined,
  state: 'Active',
  ...given,
});

const sizes = { Small: 1, Medium: 2, Large: 4, 'Extra Large': 8 } as const;
type Size = keyof typeof sizes;

function family(suffix: string, names: readonly Size[], perCpu: number, more: Partial<Offering>): Offering[] {
  return names.map((size) =>
    offering({
      ...more,
      name: `${size} ${suffix}`,
      cpuNumber: sizes[size],
      memory: Math.round(sizes[size] * perCpu * 1024),
    }),
  );
}

const all: readonly Size[] = ['Small', 'Medium', 'Large', 'Extra Large'];
const big: readonly Size[] = ['Medium', 'Large', 'Extra Large'];

export const t4: GpuProfile = {
  cardId: uuidOf('gpu', 'T4'),
  cardName: 'NVIDIA T4',
  profileId: uuidOf('profile', 'T4', 'passthrough'),
  profileName: 'passthrough',
  count: 1,
};

/** A quarter of a card. */
export const a40Quarter: GpuProfile = {
  cardId: uuidOf('gpu', 'A40'),
  cardName: 'NVIDIA A40',
  profileId: uuidOf('profile', 'A40', 'A40-12Q'),
  profileName: 'NVIDIA A40-12Q',
  count: 1,
  videoRam: 12_288,
};

/** The details let a class find them by its tags, because an offering has no tags of its own. */
export function defaultOfferings(clusterName: string): Offering[] {
  const discovery = { 'karpenter.sh/discovery': clusterName };
  const general = { ...discovery, 'compute-type': 'general-purpose' };
  return [
    ...family('Instance', all, 4, { details: general }),
    ...family('Memory Instance', big, 8, { details: { ...discovery, 'compute-type': 'memory-optimized' } }),
    ...family('Spot Instance', big, 4, {
      hostTags: 'spot',
      details: { ...discovery, 'capacity-type': 'spot' },
    }),
    ...family('ARM Instance', big, 4, { hostTags: 'arm64', details: { ...discovery, 'kubernetes.io/arch': 'arm64' } }),
    offering({
      name: 'GPU T4 Instance',
      cpuNumber: 4,
      memory: 16_384,
      hostTags: 'gpu',
      gpu: t4,
      details: discovery,
      zones: ['zone-01', 'zone-02'],
    }),
    offering({
      name: 'GPU T4 Spot Instance',
      cpuNumber: 4,
      memory: 16_384,
      hostTags: 'gpu,spot',
      gpu: t4,
      details: { ...discovery, 'capacity-type': 'spot' },
    }),
    offering({ name: 'vGPU A40 Instance', cpuNumber: 4, memory: 16_384, hostTags: 'vgpu', gpu: a40Quarter }),
    // As sites from before 4.21 have them.
    offering({
      name: 'GPU V100 Instance',
      cpuNumber: 8,
      memory: 65_536,
      hostTags: 'gpu',
      details: {
        pciDevice: 'Group of NVIDIA Corporation GV100GL [Tesla V100 PCIe 16GB] GPUs',
        vgpuType: 'passthrough',
      },
    }),
    offering({
      name: 'Custom Instance',
      cpuNumber: undefined,
      cpuSpeed: 2000,
      memory: undefined,
      custom: { minCpu: 1, maxCpu: 64, minMemory: 512, maxMemory: 262_144 },
    }),
    offering({ name: 'Tiny Root Instance', cpuNumber: 2, memory: 4096, rootDiskSize: 20, storageTags: 'ssd' }),
    offering({ name: 'Retired Instance', state: 'Inactive' }),
  ];
}

const disk = (given: Partial<DiskOffering> & Pick<DiskOffering, 'name'>): DiskOffering => ({
  id: uuidOf('disk', given.name),
  diskSize: 0,
  customized: false,
  tags: '',
  state: 'Active',
  ...given,
});

export const defaultDisks = (): DiskOffering[] => [
  disk({ name: 'Small', diskSize: 5 }),
  disk({ name: 'Medium', diskSize: 20 }),
  disk({ name: 'Large', diskSize: 100 }),
  disk({ name: 'Custom', customized: true }),
  disk({ name: 'Fast', diskSize: 50, tags: 'ssd' }),
];
