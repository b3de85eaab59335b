/** A size as Microsoft.Compute/skus lists it for a location. */
import type { JsonObject } from '../answer.ts';
import type { AzureSize } from './sizes.ts';

export const capability = (name: string, value: string | number | boolean): JsonObject => ({
  name,
  value: typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value),
});

export function skuOf(
  size: AzureSize,
  location: string,
  soldOut: { everywhere: boolean; zones: readonly string[] } = { everywhere: false, zones: [] },
): JsonObject {
  const zones = [...size.zones];
  const { restricted } = size;
  const without = [...new Set([...(restricted === 'subscription' ? [] : (restricted ?? [])), ...soldOut.zones])];
  return {
    resourceType: 'virtualMachines',
    name: size.name,
    tier: 'Standard',
    size: size.name.replace('Standard_', ''),
    family: size.family,
    locations: [location],
    locationInfo: [{ location, zones, zoneDetails: [] }],
    capabilities: [
      capability('vCPUs', size.cpu),
      capability('vCPUsAvailable', size.cpu),
      capability('MemoryGB', size.memoryGi),
      ...(size.gpus === 0 ? [] : [capability('GPUs', size.gpus)]),
      capability('CpuArchitectureType', size.arch),
      capability('LowPriorityCapable', size.spot),
      capability('MaxResourceVolumeMB', size.tempDiskMi),
      capability('EphemeralOSDiskSupported', size.tempDiskMi > 0),
      capability('PremiumIO', true),
      capability('HyperVGenerations', 'V1,V2'),
      capability('MaxDataDiskCount', 8),
    ],
    restrictions: [
      ...(restricted === 'subscription' || soldOut.everywhere ? [restriction('Location', location, [])] : []),
      ...(without.length === 0 ? [] : [restriction('Zone', location, without)]),
    ],
  };
}

const restriction = (type: 'Location' | 'Zone', location: string, zones: string[]): JsonObject => ({
  type,
  values: [location],
  restrictionInfo: { locations: [location], ...(type === 'Zone' ? { zones } : {}) },
  reasonCode: 'NotAvailableForSubscription',
});
