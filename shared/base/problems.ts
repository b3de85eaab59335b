import { meantBy } from './nearest.ts';
import { type Failure, failed, type Problem, type Result } from './result.ts';
import { cutText } from './text.ts';

export type { Problem };

/** A problem with a name that is nearly a known one: the message says which. */
export function misspelled(path: string, message: string, written: string, known: Iterable<string>): Problem {
  const suggestion = meantBy(written, known);
  return suggestion === undefined
    ? { path, message }
    : { path, message: `${message}; did you mean "${suggestion}"?`, suggestion };
}

export type Checked<T> = { ok: true; value: T } | { ok: false; problems: Problem[] };

/** One line for a condition or a log. */
export const describeProblems = (problems: readonly Problem[]): string =>
  problems.map((problem) => (problem.path === '' ? problem.message : `${problem.path}: ${problem.message}`)).join('; ');

/** A failure by mistakes that a user has to correct. */
export const failedBy = (problems: readonly Problem[]): Result<never> =>
  failed('invalid', describeProblems(problems), { problems });

/** The mistakes behind a failure, or the failure as one of them. */
export const mistakesIn = ({ problems, message }: Failure): readonly Problem[] => problems ?? [{ path: '', message }];

/** The same mistakes as seen from further out: what is wrong with `url` is wrong with `clusters.a.url`. */
export const problemsBelow = (path: string, problems: readonly Problem[]): Problem[] =>
  problems.map((problem) => ({ ...problem, path: problem.path === '' ? path : `${path}.${problem.path}` }));

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
