/** From the start of a process to its functions being registered, as a multiple of what a handler that does nothing takes. */
import type { Figure } from '../figure.ts';
import { coldStarts } from '../harness/cold-start.ts';

export const watcherColdStart: Figure = {
  name: "cold start of the watcher ÷ an empty handler's",
  unit: '',
  limit: 2.5,
  allowed: 'at most',
  measure: async (bench) => (await coldStarts(bench)).get('watcher') ?? Number.POSITIVE_INFINITY,
};

export const slowestColdStart: Figure = {
  name: "cold start of the slowest function ÷ an empty handler's",
  unit: '',
  limit: 5,
  allowed: 'at most',
  measure: async (bench) => Math.max(...(await coldStarts(bench)).values()),
};
