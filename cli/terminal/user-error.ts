import { exitCodes } from './exit-codes.ts';

/** Something that the user can mend: its message is all that is shown, without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError';
  /** Its entry in the catalog of errors: `poolwright errors <code>`. */
  readonly code: string | undefined;
  readonly exitCode: number;

  constructor(message: string, more: { code?: string; exitCode?: number; cause?: unknown } = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = more.code;
    this.exitCode = more.exitCode ?? (more.code === 'InvalidOption' ? exitCodes.misused : exitCodes.failed);
  }
}
