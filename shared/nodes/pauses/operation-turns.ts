/**
 * Turns for a cloud that takes few operations at a time (`traits.operationsAtOnce`): a fair line instead of a storm of
 * refusals. Whoever begins a create or a delete asks for a turn first and gives it back when the operation is over; the next
 * in line is given it at once, and woken.
 *
 * Nothing here keeps anything safe: state may be lost, and two may hold a turn for a moment. Then one of them is refused by
 * the cloud, and waits. So every step may die anywhere: turns are leases, and places in the line expire.
 *
 * Who holds a turn stands in one small document per cluster and provider (`TurnHolders`), changed by compare-and-set. The line is
 * one key per claim, ordered by the time of its arrival, so that ten thousand waiters never rewrite each other's words.
 */
import type { Failure } from '../../base/result.ts';
import type { Provider } from '../../providers/contract.ts';
import type { Entry } from '../../state/contract.ts';
import { lookSignal } from '../steps/retry-later.ts';
import type { ClaimRef, ClusterServices, LifecycleServices } from '../steps/services.ts';

type Kind = 'launch' | 'terminate';

/** `movedAt`: when the operation was last seen to move; who stands still for long lets others pass. */
type Holder = { uid: string; kind: Kind; until: number; movedAt: number };
type TurnHolders = { holders: Holder[] };
type Ticket = { uid: string; kind: Kind };

/** Where turns are taken. */
export type TurnPlace = { cluster: ClusterServices; provider: Provider };

/** Not yet: why, and when to ask again if nobody wakes the workflow before. */
export type NoTurn = { why: string; seconds: number };

/** A turn that was called out is taken up within this time. */
const calledSeconds = 60;
/** A holder shows itself at every poll, and those are seconds apart. */
const leaseSeconds = 120;
/** Who could not even begin for so long, because something of somebody else's is in the way, goes to the end of the line. */
const patienceSeconds = 120;
/** Waiters ask at least every few minutes; a place that nobody asks about is nobody's. */
const placeSeconds = 1800;
const deskSeconds = 7 * 86_400;
/** Those in front look when a lease should have ended, because its holder may have died. */
const frontPlaces = 2;
const frontSeconds = 15;
const backSeconds = 120;
/** A longer line is not counted to its end. */
const countedPlaces = 50;
const maxRaces = 50;
/** How many places of dead workflows are passed over at one call. */
const lookedAt = 20;

/**
 * Undefined: it has a turn, or needs none. A second time it finds its turn, or its place in the line. `first` is for what a
 * failed attempt left behind: everybody else may be refused because of it, so it must not wait behind them.
 */
export async function takeOperationTurn(
  services: LifecycleServices,
  place: TurnPlace,
  { uid }: ClaimRef,
  kind: Kind,
  how: { first?: boolean } = {},
): Promise<NoTurn | undefined> {
  const atOnce = place.provider.traits.operationsAtOnce;
  if (atOnce === undefined) return undefined;
  const { state, clock } = services;
  for (let race = 0; race < maxRaces; race++) {
    const current = await state.get<TurnHolders>(holdersKey(place));
    const now = clock.now();
    const holders = liveHolders(current, now);
    const mine = holders.find((one) => one.uid === uid);
    if (mine && now - mine.movedAt > patienceSeconds * 1000 && (await isAwaited(services, place))) {
      await endOperationTurn(services, place, uid);
      await join(services, place, { uid, kind });
      continue;
    }
    if (mine) {
      if (mine.kind !== kind || mine.until - now < (leaseSeconds * 1000) / 2)
        await writeHolders(services, place, current, renewed(holders, { ...mine, kind }, now + leaseSeconds * 1000));
      return undefined;
    }
    if (holders.length < atOnce) {
      const next = await firstInLine(services, place, holders, uid);
      if (next && next.value.uid !== uid) {
        // A place is free, and whoever is before us has not heard of it.
        await callNext(services, place, current, holders, next);
        continue;
      }
      const taken: Holder = { uid, kind, until: now + leaseSeconds * 1000, movedAt: now };
      if (!(await writeHolders(services, place, current, [...holders, taken]))) continue;
      await leaveLine(services, place, uid);
      return undefined;
    }
    // Who has just joined looks again: a turn may have become free before anybody could see it stand there.
    if (await join(services, place, { uid, kind }, how.first)) continue;
    const before = await countBefore(services, place, uid);
    if (before < frontPlaces && (await dropDead(services, place, current, holders))) continue;
    const leaseEnds = Math.min(...holders.map(({ until }) => until)) - now;
    return waiting(services, place, atOnce, before, leaseEnds / 1000 + 1);
  }
  return { why: `too many operations request a turn at ${place.provider.name} at once`, seconds: frontSeconds };
}

