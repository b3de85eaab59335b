/** Something that the user can mend: its message is all that is shown, without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError';
}
