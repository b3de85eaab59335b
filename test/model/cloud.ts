/** The provider: what a write would do, and what waits for it. */
import type { Idempotency } from '../../shared/nodes/claims/attempt/attempt.ts';
import type { Setup } from './setup.ts';
import { alive, type Instance, type State, type Waits, type Write } from './state.ts';

export interface Target {
  slot: number;
  /** The write would make an instance. */
  makes: boolean;
  /** The name is still taken by something that is being deleted: the write can't go through now. */
  blocked: boolean;
}

export function targetOf(idempotency: Idempotency, slots: readonly (Instance | null)[], attempt: number): Target {
  if (idempotency === 'none') {
    // A slot is an id, and ids are never used twice. Out of slots, the bound of the model is reached: the write can only expire.
    const slot = slots.indexOf(null);
    return { slot: Math.max(slot, 0), makes: slot >= 0, blocked: slot < 0 };
  }
  const slot = idempotency === 'claim-name' ? 0 : attempt - 1;
  const there = slots[slot] ?? null;
  if (idempotency === 'token') return { slot, makes: there === null, blocked: false };
  return { slot, makes: there === null, blocked: there?.state === 'deleting' };
}

const replaced = <T>(list: readonly T[], index: number, value: T): T[] => {
  const copy = list.slice();
  copy[index] = value;
  return copy;
};

export const withSlot = (s: State, slot: number, instance: Instance | null): State => ({
  ...s,
  cloud: { ...s.cloud, slots: replaced(s.cloud.slots, slot, instance) },
});

export const withWrite = (s: State, index: number, write: Write | null): State => ({
  ...s,
  writes: replaced(s.writes, index, write),
});

/** Changes every wait that is under way. */
function mapWaits(s: State, change: (waits: Waits) => Waits): State {
  const apply = <T extends Waits>(waiting: T | null): T | null => {
    if (!waiting) return null;
    const { writes, unlisted } = change(waiting);
    return writes === waiting.writes && unlisted === waiting.unlisted ? waiting : { ...waiting, writes, unlisted };
  };
  const { first, second, terminate, secondTerminate } = s;
  const launches = { first: apply(first), second: apply(second) };
  return { ...s, ...launches, terminate: apply(terminate), secondTerminate: apply(secondTerminate) };
}

/** No wait waits for this write any more. */
export const outlast = (s: State, index: number): State =>
  mapWaits(s, ({ writes, unlisted }) => ({ writes: writes & ~(1 << index), unlisted }));

/** The write is over. */
export const endWrite = (s: State, index: number): State => withWrite(outlast(s, index), index, null);

/** The write takes effect. Whoever waited for it goes on to wait until the list shows what it made. */
export function land(setup: Setup, s: State, index: number): { state: State; slot: number } {
  const write = s.writes[index] as Write;
  const { slot, makes } = targetOf(setup.idempotency, s.cloud.slots, write.attempt);
  if (!makes) return { state: s, slot };
  const lagging = setup.idempotency === 'none';
  const { attempt, offering } = write;
  const made = withSlot(s, slot, { state: 'live', attempt, offering, listed: !lagging });
  if (!lagging || !setup.covers.lag) return { state: made, slot };
  const bit = 1 << index;
  const follow = ({ writes, unlisted }: Waits) => ({
    writes,
    unlisted: writes & bit ? unlisted | (1 << slot) : unlisted,
  });
  return { state: mapWaits(made, follow), slot };
}

export const shown = (s: State, slot: number): State =>
  mapWaits(s, ({ writes, unlisted }) => ({ writes, unlisted: unlisted & ~(1 << slot) }));

/** The instance is no more. A name can be used again; a token is remembered, and an id never comes back. */
export function vanish(setup: Setup, s: State, slot: number): State {
  const instance = s.cloud.slots[slot] as Instance;
  const remembered = setup.idempotency === 'token' || setup.idempotency === 'none';
  // What is left of it matters to a repeated token alone.
  const offering = setup.idempotency === 'token' ? instance.offering : 0;
  const attempt = setup.idempotency === 'token' ? instance.attempt : 0;
  return withSlot(shown(s, slot), slot, remembered ? { state: 'gone', attempt, offering, listed: true } : null);
}

/** A wait that starts now: every write that passed its claim check before, what is late within the bound, what lags. */
export function waitsFromNow(setup: Setup, s: State): Waits {
  let writes = 0;
  let unlisted = 0;
  for (const [index, write] of s.writes.entries()) {
    if (!write) continue;
    const outlasted = setup.program.limitRunsFromRight || !write.repeated;
    if (write.late ? setup.lateness === 'bounded' && setup.covers.late : setup.covers.writes && outlasted)
      writes |= 1 << index;
  }
  if (setup.covers.lag)
    for (const [slot, instance] of s.cloud.slots.entries())
      if (alive(instance) && !instance.listed) unlisted |= 1 << slot;
  return { writes, unlisted };
}
