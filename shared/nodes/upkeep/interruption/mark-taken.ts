/** Marks of offerings that the cloud takes back. It takes back many machines of one kind at once, and one mark speaks for all. */

import type { Provider } from '../../../providers/contract.ts';
import { type OfferingRef, offeringKey } from '../../claims/choice/offerings.ts';
import { markUnavailable } from '../../offerings/unavailable-offerings.ts';
import type { LifecycleServices } from '../../steps/services.ts';

/** A mark that was written so long ago is written again: it then lasts a little longer. */
const againSeconds = 10;

const written = new WeakMap<LifecycleServices, Map<string, { at: number; done: Promise<void> }>>();

export async function markTaken(
  services: LifecycleServices,
  { name }: Provider,
  offering: OfferingRef,
  reason: string,
): Promise<void> {
  const marks = written.get(services) ?? new Map<string, { at: number; done: Promise<void> }>();
  written.set(services, marks);
  const now = services.clock.now();
  for (const [key, { at }] of marks) if (now - at >= againSeconds * 1000) marks.delete(key);
  const key = `${name}/${offeringKey(offering)}`;
  let mark = marks.get(key);
  if (!mark) {
    const taken = { kind: 'insufficient-capacity', message: reason } as const;
    const seconds = services.settings.unavailableSeconds;
    mark = { at: now, done: markUnavailable(services, name, offering, taken, seconds) };
    marks.set(key, mark);
  }
  try {
    await mark.done;
  } catch (error) {
    if (marks.get(key) === mark) marks.delete(key);
    throw error;
  }
}
