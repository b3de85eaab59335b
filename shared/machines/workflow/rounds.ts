/** The shape of every workflow of this product: an activity says what is next, until there is nothing left to do. */
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

export const inRounds = (name: string, activity: string) =>
  defineWorkflow({
    name,
    version: 1,
    *run(ref: MachineRef): Steps<Json> {
      for (let round = 0; round < maxRounds; round++) {
        const answer = yield* call<AdvanceResult>(activity, { ref }, afterThrow);
        if (answer.do === 'end') return { end: answer.why };
        yield* waitSignal(lookSignal, answer.seconds);
      }
      return { end: 'it takes long; the next epoch continues' };
    },
  });