/** The operation goes on; it will be looked at again within `seconds`. */
export async function keepOperationTurn(
  services: LifecycleServices,
  place: TurnPlace,
  uid: string,
  seconds = 0,
): Promise<void> {
  if (place.provider.traits.operationsAtOnce === undefined) return;
  const current = await services.state.get<TurnHolders>(holdersKey(place));
  const now = services.clock.now();
  const mine = current?.value.holders.find((one) => one.uid === uid);
  if (!mine || mine.until - now >= (seconds + leaseSeconds / 2) * 1000) return;
  const until = now + (seconds + leaseSeconds) * 1000;
  await writeHolders(services, place, current, renewed(liveHolders(current, now), { ...mine, movedAt: now }, until));
}

/** After this refusal the cloud may be at work for the claim, or will soon take what it was asked for: the turn is kept. */
export const keepsTurn = ({ kind, lasting }: Failure): boolean =>
  kind === 'outcome-unknown' ||
  kind === 'throttled' ||
  kind === 'unavailable' ||
  (kind === 'conflict' && lasting !== true);

/** The operation is over, or is not begun after all: the next in line is called at once. Idempotent. */
export async function endOperationTurn(services: LifecycleServices, place: TurnPlace, uid: string): Promise<void> {
  const atOnce = place.provider.traits.operationsAtOnce;
  if (atOnce === undefined) return;
  for (let race = 0; race < maxRaces; race++) {
    const current = await services.state.get<TurnHolders>(holdersKey(place));
    if (!current?.value.holders.some((one) => one.uid === uid)) break;
    const rest = liveHolders(current, services.clock.now()).filter((one) => one.uid !== uid);
    const next = rest.length < atOnce ? await firstInLine(services, place, rest, undefined, uid) : undefined;
    if (
      next ? await callNext(services, place, current, rest, next) : await writeHolders(services, place, current, rest)
    )
      break;
  }
  await leaveLine(services, place, uid);
}

const liveHolders = (current: Entry<TurnHolders> | undefined, now: number): Holder[] =>
  (current?.value.holders ?? []).filter(({ until }) => until > now);

const renewed = (holders: readonly Holder[], mine: Holder, until: number): Holder[] => [
  ...holders.filter(({ uid }) => uid !== mine.uid),
  { ...mine, until },
];

async function writeHolders(
  { state }: LifecycleServices,
  place: TurnPlace,
  before: Entry<TurnHolders> | undefined,
  holders: Holder[],
): Promise<boolean> {
  const options = { ifVersion: before?.version ?? null, ttlSeconds: deskSeconds };
  return (await state.put(holdersKey(place), { holders }, options)) !== undefined;
}

/** Gives the free place to the first in line, and wakes it. False: somebody else was quicker. */
async function callNext(
  services: LifecycleServices,
  place: TurnPlace,
  current: Entry<TurnHolders> | undefined,
  holders: readonly Holder[],
  next: Entry<Ticket>,
): Promise<boolean> {
  const { uid, kind } = next.value;
  const now = services.clock.now();
  const called: Holder = { uid, kind, until: now + calledSeconds * 1000, movedAt: now };
  if (!(await writeHolders(services, place, current, [...holders, called]))) return false;
  await services.workflows.signal(`${place.cluster.name}/${uid}/${kind}`, lookSignal);
  await leaveLine(services, place, uid);
  return true;
}

