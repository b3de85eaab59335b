/** Cluster and provider of the create, and whether the provider looks at the place where the attempt was begun. */

import {
  type ClaimContext,
  currentLocation,
  findClaimContext,
  heldElsewhere,
  isAgain,
  withoutProvider,
} from '../../../steps/lookup.ts';
import { againAfter } from '../../../steps/retry-later.ts';
import type { Asked, Claimed, Located } from './facts.ts';
import { type Stop, stop } from './gates.ts';
import { withoutTurn } from './turn.ts';

export async function place({ services, input }: Asked): Promise<Stop | { place: ClaimContext }> {
  const found = await findClaimContext(services, input.ref, input.provider);
  return isAgain(found) ? stop(found) : { place: found };
}

export async function elsewhere(facts: Claimed): Promise<Stop | object> {
  const { services, input, read } = facts;
  const held = await heldElsewhere(services, facts.place, input.ref, read.view.record);
  return held ? await withoutTurn(facts, held) : {};
}

export async function location(facts: Claimed): Promise<Stop | Pick<Located, 'at'>> {
  const { services, input, place } = facts;
  const where = await currentLocation(place.provider);
  if (where.ok) return { at: where.value === undefined ? {} : { place: where.value } };
  const { kind, message } = where.error;
  const wait =
    kind === 'invalid'
      ? await withoutProvider(services, place.cluster, input.ref, message)
      : againAfter(where.error, 10);
  return await withoutTurn(facts, wait);
}
