/**
 * The state port: small JSON values under string keys, with compare-and-set and time to live.
 * It holds what may be lost at a price in time, never in money: offerings that are sold out, decisions for `explain`,
 * caches, turns. Every driver passes `test/conformance/state/conformance.ts`.
 */
import type { Json } from '../base/json.ts';

export interface Entry<T extends Json = Json> {
  readonly key: string;
  readonly value: T;
  /** Opaque; changes with every write. */
  readonly version: string;
  readonly expiresAt?: number;
}

export interface PutOptions {
  /** Only if the entry still has this version; `null`: only if there is none (an expired one counts as none). */
  ifVersion?: string | null;
  /** More than 0. Without it the entry stays until it is deleted, also when the one before had a time to live. */
  ttlSeconds?: number;
  /**
   * It need not be durable when this resolves: a driver may write it a moment later, together with others, and it is lost if the process
   * dies before that. This process reads, lists and compares it at once. It has no effect together with `ifVersion`.
   */
  soon?: boolean;
}

export interface State {
  /** An expired entry reads as absent, at once, on every driver. */
  get<T extends Json>(key: string): Promise<Entry<T> | undefined>;
  /** The new version, or undefined when the condition did not hold. Without a condition it always writes. */
  put(key: string, value: Json, options?: PutOptions): Promise<string | undefined>;
  /** True when there was one (of that version) and it is gone now. */
  delete(key: string, options?: { ifVersion?: string }): Promise<boolean>;
  /**
   * Entries whose key starts with the prefix, in key order (by UTF-8 bytes), in pages. A page may hold fewer than
   * `limit`: go on with `after: next` while there is a `next`.
   */
  list<T extends Json>(
    prefix: string,
    page?: { after?: string; limit?: number },
  ): Promise<{ items: Entry<T>[]; next?: string }>;
}

/**
 * Keys and values (as JSON) are at most this many bytes of UTF-8: what the narrowest store takes. A key is not empty.
 * Anything else is refused with a RangeError.
 */
export const maxKeyLength = 512;
export const maxValueBytes = 60_000;
