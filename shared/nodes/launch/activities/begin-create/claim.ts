/** The claim is there, is not being deleted, and this provider serves it. */

import { type ClaimRead, readClaim, takeClaim } from '../../../steps/claim-access.ts';
import { servingAs } from '../../../steps/provider-choice.ts';
import { againAfter } from '../../../steps/retry-later.ts';
import type { Claimed, Placed } from './facts.ts';
import { type Stop, stop } from './gates.ts';
import { mayHaveBeenRestored } from './restored.ts';
import { unlessBegun, withoutTurn } from './turn.ts';

export async function claim(facts: Placed): Promise<Stop | Pick<Claimed, 'read' | 'served'>> {
  const { cluster, provider } = facts.place;
  const read = await readToBegin(facts);
  if (read.found === 'unknown') return stop(againAfter(read.failure));
  if (read.found !== 'claim') return await withoutTurn(facts, { do: 'refused', why: 'gone' });
  const served = servingAs(cluster, read.claim, provider.name);
  if (!read.view.deleting && served) return { read, served };
  // Before the node class is asked for: who deletes both at once must not wait for the class to come back.
  return await unlessBegun(facts, read.view, { do: 'refused', why: read.view.deleting ? 'deleting' : 'moved-on' });
}

/** What the look of rule 4 sees belongs to the claim that was read with it; without a look, what was handed over will do. */
async function readToBegin({ services, input, context, place }: Placed): Promise<ClaimRead> {
  const read = await takeClaim(services, place.cluster, input.ref, context.signal);
  const looks = read.found === 'claim' && mayHaveBeenRestored(services, read.claim);
  return looks && read.handed ? readClaim(place.cluster, input.ref, context.signal) : read;
}
