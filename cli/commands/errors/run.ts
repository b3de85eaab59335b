/** `poolwright errors`: what a code means and what to do about it. Reads the catalog alone, so it works without host and cluster. */

import { defined } from '../../../shared/base/defined.ts';
import type { Json } from '../../../shared/base/json.ts';
import { didYouMean } from '../../../shared/base/nearest.ts';
import { eventCatalog } from '../../../shared/nodes/steps/report/event-catalog.ts';
import { errorGroups } from '../../../shared/observe/errors/catalog.ts';
import type { ErrorEntry, Surface } from '../../../shared/observe/errors/entry.ts';
import { inWords } from '../../terminal/error-text.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { type Format, printListing } from '../../terminal/output/formats.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { cut, printable, wrapped } from '../../terminal/text-table.ts';
import { UserError } from '../../terminal/user-error.ts';

interface Row {
  code: string;
  group: string;
  entry: ErrorEntry;
}

const rows: readonly Row[] = errorGroups.flatMap(({ title, entries }) =>
  Object.entries(entries).map(([code, entry]) => ({ code, group: title, entry })),
);

export async function errors(
  written: string | undefined,
  { output }: { output: Format },
  terminal: Terminal,
): Promise<number> {
  if (written === undefined) {
    await printListing(listing(rows), output, terminal);
    return exitCodes.done;
  }
  const row = rowFor(written);
  if (row === undefined) return notAnError(written, terminal);
  if (output === 'json') terminal.out(`${JSON.stringify(dataOf(row), null, 2)}\n`);
  else if (output === 'table') terminal.out(page(row, terminal.columns() ?? 100));
  else await printListing(listing([row]), output, terminal);
  return exitCodes.done;
}

const listing = (shown: readonly Row[]) => ({
  columns: [
    { title: 'CODE', text: ({ code }: Row) => code },
    { title: 'SEEN IN', text: ({ entry }: Row) => entry.seen.join(','), wide: true },
    { title: 'CAUSE', text: ({ entry }: Row) => inWords(entry.cause, 'poolwright') },
    { title: 'WHAT TO DO', text: ({ entry }: Row) => inWords(entry.cure, 'poolwright'), wide: true },
  ],
  rows: shown,
  name: ({ code }: Row) => code,
  data: dataOf,
  empty: 'There are none.',
});

function dataOf({ code, group, entry }: Row): Json {
  const { cause, cure, more, seen, about, alias } = entry;
  return {
    code,
    group,
    cause,
    cure,
    ...defined({ more }),
    seen: [...seen],
    ...defined({ about }),
    ...(alias === undefined ? {} : { alias: [...alias] }),
    page: pageOf(code),
  };
}

const pageOf = (code: string): string => `docs/reference/errors.md#${code.toLowerCase()}`;

/** As it stands in a condition, in any case, as the type of an HTTP problem, or as others call it. */
function rowFor(written: string): Row | undefined {
  const wanted = plain(written.replace(/^urn:poolwright:problem:/i, ''));
  return rows.find(({ code, entry }) => [code, ...(entry.alias ?? [])].some((name) => plain(name) === wanted));
}

const plain = (name: string): string => name.replace(/[-_ ]/g, '').toLowerCase();

const placeWords: Readonly<Record<Surface, string>> = {
  condition: 'conditions',
  event: 'Kubernetes Events',
  log: 'the log',
  http: 'HTTP API responses',
  cli: 'commands',
  config: 'the configuration check',
  check: 'doctor',
};

function page({ code, entry }: Row, columns: number): string {
  const width = Math.max(40, Math.min(columns, 120));
  const parts: [string, string][] = [
    ['Cause', entry.cause],
    ['What to do', entry.cure],
    ...(entry.more === undefined ? [] : [['More', withoutLinks(entry.more)] as [string, string]]),
    ['Seen in', entry.seen.map((place) => placeWords[place]).join(', ')],
    ...(entry.about === undefined ? [] : [['About', entry.about] as [string, string]]),
    ...(entry.alias === undefined ? [] : [['Also called', entry.alias.join(', ')] as [string, string]]),
    ['Page', pageOf(code)],
  ];
  const indent = Math.max(...parts.map(([title]) => title.length)) + 2;
  const lines = parts.flatMap(([title, text]) =>
    wrapped(inWords(text, 'poolwright'), width - indent).map(
      (line, index) => `${(index === 0 ? title : '').padEnd(indent)}${line}`,
    ),
  );
  return `${code}\n\n${lines.join('\n')}\n`;
}

const withoutLinks = (markdown: string): string => markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');

/** People look up whatever `kubectl describe` shows; not all of it is an error. */
function notAnError(written: string, terminal: Terminal): number {
  const [reason, event] = Object.entries(eventCatalog).find(([name]) => plain(name) === plain(written)) ?? [];
  if (reason !== undefined && event !== undefined) {
    terminal.out(`${reason} is not an error. ${event.meaning}\n`);
    return exitCodes.done;
  }
  const name = printable(cut(written, 64));
  const codes = rows.map(({ code }) => code);
  const hint = didYouMean(written, codes) || partly(written, codes) || "; 'poolwright errors' lists them all.";
  const more = { code: 'UnknownCode', exitCode: exitCodes.misused };
  throw new UserError(`There is no error ${JSON.stringify(name)}${hint}`, more);
}

/** Who remembers a part of it. */
function partly(written: string, codes: readonly string[]): string {
  const found = plain(written).length < 3 ? [] : codes.filter((code) => plain(code).includes(plain(written)));
  return found.length === 0 || found.length > 8 ? '' : `; did you mean ${found.join(', ')}?`;
}
