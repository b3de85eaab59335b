/**
 * What a request costs per month: nodes and control plane. What the price list lacks is unknown and never zero, and then so is the sum.
 * Disks, traffic, load balancers and logs are not in it.
 *
 * @example
 * monthlyPrice(resolved, { ok: true, prices }); // { state: 'known', currency: 'USD', least: 350.4, most: 490.6, parts: […] }
 */
import type { Resolved } from '../resolved/resolve.ts';
import type { AzurePrices } from './prices.ts';

/** The price list, or why there is none. */
export type PriceSource = { ok: true; prices: AzurePrices } | { ok: false; reason: string };

export interface PricePart {
  part: 'control plane' | 'system pool' | 'agent pool' | 'node pool';
  /** What it is the price of: `2 × Standard_D4s_v5`, or a tier. */
  what: string;
  /** Per month; null if it is unknown. */
  least: number | null;
  most: number | null;
  /** Why it is unknown, or what it depends on. */
  note?: string;
}

export interface MonthlyPrice {
  /** `partial`: there is more to it than the sum says, such as nodes for pods. */
  state: 'known' | 'partial' | 'unknown';
  currency: string;
  /** Null as soon as one part is unknown. */
  least: number | null;
  most: number | null;
  parts: readonly PricePart[];
  /** Why the price is unknown. */
  reason?: string;
}

/** As Azure's own calculator has them. */
export const hoursPerMonth = 730;

const round = (amount: number): number => Math.round(amount * 100) / 100;
const byPods = 'depends on pods';

export function monthlyPrice(resolved: Resolved, source: PriceSource): MonthlyPrice {
  if (!source.ok) {
    return { state: 'unknown', currency: 'USD', least: null, most: null, parts: [], reason: source.reason };
  }
  const { prices } = source;
  const { systemPool, nodePool, nodes, tier } = resolved;
  const parts: PricePart[] = [controlPlane(tier, prices)];
  parts.push(nodesOf('system pool', systemPool.vmSize, [systemPool.count, systemPool.count], prices));
  const [size = ''] = nodePool.vmSizes;
  if (nodes === 'agentPools') {
    parts.push(nodesOf('agent pool', size, [nodePool.minCount, nodePool.maxCount], prices));
  } else if (nodes === 'poolwright' && nodePool.replicas > 0) {
    parts.push(staticPool(resolved, prices));
  } else if (nodes === 'nap') {
    parts.push({ part: 'node pool', what: `nodes of type ${nodePool.type}`, least: 0, most: null, note: byPods });
  }
  const unknown = parts.filter(({ least, most, note }) => note !== byPods && (least === null || most === null));
  if (unknown.length > 0) {
    const reason = unknown.map(({ what, note }) => `${what}: ${note}`).join('; ');
    return { state: 'unknown', currency: prices.currency, least: null, most: null, parts, reason };
  }
  const sum = (end: 'least' | 'most'): number => round(parts.reduce((total, part) => total + (part[end] ?? 0), 0));
  const open = parts.some(({ note }) => note === byPods);
  const state = open ? 'partial' : 'known';
  return { state, currency: prices.currency, least: sum('least'), most: open ? null : sum('most'), parts };
}

function controlPlane(tier: string, { tiers }: AzurePrices): PricePart {
  const part = 'control plane';
  const what = `tier ${tier}`;
  if (tier === 'Free') return { part, what, least: 0, most: 0 };
  const hourly = tier === 'Standard' ? tiers.Standard : tiers.Premium;
  if (hourly === undefined) return { part, what, least: null, most: null, note: 'not in the price list' };
  const monthly = round(hourly * hoursPerMonth);
  return { part, what, least: monthly, most: monthly };
}

function nodesOf(
  part: PricePart['part'],
  size: string,
  [fewest, most]: readonly [number, number],
  { sizes }: AzurePrices,
): PricePart {
  const what = fewest === most ? `${fewest} × ${size}` : `${fewest} to ${most} × ${size}`;
  const hourly = sizes[size]?.onDemand;
  if (hourly === undefined) return { part, what, least: null, most: null, note: 'not in the price list' };
  return { part, what, least: round(hourly * fewest * hoursPerMonth), most: round(hourly * most * hoursPerMonth) };
}

/** Its nodes may have any of its sizes, so the price is between the cheapest and the dearest. */
function staticPool({ nodePool: { replicas, vmSizes } }: Resolved, { sizes }: AzurePrices): PricePart {
  const what = `${replicas} × ${vmSizes.join(' or ')}`;
  const hourly = vmSizes.flatMap((size) => sizes[size]?.onDemand ?? []);
  if (hourly.length < vmSizes.length) {
    return { part: 'node pool', what, least: null, most: null, note: 'not in the price list' };
  }
  const monthly = (price: number): number => round(price * replicas * hoursPerMonth);
  return { part: 'node pool', what, least: monthly(Math.min(...hourly)), most: monthly(Math.max(...hourly)) };
}
