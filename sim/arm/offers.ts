/** What a subscription can have, before anything is made: locations, resource providers, versions of Kubernetes, VM sizes, quotas. It only reads. */
import { asObject, type JsonObject } from '../../shared/base/json.ts';
import type { AzureResource } from '../aso/azure/resource.ts';
import type { AsoSettings } from '../aso/settings.ts';
import { type Answer, json } from '../azure/answer.ts';
import { type AzureSize, defaultSizes } from '../azure/catalog/sizes.ts';
import { skuOf } from '../azure/catalog/sku.ts';
import { types } from './shapes.ts';

export type Offer = 'locations' | 'provider' | 'providers' | 'versions' | 'skus' | 'usages';

export const offeredLocations = ['eastus', 'northeurope', 'swedencentral', 'uksouth', 'westeurope', 'westus3'] as const;
/** Newest patches, by minor version. */
export const offeredVersions = { '1.34': '1.34.7', '1.35': '1.35.4', '1.36': '1.36.2' } as const;

/** Those that pool types use, on top of the usual ones. */
const of = (like: string, name: string, family: string, series: string, price: number): AzureSize => {
  const known = defaultSizes.find((one) => one.name === `Standard_${like}`);
  if (known === undefined) throw new Error(`there is no size ${like}`);
  return { ...known, name: `Standard_${name}`, family, series, price };
};
export const offeredSizes: readonly AzureSize[] = [
  ...defaultSizes,
  { ...of('E4s_v5', 'E2s_v5', 'standardESv5Family', 'Esv5', 0.126), cpu: 2, memoryGi: 16 },
  { ...of('F4s_v2', 'F2als_v6', 'StandardFalsv6Family', 'Falsv6', 0.083), cpu: 2, memoryGi: 4 },
  { ...of('F4s_v2', 'F4als_v6', 'StandardFalsv6Family', 'Falsv6', 0.166), cpu: 4, memoryGi: 8 },
];

const usualLimit = 100;
const registered = [
  'ContainerService',
  'Compute',
  'Network',
  'ManagedIdentity',
  'KubernetesConfiguration',
  'Authorization',
];

export interface OfferParts {
  settings: AsoSettings;
  living: () => readonly AzureResource[];
}

export function offer({ what, location }: { what: Offer; location: string }, { settings, living }: OfferParts): Answer {
  const locations = settings.locations ?? offeredLocations;
  switch (what) {
    case 'locations':
      return json(200, { value: locations.map((name) => ({ name, metadata: { regionType: 'Physical' } })) });
    case 'provider':
      return json(200, provider('ContainerService', locations));
    case 'providers':
      return json(200, { value: registered.map((name) => provider(name, locations)) });
    case 'versions': {
      const versions = settings.versions ?? Object.keys(offeredVersions);
      return json(200, { values: locations.includes(location) ? versions.map(version) : [] });
    }
    case 'skus':
      return json(200, {
        value: locations.includes(location) ? offeredSizes.map((size) => skuOf(size, location)) : [],
      });
    case 'usages':
      return json(200, { value: usages(location, living()) });
  }
}

const provider = (name: string, locations: readonly string[]): JsonObject => ({
  namespace: `Microsoft.${name}`,
  registrationState: 'Registered',
  resourceTypes: name === 'ContainerService' ? [{ resourceType: 'managedClusters', locations: [...locations] }] : [],
});

const version = (minor: string): JsonObject => ({
  version: minor,
  isPreview: null,
  capabilities: { supportPlan: ['KubernetesOfficial', 'AKSLongTermSupport'] },
  patchVersions: { [(offeredVersions as Record<string, string>)[minor] ?? `${minor}.0`]: { upgrades: [] } },
});

/** Cores of the pools of clusters that exist. */
function usages(location: string, living: readonly AzureResource[]): JsonObject[] {
  const used = new Map<string, number>();
  for (const { type, body } of living) {
    if (type !== types.cluster || body.location !== location) continue;
    const pools = body.agentPoolProfiles;
    for (const pool of Array.isArray(pools) ? pools : []) {
      const { vmSize, count } = asObject(pool) ?? {};
      const size = offeredSizes.find(({ name }) => name === vmSize);
      if (size === undefined || typeof count !== 'number') continue;
      for (const quota of ['cores', size.family]) used.set(quota, (used.get(quota) ?? 0) + size.cpu * count);
    }
  }
  const families = [...new Set(offeredSizes.map(({ family }) => family))];
  return ['cores', ...families].map((value) => ({
    name: { value, localizedValue: value === 'cores' ? 'Total Regional vCPUs' : `${value} vCPUs` },
    currentValue: used.get(value) ?? 0,
    limit: value === 'cores' ? usualLimit * 10 : usualLimit,
    unit: 'Count',
  }));
}
