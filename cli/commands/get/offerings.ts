/** `get offerings`: what can be bought, the cheapest first, and what could not be had lately. */
import { defined } from '../../../shared/base/defined.ts';
import type { Json } from '../../../shared/base/json.ts';
import { type HostApi, pagesOf, withHostApi } from '../../reach/host-api.ts';
import type { Listing } from '../../terminal/output/formats.ts';
import { priceText } from '../../terminal/output/values.ts';
import { printable } from '../../terminal/text-table.ts';
import type { Getting } from './getting.ts';

export interface Offered {
  cluster: string;
  provider: string;
  instanceType: string;
  zone: string;
  capacityType: string;
  pricePerHour?: number;
  available: boolean;
  unavailable?: { reason?: string; until?: string };
  cpu?: string;
  memory?: string;
  gpus?: number;
  architecture?: string;
}

/** A provider may sell the same in several clusters. */
export type OfferingRow = Omit<Offered, 'cluster'> & { clusters: string[] };

const perPage = '1000';

export async function offerings({ options, terminal }: Getting): Promise<Listing<OfferingRow>> {
  const { cluster, provider, nodeClass } = options;
  const query = defined({ cluster, provider, nodeClass });
  const { items, problems } = await withHostApi(options, (api) => allOfferings(api, query));
  for (const one of problems) terminal.err(`Some offerings are missing: ${printable(one)}\n`);
  return listingOf(merged(items));
}

interface OfferingsPage {
  items: Offered[];
  next?: string;
  /** Why offerings of some node classes are missing. */
  problems?: string[];
}

async function allOfferings(
  api: HostApi,
  query: Record<string, string>,
): Promise<{ items: Offered[]; problems: Set<string> }> {
  const items: Offered[] = [];
  const problems = new Set<string>();
  for await (const page of pagesOf<Offered, OfferingsPage>(api, '/v1/offerings', { ...query, limit: perPage })) {
    items.push(...page.items);
    for (const one of page.problems ?? []) problems.add(one);
  }
  return { items, problems };
}

const keyOf = ({ provider, instanceType, zone, capacityType }: Omit<Offered, 'cluster'>): string =>
  `${provider}/${instanceType}/${zone}/${capacityType}`;

/** What can be had in one cluster can be had. */
function merged(items: readonly Offered[]): OfferingRow[] {
  const rows = new Map<string, OfferingRow>();
  for (const { cluster, ...offered } of items) {
    const known = rows.get(keyOf(offered));
    const better = known === undefined || (offered.available && !known.available) ? offered : known;
    rows.set(keyOf(offered), { ...better, clusters: [...(known?.clusters ?? []), cluster] });
  }
  return [...rows.values()];
}

export function listingOf(rows: readonly OfferingRow[]): Listing<OfferingRow> {
  return {
    rows: rows.toSorted(cheapestFirst),
    columns: [
      { title: 'PROVIDER', spare: 5, text: ({ provider }) => provider },
      { title: 'TYPE', text: ({ instanceType }) => instanceType },
      { title: 'ZONE', text: ({ zone }) => zone },
      { title: 'CAPACITY', text: ({ capacityType }) => capacityType },
      { title: 'PRICE', text: ({ pricePerHour }) => priceText(pricePerHour) },
      {
        title: 'AVAILABLE',
        text: ({ available }) => (available ? 'yes' : 'no'),
        style: ({ available }) => (available ? undefined : 'red'),
      },
      { title: 'UNTIL', spare: 1, text: ({ unavailable }) => unavailable?.until ?? '' },
      { title: 'CPU', spare: 4, text: ({ cpu }) => cpu ?? '' },
      { title: 'MEMORY', spare: 3, text: ({ memory }) => memory ?? '' },
      { title: 'GPU', spare: 2, text: ({ gpus }) => (gpus === undefined ? '' : String(gpus)) },
      { title: 'ARCH', text: ({ architecture }) => architecture ?? '', wide: true },
      { title: 'CLUSTERS', text: ({ clusters }) => clusters.join(','), wide: true },
      { title: 'WHY', text: ({ unavailable }) => unavailable?.reason ?? '', wide: true },
    ],
    name: (row) => `offering/${keyOf(row)}`,
    data: (row): Json => ({ ...row }),
    empty: 'No offerings. Check that the cluster has a node class of the provider.',
  };
}

/** What has no known price comes last: nobody can say that it is cheap. */
function cheapestFirst(a: OfferingRow, b: OfferingRow): number {
  const [priceA, priceB] = [a.pricePerHour ?? Number.POSITIVE_INFINITY, b.pricePerHour ?? Number.POSITIVE_INFINITY];
  if (priceA !== priceB) return priceA < priceB ? -1 : 1;
  const [keyA, keyB] = [keyOf(a), keyOf(b)];
  return keyA < keyB ? -1 : keyA > keyB ? 1 : 0;
}
