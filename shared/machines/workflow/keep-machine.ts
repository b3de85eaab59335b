/**
 * keep-machine: one VirtualMachine, from its creation to what is wanted, through each change, to its end. It knows nothing but how to go
 * on: what is to be done is read from the object and its machine in every step, so it may begin anew at any time.
 */
import type { Json } from '../../base/json.ts';
import { call, defineWorkflow, type Retry, type Steps, waitSignal } from '../../workflow/vocabulary.ts';
import type { MachineRef } from '../services.ts';
import type { AdvanceResult } from '../steps/answers.ts';

/** Look again now. */
export const lookSignal = 'look';

/** For bugs and dead processes only; expected failures are answers. */
const afterThrow: Retry = { max: 4, firstSeconds: 1, factor: 3, capSeconds: 30 };

/** A life is finite: after so many rounds the workflow ends, and the next epoch begins with an empty history. */
const maxRounds = 200;

export const keepMachine = defineWorkflow({
  name: 'keep-machine',
  version: 1,
  *run(ref: MachineRef): Steps<Json> {
    for (let round = 0; round < maxRounds; round++) {
      const answer = yield* call<AdvanceResult>('advanceMachine', { ref }, afterThrow);
      if (answer.do === 'end') return { end: answer.why };
      yield* waitSignal(lookSignal, answer.seconds);
    }
    return { end: 'it takes long; the next epoch continues' };
  },
});
