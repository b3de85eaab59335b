/** Sizes from the Resource SKUs of a subscription in one location. What can't be read as a size is left out. */

import * as z from 'zod';
import { defined } from '../../../base/defined.ts';
import { ok, type Result } from '../../../base/result.ts';
import { type FetchJson, fetchPages } from './pages.ts';
import type { Size } from './size.ts';

const skuSchema = z.object({
  resourceType: z.literal('virtualMachines'),
  name: z.string(),
  family: z.string(),
  locationInfo: z.array(z.object({ location: z.string(), zones: z.array(z.string()).nullish() })).nullish(),
  capabilities: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  restrictions: z
    .array(
      z.object({
        type: z.string(),
        values: z.array(z.string()).nullish(),
        restrictionInfo: z
          .object({ locations: z.array(z.string()).nullish(), zones: z.array(z.string()).nullish() })
          .nullish(),
        reasonCode: z.string().nullish(),
      }),
    )
    .nullish(),
});

type Sku = z.infer<typeof skuSchema>;

/** AKS takes no smaller ones. */
const fewestCores = 2;
const leastMemoryMiB = 2048;

const why: Readonly<Record<string, string>> = {
  NotAvailableForSubscription: 'Azure does not offer it to this subscription here',
  QuotaId: 'the offer of this subscription does not include it',
};

export interface ResourceSkusOptions {
  endpoint: string;
  subscriptionId: string;
  location: string;
}

export async function readSizes(
  fetchJson: FetchJson,
  { endpoint, subscriptionId, location }: ResourceSkusOptions,
  signal: AbortSignal,
): Promise<Result<Size[]>> {
  const url = new URL(`/subscriptions/${subscriptionId}/providers/Microsoft.Compute/skus`, endpoint);
  url.search = `api-version=2021-07-01&$filter=${encodeURIComponent(`location eq '${location}'`)}`;
  const sizes = new Map<string, Size>();
  const read = await fetchPages(
    fetchJson,
    { url: url.href, items: 'value', next: 'nextLink' },
    (item) => {
      const sku = skuSchema.safeParse(item);
      const size = sku.success ? sizeOf(sku.data, location) : undefined;
      if (size !== undefined) sizes.set(size.name, size);
    },
    signal,
  );
  return read.ok ? ok([...sizes.values()]) : read;
}

function sizeOf(sku: Sku, location: string): Size | undefined {
  const isHere = (name: string): boolean => name.toLowerCase() === location.toLowerCase();
  const here = sku.locationInfo?.find((info) => isHere(info.location));
  if (here === undefined) return undefined;
  const capabilities = new Map(sku.capabilities?.map(({ name, value }) => [name, value]));
  const number = (name: string): number => Number(capabilities.get(name) ?? Number.NaN);
  const is = (name: string): boolean => capabilities.get(name) === 'True';
  const quotaCores = number('vCPUs');
  const memoryMiB = Math.floor(number('MemoryGB') * 1024);
  if (!(quotaCores >= fewestCores && memoryMiB >= leastMemoryMiB)) return undefined;
  const gpus = number('GPUs');
  const ephemeralMiB = Math.max(number('CachedDiskBytes') / 2 ** 20 || 0, number('MaxResourceVolumeMB') || 0);
  const { restricted, restrictedZones } = restrictionsOf(sku, isHere);
  return {
    name: sku.name,
    family: sku.family.toLowerCase(),
    cpu: number('vCPUsAvailable') || quotaCores,
    quotaCores,
    memoryMiB,
    gpus: gpus > 0 ? gpus : 0,
    arch: capabilities.get('CpuArchitectureType') === 'Arm64' ? 'arm64' : 'amd64',
    zones: (here.zones ?? []).toSorted(),
    spot: is('LowPriorityCapable'),
    ...defined({ restricted }),
    ...(restrictedZones.length === 0 ? {} : { restrictedZones }),
    ...(is('PremiumIO') ? { premiumStorage: true } : {}),
    ...(is('AcceleratedNetworkingEnabled') ? { acceleratedNetworking: true } : {}),
    ...(is('EphemeralOSDiskSupported') && ephemeralMiB > 0
      ? { ephemeralDiskGiB: Math.floor(ephemeralMiB / 1024) }
      : {}),
  };
}

function restrictionsOf(
  { restrictions }: Sku,
  isHere: (location: string) => boolean,
): { restricted?: string; restrictedZones: string[] } {
  const restrictedZones = new Set<string>();
  let restricted: string | undefined;
  for (const { type, values, restrictionInfo, reasonCode } of restrictions ?? []) {
    if (![...(values ?? []), ...(restrictionInfo?.locations ?? [])].some(isHere)) continue;
    if (type === 'Zone') for (const zone of restrictionInfo?.zones ?? []) restrictedZones.add(zone);
    else if (type === 'Location') restricted = why[reasonCode ?? ''] ?? `Azure restricts it here (${reasonCode})`;
  }
  return { ...defined({ restricted }), restrictedZones: [...restrictedZones].toSorted() };
}
