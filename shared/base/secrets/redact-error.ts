/** For an error that goes on to somebody who prints it, such as the platform of a function: without the credentials that we know. */
import { redactSecrets } from './known-secrets.ts';

const deepest = 5;

/** Changes the error itself, so that its class and its other fields stay. */
export function redactError<T>(error: T, depth = 0): T {
  if (!(error instanceof Error) || depth >= deepest) return error;
  const { message, stack } = error;
  const clean = redactSecrets(message);
  try {
    if (clean !== message) error.message = clean;
    if (stack !== undefined && redactSecrets(stack) !== stack) error.stack = redactSecrets(stack);
  } catch {
    // Somebody has frozen it, and then nobody can help.
  }
  redactError(error.cause, depth + 1);
  return error;
}
