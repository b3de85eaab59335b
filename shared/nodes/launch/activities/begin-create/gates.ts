/** Gates in a row: each lets the create through with what it found out, or ends the step with an answer. */

import type { BeginCreateResult } from '../../../steps/answers.ts';
import type { Asked } from './facts.ts';

export type Stop = { readonly stop: BeginCreateResult };

export type Gate<Needs, Gives extends object> = (facts: Needs) => Promise<Stop | Gives>;

export const stop = (begun: BeginCreateResult): Stop => ({ stop: begun });

export const isStop = (reached: object): reached is Stop => 'stop' in reached;

class Gates<Facts extends object> {
  readonly pass: Gate<Asked, Facts>;

  constructor(pass: Gate<Asked, Facts>) {
    this.pass = pass;
  }

  /** The next gate knows what all before it found out. */
  and<More extends object>(gate: Gate<Facts, More>): Gates<Facts & More> {
    return new Gates(async (asked) => {
      const facts = await this.pass(asked);
      if (isStop(facts)) return facts;
      const more = await gate(facts);
      return isStop(more) ? more : { ...facts, ...more };
    });
  }
}

const asked = new Gates<Asked>((facts) => Promise.resolve(facts));

export const gatesFrom = <First extends object>(gate: Gate<Asked, First>): Gates<Asked & First> => asked.and(gate);
