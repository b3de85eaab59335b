/** The node class can be read and is usable. */

import { readNodeClass } from '../../../offerings/node-class.ts';
import { againAfter } from '../../../steps/retry-later.ts';
import type { Claimed, Classed } from './facts.ts';
import { type Stop, stop } from './gates.ts';

export async function nodeClass(facts: Claimed): Promise<Stop | Pick<Classed, 'nodeClass'>> {
  const { services, place, served, read, context } = facts;
  const { nodeClassRef } = read.claim.spec;
  const answer = await readNodeClass(services, place.cluster, served.resource, nodeClassRef, context.signal);
  return answer.ok ? { nodeClass: answer.value } : stop(againAfter(answer.error, 10));
}
