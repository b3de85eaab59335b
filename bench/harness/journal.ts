/** Looks into the host's journal from outside, while it runs or after. */
import { DatabaseSync } from 'node:sqlite';

export function readJournal<T>(file: string, query: string, ...values: number[]): T[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare(query).all(...values) as T[];
  } finally {
    database.close();
  }
}
