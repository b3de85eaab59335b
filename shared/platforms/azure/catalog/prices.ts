/**
 * Prices per hour from the retail prices API, which anybody may ask without a token. They are for the order of the choice
 * alone: where they can't be had, they are unknown, never zero.
 */
import * as z from 'zod';
import { failed, ok, type Result } from '../../../base/result.ts';
import { type FetchJson, fetchPages } from './pages.ts';

/** By the name of the size. */
export type Prices = { [size: string]: { onDemand?: number; spot?: number } };

export const retailPricesUrl = 'https://prices.azure.com/api/retail/prices';

const meterSchema = z.object({
  type: z.literal('Consumption'),
  armSkuName: z.string().min(1),
  armRegionName: z.string(),
  meterName: z.string(),
  productName: z.string(),
  unitOfMeasure: z.literal('1 Hour'),
  retailPrice: z.number().positive(),
  effectiveStartDate: z.string().nullish(),
});

type Meter = z.infer<typeof meterSchema>;

/** Sold under the name of a size, but not a Linux machine for anybody. */
const otherMeters = /low priority|expired/i;
const otherProducts = /windows|cloud ?services|dedicated|rhel|suse/i;

export async function readPrices(
  fetchJson: FetchJson,
  { url = retailPricesUrl, location }: { url?: string; location: string },
  signal: AbortSignal,
): Promise<Result<Prices>> {
  const wanted = `serviceName eq 'Virtual Machines' and priceType eq 'Consumption' and armRegionName eq '${location}'`;
  const first = new URL(url);
  first.searchParams.set('api-version', '2023-01-01-preview');
  first.searchParams.set('$filter', wanted);
  const since = new Map<string, string>();
  const prices: Prices = {};
  const read = await fetchPages(
    fetchJson,
    { url: first.href, items: 'Items', next: 'NextPageLink' },
    (item) => {
      const meter = meterSchema.safeParse(item);
      if (meter.success) take(prices, since, meter.data, location);
    },
    signal,
  );
  if (!read.ok) return read;
  // An answer without a single meter is a wrong question, and must not stand for half a day.
  return since.size === 0 ? failed('unavailable', `the price list has nothing for ${location}`) : ok(prices);
}

/** A changed price stands there twice, under the day from which each holds. */
function take(prices: Prices, since: Map<string, string>, meter: Meter, location: string): void {
  if (meter.armRegionName.toLowerCase() !== location.toLowerCase()) return;
  if (otherMeters.test(meter.meterName) || otherProducts.test(meter.productName)) return;
  const kind = /\bspot$/i.test(meter.meterName) ? 'spot' : 'onDemand';
  const key = `${meter.armSkuName}/${kind}`;
  const from = meter.effectiveStartDate ?? '';
  if ((since.get(key) ?? '') > from) return;
  since.set(key, from);
  prices[meter.armSkuName] = { ...prices[meter.armSkuName], [kind]: meter.retailPrice };
}
