/** Sold-out offerings are remembered for a while, so that neither this claim nor the next hits the same wall. */

import { defined } from '../../base/defined.ts';
import type { Failure } from '../../base/result.ts';
import type { ChoiceInput, UnavailableMark } from '../claims/choice/choice.ts';
import {
  isInScope,
  type OfferingRef,
  type OfferingScope,
  offeringKey,
  type RefusedOffering,
} from '../claims/choice/offerings.ts';
import { decide, unavailableSeconds } from '../claims/decisions.ts';
import { capacityTypes } from '../claims/spec/well-known.ts';
import type { LifecycleServices, LifecycleSettings } from '../steps/services.ts';

const allMarks = 'unavailable/';
const prefix = (provider: string): string => `${allMarks}${provider}/`;

/** Also where the configuration says 0: without a mark the very next choice would be the same offering. */
const shortestSeconds = 1;

/** With a scope it speaks for every offering in it, and for no other: an offering of the same name may be sold elsewhere too. */
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
      ...defined({ scope }),
      ...(kind === 'quota-exceeded' ? { quota: true } : {}),
    },
    { ttlSeconds: seconds },
  );
  services.log.write('offering.unavailable', { provider, ...offering, seconds, reason: message });
}

/** Of several that one request named, exactly those that could not be had. */
export async function markRefused(
  services: LifecycleServices,
  provider: string,
  refused: readonly RefusedOffering[] | undefined,
): Promise<void> {
  await Promise.all(
    (refused ?? []).map((one) => markUnavailable(services, provider, one.offering, one, secondsFor(services, one))),
  );
}

/**
 * What a failed create says about offerings: those that it names, or else the one that was asked for. One of those that
 * were asked for is always marked if the failure is about offerings at all: else the next choice would be the same. Unless
 * that is meant: an attempt that is only spent says nothing more about offerings than it names.
 */
export async function markFailed(
  services: LifecycleServices,
  provider: string,
  phase: 'create' | 'poll',
  asked: { offering: OfferingRef; alternatives?: readonly OfferingRef[] },
  failure: Failure,
): Promise<void> {
  const { refused = [] } = failure;
  await markRefused(services, provider, refused);
  if (failure.spent) return;
  const wanted = unavailableSeconds(decide(phase, failure), failure);
  const keys = new Set([asked.offering, ...(asked.alternatives ?? [])].map(offeringKey));
  if (wanted === undefined || refused.some(({ offering }) => keys.has(offeringKey(offering)))) return;
  await markUnavailable(services, provider, asked.offering, failure, secondsFor(services, failure, wanted));
}

/** The configuration says how long for what is sold out, unless the cloud itself says something. */
function secondsFor(
  { settings }: Pick<LifecycleServices, 'settings'>,
  failure: Failure,
  wanted = unavailableSeconds(decide('create', failure), failure) ?? settings.unavailableSeconds,
): number {
  const unsaid = failure.kind === 'insufficient-capacity' && failure.retryAfterSeconds === undefined;
  return unsaid ? settings.unavailableSeconds : wanted;
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

/** A mark with the offering that it was written for. */
export type OfferingMark = Mark & OfferingRef & { provider: string };

/** Of one provider or of all, those that are no longer configured included. */
export async function listMarks(
  { state }: Pick<LifecycleServices, 'state'>,
  provider?: string,
): Promise<OfferingMark[]> {
  const marks: OfferingMark[] = [];
  for await (const { mark } of entriesOf(state, provider)) marks.push(mark);
  return marks;
}

/** What a request to forget marks names; what is absent is any. */
export type MarkFilter = Partial<OfferingRef> & { provider?: string };

/**
 * Forgets the marks that keep these offerings from being tried, and answers how many there were. One that speaks for many is
 * among them if it may speak for one of these: to ask the cloud once too often does less harm than not to ask.
 */
export async function clearMarks(
  { state, log }: Pick<LifecycleServices, 'state' | 'log'>,
  filter: MarkFilter,
  { dryRun = false } = {},
): Promise<number> {
  let cleared = 0;
  for await (const { key, mark } of entriesOf(state, filter.provider)) {
    if (!mayConcern(mark, filter)) continue;
    if (!dryRun && !(await state.delete(key))) continue;
    cleared++;
    const { provider, instanceType, zone, capacityType } = mark;
    if (!dryRun) log.write('offering.cleared', { provider, instanceType, zone, capacityType });
  }
  return cleared;
}

function mayConcern({ scope, ...offering }: OfferingMark, filter: MarkFilter): boolean {
  const fits = (said: Partial<OfferingRef>): boolean =>
    (['instanceType', 'zone', 'capacityType'] as const).every(
      (part) => filter[part] === undefined || said[part] === undefined || said[part] === filter[part],
    );
  return fits(offering) || (scope !== undefined && fits(scope));
}

async function* entriesOf(
  state: LifecycleServices['state'],
  provider: string | undefined,
): AsyncGenerator<{ key: string; mark: OfferingMark }> {
  let after: string | undefined;
  do {
    const page = await state.list<Mark>(provider === undefined ? allMarks : prefix(provider), {
      limit: 500,
      ...(after ? { after } : {}),
    });
    for (const { key, value } of page.items) {
      const [, from, instanceType, zone = '', capacity] =
        /^unavailable\/(.+)\/([^/]+)\/([^/]*)\/([^/]+)$/.exec(key) ?? [];
      const capacityType = capacityTypes.find((one) => one === capacity);
      if (from === undefined || instanceType === undefined || capacityType === undefined) continue;
      yield { key, mark: { ...value, provider: from, instanceType, zone, capacityType } };
    }
    after = page.next;
  } while (after !== undefined);
}

/** Marks as a choice asks for them. */
export function isMarked(marks: ReadonlyMap<string, Mark>): NonNullable<ChoiceInput['isUnavailable']> {
  const wide = [...marks.values()].filter(({ scope }) => scope !== undefined);
  return (offering, key, type): UnavailableMark | undefined => {
    const named = marks.get(key);
    const isOut = named !== undefined && (named.scope === undefined || isInScope(offering, type.labels, named.scope));
    return isOut ? named : wide.find(({ scope }) => isInScope(offering, type.labels, scope!));
  };
}
