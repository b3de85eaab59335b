/**
 * On-demand prices per hour from the price list, and spot prices from their history. They are for the order of the choice
 * alone: where they can't be had they are unknown, never zero.
 */
import { ok, type Result } from '../../../base/result.ts';
import type { Ec2Calls } from '../calls/calls.ts';
import { allPages } from '../calls/pages.ts';

/** By the name of the type. */
export type OnDemandPrices = { [type: string]: number };
/** By type, then by zone. */
export type SpotPrices = { [type: string]: { [zone: string]: number } };

/** What is asked for: prices differ by these. */
export interface PriceKind {
  os: 'Linux' | 'Windows';
  tenancy: 'default' | 'dedicated';
}

const productsPerPage = 100;
const pricesPerPage = 1000;

export async function readOnDemandPrices(
  calls: Pick<Ec2Calls, 'pricing' | 'region'>,
  { os, tenancy }: PriceKind,
  signal: AbortSignal,
): Promise<Result<OnDemandPrices>> {
  const wanted = {
    regionCode: calls.region,
    operatingSystem: os,
    tenancy: tenancy === 'dedicated' ? 'Dedicated' : 'Shared',
    preInstalledSw: 'NA',
    capacitystatus: 'Used',
    licenseModel: 'No License required',
    marketoption: 'OnDemand',
  };
  const Filters = Object.entries(wanted).map(([Field, Value]) => ({ Type: 'TERM_MATCH' as const, Field, Value }));
  const products = await allPages<[string, number]>(async (token) => {
    const input = {
      ServiceCode: 'AmazonEC2',
      Filters,
      MaxResults: productsPerPage,
      ...(token ? { NextToken: token } : {}),
    };
    const page = await calls.pricing('GetProducts', input, signal);
    if (!page.ok) return page;
    return ok({
      items: (page.value.PriceList ?? []).flatMap((one: unknown) => priceIn(String(one))),
      next: page.value.NextToken,
    });
  });
  return products.ok ? ok(Object.fromEntries(products.value)) : products;
}

/** A product is a JSON text in which the price hangs under ids that mean nothing to anybody else. */
function priceIn(text: string): [string, number][] {
  let product: unknown;
  try {
    product = JSON.parse(text);
  } catch {
    return [];
  }
  const type = field(product, 'product', 'attributes', 'instanceType');
  if (typeof type !== 'string') return [];
  for (const term of valuesOf(field(product, 'terms', 'OnDemand'))) {
    for (const dimension of valuesOf(field(term, 'priceDimensions'))) {
      const perUnit = field(dimension, 'pricePerUnit');
      const price = Number(field(perUnit, 'USD') ?? field(perUnit, 'CNY'));
      // Some products are listed at nothing: nobody gives machines away, so that is no price.
      if (price > 0 && Number.isFinite(price)) return [[type, price]];
    }
  }
  return [];
}

function field(value: unknown, ...path: string[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}

const valuesOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : [];

export async function readSpotPrices(
  calls: Pick<Ec2Calls, 'ec2'>,
  { os, now }: { os: PriceKind['os']; now: number },
  signal: AbortSignal,
): Promise<Result<SpotPrices>> {
  const prices: SpotPrices = {};
  const since = new Map<string, number>();
  const read = await allPages<never>(async (token) => {
    const input = {
      ProductDescriptions:
        os === 'Linux' ? ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'] : ['Windows', 'Windows (Amazon VPC)'],
      // From now on: of each type and zone only the price that holds.
      StartTime: new Date(now),
      MaxResults: pricesPerPage,
      ...(token ? { NextToken: token } : {}),
    };
    const page = await calls.ec2('DescribeSpotPriceHistory', input, signal);
    if (!page.ok) return page;
    for (const { InstanceType: type, AvailabilityZone: zone, SpotPrice, Timestamp } of page.value.SpotPriceHistory ??
      []) {
      const price = Number(SpotPrice);
      if (type === undefined || zone === undefined || !(price > 0)) continue;
      const at = Timestamp?.getTime() ?? 0;
      const key = `${type}/${zone}`;
      if ((since.get(key) ?? Number.NEGATIVE_INFINITY) > at) continue;
      since.set(key, at);
      prices[type] = { ...prices[type], [zone]: price };
    }
    return ok({ items: [], next: page.value.NextToken });
  });
  return read.ok ? ok(prices) : read;
}
