/** VM sizes of AKS clusters and of a custom location, with numbers near the real ones. */
import type { CatalogType } from '../../cloud/catalog.ts';

export interface AzureSize {
  name: string;
  /** As the usages call it. */
  family: string;
  /** As the product name of a price has it. */
  series: string;
  cpu: number;
  memoryGi: number;
  gpus: number;
  arch: 'x64' | 'Arm64';
  zones: readonly string[];
  spot: boolean;
  tempDiskMi: number;
  /** A month's share of an hour in US dollars; null where the price list has none. */
  price: number | null;
  /** Not for this subscription at all, or not in these zones. */
  restricted?: 'subscription' | readonly string[];
}

const allZones = ['1', '2', '3'] as const;

type Family = Pick<AzureSize, 'family' | 'series'> & Partial<AzureSize>;

const size = (
  { family, series, ...more }: Family,
  name: string,
  cpu: number,
  memoryGi: number,
  price: number | null,
  own: Partial<AzureSize> = {},
): AzureSize => ({
  name: `Standard_${name}`,
  family,
  series,
  cpu,
  memoryGi,
  price,
  gpus: 0,
  arch: 'x64',
  zones: allZones,
  spot: true,
  tempDiskMi: 0,
  ...more,
  ...own,
});

const d = { family: 'standardDSv5Family', series: 'Dsv5' };
const arm = { family: 'standardDPDSv5Family', series: 'Dpdsv5', arch: 'Arm64' as const, tempDiskMi: 76_800 };
const f = { family: 'standardFSv2Family', series: 'FSv2', tempDiskMi: 32_768 };
const e = { family: 'standardESv5Family', series: 'Esv5' };
const b = { family: 'standardBSFamily', series: 'BS', spot: false, tempDiskMi: 8192 };
const v100 = { family: 'standardNCSv3Family', series: 'NCSv3', tempDiskMi: 1_400_000, zones: ['1', '2'] };
const t4 = { family: 'Standard NCASv3_T4 Family', series: 'NCasT4_v3', tempDiskMi: 360_448 };
const a100 = { family: 'StandardNCADSA100v4Family', series: 'NCads A100 v4', tempDiskMi: 131_072, zones: ['1', '3'] };
const h100 = { family: 'standardNDSH100v5Family', series: 'NDsrH100v5', tempDiskMi: 1_024_000, zones: ['1'] };
const a10 = { family: 'StandardNVADSA10v5Family', series: 'NVadsA10v5', tempDiskMi: 737_280, zones: [] };

export const defaultSizes: readonly AzureSize[] = [
  size(d, 'D2s_v5', 2, 8, 0.096),
  size(d, 'D4s_v5', 4, 16, 0.192),
  size(d, 'D8s_v5', 8, 32, 0.384),
  size(d, 'D16s_v5', 16, 64, 0.768),
  size(d, 'D32s_v5', 32, 128, 1.536),
  size(d, 'D64s_v5', 64, 256, 3.072, { restricted: ['3'] }),
  size(arm, 'D2pds_v5', 2, 8, 0.0904),
  size(arm, 'D4pds_v5', 4, 16, 0.1808),
  size(arm, 'D8pds_v5', 8, 32, 0.3616),
  size(f, 'F4s_v2', 4, 8, 0.169),
  size(f, 'F8s_v2', 8, 16, 0.338),
  size(f, 'F16s_v2', 16, 32, 0.677),
  size(e, 'E4s_v5', 4, 32, 0.252),
  size(e, 'E8s_v5', 8, 64, 0.504),
  size(e, 'E16s_v5', 16, 128, 1.008),
  size(b, 'B2s', 2, 4, 0.0416),
  size(b, 'B4ms', 4, 16, 0.166),
  size(v100, 'NC6s_v3', 6, 112, 3.06, { gpus: 1 }),
  size(v100, 'NC12s_v3', 12, 224, 6.12, { gpus: 2 }),
  size(v100, 'NC24s_v3', 24, 448, 12.24, { gpus: 4 }),
  size(t4, 'NC4as_T4_v3', 4, 28, 0.526, { gpus: 1 }),
  size(t4, 'NC64as_T4_v3', 64, 440, 4.352, { gpus: 4 }),
  size(a100, 'NC24ads_A100_v4', 24, 220, 3.673, { gpus: 1 }),
  size(a100, 'NC48ads_A100_v4', 48, 440, 7.346, { gpus: 2 }),
  size(h100, 'ND96isr_H100_v5', 96, 1900, 98.32, { gpus: 8, spot: false }),
  size(a10, 'NV36ads_A10_v5', 36, 440, 3.2, { gpus: 1, restricted: 'subscription' }),
  // Sold by agreement: the price list does not show it.
  size(e, 'E96ias_v5', 96, 672, null, { spot: false }),
];

export interface ArcSize {
  name: string;
  cpu: number;
  memoryMi: number;
  diskGi: number;
  gpus: number;
  gpuName?: string;
}

export const defaultArcSizes: readonly ArcSize[] = [
  { name: 'Standard_A2_v2', cpu: 2, memoryMi: 4096, diskGi: 100, gpus: 0 },
  { name: 'Standard_A4_v2', cpu: 4, memoryMi: 8192, diskGi: 100, gpus: 0 },
  { name: 'Standard_K8S3_v1', cpu: 4, memoryMi: 6144, diskGi: 100, gpus: 0 },
  { name: 'Standard_D8s_v3', cpu: 8, memoryMi: 32_768, diskGi: 200, gpus: 0 },
  { name: 'Standard_D16s_v3', cpu: 16, memoryMi: 65_536, diskGi: 200, gpus: 0 },
  { name: 'Standard_NK6', cpu: 6, memoryMi: 12_288, diskGi: 100, gpus: 1, gpuName: 'T4' },
  { name: 'Standard_NK12', cpu: 12, memoryMi: 24_576, diskGi: 100, gpus: 2, gpuName: 'T4' },
  { name: 'Standard_NC4_A16', cpu: 4, memoryMi: 8192, diskGi: 100, gpus: 1, gpuName: 'A16' },
  { name: 'Standard_NC16_A16', cpu: 16, memoryMi: 65_536, diskGi: 200, gpus: 2, gpuName: 'A16' },
];

/** What a kubelet has to know of a size. */
export const machineTypes = (
  sizes: readonly AzureSize[],
  arcSizes: readonly ArcSize[],
): ReadonlyMap<string, CatalogType> =>
  new Map([
    ...arcSizes.map(({ name, cpu, memoryMi, gpus }): [string, CatalogType] => [
      name,
      { name, arch: 'amd64', cpu, memoryGi: memoryMi / 1024, gpus, price: null, spot: false, zones: [] },
    ]),
    ...sizes.map(({ name, arch, cpu, memoryGi, gpus, price, spot, zones }): [string, CatalogType] => [
      name,
      { name, arch: arch === 'x64' ? 'amd64' : 'arm64', cpu, memoryGi, gpus, price, spot, zones },
    ]),
  ]);
