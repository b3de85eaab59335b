/**
 * What is left out of a choice because of its price. When the cheap offerings of a claim are refused one after the other, the next one is
 * larger and dearer each time: without an end, a claim for three CPUs gets the largest machine of the cloud.
 */
import type { CatalogOffering } from './catalog.ts';

export interface PriceLimit {
  /** Per hour; nothing dearer is taken. Absent: there is no limit. */
  ceiling?: number;
  /** Whether an offering of unknown price may be taken. */
  takesUnknown: boolean;
}

/**
 * @param fitting Everything that would serve, whether it is available or not.
 * @param ratio How many times the price of the cheapest that fits is still taken. Absent or 0: there is no limit.
 * @param overQuota Those of them that a limit of the account refuses.
 */
export function priceLimit(
  fitting: readonly CatalogOffering[],
  ratio: number | undefined,
  overQuota: readonly CatalogOffering[],
): PriceLimit {
  // More quota brings back the known price; until then an unknown one may be any.
  const takesUnknown = overQuota.every(({ offering }) => offering.price === undefined);
  const cheapest = ratio ? (cheapestOf(fitting.filter(isOnDemand)) ?? cheapestOf(fitting)) : undefined;
  return { ...(cheapest === undefined ? {} : { ceiling: cheapest * ratio! }), takesUnknown };
}

export function isTooDear({ offering: { price } }: CatalogOffering, { ceiling, takesUnknown }: PriceLimit): boolean {
  if (price === undefined) return !takesUnknown;
  return ceiling !== undefined && price > ceiling;
}

/** For people. */
export function whyTooDear({ offering: { price } }: CatalogOffering, { ceiling = 0 }: PriceLimit): string {
  if (price === undefined) return 'its price is unknown, and an offering with a known price is over quota';
  return `$${price} per hour is over the price ceiling of $${rounded(ceiling)}`;
}

/** Spot costs a fraction of on-demand: compared with spot, the fallback to on-demand would be too dear. */
const isOnDemand = ({ offering }: CatalogOffering): boolean => offering.capacityType === 'on-demand';

/** What costs nothing is paid for already, and says nothing about prices. */
function cheapestOf(offerings: readonly CatalogOffering[]): number | undefined {
  const prices = offerings.flatMap(({ offering: { price = 0 } }) => (price > 0 ? [price] : []));
  return prices.length === 0 ? undefined : prices.reduce((least, price) => Math.min(least, price));
}

export const rounded = (price: number): number => Number(price.toPrecision(4));
