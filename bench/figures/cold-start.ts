/** From the start of a process until a function is there, as a multiple of what a handler that does nothing takes. */
import type { Figure } from '../figure.ts';
import { coldStarts } from '../harness/cold-start.ts';
import { lambdaColdStarts } from '../harness/cold-start-aws.ts';

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

/** Loaded, not ready, as on Azure; how long it takes until they are ready is said beside the figure. */
export const lambdaWatcherColdStart: Figure = {
  name: "cold start of the slower watcher on Lambda until loaded ÷ an empty handler's",
  unit: '',
  limit: 2.5,
  allowed: 'at most',
  measure: async (bench) => {
    const { loaded } = await lambdaColdStarts(bench);
    const watchers = ['watch-events', 'watch-interruptions'];
    return Math.max(...watchers.map((name) => loaded.get(name) ?? Number.POSITIVE_INFINITY));
  },
};

export const slowestLambdaColdStart: Figure = {
  name: "cold start of the slowest function on Lambda until ready to act ÷ an empty handler's",
  unit: '',
  limit: 5,
  allowed: 'at most',
  measure: async (bench) => {
    const { loaded, ready } = await lambdaColdStarts(bench);
    return Math.max(...loaded.values(), ...ready.values());
  },
};
