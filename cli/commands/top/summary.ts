/** The head of `top`: how many there are of what, and what it costs. */
import { hoursPerMonth } from '../../../shared/nodes/claims/choice/offerings.ts';
import type { ClaimRow } from '../../terminal/claim-row/claim-row.ts';
import { isFailure, type Stage, stages } from '../../terminal/claim-row/stage.ts';
import { perMonthText, priceText } from '../../terminal/output/values.ts';
import type { PoolRow } from '../../terminal/pool-row.ts';

export interface NodeCounts {
  ready: number;
  total: number;
  /** Nodes that are of no claim. */
  others: number;
}

export interface Summary {
  claims: number;
  byStage: ReadonlyMap<Stage, number>;
  pricePerHour: number;
  /** Machines whose price nobody knows: the sum is without them. */
  unpriced: number;
  /** Reasons of failures, the most frequent first. */
  failures: readonly (readonly [reason: string, count: number])[];
}

export function summaryOf(rows: Iterable<ClaimRow>): Summary {
  const byStage = new Map<Stage, number>();
  const reasons = new Map<string, number>();
  let claims = 0;
  let pricePerHour = 0;
  let unpriced = 0;
  for (const { stage, providerID, price, why } of rows) {
    claims++;
    byStage.set(stage, (byStage.get(stage) ?? 0) + 1);
    // Only a machine that is there costs money.
    if (providerID !== undefined && price === undefined) unpriced++;
    if (providerID !== undefined) pricePerHour += price ?? 0;
    if (isFailure(stage)) reasons.set(why?.reason ?? 'unknown', (reasons.get(why?.reason ?? 'unknown') ?? 0) + 1);
  }
  const failures = [...reasons].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return { claims, byStage, pricePerHour, unpriced, failures };
}

/** @param pools Undefined where the cluster has no NodePools, or the caller may not list them. */
export function summaryLines(summary: Summary, nodes: NodeCounts | string, pools?: readonly PoolRow[]): string[] {
  const { claims, byStage } = summary;
  const failing = (pools ?? []).flatMap(({ name, why }) =>
    why?.severity === 'failed' ? [`pool ${name}: ${why.reason}`] : [],
  );
  const failures = [...summary.failures.map(([reason, count]) => `${count} ${reason}`), ...failing];
  const counted = stages.flatMap((stage) =>
    byStage.has(stage) ? [`${byStage.get(stage)} ${stage.toLowerCase()}`] : [],
  );
  return [
    `Nodes    ${typeof nodes === 'string' ? nodes : nodesText(nodes)}`,
    `Claims   ${claims}${counted.length === 0 ? '' : `: ${counted.join(', ')}`}`,
    `Cost     ${costText(summary)}`,
    ...(pools === undefined || pools.length === 0 ? [] : [`Pools    ${poolsText(pools)}`]),
    `Failures ${failures.length === 0 ? 'none' : failures.join(', ')}`,
  ];
}

const nodesText = ({ ready, total, others }: NodeCounts): string =>
  `${ready} of ${total} ready${others === 0 ? '' : `, and ${others} without a claim`}`;

/** Those that lack nodes are named, the failing ones first. */
function poolsText(pools: readonly PoolRow[]): string {
  const open = pools.filter(({ why }) => why !== undefined);
  const sorted = open.toSorted((a, b) => Number(b.why?.severity === 'failed') - Number(a.why?.severity === 'failed'));
  const named = sorted.slice(0, poolsNamed).map(({ name, nodes, replicas, why }) => {
    const count = replicas === undefined ? '' : ` ${nodes}/${replicas}`;
    return `${name}${count} ${why?.reason}`;
  });
  const more = open.length > poolsNamed ? `, ${open.length - poolsNamed} more` : '';
  const list = named.length === 0 ? '' : `, ${open.length} not: ${named.join(', ')}${more}`;
  return `${pools.length - open.length} of ${pools.length} ready${list}`;
}

const poolsNamed = 3;

/** An unknown price is no price of nothing. */
function costText({ pricePerHour, unpriced, claims }: Summary): string {
  const unknown = unpriced === 0 ? '' : `${unpriced} with unknown prices`;
  if (pricePerHour === 0 && unpriced > 0) return unknown;
  if (pricePerHour === 0 && claims === 0) return 'nothing';
  const known = `${priceText(pricePerHour)}, ${perMonthText(pricePerHour * hoursPerMonth)}`;
  return unknown === '' ? known : `${known} + ${unknown}`;
}
