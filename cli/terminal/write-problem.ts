/** A file that a command writes for its user: why it could not, in words. */
import { UserError } from './user-error.ts';

/** What `write` answers. @param file As the user knows it. */
export function written<T>(file: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    throw new UserError(`${file} cannot be written (${code}).`, { code: 'FileUnwritable', cause: error });
  }
}
