/** How many cores a subscription has in use in a location, of which families, and how many it may have. */
import * as z from 'zod';
import { ok, type Result } from '../../../base/result.ts';
import { type FetchJson, fetchPages } from './pages.ts';

/** By the name that usages have, in lower case: limit, in use, and the name for people. */
export type Usages = { [quota: string]: [limit: number, used: number, title: string] };

export interface UsagesOptions {
  endpoint: string;
  subscriptionId: string;
  location: string;
}

/** All cores on demand count against this one as well as against their family's; spot cores only against theirs. */
export const regionalCores = 'cores';
export const spotCores = 'lowprioritycores';

const usageSchema = z.object({
  name: z.object({ value: z.string(), localizedValue: z.string().nullish() }),
  limit: z.number(),
  currentValue: z.number(),
});

export async function readUsages(
  fetchJson: FetchJson,
  { endpoint, subscriptionId, location }: UsagesOptions,
  signal: AbortSignal,
): Promise<Result<Usages>> {
  const path = `/subscriptions/${subscriptionId}/providers/Microsoft.Compute/locations/${location}/usages`;
  const url = new URL(path, endpoint);
  url.search = 'api-version=2024-07-01';
  const usages: Usages = {};
  const read = await fetchPages(
    fetchJson,
    { url: url.href, items: 'value', next: 'nextLink' },
    (item) => {
      const usage = usageSchema.safeParse(item);
      if (!usage.success) return;
      const { name, limit, currentValue } = usage.data;
      usages[name.value.toLowerCase()] = [limit, currentValue, name.localizedValue || name.value];
    },
    signal,
  );
  return read.ok ? ok(usages) : read;
}
