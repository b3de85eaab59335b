import { meantBy } from './nearest.ts';
import { cutText } from './text.ts';

/** Something wrong with what a user wrote: where it stands, and what to do about it. */
export interface Problem {
  /** Like `spec.requirements[2].operator`. */
  path: string;
  message: string;
  /** What was probably meant, where the message says so. */
  suggestion?: string;
}

/** A problem with a name that is nearly a known one: the message says which. */
export function misspelt(path: string, message: string, written: string, known: Iterable<string>): Problem {
  const suggestion = meantBy(written, known);
  return suggestion === undefined
    ? { path, message }
    : { path, message: `${message}; did you mean "${suggestion}"?`, suggestion };
}

export type Checked<T> = { ok: true; value: T } | { ok: false; problems: Problem[] };

/** One line for a condition or a log. */
export const describeProblems = (problems: readonly Problem[]): string =>
  problems.map((problem) => (problem.path === '' ? problem.message : `${problem.path}: ${problem.message}`)).join('; ');

/** A user's own input, quoted, made safe for one line and cut: it may be anything. */
export const quoteInput = (value: unknown, limit = 81): string => cutText(asText(value), limit);

function asText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // A loop or a bigint has no JSON.
    return String(value);
  }
}
