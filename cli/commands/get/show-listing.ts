/** Shows what the host lists: once, or with -w again and again, and then only what has changed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { didYouMean } from '../../../shared/base/nearest.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type Listing, printListing } from '../../terminal/output/formats.ts';
import { rowPrinter } from '../../terminal/output/row-printer.ts';
import { hinted, UserError } from '../../terminal/user-error.ts';
import type { Getting, LoadListing, UnknownRow } from './getting.ts';

const everyMs = 2000;

/** @param selects Whether it takes -l, which is otherwise refused. */
export async function showListing<Row>(
  getting: Getting,
  load: LoadListing<Row>,
  unknown: UnknownRow,
  { selects = false }: { selects?: boolean } = {},
): Promise<number> {
  const { options, terminal, names } = getting;
  if (options.selector !== undefined && !selects) {
    throw new UserError('-l works only with claims, nodes, pools, node classes, vms and vmproviders.', {
      code: 'InvalidOption',
      exitCode: exitCodes.misused,
    });
  }
  const whole = await load(getting);
  const listing = named(whole, names);
  if (!options.watch) {
    const gone = missing(listing, names);
    // That there is none at all would be said, which is not true.
    if (listing.rows.length > 0 || gone.length === 0) await printListing(listing, options.output, terminal);
    if (gone.length === 0) return exitCodes.done;
    throw notThere(gone, whole, unknown);
  }
  const printer = rowPrinter(listing, options.output, terminal);
  printer.start(listing.rows);
  const shown = new Map(listing.rows.map((row) => [listing.name(row), JSON.stringify(listing.data(row))]));
  while (await waited(terminal.signal)) {
    for (const row of named(await again(getting, load, listing), names).rows) {
      const [name, text] = [listing.name(row), JSON.stringify(listing.data(row))];
      if (shown.get(name) === text) continue;
      shown.set(name, text);
      printer.print(row);
    }
  }
  return exitCodes.interrupted;
}

/** A host that restarts is no reason to end; nothing changes until it is there again. */
async function again<Row>(getting: Getting, load: LoadListing<Row>, last: Listing<Row>): Promise<Listing<Row>> {
  try {
    return await load(getting);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    getting.terminal.err(`${error.message} Retrying.\n`);
    return { ...last, rows: [] };
  }
}

function named<Row>(listing: Listing<Row>, names: readonly string[]): Listing<Row> {
  if (names.length === 0) return listing;
  const isWanted = (row: Row): boolean => namesOf(listing, row).some((name) => names.includes(name));
  return { ...listing, rows: listing.rows.filter(isWanted) };
}

/** With and without their kind in front. */
function namesOf<Row>({ name, alias }: Pick<Listing<Row>, 'name' | 'alias'>, row: Row): string[] {
  const other = alias?.(row);
  return [name(row), ...(other === undefined ? [] : [other])].flatMap((one) => [bare(one), one]);
}

/** Without its kind. */
const bare = (name: string): string => name.slice(name.indexOf('/') + 1);

/** As kubectl has it: what is there is printed, what is not is a failure. */
function missing<Row>(listing: Listing<Row>, names: readonly string[]): string[] {
  const there = new Set(listing.rows.flatMap((row) => namesOf(listing, row)));
  return names.filter((one) => !there.has(one));
}

function notThere<Row>(gone: readonly string[], listing: Listing<Row>, code: UnknownRow): UserError {
  const known = listing.rows.flatMap((row) => namesOf(listing, row));
  const lines = gone.map((one) => ({ text: `Not found: ${JSON.stringify(one)}`, hint: didYouMean(one, known) }));
  return hinted(lines, code);
}

/** False once somebody has ended it. */
async function waited(signal: AbortSignal): Promise<boolean> {
  await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}
