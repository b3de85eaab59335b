/** The retail prices API: `GET /api/retail/prices?$filter=…`. It needs no token, and shows much that nobody asked for. */
import { type Answer, type JsonObject, json, wrapped } from '../answer.ts';
import type { AzureSize } from './sizes.ts';

/** A third of the price for machines that may be taken back. */
export const spotPrice = (price: number): number => Math.round(price * 0.3 * 1e6) / 1e6;

interface PriceParts {
  sizes: readonly AzureSize[];
  locations: readonly string[];
  pageSize: number;
  url: string;
}

export function retailPrices(query: URLSearchParams, { sizes, locations, pageSize, url }: PriceParts): Answer {
  const filter = query.get('$filter') ?? '';
  const conditions = filter === '' ? [] : filter.split(/ and /i).map((part) => part.trim());
  const wanted: [string, string][] = [];
  for (const condition of conditions) {
    const [, field, value] = /^\(?(\w+) eq '([^']*)'\)?$/.exec(condition) ?? [];
    if (field === undefined || value === undefined) {
      return wrapped(400, { code: 'BadRequest', message: `Invalid OData parameters supplied: ${condition}` });
    }
    // The field is asked for under another name than it is shown.
    wanted.push([field === 'priceType' ? 'type' : field, value]);
  }
  const all = locations
    .flatMap((location) => [...sizes.flatMap((size) => rowsOf(size, location)), ...tierRows(location)])
    .filter((row) => wanted.every(([field, value]) => row[field] === value));
  const from = Number(query.get('$skip') ?? 0);
  const items = all.slice(from, from + pageSize);
  const next = new URLSearchParams(query);
  next.set('$skip', String(from + pageSize));
  return json(200, {
    BillingCurrency: 'USD',
    CustomerEntityId: 'Default',
    CustomerEntityType: 'Retail',
    Items: items,
    NextPageLink: from + pageSize < all.length ? `${url}/api/retail/prices?${next}` : null,
    Count: items.length,
  });
}

/** One size has many meters: spot, low priority, Windows, Dev/Test, a year in advance; only two of them are what a Linux machine costs. */
function rowsOf(size: AzureSize, location: string): JsonObject[] {
  const { price } = size;
  if (price === null) return [];
  const short = size.name.replace('Standard_', '').replaceAll('_', ' ');
  const linux = `Virtual Machines ${size.series} Series`;
  const row = (meter: string, amount: number, productName = linux, type = 'Consumption'): JsonObject => ({
    currencyCode: 'USD',
    tierMinimumUnits: 0,
    retailPrice: amount,
    unitPrice: amount,
    armRegionName: location,
    location: location === 'eastus' ? 'US East' : location,
    effectiveStartDate: '2026-01-01T00:00:00Z',
    meterName: `${short}${meter}`,
    productName,
    skuName: `${short}${meter}`,
    serviceName: 'Virtual Machines',
    serviceFamily: 'Compute',
    unitOfMeasure: '1 Hour',
    type,
    isPrimaryMeterRegion: true,
    armSkuName: size.name,
  });
  return [
    row('', price),
    ...(size.spot ? [row(' Spot', spotPrice(price)), row(' Low Priority', price * 0.2)] : []),
    row('', price * 1.9, `${linux} Windows`),
    row('', price * 0.6, linux, 'DevTestConsumption'),
    { ...row('', Math.round(price * 8760 * 0.6), linux, 'Reservation'), reservationTerm: '1 Year' },
  ];
}

/** What a control plane costs, by its tier. The tier Free has no row. */
const tierRows = (location: string): JsonObject[] =>
  [
    ['Standard Uptime SLA', 0.1],
    ['Standard Long Term Support', 0.6],
  ].map(([meterName, retailPrice]) => ({
    currencyCode: 'USD',
    retailPrice,
    unitPrice: retailPrice,
    armRegionName: location,
    meterName,
    productName: 'Azure Kubernetes Service',
    serviceName: 'Azure Kubernetes Service',
    unitOfMeasure: '1 Hour',
    type: 'Consumption',
  })) as JsonObject[];
