/** From the start of a process until a function is ready to act, as a multiple of what a handler that does nothing takes. */
import type { Figure } from '../figure.ts';
import { coldStarts } from '../harness/cold-start.ts';
import { lambdaColdStarts } from '../harness/cold-start-aws.ts';

export const watcherColdStart: Figure = {
  name: "cold start of the watcher until ready to act ÷ an empty handler's",
  unit: '',
  limit: 2,
  allowed: 'at most',
  measure: async (bench) => (await coldStarts(bench)).get('watcher') ?? Number.POSITIVE_INFINITY,
};

export const slowestColdStart: Figure = {
  name: "cold start of the slowest function until ready to act ÷ an empty handler's",
  unit: '',
  limit: 2.8,
  allowed: 'at most',
  measure: async (bench) => Math.max(...(await coldStarts(bench)).values()),
};

export const lambdaWatcherColdStart: Figure = {
  name: "cold start of the slower watcher on Lambda until ready to act ÷ an empty handler's",
  unit: '',
  limit: 2,
  allowed: 'at most',
  measure: async (bench) => {
    const ready = await lambdaColdStarts(bench);
    const watchers = ['watch-events', 'watch-interruptions'];
    return Math.max(...watchers.map((name) => ready.get(name) ?? Number.POSITIVE_INFINITY));
  },
};

export const slowestLambdaColdStart: Figure = {
  name: "cold start of the slowest function on Lambda until ready to act ÷ an empty handler's",
  unit: '',
  limit: 2.8,
  allowed: 'at most',
  measure: async (bench) => Math.max(...(await lambdaColdStarts(bench)).values()),
};
