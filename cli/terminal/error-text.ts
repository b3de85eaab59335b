/** What a failed command prints: the message, the fix unless the message contains one, and where to read more. Loaded only after a failure. */
import { findError } from '../../shared/observe/errors/catalog.ts';
import { scrubText } from '../../shared/observe/log/redact.ts';
import { printable } from './text-table.ts';
import { UserError } from './user-error.ts';

export interface ErrorTextOptions {
  debug: boolean;
  /** How the user called the command, so that the words work as they stand. */
  calledAs: string;
}

export function errorText(error: unknown, { debug, calledAs }: ErrorTextOptions): string {
  const isKnown = error instanceof UserError;
  const code = isKnown ? error.code : 'Internal';
  const entry = code === undefined ? undefined : findError(code);
  const lines = isKnown ? printableLines(error.message) : [unexpected(error, debug)];
  if (isKnown && entry !== undefined && !(entry.cureInMessage || error.hasHint))
    lines.push(inWords(entry.cure, calledAs));
  // A newer host may name a code that only a newer command can explain.
  if (entry !== undefined) lines.push(`More: ${calledAs} errors ${code}`);
  if (debug) lines.push(...stackOf(error));
  return `${lines.join('\n')}\n`;
}

function unexpected(error: unknown, debug: boolean): string {
  const what = printable(scrubText(error instanceof Error ? `${error.name}: ${error.message}` : String(error)));
  return `Internal error. ${what}${debug ? '' : ' (--debug shows where)'}`;
}

/** The catalog is written for a page too: on a terminal its code marks are quotes. */
export const inWords = (text: string, calledAs: string): string =>
  text.replace(/`([^`]*)`/g, (_, code: string) => `'${code.replace(/^poolwright\b/, calledAs)}'`);

/** Lines stay lines; whatever else could move the cursor is shown. */
const printableLines = (text: string): string[] => text.split('\n').map(printable);

function stackOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const cause = error.cause === undefined ? [] : ['caused by', ...stackOf(error.cause)];
  return [...printableLines(scrubText(error.stack ?? '')), ...cause];
}
