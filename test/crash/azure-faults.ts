/** What goes wrong between the Functions host and its task hub, beside the kills from outside. */
import { type Random, seededRandom } from '../../shared/base/runtime.ts';
import type { DurableFaults } from '../stand-ins/functions-host/durable/faults.ts';

/** The process ends between an effect and its checkpoint; activities run again; results and events come twice or late. */
export function seededFaults(seed: number): DurableFaults {
  const random: Random = seededRandom(seed);
  return {
    loses: () => {
      if (random() >= 0.003) return false;
      process.kill(process.pid, 'SIGKILL');
      // Nothing more must happen until the signal arrives.
      return new Promise(() => undefined);
    },
    repeats: () => random() < 0.03,
    completions: () => (random() < 0.05 ? 2 : 1),
    eventDelays: () => (random() < 0.5 ? [0] : [0, random() * 1000]),
  };
}
