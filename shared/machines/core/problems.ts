/** What stops a machine: a code of the catalog of errors, the field, and what to do. */
import type { ErrorCode } from '../../observe/errors/catalog.ts';

export interface MachineProblem {
  code: Extract<ErrorCode, `Machine${string}`>;
  /** Like `spec.networks[1].name`. */
  path: string;
  message: string;
}

/** All of them in one text, as a condition has it. */
export const problemText = (problems: readonly MachineProblem[]): string =>
  problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
