/** The rows of `top`: which of them, in which order, and how each looks. */

import { type ClaimRow, shownPrice, whyText } from '../../terminal/claim-row/claim-row.ts';
import { type Stage, stages } from '../../terminal/claim-row/stage.ts';
import type { Column } from '../../terminal/output/table.ts';
import { ageSince } from '../../terminal/output/values.ts';

export const sortKeys = ['stage', 'age', 'price', 'name'] as const;
export type SortKey = (typeof sortKeys)[number];

/** Machine asked for, machine there, node joined, node fit for work. Going is drawn from the other end. */
const bars: Readonly<Record<Stage, string>> = {
  Failed: 'x---',
  Stuck: 'x<<<',
  Waiting: '----',
  Creating: '=---',
  Booting: '==--',
  Joining: '===-',
  Ready: '====',
  Draining: '==<<',
  Deleting: '<<<<',
};

const styles: Readonly<Partial<Record<Stage, 'red' | 'green' | 'yellow' | 'magenta'>>> = {
  Failed: 'red',
  Stuck: 'red',
  Ready: 'green',
  Creating: 'yellow',
  Booting: 'yellow',
  Joining: 'yellow',
  Draining: 'magenta',
  Deleting: 'magenta',
};

export const topColumns = (now: () => number): Column<ClaimRow>[] => [
  { title: 'CLAIM', text: ({ name }) => name },
  { title: 'STAGE', text: ({ stage }) => stage, style: ({ stage }) => styles[stage] },
  { title: 'PROGRESS', text: ({ stage }) => `[${bars[stage]}]` },
  { title: 'SINCE', text: ({ since, createdAt }) => ageSince(since ?? createdAt, now()) },
  { title: 'TYPE', text: ({ instanceType = '' }) => instanceType },
  { title: 'PRICE', text: shownPrice },
  { title: 'WHY', text: whyText },
];

export function sorted(rows: Iterable<ClaimRow>, key: SortKey): ClaimRow[] {
  const all = [...rows];
  const byName = (a: ClaimRow, b: ClaimRow): number => compare(a.name, b.name);
  if (key === 'name') return all.sort(byName);
  if (key === 'stage') {
    const order = new Map(stages.map((stage, index) => [stage, index]));
    const at = ({ stage }: ClaimRow): number => order.get(stage) ?? 0;
    return all.sort((a, b) => at(a) - at(b) || byName(a, b));
  }
  // The dearest first; what nobody knows might be dearer still, and what has no machine costs nothing.
  if (key === 'price') {
    const worth = ({ price, providerID }: ClaimRow): number => price ?? (providerID === undefined ? -1 : 1e12);
    return all.sort((a, b) => worth(b) - worth(a) || byName(a, b));
  }
  return all.sort((a, b) => compare(b.createdAt ?? '', a.createdAt ?? '') || byName(a, b));
}

/** Whatever a person may have in mind when typing a word. */
export function matches(row: ClaimRow, filter: string): boolean {
  const wanted = filter.toLowerCase();
  return [
    row.name,
    row.stage,
    row.instanceType,
    row.zone,
    row.capacityType,
    row.pool,
    row.provider,
    row.node,
    whyText(row),
  ].some((text) => text?.toLowerCase().includes(wanted));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
