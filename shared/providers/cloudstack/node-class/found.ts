/** What one part of a class came to: what was found, or why it is not enough. */

export interface NotReady {
  /** A code of the catalog of errors. */
  reason: string;
  message: string;
}

/** `note`: what was left out, where the rest is enough. */
export type Found<T> = { found: T; note?: string } | { missing: NotReady };

export const missing = (reason: string, message: string): { missing: NotReady } => ({ missing: { reason, message } });

export const isMissing = <T>(part: Found<T>): part is { missing: NotReady } => 'missing' in part;

export const withNote = <T>(found: T, notes: readonly string[]): Found<T> =>
  notes.length === 0 ? { found } : { found, note: notes.join('; ') };
