/**
 * Secrets that are valid side by side, so that one can be replaced without a gap: first the new one is added, then everybody
 * takes it into use, then the old one goes.
 */
import { readFileSync, statSync } from 'node:fs';
import { rememberSecret } from '../../base/secrets/known-secrets.ts';
import type { Log } from './log.ts';

export interface SecretListOptions {
  values: readonly string[];
  /** One secret a line. Read again whenever it changes. */
  files: readonly string[];
  log: Log;
}

/** A shorter one could be guessed. */
const shortest = 16;

/** Asked at every request: the files are looked at each time, and read when they are others than before. */
export function secretList({ values, files, log }: SecretListOptions): () => readonly string[] {
  const read = new Map<string, { mark: string; secrets: string[] }>();
  values.forEach(rememberSecret);
  const ofFile = (file: string): string[] => {
    try {
      const { mtimeMs, size, ino } = statSync(file);
      const mark = `${mtimeMs}/${size}/${ino}`;
      const known = read.get(file);
      if (known?.mark === mark) return known.secrets;
      const secrets = secretsIn(readFileSync(file, 'utf8'));
      read.set(file, { mark, secrets });
      return secrets;
    } catch (error) {
      // A file that is gone is how somebody takes back what stood in it; but it is said once.
      if (read.get(file)?.mark !== 'unreadable') log.write('http.secret-file.unreadable', { secretFile: file, error });
      read.set(file, { mark: 'unreadable', secrets: [] });
      return [];
    }
  };
  return () => [...values, ...files.flatMap(ofFile)];
}

/** What is wrong with a file of secrets, for the start; never with what stands in it. */
export function secretFileProblem(file: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return `${file} can't be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'})`;
  }
  const secrets = secretsIn(text);
  if (secrets.length === 0) return `${file} contains no secret; write one per line`;
  const short = secrets.find((secret) => secret.length < shortest);
  return short === undefined
    ? undefined
    : `${file} holds a secret of ${short.length} characters; at least ${shortest} are needed`;
}

function secretsIn(text: string): string[] {
  const secrets = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  secrets.forEach(rememberSecret);
  return secrets;
}
