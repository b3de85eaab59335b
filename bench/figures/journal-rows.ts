/** Rows that the journal holds for one claim's life, finished steps and workflows together, counted in the database. */
import type { Figure } from '../figure.ts';
import { oneLife } from '../harness/one-life.ts';

export const journalRows: Figure = {
  name: "journal rows per claim's life",
  unit: '',
  limit: 25,
  allowed: 'at most',
  measure: async (bench) => (await oneLife(bench)).journalRows,
};