/** The first whose workflow still runs. One that does not run right now may be between two epochs: it keeps its place. */
async function firstInLine(
  services: LifecycleServices,
  place: TurnPlace,
  holders: readonly Holder[],
  asking?: string,
  leaving?: string,
): Promise<Entry<Ticket> | undefined> {
  const { items } = await services.state.list<Ticket>(lineKey(place), { limit: lookedAt });
  for (const entry of items) {
    const { uid } = entry.value;
    if (uid === leaving || holders.some((one) => one.uid === uid)) continue;
    if (uid === asking || (await isRunning(services, place, uid))) return entry;
  }
  return undefined;
}

async function isRunning({ workflows }: LifecycleServices, { cluster }: TurnPlace, uid: string): Promise<boolean> {
  for (const kind of ['launch', 'terminate'] as const) {
    if ((await workflows.latest(`${cluster.name}/${uid}/${kind}`))?.status === 'running') return true;
  }
  return false;
}

/** A holder that no workflow speaks for will not give its turn back. */
async function dropDead(
  services: LifecycleServices,
  place: TurnPlace,
  current: Entry<TurnHolders> | undefined,
  holders: readonly Holder[],
): Promise<boolean> {
  const alive: Holder[] = [];
  for (const holder of holders) if (await isRunning(services, place, holder.uid)) alive.push(holder);
  return alive.length < holders.length && (await writeHolders(services, place, current, alive));
}

async function isAwaited({ state }: LifecycleServices, place: TurnPlace): Promise<boolean> {
  return (await state.list(lineKey(place), { limit: 1 })).items.length > 0;
}

/** True: it was not in the line before. The pointer comes first, so that whoever dies in between finds its place again. */
async function join(
  { state, clock }: LifecycleServices,
  place: TurnPlace,
  ticket: Ticket,
  first = false,
): Promise<boolean> {
  const pointer = await state.get<string>(pointerKey(place, ticket.uid));
  const now = clock.now();
  const arrival = first ? 0 : now;
  const key = pointer?.value ?? `${lineKey(place)}${String(arrival).padStart(15, '0')}/${ticket.uid}`;
  const known = pointer && (await state.get<Ticket>(key));
  const fresh = (known?.expiresAt ?? 0) - now > (placeSeconds * 1000) / 2;
  if (known && fresh && known.value.kind === ticket.kind) return false;
  await state.put(pointerKey(place, ticket.uid), key, { ttlSeconds: placeSeconds });
  await state.put(key, ticket, { ttlSeconds: placeSeconds });
  return known === undefined;
}

async function leaveLine({ state }: LifecycleServices, place: TurnPlace, uid: string): Promise<void> {
  const pointer = await state.get<string>(pointerKey(place, uid));
  if (!pointer) return;
  await state.delete(pointer.value);
  await state.delete(pointerKey(place, uid));
}

async function countBefore({ state }: LifecycleServices, place: TurnPlace, uid: string): Promise<number> {
  const { items } = await state.list<Ticket>(lineKey(place), { limit: countedPlaces });
  const index = items.findIndex(({ value }) => value.uid === uid);
  return index < 0 ? items.length : index;
}

function waiting(
  { random }: LifecycleServices,
  { cluster, provider }: TurnPlace,
  atOnce: number,
  before: number,
  leaseSeconds: number,
): NoTurn {
  const many = before >= countedPlaces;
  const takes = `${atOnce} ${atOnce === 1 ? 'operation' : 'operations'} at a time`;
  const others = before === 0 ? 'next in line' : `${many ? 'more than ' : ''}${before} ahead`;
  const why = `waiting: ${provider.name} allows ${takes} in cluster ${cluster.name}; ${others}`;
  const seconds = before < frontPlaces ? Math.max(frontSeconds, leaseSeconds) : backSeconds;
  return { why, seconds: seconds * (1 + random() / 4) };
}

const scope = ({ cluster, provider }: TurnPlace): string => `${cluster.name}/${provider.name}`;
const holdersKey = (place: TurnPlace): string => `operation-desk/${scope(place)}`;
const lineKey = (place: TurnPlace): string => `operation-line/${scope(place)}/`;
const pointerKey = (place: TurnPlace, uid: string): string => `operation-place/${scope(place)}/${uid}`;
