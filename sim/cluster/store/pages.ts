/**
 * Lists in pages. The rest of a list is kept as it was when the list began, so that all pages show one moment; when
 * too many lists are open, or after a restart, an old token gets 410 with a token to go on without that promise.
 */
import { badRequest, expired } from '../api-error.ts';
import type { Entry } from './object-store.ts';
import { keyOf } from './object-store.ts';

export interface Page {
  entries: Entry[];
  resourceVersion: string;
  continueToken: string | undefined;
  /** How many are left after this page. */
  remaining: number;
}

interface Token {
  /** The version of the snapshot; -1 goes on in the present. */
  rv: number;
  start: string;
  id: string;
}

const maxSnapshots = 32;

const tooOld =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

export class Pager {
  /** Insertion order is age: the oldest snapshot is dropped first. */
  readonly #snapshots = new Map<string, Entry[]>();
  /** Tokens of an earlier process must not meet a snapshot of this one. */
  readonly #process: string;
  #count = 0;

  constructor(process: string) {
    this.#process = process;
  }

  first(entries: Entry[], limit: number, resourceVersion: number): Page {
    if (limit <= 0 || entries.length <= limit) {
      return { entries, resourceVersion: String(resourceVersion), continueToken: undefined, remaining: 0 };
    }
    const id = `${this.#process}-${++this.#count}`;
    this.#snapshots.set(id, entries);
    for (const oldest of this.#snapshots.keys()) {
      if (this.#snapshots.size <= maxSnapshots) break;
      this.#snapshots.delete(oldest);
    }
    return this.#page(entries, 0, limit, { rv: resourceVersion, start: '', id });
  }

  /** `present` gives the list as it is now, for tokens that gave up consistency. */
  next(text: string, limit: number, resourceVersion: number, present: () => Entry[]): Page {
    const token = decode(text);
    const snapshot = token.rv === -1 ? present() : this.#snapshots.get(token.id);
    if (!snapshot) throw expired(tooOld, encode({ ...token, rv: -1 }));
    const from = snapshot.findIndex(
      ({ object }) => keyOf(object.metadata.namespace, object.metadata.name) >= token.start,
    );
    const version = token.rv === -1 ? resourceVersion : token.rv;
    if (from < 0) return { entries: [], resourceVersion: String(version), continueToken: undefined, remaining: 0 };
    const page = this.#page(snapshot, from, limit <= 0 ? snapshot.length : limit, token);
    return { ...page, resourceVersion: String(version) };
  }

  #page(entries: Entry[], from: number, limit: number, token: Token): Page {
    const next = entries[from + limit];
    return {
      entries: entries.slice(from, from + limit),
      resourceVersion: String(token.rv),
      continueToken: next
        ? encode({ ...token, start: keyOf(next.object.metadata.namespace, next.object.metadata.name) })
        : undefined,
      remaining: Math.max(0, entries.length - from - limit),
    };
  }

  /** Forgets all open lists, as compaction does. */
  clear(): void {
    this.#snapshots.clear();
  }
}

function encode(token: Token): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', ...token })).toString('base64url');
}

function decode(text: string): Token {
  try {
    const token: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (typeof token === 'object' && token !== null && 'rv' in token && 'start' in token && 'id' in token) {
      const { rv, start, id } = token;
      if (typeof rv === 'number' && typeof start === 'string' && typeof id === 'string') return { rv, start, id };
    }
  } catch {
    // Falls through to the one answer for everything that is not a token of ours.
  }
  throw badRequest('continue key is not valid: it must be a token that a list of this server has answered with');
}
