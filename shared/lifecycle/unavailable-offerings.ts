/** Sold-out offerings are remembered for a while, so that neither this claim nor the next hits the same wall. */
import type { ChoiceInput, UnavailableMark } from '../claims/choice.ts';
import { isInScope, type OfferingRef, type OfferingScope, offeringKey } from '../claims/offerings.ts';
import type { LifecycleServices } from './services.ts';

const prefix = (provider: string): string => `unavailable/${provider}/`;

/** Also where the configuration says 0: without a mark the very next choice would be the same offering. */
const shortestSeconds = 1;

/** With a scope it speaks for every offering in it, besides the one that it was written for. */
type Mark = { reason: string; until: number; scope?: OfferingScope };

export async function markUnavailable(
  services: Pick<LifecycleServices, 'clock' | 'log' | 'state'>,
  provider: string,
  offering: OfferingRef,
  reason: string,
  wanted: number,
  scope?: OfferingScope,
): Promise<void> {
  const seconds = Math.max(shortestSeconds, wanted);
  const until = services.clock.now() + seconds * 1000;
  await services.state.put(
    prefix(provider) + offeringKey(offering),
    { reason: reason.slice(0, 500), until, ...(scope === undefined ? {} : { scope }) },
    { ttlSeconds: seconds },
  );
  services.log.write('offering.unavailable', { provider, ...offering, seconds, reason });
}

export async function unavailableOfferings(
  services: Pick<LifecycleServices, 'clock' | 'log' | 'state'>,
  provider: string,
): Promise<ReadonlyMap<string, Mark>> {
  const marks = new Map<string, Mark>();
  let after: string | undefined;
  do {
    const page = await services.state.list<Mark>(prefix(provider), { limit: 500, ...(after ? { after } : {}) });
    for (const entry of page.items) marks.set(entry.key.slice(prefix(provider).length), entry.value);
    after = page.next;
  } while (after !== undefined);
  return marks;
}

/** Marks as a choice asks for them. */
export function isMarked(marks: ReadonlyMap<string, Mark>): NonNullable<ChoiceInput['isUnavailable']> {
  const wide = [...marks.values()].filter(({ scope }) => scope !== undefined);
  return (offering, key, type): UnavailableMark | undefined =>
    marks.get(key) ?? wide.find(({ scope }) => isInScope(offering, type.labels, scope!));
}
