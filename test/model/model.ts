/** Everything that can happen next. */
import { adversarySteps, cloudSteps } from './adversary.ts';
import type { Emit } from './explore.ts';
import { launchSteps } from './launch.ts';
import { personSteps } from './person.ts';
import { collectorSteps, resyncSteps } from './reconcilers.ts';
import type { Setup } from './setup.ts';
import type { State } from './state.ts';
import { terminateSteps } from './terminate.ts';
import { writeSteps } from './writes.ts';

export function successors(setup: Setup, s: State, emit: Emit): void {
  launchSteps(setup, s, 1, emit);
  launchSteps(setup, s, 2, emit);
  writeSteps(setup, s, emit);
  cloudSteps(setup, s, emit);
  terminateSteps(setup, s, 'terminate', emit);
  terminateSteps(setup, s, 'secondTerminate', emit);
  collectorSteps(setup, s, emit);
  resyncSteps(setup, s, emit);
  personSteps(setup, s, emit);
  adversarySteps(setup, s, emit);
}
