/** `poolwright clusters get`: all requests, or one of them stage by stage. */
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../../shared/base/runtime.ts';
import { exitCodes } from '../../../terminal/exit-codes.ts';
import { type Format, printListing } from '../../../terminal/output/formats.ts';
import { rowPrinter } from '../../../terminal/output/row-printer.ts';
import type { Terminal } from '../../../terminal/terminal.ts';
import { withRequests } from '../requests/open.ts';
import type { Requests, RequestsChoice } from '../requests/requests.ts';
import { whichRequest } from '../requests/which.ts';
import { requestListing } from './rows.ts';
import { requestLines } from './stages.ts';

export interface GetOptions extends RequestsChoice {
  output: Format;
  watch?: boolean;
}

const everyMs = 2000;

export function getRequests(name: string | undefined, options: GetOptions, terminal: Terminal): Promise<number> {
  return withRequests(options, async (requests) => {
    if (name !== undefined) return await getOne(requests, name, options, terminal);
    return options.watch ? await watchAll(requests, options, terminal) : await getAll(requests, options, terminal);
  });
}

async function getOne(requests: Requests, name: string, options: GetOptions, terminal: Terminal): Promise<number> {
  const { output } = options;
  const id = await whichRequest(requests, name, options);
  if (options.watch) return (await import('./watch.ts')).watchRequest(requests, id, output, terminal);
  const read = await requests.read(id);
  if (output === 'json') terminal.out(`${JSON.stringify(read, null, 2)}\n`);
  else if (output === 'yaml') {
    const { stringify } = await import('yaml');
    terminal.out(stringify(read, { aliasDuplicateObjects: false }));
  } else if (output === 'name') terminal.out(`clusterrequest/${id.namespace}/${id.name}\n`);
  else terminal.out(`${requestLines(read, systemClock.now(), terminal.columns()).join('\n')}\n`);
  return exitCodes.done;
}

async function getAll(requests: Requests, { namespace, output }: GetOptions, terminal: Terminal): Promise<number> {
  const rows = await requests.list(namespace);
  await printListing(requestListing(rows, systemClock.now()), output, terminal);
  return exitCodes.done;
}

async function watchAll(requests: Requests, { namespace, output }: GetOptions, terminal: Terminal): Promise<number> {
  const listing = requestListing(await requests.list(namespace), systemClock.now());
  const printer = rowPrinter(listing, output, terminal);
  printer.start(listing.rows);
  const textOf = (row: (typeof listing.rows)[number]): string => JSON.stringify(row);
  let shown = new Map(listing.rows.map((row) => [row.uid, textOf(row)]));
  while (await waited(terminal.signal)) {
    const rows = await requests.list(namespace);
    for (const row of rows) if (shown.get(row.uid) !== textOf(row)) printer.print(row);
    shown = new Map(rows.map((row) => [row.uid, textOf(row)]));
  }
  return exitCodes.interrupted;
}

async function waited(signal: AbortSignal): Promise<boolean> {
  await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}
