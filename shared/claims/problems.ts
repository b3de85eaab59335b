/** Something wrong with what a user wrote: where it stands, and what to do about it. */
export interface Problem {
  /** Like `spec.requirements[2].operator`. */
  path: string;
  message: string;
}

export type Checked<T> = { ok: true; value: T } | { ok: false; problems: Problem[] };

/** One line for a condition or a log. */
export const describeProblems = (problems: readonly Problem[]): string =>
  problems.map((problem) => (problem.path === '' ? problem.message : `${problem.path}: ${problem.message}`)).join('; ');

/** A user's own text, quoted, made safe for one line and cut: it may be anything. */
export function quoteInput(value: unknown, limit = 80): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}
