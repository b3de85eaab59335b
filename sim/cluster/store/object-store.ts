/** Objects in memory, by kind and key; each change goes to the database and, once committed, to the watchers. */

import type { KubeObject } from '../types.ts';
import { type Database, openDatabase } from './database.ts';
import { defaultHistory, type EventType, type HistoryLimits, type LiveEvent, WatchHub } from './watch-hub.ts';

/** An object with its JSON, which is made once per write and sent to every reader and watcher. */
export interface Entry {
  object: KubeObject;
  json: string;
}

interface Shelf {
  byKey: Map<string, Entry>;
  /** Keys in order, until one comes or goes. */
  sorted: string[] | undefined;
}

export function keyOf(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

export class ObjectStore {
  readonly hub: WatchHub;
  readonly #database: Database;
  readonly #shelves = new Map<string, Shelf>();
  #resourceVersion: number;
  #events: LiveEvent[] = [];

  constructor(file: string, history: HistoryLimits = defaultHistory) {
    this.#database = openDatabase(file);
    const { rows, resourceVersion } = this.#database.load();
    for (const { resource, key, json } of rows) {
      this.#shelf(resource).byKey.set(key, { object: JSON.parse(json) as KubeObject, json });
    }
    this.#resourceVersion = resourceVersion;
    this.#database.setResourceVersion(resourceVersion);
    // The past ends with the process: who watches from before must list again.
    this.hub = new WatchHub(resourceVersion, history);
  }

  /** The version of the newest write. */
  get resourceVersion(): number {
    return this.#resourceVersion;
  }

  #shelf(storage: string): Shelf {
    let shelf = this.#shelves.get(storage);
    if (!shelf) {
      shelf = { byKey: new Map(), sorted: undefined };
      this.#shelves.set(storage, shelf);
    }
    return shelf;
  }

  get(storage: string, key: string): Entry | undefined {
    return this.#shelves.get(storage)?.byKey.get(key);
  }

  count(storage: string): number {
    return this.#shelves.get(storage)?.byKey.size ?? 0;
  }

  /** In the order of their keys; of one namespace when it is given. */
  list(storage: string, namespace?: string): Entry[] {
    const shelf = this.#shelves.get(storage);
    if (!shelf) return [];
    // Names are plain ASCII, so that the order of code units is the order of bytes.
    shelf.sorted ??= [...shelf.byKey.keys()].sort();
    const entries: Entry[] = [];
    const prefix = namespace === undefined ? '' : `${namespace}/`;
    for (const key of shelf.sorted) {
      if (!key.startsWith(prefix)) continue;
      const entry = shelf.byKey.get(key);
      if (entry) entries.push(entry);
    }
    return entries;
  }

  /** Stores the object under a fresh version. It must not be changed afterwards. */
  put(storage: string, object: KubeObject): Entry {
    const shelf = this.#shelf(storage);
    const key = keyOf(object.metadata.namespace, object.metadata.name);
    const previous = shelf.byKey.get(key);
    const entry = this.#stamp(object);
    shelf.byKey.set(key, entry);
    if (!previous) shelf.sorted = undefined;
    this.#database.put(storage, key, entry.json);
    this.#remember(previous ? 'MODIFIED' : 'ADDED', storage, entry, previous);
    return entry;
  }

  /** Removes the object; its last state, given here, is what watchers are told. */
  remove(storage: string, last: KubeObject): Entry {
    const shelf = this.#shelf(storage);
    const key = keyOf(last.metadata.namespace, last.metadata.name);
    const previous = shelf.byKey.get(key);
    const entry = this.#stamp(last);
    shelf.byKey.delete(key);
    shelf.sorted = undefined;
    this.#database.remove(storage, key);
    this.#remember('DELETED', storage, entry, previous);
    return entry;
  }

  #stamp(object: KubeObject): Entry {
    const resourceVersion = String(++this.#resourceVersion);
    this.#database.setResourceVersion(this.#resourceVersion);
    const stamped = { ...object, metadata: { ...object.metadata, resourceVersion } };
    return { object: stamped, json: JSON.stringify(stamped) };
  }

  #remember(type: EventType, storage: string, entry: Entry, previous: Entry | undefined): void {
    this.#events.push({
      type,
      storage,
      resourceVersion: this.#resourceVersion,
      json: entry.json,
      previousJson: previous?.json,
      object: entry.object,
      previous: previous?.object,
      lines: new Map(),
    });
    // One publication per commit. It was asked for before any answer of the same commit, so watchers hear first.
    if (this.#events.length > 1) return;
    this.#database.afterCommit((failure) => {
      const events = this.#events;
      this.#events = [];
      if (!failure) this.hub.publish(events);
    });
  }

  /** Calls back when everything written so far is safe, with an error when it can't be made so. */
  afterCommit(callback: (failure?: Error) => void): void {
    this.#database.afterCommit(callback);
  }

  close(): void {
    this.#database.close();
    this.hub.endAll();
  }
}
