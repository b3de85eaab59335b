/** Looks through the kept lines of the log. They are some megabytes at most, so an index would not pay. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readId } from '../../../shared/workflow/keys.ts';
import { type LogLine, type LogPage, type LogQuery, logLevels } from '../../http/routes/logs/log-page.ts';
import { fileName, fileNumbers } from './kept-log-files.ts';

/** A place in the log: `file:offset`. */
interface Place {
  file: number;
  offset: number;
}

const newline = 10;

export async function readKeptLog(directory: string, query: LogQuery): Promise<LogPage> {
  const uids = new Set(query.uids);
  const isAbout = { ...query, uids };
  const after = placeIn(query.after);
  // A line may know the uid alone and come before the first that knows the name too.
  if (query.claim !== undefined && after === undefined) {
    for await (const { line } of lines(directory, undefined, [`"claim":${JSON.stringify(query.claim)}`])) {
      learn(line, isAbout);
    }
  }
  const items: LogLine[] = [];
  let place = after ?? { file: 0, offset: 0 };
  const hasCursor = after !== undefined;
  for await (const { line, end } of lines(directory, after)) {
    place = end;
    if (line === undefined) continue;
    learn(line, isAbout);
    if (!fits(line, isAbout)) continue;
    items.push(line);
    if (hasCursor && items.length === query.limit) break;
    if (items.length > 2 * query.limit) items.splice(0, items.length - query.limit);
  }
  return {
    items: hasCursor ? items : items.slice(-query.limit),
    next: `${place.file}:${place.offset}`,
    uids: [...uids],
  };
}

function placeIn(text: string | undefined): Place | undefined {
  const [, file, offset] = /^(\d+):(\d+)$/.exec(text ?? '') ?? [];
  return file === undefined ? undefined : { file: Number(file), offset: Number(offset) };
}

/** Every whole line behind a place. One whose file is gone goes on with the oldest that is there. */
async function* lines(
  directory: string,
  after: Place | undefined,
  needles: readonly string[] = [],
): AsyncGenerator<{ line: LogLine | undefined; end: Place }> {
  for (const file of fileNumbers(directory)) {
    if (after && file < after.file) continue;
    // Gone since it was listed: it was the oldest.
    const bytes = await readFile(join(directory, fileName(file))).catch(() => Buffer.alloc(0));
    let start = after?.file === file ? after.offset : 0;
    for (let end = bytes.indexOf(newline, start); end >= 0; end = bytes.indexOf(newline, start)) {
      const text = bytes.toString('utf8', start, end);
      start = end + 1;
      const line = needles.every((needle) => text.includes(needle)) ? parsed(text) : undefined;
      yield { line, end: { file, offset: start } };
    }
  }
}

/** Nothing for half a line, as a process leaves it that dies while it writes. */
function parsed(text: string): LogLine | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return isLine(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

const isLine = (value: unknown): value is LogLine =>
  typeof value === 'object' &&
  value !== null &&
  ['time', 'level', 'event'].every((field) => typeof Reflect.get(value, field) === 'string');

type About = Omit<LogQuery, 'uids'> & { uids: Set<string> };

function learn(line: LogLine | undefined, { claim, cluster, uids }: About): void {
  if (claim === undefined || line?.claim !== claim || typeof line.uid !== 'string') return;
  if (cluster === undefined || line.cluster === cluster) uids.add(line.uid);
}

function fits(line: LogLine, { cluster, claim, uids, workflow, level, since }: About): boolean {
  if (rankOf(line.level) < rankOf(level)) return false;
  if (since !== undefined && Date.parse(line.time) < since) return false;
  if (cluster !== undefined && line.cluster !== cluster) return false;
  if (workflow !== undefined && line.workflow !== workflow) return false;
  if (claim === undefined && uids.size === 0) return true;
  if (claim !== undefined && line.claim === claim) return true;
  return typeof line.uid === 'string' ? uids.has(line.uid) : uids.has(uidIn(line.workflow));
}

const ranks: readonly string[] = logLevels;
const rankOf = (level: string): number => ranks.indexOf(level);

/** A workflow id is cluster / uid / kind / epoch. */
const uidIn = (workflow: unknown): string =>
  typeof workflow === 'string' ? (readId(workflow)?.subject.uid ?? '') : '';
