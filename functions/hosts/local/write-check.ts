/** Whether the data directory can be written to now. A host that has nothing to write would else notice only with the next claim. */
import { errorText } from '../../../shared/base/error-text.ts';
import { writePrivate } from '../../../shared/base/private-file.ts';
import type { Clock } from '../../../shared/base/runtime.ts';
import type { DataDirectory } from './data-directory.ts';

/** Anybody may ask whether the host is ready, as often as they like. */
const writeEveryMs = 5000;

export type WriteCheck = () => { ok: true } | { ok: false; message: string };

export function writeCheck(directory: DataDirectory, clock: Clock, write = writePrivate): WriteCheck {
  let known: { at: number; answer: ReturnType<WriteCheck> } | undefined;

  const look = (): ReturnType<WriteCheck> => {
    try {
      write(directory.file('write-check'), new Date(clock.now()).toISOString());
      return { ok: true };
    } catch (error) {
      const message = `${directory.path} can't be written to (${errorText(error)}): make it writable for this user, or free some space`;
      return { ok: false, message };
    }
  };

  return () => {
    const now = clock.monotonic();
    if (!known || now - known.at >= writeEveryMs) known = { at: now, answer: look() };
    return known.answer;
  };
}
