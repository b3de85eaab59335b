/** What AKS takes per hour for a control plane, by tier. The tier Free has no meter: it costs nothing, which is not the same as unknown. */
import * as z from 'zod';
import { ok, type Result } from '../../../base/result.ts';
import { type FetchJson, fetchPages } from './pages.ts';
import { retailPricesUrl } from './prices.ts';

/** In US dollars per hour. */
export interface TierPrices {
  Standard?: number;
  Premium?: number;
}

const meterSchema = z.object({
  type: z.literal('Consumption'),
  meterName: z.string(),
  productName: z.literal('Azure Kubernetes Service'),
  unitOfMeasure: z.literal('1 Hour'),
  retailPrice: z.number().positive(),
});

/** The meters that Azure bills the tiers under. */
const tierOf = (meter: string): keyof TierPrices | undefined => {
  if (/long term support$/i.test(meter)) return 'Premium';
  return /uptime sla$/i.test(meter) ? 'Standard' : undefined;
};

export async function readTierPrices(
  fetchJson: FetchJson,
  { url = retailPricesUrl, location }: { url?: string | undefined; location: string },
  signal: AbortSignal,
): Promise<Result<TierPrices>> {
  const first = new URL(url);
  first.searchParams.set('api-version', '2023-01-01-preview');
  const wanted = `serviceName eq 'Azure Kubernetes Service' and priceType eq 'Consumption' and armRegionName eq '${location}'`;
  first.searchParams.set('$filter', wanted);
  const prices: TierPrices = {};
  const read = await fetchPages(
    fetchJson,
    { url: first.href, items: 'Items', next: 'NextPageLink' },
    (item) => {
      const meter = meterSchema.safeParse(item);
      const tier = meter.success ? tierOf(meter.data.meterName) : undefined;
      if (meter.success && tier !== undefined) prices[tier] = meter.data.retailPrice;
    },
    signal,
  );
  return read.ok ? ok(prices) : read;
}
