/** Failures of the simulated world's own files. Unlike the host's, nothing brings back what was in them. */
import { StorageError, toStorageError } from '../../shared/platforms/sqlite/sqlite.ts';

/** What node:sqlite or a store threw, as an error that tells a person what to do; anything else stays as it is. */
export function simulatedStorageError(error: unknown, file: string, what: 'cluster' | 'cloud'): unknown {
  const known = toStorageError(error, file);
  if (known?.kind !== 'corrupt') return known ?? error;
  const advice = `Copy the file, then restore it from a backup or move it away; without it, the simulated ${what} starts empty.`;
  return new StorageError('corrupt', file, known.problem, advice, error);
}
