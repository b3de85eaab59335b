/**
 * Decides which ready step runs next: round-robin over groups, so that one cluster's work never starves another's, with
 * a limit in total and per group. Within a group, a step that follows at once on another of its instance comes before all that
 * begin or wake up: with thousands in line, a few are then under way at a time and come to their next wait soon, instead of
 * all of them moving side by side, a step at a time. One place in a few goes to the others all the same.
 *
 * Steps that were executing when the process died are suspects. They run a few at a time; one that was there twice runs
 * with no other suspect beside it, so that a third death has one culprit and the innocent are cleared on the way.
 */
export interface ReadyEntry {
  readonly group: string;
  /** How often in a row the process died during this step. */
  readonly kills: number;
  /** It follows at once on a step that has just ended. */
  readonly follows?: boolean;
}

/** More than a life has steps in a row, so that it matters only where some workflow never waits. */
const mostFollowed = 15;

interface Group<T> {
  /** The steps that follow on others: about as many as there are places. */
  following: T[];
  /** How many of them were taken since one of `waiting` was. */
  followed: number;
  waiting: T[];
  /** Where the queue begins in `waiting`; taken entries are cut off now and then. */
  head: number;
  running: number;
  inRotation: boolean;
}

export interface ReadyLimits {
  concurrency: number;
  perGroup: number;
  suspects: number;
}

export class ReadyQueue<T extends ReadyEntry> {
  readonly #limits: ReadyLimits;
  readonly #groups = new Map<string, Group<T>>();
  #rotation: Group<T>[] = [];
  #suspects: T[] = [];
  #graveSuspects: T[] = [];
  #running = 0;
  #waiting = 0;
  #suspectsRunning = 0;
  #graveRunning = 0;

  constructor(limits: ReadyLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  push(entry: T): void {
    this.#waiting++;
    if (entry.kills > 1) this.#graveSuspects.push(entry);
    else if (entry.kills === 1) this.#suspects.push(entry);
    else {
      const group = this.#group(entry.group);
      if (entry.follows) group.following.push(entry);
      else group.waiting.push(entry);
      this.#rotate(group);
    }
  }

  /** The next entry that may run now; it holds its place until `release`. */
  take(): T | undefined {
    if (this.#running >= this.#limits.concurrency) return undefined;
    const entry = this.#takeSuspect() ?? this.#takeInTurn();
    if (!entry) return undefined;
    this.#waiting--;
    this.#running++;
    this.#group(entry.group).running++;
    return entry;
  }

  /** `kills` is what the entry had when it was taken. */
  release(entry: T): void {
    this.#running--;
    if (entry.kills > 1) this.#graveRunning--;
    else if (entry.kills === 1) this.#suspectsRunning--;
    const group = this.#group(entry.group);
    group.running--;
    if (hasWaiting(group)) this.#rotate(group);
    else if (group.running === 0) this.#groups.delete(entry.group);
  }

  #takeSuspect(): T | undefined {
    if (this.#graveRunning > 0) return undefined;
    if (this.#suspects.length > 0) {
      if (this.#suspectsRunning >= this.#limits.suspects) return undefined;
      this.#suspectsRunning++;
      return this.#suspects.shift();
    }
    if (this.#suspectsRunning > 0 || this.#graveSuspects.length === 0) return undefined;
    this.#graveRunning++;
    return this.#graveSuspects.shift();
  }

  #takeInTurn(): T | undefined {
    for (;;) {
      const group = this.#rotation.shift();
      if (!group) return undefined;
      group.inRotation = false;
      // A group at its limit leaves the rotation; it comes back when one of its steps ends.
      if (group.running >= this.#limits.perGroup) continue;
      const entry = takeFrom(group);
      if (hasWaiting(group)) this.#rotate(group);
      if (entry) return entry;
    }
  }

  #rotate(group: Group<T>): void {
    if (group.inRotation) return;
    group.inRotation = true;
    this.#rotation.push(group);
  }

  #group(name: string): Group<T> {
    let group = this.#groups.get(name);
    if (!group) {
      group = { following: [], followed: 0, waiting: [], head: 0, running: 0, inRotation: false };
      this.#groups.set(name, group);
    }
    return group;
  }
}

const hasWaiting = ({ following, waiting, head }: Group<unknown>): boolean =>
  following.length > 0 || head < waiting.length;

function takeFrom<T>(group: Group<T>): T | undefined {
  const othersTurn = group.followed >= mostFollowed && group.head < group.waiting.length;
  if (group.following.length > 0 && !othersTurn) {
    group.followed++;
    return group.following.shift();
  }
  group.followed = 0;
  const entry = group.waiting[group.head++];
  if (group.head > 1000 && group.head * 2 > group.waiting.length) {
    group.waiting = group.waiting.slice(group.head);
    group.head = 0;
  }
  return entry;
}
