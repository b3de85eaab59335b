/** What a try to move a request comes to. */
import type { ErrorCode } from '../../observe/errors/catalog.ts';
import type { Again } from '../steps/answers.ts';

export type MoveResult =
  | { do: 'moved'; uid: string }
  /** `code` is in the catalog of errors. Nothing in Azure was changed. */
  | { do: 'refused'; code: ErrorCode; why: string; fix: string }
  | Again;

export const lookAgainSeconds = 3;
export const again = (why: string): Again => ({ do: 'again', seconds: lookAgainSeconds, why });
export const refused = (why: string, fix: string): MoveResult => ({
  do: 'refused',
  code: 'RequestNotMovable',
  why,
  fix,
});
