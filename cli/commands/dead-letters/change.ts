/** `poolwright deadletters replay` and `drop`: say which ones, ask, then do it to those and to no others. */

import { type HostApi, HostProblem, withHostApi } from '../../reach/host-api.ts';
import { confirmed } from '../../terminal/confirm.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { printDocument } from '../../terminal/output/document.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/text-table.ts';
import { UserError } from '../../terminal/user-error.ts';
import type { ChangeOptions } from './change-options.ts';
import { dropByFilter, type FilterOptions, hasFilter } from './drop-by-filter.ts';
import { idIn } from './ids.ts';
import { allDeadLetters, type DeadLetter, listed, most } from './letters.ts';

interface Change {
  /** "Put 3 dead letters … back on the queue". */
  sentence(letters: string): string;
  path: string;
  counted: 'replayed' | 'dropped';
  done(count: number): string;
}

const replayed: Change = {
  sentence: (letters) => `Put ${letters} back on the queue`,
  path: '/v1/dead-letters/replay',
  counted: 'replayed',
  done: (count) => `${count} put back on the queue.`,
};

const dropped: Change = {
  sentence: (letters) => `Permanently delete ${letters}`,
  path: '/v1/dead-letters/drop',
  counted: 'dropped',
  done: (count) => `${count} deleted.`,
};

/** As many as the host takes at once. */
const atOnce = 1000;

export const replay = (ids: readonly string[], options: ChangeOptions, terminal: Terminal): Promise<number> =>
  change(replayed, ids, options, terminal);

export const drop = (
  ids: readonly string[],
  options: ChangeOptions & FilterOptions,
  terminal: Terminal,
): Promise<number> =>
  hasFilter(options) ? dropByFilter(ids, options, terminal) : change(dropped, ids, options, terminal);

async function change(
  what: Change,
  words: readonly string[],
  options: ChangeOptions,
  terminal: Terminal,
): Promise<number> {
  const named = [...new Set(words.map(idIn))];
  if (options.all ? named.length > 0 : named.length === 0) {
    throw new UserError('Pass the ids of the dead letters, or --all.', {
      code: 'InvalidOption',
      exitCode: exitCodes.misused,
    });
  }
  return withHostApi(options, async (api) => {
    const { letters, missing } = options.all ? await all(api) : await those(api, named);
    if (letters.length === 0) {
      await printDocument({ [what.counted]: 0 }, () => '', options.output, terminal);
      if (missing.length > 0) throw gone(missing);
      terminal.err('There are no dead letters.\n');
      return exitCodes.done;
    }
    // Before the question: whoever named it may want to say no.
    if (missing.length > 0) terminal.err(`${gone(missing).message}\n`);
    if (!(await confirmed(terminal, what.sentence(listed(letters)), options))) return exitCodes.done;
    const count = await inParts(
      api,
      what,
      letters.map(({ id }) => id),
    );
    await printDocument({ [what.counted]: count }, () => `${what.done(count)}\n`, options.output, terminal);
    if (options.all && letters.length >= most) terminal.err('There may be more: run the command again.\n');
    // Whoever names letters wants those; one that is not there any more is worth a failure.
    return missing.length > 0 || (!options.all && count < letters.length) ? exitCodes.failed : exitCodes.done;
  });
}

const gone = (ids: readonly string[]): UserError =>
  new UserError(ids.map((id) => `There is no dead letter ${printable(id)}. It was replayed or dropped.`).join('\n'), {
    code: 'UnknownDeadLetter',
  });

interface Found {
  letters: DeadLetter[];
  missing: string[];
}

const all = async (api: HostApi): Promise<Found> => ({ letters: await allDeadLetters(api), missing: [] });

/** One list for all of them: some brokers look through everything for each that is asked for alone. */
async function those(api: HostApi, ids: readonly string[]): Promise<Found> {
  const listed = await allDeadLetters(api);
  const byId = new Map(listed.map((letter) => [letter.id, letter]));
  const found: Found = { letters: [], missing: [] };
  for (const id of ids) {
    const letter = byId.get(id) ?? (listed.length < most ? undefined : await one(api, id));
    if (letter) found.letters.push(letter);
    else found.missing.push(id);
  }
  return found;
}

async function one(api: HostApi, id: string): Promise<DeadLetter | undefined> {
  try {
    return await api.ask<DeadLetter>('GET', `/v1/dead-letters/${encodeURIComponent(id)}`);
  } catch (error) {
    if (error instanceof HostProblem && error.kind === 'unknown-dead-letter') return undefined;
    throw error;
  }
}

/** Each part is whole in itself: who is interrupted has done some of it, and may simply say it again. */
async function inParts(api: HostApi, { path, counted }: Change, ids: readonly string[]): Promise<number> {
  let count = 0;
  for (let start = 0; start < ids.length; start += atOnce) {
    const body = { ids: ids.slice(start, start + atOnce) };
    const answer = await api.ask<Record<string, number>>('POST', path, { body });
    count += answer[counted] ?? 0;
  }
  return count;
}
