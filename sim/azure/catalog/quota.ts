/** How many cores are in use, of which families, and how many may be. */
import type { JsonObject, Problem } from '../answer.ts';
import type { AzureCluster } from '../clusters.ts';
import type { PoolRequest } from '../pool.ts';
import { quotaExceeded, quotaExceededOfAks } from '../refusals.ts';
import type { AzureSettings } from '../settings.ts';
import type { AzureWorld } from '../world.ts';
import type { AzureSize } from './sizes.ts';

/** What a subscription has when nobody has asked for more or less. */
const usualLimit = 10_000;

export class QuotaCheck {
  readonly #world: AzureWorld;
  readonly #settings: AzureSettings;
  readonly #sizes: ReadonlyMap<string, AzureSize>;

  constructor(parts: { world: AzureWorld; settings: AzureSettings; sizes: ReadonlyMap<string, AzureSize> }) {
    this.#world = parts.world;
    this.#settings = parts.settings;
    this.#sizes = parts.sizes;
  }

  /** Spot machines count against one quota of their own, all others against that of their family and the region's. */
  check(cluster: AzureCluster, request: PoolRequest): Problem | undefined {
    const size = this.#sizes.get(request.vmSize.toLowerCase());
    if (cluster.kind === 'arc' || size === undefined) return undefined;
    const required = size.cpu * request.count;
    const used = this.#used(cluster.location);
    const names = request.capacityType === 'spot' ? ['lowPriorityCores'] : [size.family, 'cores'];
    for (const name of names) {
      const usage = used.get(name) ?? 0;
      const limit = this.#limit(name);
      if (usage + required <= limit) continue;
      const facts = { location: cluster.location, limit, usage, required };
      return this.#settings.quotaWords === 'aks' ? quotaExceededOfAks(name, facts) : quotaExceeded(name, facts);
    }
    return undefined;
  }

  usages(location: string): JsonObject[] {
    const used = this.#used(location);
    const families = [...new Set([...this.#sizes.values()].map(({ family }) => family))];
    return [
      ['cores', 'Total Regional vCPUs'] as const,
      ['virtualMachines', 'Virtual Machines'] as const,
      ['lowPriorityCores', 'Total Regional Low-priority vCPUs'] as const,
      ...families.map((family) => [family, `${family.replace(/^standard/i, 'Standard ')} vCPUs`] as const),
    ].map(([value, localizedValue]) => ({
      unit: 'Count',
      currentValue: used.get(value) ?? 0,
      limit: this.#limit(value),
      name: { value, localizedValue },
    }));
  }

  #limit(name: string): number {
    return this.#settings.quota[name] ?? usualLimit;
  }

  #used(location: string): Map<string, number> {
    const used = new Map<string, number>();
    const add = (name: string, count: number) => used.set(name, (used.get(name) ?? 0) + count);
    for (const { cluster, request } of this.#world.pools) {
      const size = this.#sizes.get(request.vmSize.toLowerCase());
      if (cluster.kind === 'arc' || cluster.location !== location || size === undefined) continue;
      const cores = size.cpu * request.count;
      add('virtualMachines', request.count);
      if (request.capacityType === 'spot') add('lowPriorityCores', cores);
      else {
        add(size.family, cores);
        add('cores', cores);
      }
    }
    return used;
  }
}
