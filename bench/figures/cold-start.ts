/** From the start of a process until a function is there, as a multiple of what a handler that does nothing takes. */
import type { Figure } from '../figure.ts';
import { coldStarts } from '../harness/cold-start.ts';

/** Registered, not ready: until its first call is ready to act it takes longer than this limit, which is said beside the figure. */
export const watcherColdStart: Figure = {
  name: "cold start of the watcher until registered ÷ an empty handler's",
  unit: '',
  limit: 2.5,
  allowed: 'at most',
  measure: async (bench) => (await coldStarts(bench)).registered.get('watcher') ?? Number.POSITIVE_INFINITY,
};

export const slowestColdStart: Figure = {
  name: "cold start of the slowest function until ready to act ÷ an empty handler's",
  unit: '',
  limit: 5,
  allowed: 'at most',
  measure: async (bench) => {
    const { registered, ready } = await coldStarts(bench);
    return Math.max(...registered.values(), ...ready.values());
  },
};
