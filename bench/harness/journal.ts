/** Looks into the host's journal from outside, while it runs or after. */
import { DatabaseSync } from 'node:sqlite';

/** How many launches have recorded a step since a time, and when the last of them did so first. */
export function countMoved(file: string, since: number): { moved: number; last: number } {
  const query = `select count(*) as moved, coalesce(max(at), 0) as last from
    (select min(at) as at from journal where at >= ? group by instance)`;
  return readJournal<{ moved: number; last: number }>(file, query, since)[0] ?? { moved: 0, last: 0 };
}

export function readJournal<T>(file: string, query: string, ...values: number[]): T[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare(query).all(...values) as T[];
  } finally {
    database.close();
  }
}
