/** What an AKS cluster can have: sizes, zones, quota and prices of its location. */

import { defined } from '../../../base/defined.ts';
import type { Json } from '../../../base/json.ts';
import { failed, ok, type Result } from '../../../base/result.ts';
import type { InstanceType, OfferingRef } from '../../../nodes/claims/choice/offerings.ts';
import type { FetchJson } from '../../../platforms/azure/catalog/pages.ts';
import { type Prices, readPrices } from '../../../platforms/azure/catalog/prices.ts';
import { readSizes } from '../../../platforms/azure/catalog/resource-skus.ts';
import type { Size } from '../../../platforms/azure/catalog/size.ts';
import type { ProviderContext } from '../../context.ts';
import type { Quota as QuotaOf } from '../../contract.ts';
import { KeptAnswer } from '../../kept-answer.ts';
import { toInstanceTypes } from './instance-types.ts';
import { Quota, quotaLocation } from './quota.ts';

/** The part of both providers that knows what is sold. */
export interface AzureCatalog {
  /** What its quotas and its stock hold for: all its types have it as a label. */
  readonly place: string;
  instanceTypes(nodeClass: { name: string; spec: Json }, signal: AbortSignal): Promise<Result<InstanceType[]>>;
  /**
   * Before a create: `quota-exceeded`, with the numbers, where Azure would refuse it later. What passes is set aside for
   * the holder (the pool's name): whoever asks again under the same name is not counted twice.
   */
  checkQuota(offering: OfferingRef, holder: string, signal: AbortSignal): Promise<Result<void>>;
  /** Absent: the location sets no limits. */
  quota?(signal: AbortSignal): Promise<Result<QuotaOf[]>>;
  /** The size, if the catalog was read and has it. */
  size(name: string): Size | undefined;
  close(): void;
}

export interface AksCatalogOptions {
  context: Pick<ProviderContext, 'state' | 'clock' | 'log'>;
  /** `https://management.azure.com`, or that of another cloud. */
  endpoint: string;
  subscriptionId: string;
  location: string;
  /** Asks ARM, with a token. */
  arm: FetchJson;
  /** Asks for prices, without one; absent: prices are unknown. */
  prices?: { url?: string; fetchJson: FetchJson } | undefined;
}

const halfDaySeconds = 12 * 3600;

export function aksCatalog(options: AksCatalogOptions): AzureCatalog {
  return new AksCatalog({ ...options, location: normalLocation(options.location) });
}

/** `East US` and `eastus` are one location. */
export const normalLocation = (location: string): string => location.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

class AksCatalog implements AzureCatalog {
  readonly place: string;
  readonly #options: AksCatalogOptions;
  readonly #sizes: KeptAnswer<Size[]>;
  readonly #prices: KeptAnswer<Prices> | undefined;
  readonly #quota: Quota;
  #byName: { of: Size[]; sizes: Map<string, Size> } | undefined;

  constructor(options: AksCatalogOptions) {
    this.#options = options;
    const { context, subscriptionId, location, arm, prices } = options;
    this.place = quotaLocation(options);
    this.#sizes = new KeptAnswer<Size[]>(context, {
      cloud: 'Azure',
      what: `sizes in ${location}`,
      key: `azure/sizes/${subscriptionId}/${location}`,
      freshSeconds: halfDaySeconds,
      read: async (signal) => {
        const sizes = await readSizes(arm, options, signal);
        if (!sizes.ok) return sizes;
        if (sizes.value.length > 0) return sizes;
        return failed(
          'invalid',
          `Azure offers no sizes to subscription ${subscriptionId} in location "${location}": check the location of the cluster (az account list-locations)`,
        );
      },
    });
    this.#prices =
      prices &&
      new KeptAnswer<Prices>(context, {
        cloud: 'Azure',
        what: `prices in ${location}`,
        key: `azure/prices/${location}`,
        freshSeconds: halfDaySeconds,
        read: (signal) => {
          const { url, fetchJson } = prices;
          return readPrices(fetchJson, { location, ...defined({ url }) }, signal);
        },
      });
    this.#quota = new Quota(arm, options, context);
  }

  async instanceTypes(nodeClass: { name: string; spec: Json }, signal: AbortSignal): Promise<Result<InstanceType[]>> {
    const [sizes, prices] = await Promise.all([this.#sizes.get(signal), this.#prices?.soon(signal)]);
    if (!sizes.ok) return sizes;
    const all = [...this.#index(sizes.value.value).values()];
    const { place } = this;
    const { location } = this.#options;
    return ok(toInstanceTypes({ sizes: all, place, location, prices, nodeClass: nodeClass.spec }));
  }

  async checkQuota(offering: OfferingRef, holder: string, signal: AbortSignal): Promise<Result<void>> {
    const sizes = await this.#sizes.get(signal);
    const size = sizes.ok ? this.#index(sizes.value.value).get(offering.instanceType) : undefined;
    // A size that is not in the list is Azure's to refuse.
    return size === undefined ? ok(undefined) : this.#quota.check(offering, size, holder, signal);
  }

  async quota(signal: AbortSignal): Promise<Result<QuotaOf[]>> {
    const sizes = await this.#sizes.get(signal);
    return sizes.ok ? this.#quota.all(sizes.value.value, signal) : sizes;
  }

  size(name: string): Size | undefined {
    const { known } = this.#sizes;
    return known && this.#index(known.value).get(name);
  }

  close(): void {
    for (const one of [this.#sizes, this.#prices, this.#quota]) one?.close();
  }

  #index(kept: Size[]): Map<string, Size> {
    if (this.#byName?.of !== kept) {
      this.#byName = { of: kept, sizes: new Map(kept.map((size) => [size.name, size])) };
    }
    return this.#byName.sizes;
  }
}
