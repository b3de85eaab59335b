import { exitCodes } from './exit-codes.ts';

/** Something that the user can fix: its message is all that is shown, without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError';
  /** Its entry in the catalog of errors: `poolwright errors <code>`. */
  readonly code: string | undefined;
  readonly exitCode: number;
  /** The message ends with a hint, so the general fix of its code would only be noise. */
  readonly hasHint: boolean;

  /** @param more.hint Put behind the message, such as `; did you mean "x"?`; empty: there is none. */
  constructor(message: string, more: { code?: string; exitCode?: number; cause?: unknown; hint?: string } = {}) {
    super(`${message}${more.hint ?? ''}`, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = more.code;
    this.hasHint = more.hint !== undefined && more.hint !== '';
    this.exitCode = more.exitCode ?? (more.code === 'InvalidOption' ? exitCodes.misused : exitCodes.failed);
  }
}

/** Several lines, the hint of each behind its text. */
export const hinted = (lines: readonly { text: string; hint: string }[], code: string): UserError => {
  const before = lines.slice(0, -1).map(({ text, hint }) => `${text}${hint}\n`);
  const { text = '', hint = '' } = lines.at(-1) ?? {};
  return new UserError(`${before.join('')}${text}`, { code, hint });
};
