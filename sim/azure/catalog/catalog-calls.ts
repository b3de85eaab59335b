/** Calls about what there is to be had: sizes, how many cores are in use, Kubernetes versions. */
import type { FaultBook } from '../../kit/faults.ts';
import { type JsonObject, json } from '../answer.ts';
import type { ArmRequest, Handling } from '../api.ts';
import type { AzureSettings } from '../settings.ts';
import type { AzureWorld } from '../world.ts';
import type { QuotaCheck } from './quota.ts';
import type { ArcSize, AzureSize } from './sizes.ts';
import { capability, skuOf } from './sku.ts';

interface CatalogParts {
  world: AzureWorld;
  settings: AzureSettings;
  sizes: readonly AzureSize[];
  arcSizes: readonly ArcSize[];
  quota: QuotaCheck;
  faults: FaultBook;
  /** Where sizes are sold. */
  locations: readonly string[];
  url: () => string;
}

export class CatalogCalls {
  readonly #parts: CatalogParts;

  constructor(parts: CatalogParts) {
    this.#parts = parts;
  }

  /** Microsoft.Compute/skus: disks and other things are among them, in pages. */
  skus(request: ArmRequest): Handling {
    const { settings, sizes, locations, url } = this.#parts;
    return {
      kind: 'skus.list',
      operation: 'types',
      subject: {},
      perform: () => {
        const [, wanted] = /^location eq '([^']*)'$/.exec(request.query.get('$filter') ?? '') ?? [];
        const all = locations
          .filter((location) => wanted === undefined || location.toLowerCase() === wanted.toLowerCase())
          .flatMap((location) => [
            { resourceType: 'disks', name: 'Premium_LRS', tier: 'Premium', size: 'P10', locations: [location] },
            ...sizes.map((size) => this.#sku(size, location)),
          ]);
        const from = Number(request.query.get('$skiptoken') ?? 0);
        const value = all.slice(from, from + settings.pageSize);
        const next = new URLSearchParams(request.query);
        next.set('$skiptoken', String(from + settings.pageSize));
        const more = from + settings.pageSize < all.length;
        return json(200, { value, ...(more ? { nextLink: `${url()}${request.path}?${next}` } : {}) });
      },
    };
  }

  usages(location: string): Handling {
    return {
      kind: 'usages.list',
      operation: 'types',
      subject: {},
      perform: () => json(200, { value: this.#parts.quota.usages(location.toLowerCase()) }),
    };
  }

  arcSkus(customLocation: string): Handling {
    const values = this.#parts.arcSizes.map(({ name, cpu, memoryMi, diskGi, gpus, gpuName }) => ({
      resourceType: 'provisionedClusters',
      name,
      tier: 'Standard',
      size: name.replace('Standard_', ''),
      capabilities: [
        capability('vCpu', cpu),
        capability('MemoryMb', memoryMi),
        capability('DiskSizeGb', diskGi),
        ...(gpus === 0 ? [] : [capability('GpuCount', gpus), capability('GpuNameType', gpuName ?? '')]),
      ],
    }));
    return this.#ofLocation('skus.list', customLocation, 'skus', { values });
  }

  arcVersions(customLocation: string): Handling {
    const values = ['1.30', '1.31'].map((version) => ({
      version,
      isPreview: false,
      patchVersions: { [`${version}.4`]: { readiness: [{ osType: 'Linux', osSku: 'CBLMariner', ready: true }] } },
    }));
    return this.#ofLocation('versions.get', customLocation, 'kubernetesVersions', { values });
  }

  #ofLocation(kind: 'skus.list' | 'versions.get', place: string, type: string, properties: JsonObject): Handling {
    const path = `${place}/providers/Microsoft.HybridContainerService/${type}/default`;
    return {
      kind,
      operation: 'types',
      subject: {},
      perform: () =>
        json(200, {
          id: path,
          name: 'default',
          type: `Microsoft.HybridContainerService/${type}`,
          extendedLocation: { type: 'CustomLocation', name: place },
          properties: { provisioningState: 'Succeeded', ...properties },
        }),
    };
  }

  #sku(size: AzureSize, location: string): JsonObject {
    return skuOf(size, location, {
      everywhere: this.#listedSoldOut(size, ''),
      zones: size.zones.filter((zone) => this.#listedSoldOut(size, `${location}-${zone}`)),
    });
  }

  #listedSoldOut({ name, spot }: AzureSize, zone: string): boolean {
    const { faults, world } = this.#parts;
    if (faults.empty) return false;
    // The list can't tell spot from other machines: a size is shown as restricted when neither is to be had.
    const kinds = spot ? ['on-demand', 'spot'] : ['on-demand'];
    return kinds.every(
      (capacityType) => faults.listedSoldOut({ instanceType: name, zone, capacityType }, world.now) !== undefined,
    );
  }
}
