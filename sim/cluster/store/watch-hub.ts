/**
 * Who watches what, and the recent past for those who come back. Events are told after their commit. Each is
 * serialized once per format, however many watch; a watcher that does not keep up is cut off.
 */
import { expired } from '../api-error.ts';
import type { KubeObject } from '../types.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One change. The previous state decides whether a selector saw the object come, change or go. */
export interface StoreEvent {
  type: EventType;
  storage: string;
  resourceVersion: number;
  json: string;
  previousJson: string | undefined;
}

/** An event with parsed objects; only live watchers with a selector or a Table need them. */
export interface LiveEvent extends StoreEvent {
  object: KubeObject;
  previous: KubeObject | undefined;
  /** Lines already made for this event, by format. */
  lines: Map<string, string>;
}

export interface Watcher {
  storage: string;
  tell(event: LiveEvent): void;
  /** All events of one commit have been told. */
  flush(): void;
  bookmark(resourceVersion: number): void;
  /** Ends the watch from the server's side. */
  end(): void;
}

export interface HistoryLimits {
  events: number;
  characters: number;
}

export const defaultHistory: HistoryLimits = { events: 100_000, characters: 32 * 1024 * 1024 };

export class WatchHub {
  readonly #limits: HistoryLimits;
  readonly #watchers = new Map<string, Set<Watcher>>();
  #history: StoreEvent[] = [];
  /** Index of the oldest event that is kept: dropping from the front of a long array is dear. */
  #head = 0;
  #characters = 0;
  /** Watches from before this version get 410. */
  #oldest: number;
  /** Everything up to this version has been told. */
  #published: number;

  constructor(startedAt: number, limits: HistoryLimits = defaultHistory) {
    this.#oldest = startedAt;
    this.#published = startedAt;
    this.#limits = limits;
  }

  publish(events: LiveEvent[]): void {
    const touched = new Set<Watcher>();
    for (const event of events) {
      const { type, storage, resourceVersion, json, previousJson } = event;
      this.#history.push({ type, storage, resourceVersion, json, previousJson });
      this.#characters += json.length;
      this.#published = resourceVersion;
      for (const watcher of this.#watchers.get(storage) ?? []) {
        watcher.tell(event);
        touched.add(watcher);
      }
    }
    for (const watcher of touched) watcher.flush();
    this.#trim();
  }

  #trim(): void {
    while (
      this.#history.length - this.#head > this.#limits.events ||
      (this.#characters > this.#limits.characters && this.#history.length - this.#head > 1)
    ) {
      const gone = this.#history[this.#head++];
      if (!gone) break;
      this.#characters -= gone.json.length;
      this.#oldest = gone.resourceVersion;
    }
    if (this.#head > 1024 && this.#head * 2 > this.#history.length) {
      this.#history = this.#history.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Forgets the past, as etcd's compaction does. */
  compact(resourceVersion: number): void {
    this.#history = [];
    this.#head = 0;
    this.#characters = 0;
    this.#oldest = resourceVersion;
  }

  /** What happened to these objects after the given version, or 410 when that is no longer known. */
  since(storage: string, resourceVersion: number): StoreEvent[] {
    if (resourceVersion < this.#oldest) {
      throw expired(`too old resource version: ${resourceVersion} (${this.#oldest})`);
    }
    // Versions ascend: skip to the first newer one by halving.
    let low = this.#head;
    let high = this.#history.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#history[middle]?.resourceVersion ?? 0) > resourceVersion) high = middle;
      else low = middle + 1;
    }
    const found: StoreEvent[] = [];
    for (let i = low; i < this.#history.length; i++) {
      const event = this.#history[i];
      if (event && event.storage === storage) found.push(event);
    }
    return found;
  }

  add(watcher: Watcher): () => void {
    let set = this.#watchers.get(watcher.storage);
    if (!set) {
      set = new Set();
      this.#watchers.set(watcher.storage, set);
    }
    set.add(watcher);
    return () => void set.delete(watcher);
  }

  bookmarkAll(): void {
    for (const set of this.#watchers.values()) for (const watcher of set) watcher.bookmark(this.#published);
  }

  /** Ends the watches of a kind that is no longer served, or all of them. */
  endAll(storage?: string): void {
    for (const [name, set] of this.#watchers) {
      if (storage !== undefined && name !== storage) continue;
      for (const watcher of [...set]) watcher.end();
    }
  }
}
