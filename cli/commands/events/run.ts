/** `poolwright events`: what was told about claims, nodes and pools, oldest first. */
import { defined } from '../../../shared/base/defined.ts';
import { parseDuration } from '../../../shared/base/durations.ts';
import { systemClock } from '../../../shared/base/runtime.ts';
import {
  type ClusterApi,
  events as eventKind,
  nodeClaims,
  nodePools,
  nodes,
  type Resource,
} from '../../../shared/kube/contract.ts';
import { listAll } from '../../../shared/kube/list-all.ts';
import { type ClusterChoice, withCluster } from '../../reach/cluster-access.ts';
import { clusterProblem } from '../../reach/cluster-problem.ts';
import { parseTarget } from '../../reach/target.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type Format, type Listing, printListing } from '../../terminal/output/formats.ts';
import { rowPrinter } from '../../terminal/output/row-printer.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { UserError } from '../../terminal/user-error.ts';
import { byTime, type EventRow, eventColumns, eventData, eventRow, type StoredEvent } from './event-row.ts';

export interface EventsOptions extends ClusterChoice {
  output: Format;
  watch?: boolean;
  namespace?: string;
  since?: string;
}

const kindOf = { claim: nodeClaims, node: nodes, pool: nodePools } as const;

const listing: Omit<Listing<EventRow>, 'rows'> = {
  columns: eventColumns(() => systemClock.now()),
  name: ({ id }) => `event/${id}`,
  data: eventData,
  empty: 'No Events. The API server keeps Events for one hour; poolwright explain shows more.',
  whole: true,
};

export async function events(words: readonly string[], options: EventsOptions, terminal: Terminal): Promise<number> {
  const about = words.length === 0 ? undefined : aboutOf(words);
  const fieldSelector = selectorFor(about);
  const begin = beginOf(options.since);
  const isWanted = ({ last }: EventRow): boolean => begin === undefined || Date.parse(last) >= begin;
  return withCluster(options, (api) =>
    options.watch
      ? watchEvents(api, fieldSelector, options, isWanted, terminal)
      : listEvents(api, about, options, isWanted, terminal),
  );
}

function beginOf(since: string | undefined): number | undefined {
  if (since === undefined) return undefined;
  const parsed = parseDuration(since);
  if (parsed.ok) return systemClock.now() - parsed.milliseconds;
  throw new UserError(`--since: ${parsed.message}`, { code: 'InvalidOption', exitCode: exitCodes.misused });
}

interface About {
  resource: Resource;
  name: string;
}

function aboutOf(words: readonly string[]): About {
  const { kind, name } = parseTarget(words, ['claim', 'node', 'pool']);
  return { resource: kindOf[kind], name };
}

/** The server picks them out: a busy cluster has tens of thousands of others. */
function selectorFor(about: About | undefined): string {
  const ours = 'source=poolwright';
  if (about === undefined) return ours;
  return `${ours},involvedObject.kind=${about.resource.kind},involvedObject.name=${about.name}`;
}

async function listEvents(
  api: ClusterApi,
  about: About | undefined,
  { namespace, output }: EventsOptions,
  isWanted: (row: EventRow) => boolean,
  terminal: Terminal,
): Promise<number> {
  let rows: EventRow[] = [];
  const selection = { fieldSelector: selectorFor(about), ...defined({ namespace }) };
  const listed = await listAll<StoredEvent>(api, eventKind, selection, {
    onStart: () => {
      rows = [];
    },
    onItem: (event) => {
      const row = eventRow(event);
      if (isWanted(row)) rows.push(row);
    },
  });
  if (!listed.ok) throw clusterProblem(listed.error, api, eventKind);
  const doubt = rows.length === 0 && about !== undefined ? await notThere(api, about) : '';
  await printListing({ ...listing, rows: rows.sort(byTime), empty: listing.empty + doubt }, output, terminal);
  return exitCodes.done;
}

/** Nothing was told about it, perhaps because its name is wrong. */
const notThere = async (api: ClusterApi, { resource, name }: About): Promise<string> =>
  (await import('../../reach/nearest-name.ts')).unlessThere(api, resource, name);

async function watchEvents(
  api: ClusterApi,
  fieldSelector: string,
  { namespace, output }: EventsOptions,
  isWanted: (row: EventRow) => boolean,
  terminal: Terminal,
): Promise<number> {
  const { follow } = await import('../../reach/follow.ts');
  const printer = rowPrinter(listing, output, terminal);
  let first: EventRow[] | undefined = [];
  await follow<StoredEvent>(api, {
    resource: eventKind,
    fieldSelector,
    onChange: (change) => {
      // The server forgets them after an hour, which is no news.
      if (change.type === 'deleted') return;
      const row = eventRow(change.object);
      if (!isWanted(row) || (namespace !== undefined && change.object.metadata.namespace !== namespace)) return;
      if (first === undefined) printer.print(row);
      else first.push(row);
    },
    onSynced: () => {
      printer.start((first ?? []).sort(byTime));
      first = undefined;
    },
    onTrouble: (text) => terminal.err(`The watch was interrupted: ${text}. Retrying.\n`),
    signal: terminal.signal,
  });
  return exitCodes.interrupted;
}
