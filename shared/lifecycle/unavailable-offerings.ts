/** Sold-out offerings are remembered for a while, so that neither this claim nor the next hits the same wall. */
import type { ChoiceInput, UnavailableMark } from '../claims/choice.ts';
import type { Failure } from '../claims/errors.ts';
import { isInScope, type OfferingRef, type OfferingScope, offeringKey } from '../claims/offerings.ts';
import type { LifecycleServices, LifecycleSettings } from './services.ts';

const prefix = (provider: string): string => `unavailable/${provider}/`;

/** Also where the configuration says 0: without a mark the very next choice would be the same offering. */
const shortestSeconds = 1;

/** With a scope it speaks for every offering in it, besides the one that it was written for. */
type Mark = { reason: string; until: number; scope?: OfferingScope; quota?: true };

export async function markUnavailable(
  services: Pick<LifecycleServices, 'clock' | 'log' | 'state'> & {
    settings: Pick<LifecycleSettings, 'unavailableAtMostSeconds'>;
  },
  provider: string,
  offering: OfferingRef,
  { message, kind, scope }: Pick<Failure, 'message' | 'kind' | 'scope'>,
  wanted: number,
): Promise<void> {
  const seconds = Math.max(shortestSeconds, Math.min(wanted, services.settings.unavailableAtMostSeconds));
  const until = services.clock.now() + seconds * 1000;
  await services.state.put(
    prefix(provider) + offeringKey(offering),
    {
      reason: message.slice(0, 500),
      until,
      ...(scope === undefined ? {} : { scope }),
      ...(kind === 'quota-exceeded' ? { quota: true } : {}),
    },
    { ttlSeconds: seconds },
  );
  services.log.write('offering.unavailable', { provider, ...offering, seconds, reason: message });
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

export interface Marked {
  isUnavailable: NonNullable<ChoiceInput['isUnavailable']>;
  /** Whether everything that was asked about so far can't be had for want of quota: then no machine is missing. */
  isAllQuota(): boolean;
}

/** Marks as a choice asks for them. */
export function marked(marks: ReadonlyMap<string, Mark>): Marked {
  const wide = [...marks.values()].filter(({ scope }) => scope !== undefined);
  let quota = 0;
  let others = 0;
  return {
    isUnavailable: (offering, key, type): UnavailableMark | undefined => {
      const mark = marks.get(key) ?? wide.find(({ scope }) => isInScope(offering, type.labels, scope!));
      if (mark?.quota) quota++;
      else others++;
      return mark;
    },
    isAllQuota: () => quota > 0 && others === 0,
  };
}
