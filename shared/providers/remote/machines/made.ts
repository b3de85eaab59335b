/**
 * What a machine was made as. No list of a server says it, and the class may have changed since: so it is kept with the launch, in state and
 * in tags where a server keeps them. What is lost makes a status less full, and nothing else.
 */
import { RecentMap } from '../../../base/recent-map.ts';
import type { CapacityType } from '../../../nodes/claims/spec/well-known.ts';
import type { State } from '../../../state/contract.ts';

export type Made = {
  /** The name that was asked for. */
  name: string;
  claimName: string;
  instanceType: string;
  zone: string;
  capacityType: CapacityType;
  createdAt: number;
  imageID?: string;
  capacity?: { [name: string]: string };
  allocatable?: { [name: string]: string };
  labels?: { [name: string]: string };
};

/** The command to start, which comes after the create: the handle of a launch is that of its create. */
export type Started = { at: number; task?: string };

type Kept = { made: Made; started?: Started; deletingAt?: number };

const keptSeconds = 400 * 86_400;
/** After a delete the record is for those who look at what is still there. */
const deletingSeconds = 86_400;

export class MadeStore {
  readonly #state: State;
  readonly #known = new RecentMap<string, Kept>({ max: 20_000 });

  constructor(state: State) {
    this.#state = state;
  }

  async keep(id: string, made: Made): Promise<void> {
    await this.#put(id, { made }, keptSeconds);
  }

  async started(id: string, started: Started): Promise<void> {
    const kept = await this.#get(id);
    if (kept !== undefined) await this.#put(id, { ...kept, started }, keptSeconds);
  }

  async deleting(id: string, at: number): Promise<void> {
    const kept = await this.#get(id);
    if (kept !== undefined) await this.#put(id, { ...kept, deletingAt: at }, deletingSeconds);
  }

  async of(id: string): Promise<Partial<Kept>> {
    return (await this.#get(id)) ?? {};
  }

  async #get(id: string): Promise<Kept | undefined> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    // A store that does not answer holds up nothing.
    const entry = await this.#state.get<Kept>(keyOf(id)).catch(() => undefined);
    if (entry !== undefined) this.#known.set(id, entry.value);
    return entry?.value;
  }

  async #put(id: string, kept: Kept, ttlSeconds: number): Promise<void> {
    this.#known.set(id, kept);
    await this.#state.put(keyOf(id), kept, { ttlSeconds }).catch(() => undefined);
  }
}

const keyOf = (id: string): string => `remote/made/${id}`;
