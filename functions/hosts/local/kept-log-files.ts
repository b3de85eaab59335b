/** The files of the kept log, by number: a higher one is newer. */
import { readdirSync } from 'node:fs';

export const fileName = (file: number): string => `${String(file).padStart(8, '0')}.jsonl`;

/** Oldest first; none where there is no such directory. */
export function fileNumbers(directory: string): number[] {
  try {
    return readdirSync(directory)
      .filter((name) => /^\d{8,12}\.jsonl$/.test(name))
      .map((name) => Number.parseInt(name, 10))
      .sort((a, b) => a - b);
  } catch {
    return [];
  }
}
