/** Breadth first over every interleaving, so that the first violation found is the shortest story that leads to it. */
import { successors } from './model.ts';
import { brokenAt, brokenWhenQuiet, namesOf, type Property, property } from './properties.ts';
import type { Setup } from './setup.ts';
import { initialState, type State } from './state.ts';
import { StateStore } from './store.ts';

/** Called with each next state. Steps that are not `progress` are the adversary's, who need not take them. */
export type Emit = (next: State, label: string, progress: boolean, violated: number) => void;

export interface Options {
  maxStates?: number;
  /** Stop at the first violation outside of these bits. */
  stopUnless?: number;
  /** Where to begin; the initial state of the setup by default. */
  from?: State;
}

export interface Outcome {
  states: number;
  transitions: number;
  depth: number;
  quiet: { gone: number; ready: number; failed: number };
  /** False when the bound on states was reached, or the search stopped at a violation. */
  complete: boolean;
  violated: number;
  /** The shortest trace per violated property, in words. */
  traces: Map<Property, string[]>;
}

export function explore(setup: Setup, options: Options = {}): Outcome {
  const { maxStates = 5_000_000, stopUnless } = options;
  const store = new StateStore();
  const parents = new Numbers();
  const edges = new Numbers();
  const quietStates: number[] = [];
  const outcome: Outcome = {
    ...{ states: 0, transitions: 0, depth: 0, quiet: { gone: 0, ready: 0, failed: 0 } },
    ...{ complete: true, violated: 0, traces: new Map() },
  };
  const start = options.from ?? initialState(setup.budget, setup.slots, setup.writes, setup.predecessor);
  store.add(start);
  parents.push(-1);

  const note = (bits: number, tell: () => string[]): void => {
    const fresh = bits & ~outcome.violated;
    if (fresh === 0) return;
    outcome.violated |= fresh;
    const story = tell();
    for (const name of namesOf(fresh)) outcome.traces.set(name, story);
  };
  const tell = (id: number): string[] => {
    const ids: number[] = [];
    for (let at = id; at >= 0; at = parents.at(at)) ids.push(at);
    ids.reverse();
    return ids.slice(1).map((to, i) => labelOf(setup, store, ids[i]!, to));
  };

  let levelEnd = 1;
  for (let id = 0; id < store.size; id++) {
    if (id === levelEnd) {
      levelEnd = store.size;
      outcome.depth++;
    }
    const state = store.get(id);
    let progressed = false;
    successors(setup, state, (next, label, progress, violated) => {
      outcome.transitions++;
      if (progress) progressed = true;
      if (store.size < maxStates) {
        const { id: to, isNew } = store.add(next);
        if (isNew) parents.push(id);
        if (progress) edges.push(id, to);
      } else {
        outcome.complete = false;
      }
      const broken = violated | brokenAt(next);
      if (broken) note(broken, () => [...tell(id), label]);
    });
    if (!progressed) {
      quietStates.push(id);
      if (!state.claim) outcome.quiet.gone++;
      else if (state.claim.ready) outcome.quiet.ready++;
      else outcome.quiet.failed++;
      const broken = brokenWhenQuiet(state);
      if (broken) note(broken, () => [...tell(id), `all is quiet: ${describe(state)}`]);
    }
    if (stopUnless !== undefined && outcome.violated & ~stopUnless) {
      outcome.complete = false;
      break;
    }
    if (!outcome.complete) break;
  }
  outcome.states = store.size;
  if (outcome.complete) {
    const stuck = firstStuck(store.size, edges, quietStates);
    if (stuck >= 0) note(property.live, () => [...tell(stuck), `never quiet again: ${describe(store.get(stuck))}`]);
  }
  return outcome;
}

/** Follows progress backwards from the quiet states; a state that is not met can never come to rest. */
function firstStuck(size: number, edges: Numbers, quiet: readonly number[]): number {
  const starts = new Int32Array(size + 1);
  for (let i = 1; i < edges.length; i += 2) starts[edges.at(i) + 1]!++;
  for (let i = 0; i < size; i++) starts[i + 1]! += starts[i]!;
  const sources = new Int32Array(edges.length >> 1);
  const fill = starts.slice();
  for (let i = 0; i < edges.length; i += 2) sources[fill[edges.at(i + 1)]!++] = edges.at(i);
  const good = new Uint8Array(size);
  const open = [...quiet];
  for (const id of open) good[id] = 1;
  for (let to = open.pop(); to !== undefined; to = open.pop()) {
    for (let i = starts[to]!; i < starts[to + 1]!; i++) {
      const from = sources[i]!;
      if (good[from]) continue;
      good[from] = 1;
      open.push(from);
    }
  }
  return good.indexOf(0);
}

function labelOf(setup: Setup, store: StateStore, from: number, to: number): string {
  let found = '?';
  successors(setup, store.get(from), (next, label) => {
    if (found === '?' && store.add(next).id === to) found = label;
  });
  return found;
}

const describe = (s: State): string =>
  JSON.stringify({
    claim: s.claim,
    instances: s.cloud.slots.filter((instance) => instance),
    launches: [s.first, s.second].filter(Boolean),
  });

/** A growing list of whole numbers. */
class Numbers {
  #values = new Int32Array(1 << 12);
  length = 0;
  push(...values: number[]): void {
    if (this.length + values.length > this.#values.length) {
      const grown = new Int32Array(this.#values.length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    for (const value of values) this.#values[this.length++] = value;
  }
  at(index: number): number {
    return this.#values[index]!;
  }
}
