/**
 * Errors have a kind, and the kind decides. Expected failures travel as values; an exception is a bug or a dead process.
 * What the workflow does for each kind is in one table: `shared/nodes/claims/decisions.ts`.
 */
export const errorKinds = [
  'not-found',
  'insufficient-capacity',
  'quota-exceeded',
  'throttled',
  'conflict',
  'outcome-unknown',
  'not-ready',
  'unauthorised',
  'invalid',
  'unavailable',
] as const;

export type ErrorKind = (typeof errorKinds)[number];

/** A failure as plain data, so that it fits a journal. `cause` is the text of what lay beneath, never dropped. */
export interface Failure {
  kind: ErrorKind;
  message: string;
  retryAfterSeconds?: number;
  cause?: string;
  /** A short name for what code has to tell apart within a kind; where there was no answer, as the system names it (`ECONNREFUSED`). */
  code?: string;
  /** A code of the catalog of errors that says more than the kind does: conditions show it as their reason. */
  reason?: string;
  /** With what a user wrote: each mistake by itself. The message has all of them in one text. */
  problems?: readonly Problem[];
  /** With a conflict: what is in the way is no operation that will end, but something that somebody has to remove. */
  lasting?: true;
  /**
   * With a create: the answer is final for this attempt, because a repeat would be given the same one. What would else be tried again as
   * it is has to be another attempt, after a pause; nothing is out but what `refused` names.
   */
  spent?: true;
  /** With `invalid`: the node class is what is wrong. Else it is the provider's own configuration, or the request. */
  about?: 'node-class';
}

/** Something wrong with what a user wrote: where it stands, and what to do about it. */
export interface Problem {
  /** Like `spec.requirements[2].operator`. */
  path: string;
  message: string;
  /** A variable that would give the value as well, on the machine where it is needed. */
  variable?: string;
  /** What was probably meant, where the message says so. */
  suggestion?: string;
}

export type Result<T> = { ok: true; value: T } | { ok: false; error: Failure };

export const ok = <T>(value: T): Result<T> => ({ ok: true, value });

export const failed = (
  kind: ErrorKind,
  message: string,
  more: Omit<Failure, 'kind' | 'message'> = {},
): Result<never> => ({
  ok: false,
  error: { kind, message, ...more },
});
