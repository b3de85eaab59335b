/** How the catalog asks Azure: one GET, its JSON, failures as values. Who sends it, and with which token, is not known here. */

import { isObject, type Json } from '../../../base/json.ts';
import { failed, ok, type Result } from '../../../base/result.ts';

export type FetchJson = (url: string, signal: AbortSignal) => Promise<Result<Json>>;

/** Lists of Azure end after some dozens of pages; one that does not end must not keep us for ever. */
const mostPages = 500;

export interface Paged {
  url: string;
  /** The field that holds the items, and the one that holds the address of the next page. */
  items: string;
  next: string;
}

/** Every item of a list, page after page. */
export async function fetchPages(
  fetchJson: FetchJson,
  { url, items, next }: Paged,
  onItem: (item: Json) => void,
  signal: AbortSignal,
): Promise<Result<void>> {
  const home = new URL(url);
  let at: string | undefined = url;
  for (let pages = 0; at !== undefined; pages++) {
    if (pages === mostPages) return failed('unavailable', `the list at ${home.host} has more than ${mostPages} pages`);
    const page: Result<Json> = await fetchJson(at, signal);
    if (!page.ok) return page;
    const found = isObject(page.value) ? page.value[items] : undefined;
    if (!isObject(page.value) || !Array.isArray(found)) {
      return failed('unavailable', `the answer of ${home.host}${home.pathname} has no list "${items}"`);
    }
    for (const item of found) onItem(item);
    const link: Json | undefined = page.value[next];
    at = typeof link === 'string' && link !== '' ? link : undefined;
    // The token goes with the request: it must not follow a link to somebody else.
    if (at !== undefined && originOf(at) !== home.origin) {
      return failed(
        'unavailable',
        `the next page of ${home.host}${home.pathname} is at another host, so it was not read`,
      );
    }
  }
  return ok(undefined);
}

function originOf(link: string): string | undefined {
  return URL.canParse(link) ? new URL(link).origin : undefined;
}
