/** `poolwright audit`: who changed what through the host. */
import { defined } from '../../../shared/base/defined.ts';
import { isObject, type Json } from '../../../shared/base/json.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import { type HostAddress, type HostApi, withHostApi } from '../../reach/host-api.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type Format, type Listing, printListing } from '../../terminal/output/formats.ts';
import { ageSince } from '../../terminal/output/values.ts';
import type { Terminal } from '../../terminal/terminal.ts';

export interface AuditOptions extends HostAddress {
  output: Format;
  caller?: string;
  action?: string;
  /** Seconds. */
  since?: number;
  limit: number;
}

/** As the host tells it. */
interface Entry {
  at: string;
  caller: string;
  role: string;
  team?: string;
  action: string;
  path: string;
  given?: Json;
  status?: number;
  answer?: Json;
}

const mostPerPage = 1000;

export async function audit(options: AuditOptions, terminal: Terminal): Promise<number> {
  const now = systemClock.now();
  const entries = await withHostApi(options, (api) => entriesOf(api, options, now));
  await printListing(listingOf(entries, now), options.output, terminal);
  return exitCodes.done;
}

/** A page may be empty although another follows. */
async function entriesOf(api: HostApi, { caller, action, since, limit }: AuditOptions, now: number): Promise<Entry[]> {
  const from = since === undefined ? undefined : new Date(now - since * 1000).toISOString();
  const asked = { ...defined({ caller, action, since: from }), limit: String(Math.min(limit, mostPerPage)) };
  const entries: Entry[] = [];
  for (let after: string | undefined; ; ) {
    const query = new URLSearchParams({ ...asked, ...defined({ after }) });
    const page = await api.ask<{ items: Entry[]; next?: string }>('GET', `/v1/audit?${query}`);
    entries.push(...page.items);
    if (page.next === undefined || entries.length >= limit) return entries.slice(0, limit);
    after = page.next;
  }
}

const listingOf = (rows: readonly Entry[], now: number): Listing<Entry> => ({
  rows,
  columns: [
    { title: 'AGE', text: ({ at }) => ageSince(at, now) },
    { title: 'CALLER', text: ({ caller }) => caller },
    { title: 'TEAM', text: ({ team }) => team ?? '', wide: true },
    { title: 'ACTION', text: ({ action }) => action },
    { title: 'TARGET', text: targetOf },
    { title: 'STATUS', text: ({ status }) => (status === undefined ? 'cut off' : String(status)) },
    { title: 'WITH', text: ({ given }) => partText(given) },
    { title: 'ANSWER', text: ({ answer }) => partText(answer), wide: true },
  ],
  name: ({ action, path }) => `${action}${path}`,
  data: (entry): Json => ({ ...entry }),
  empty: 'No caller has changed anything.',
});

/** What follows the version in the path. */
const targetOf = ({ path }: Entry): string => path.split('/').slice(2).join('/');

const partText = (part: Json | undefined): string =>
  part === undefined || (isObject(part) && Object.keys(part).length === 0) ? '' : JSON.stringify(part);
