/** Cores that creates have been let through for, while usages don't show them yet. One entry in state, for all processes. */
import type { ProviderContext } from '../../context.ts';

type Held = { [holder: string]: { at: number; names: string[]; cores: number } };

export interface Reservation {
  holder: string;
  names: string[];
  cores: number;
}

type HasRoom = (name: string, reserved: number) => boolean;
type Lacking = { name: string; reserved: number };

/** A create that was let through is under way, or given up, by then. */
const heldSeconds = 600;
/** Several hundred fit an entry; when there are more, the oldest are the likeliest to show in usages. */
const mostHeld = 400;
const mostTries = 8;

export class Reservations {
  readonly #context: Pick<ProviderContext, 'state' | 'clock' | 'log'>;
  readonly #key: string;
  /** Within a process one after the other: a hundred at once would only get in each other's way. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: Pick<ProviderContext, 'state' | 'clock' | 'log'>, key: string) {
    this.#context = context;
    this.#key = key;
  }

  /**
   * Takes the cores if every quota has room for them besides what others took after `since`. Else nothing is taken, and
   * the answer is the first quota that lacks room.
   */
  take(reservation: Reservation, since: number, hasRoom: HasRoom): Promise<Lacking | undefined> {
    const taken = this.#last.then(() => this.#take(reservation, since, hasRoom));
    this.#last = taken.catch(() => undefined);
    return taken;
  }

  async #take({ holder, names, cores }: Reservation, since: number, hasRoom: HasRoom): Promise<Lacking | undefined> {
    const { state, clock, log } = this.#context;
    for (let tries = 0; tries < mostTries; tries++) {
      const entry = await state.get<Held>(this.#key);
      const now = clock.now();
      const others = Object.entries(entry?.value ?? {}).filter(
        ([name, { at }]) => name !== holder && now - at < heldSeconds * 1000,
      );
      for (const name of names) {
        const counted = others.filter(([, held]) => held.at > since && held.names.includes(name));
        const reserved = counted.reduce((sum, [, held]) => sum + held.cores, 0);
        if (!hasRoom(name, reserved)) return { name, reserved };
      }
      const kept = others.toSorted(([, a], [, b]) => b.at - a.at).slice(0, mostHeld - 1);
      const value: Held = { ...Object.fromEntries(kept), [holder]: { at: now, names, cores } };
      const ifVersion = entry?.version ?? null;
      if ((await state.put(this.#key, value, { ifVersion, ttlSeconds: heldSeconds })) !== undefined) return undefined;
    }
    // It is a help, not a lock: Azure still counts for itself.
    log.write('catalogue.failed', {
      cloud: 'Azure',
      what: 'setting quota aside',
      problem: `${mostTries} other writers were faster`,
    });
    return undefined;
  }
}
