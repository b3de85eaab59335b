/**
 * What a cloud was asked is kept: in memory for this process, in state for the others and for the next start. A kept answer
 * that has grown old is still used while nobody can get a newer one.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Json } from '../base/json.ts';
import { failed, ok, type Result } from '../base/result.ts';
import { untilAborted } from '../base/until-aborted.ts';
import type { ProviderContext } from './context.ts';

export interface KeptAnswerEntry<T> {
  /** When the cloud was asked, in milliseconds. */
  at: number;
  value: T;
}

export interface KeptOptions<T extends Json> {
  /** Who is asked, for people: `Azure`. */
  cloud: string;
  /** For people, in logs and failures: `prices`. */
  what: string;
  /** In state; a value takes as many keys behind it as it needs. */
  key: string;
  freshSeconds: number;
  /** An older answer is not good enough: who can't get a new one is told why. */
  strict?: boolean;
  read(signal: AbortSignal): Promise<Result<T>>;
}

/** A question that fails is not asked again for so long, as long as there is an older answer. */
const pauseSeconds = 60;
const leftAloneSeconds = 600;
/** A price list has dozens of pages. Nobody waits longer for the first one; it is used when it is there. */
const soonMilliseconds = 5_000;
/** One question may take so long, whoever waits for it. */
const readMilliseconds = 120_000;
const keepSeconds = 30 * 86_400;
/** A state value holds 60,000 bytes; the rest is for quotes. */
const partLength = 59_000;

export class KeptAnswer<T extends Json> {
  readonly #context: Pick<ProviderContext, 'state' | 'clock' | 'log'>;
  readonly #options: KeptOptions<T>;
  readonly #closed = new AbortController();
  #known: KeptAnswerEntry<T> | undefined;
  #reading: Promise<Result<KeptAnswerEntry<T>>> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  /** What was read at this time or before is known to be wrong. */
  #wrongUntil = Number.NEGATIVE_INFINITY;

  constructor(context: Pick<ProviderContext, 'state' | 'clock' | 'log'>, options: KeptOptions<T>) {
    this.#context = context;
    this.#options = options;
  }

  /** What is kept, if it is young enough; else a new answer; else, while none can be had, what is kept however old. */
  async get(signal: AbortSignal, maxAgeSeconds = this.#options.freshSeconds): Promise<Result<KeptAnswerEntry<T>>> {
    const { clock } = this.#context;
    const isFresh = (kept: KeptAnswerEntry<T>): boolean =>
      clock.now() - kept.at < maxAgeSeconds * 1000 && kept.at > this.#wrongUntil;
    let old = this.#known;
    if (old !== undefined && isFresh(old)) return ok(old);
    const stored = await this.#load();
    // Another answer may have come in while the store was read.
    old = newest(stored, this.#known);
    this.#known = old;
    if (old !== undefined && isFresh(old)) return ok(old);
    if (this.#options.strict) old = undefined;
    if (old !== undefined && clock.now() - this.#failedAt < pauseSeconds * 1000) return ok(old);
    // Many may ask at once: one question serves all of them, and none can end it for the others.
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    const answer = await untilAborted(this.#reading, signal);
    if (answer?.ok) return answer;
    if (old !== undefined) return ok(old);
    return answer ?? failed('unavailable', `${this.#options.what}: ${this.#options.cloud} has not answered yet`);
  }

  /**
   * For what is good to have but not worth waiting for, such as prices: the answer if it comes soon, else what was known, else
   * nothing. Who failed is left alone for a while, so that it is said once and not with every claim.
   */
  async soon(signal: AbortSignal): Promise<T | undefined> {
    const { clock } = this.#context;
    if (clock.now() - this.#failedAt < leftAloneSeconds * 1000) return this.#known?.value;
    const patience = AbortSignal.any([signal, AbortSignal.timeout(soonMilliseconds)]);
    const answer = await untilAborted(this.get(patience), patience);
    return answer?.ok ? answer.value.value : this.#known?.value;
  }

  /** What was known the last time, without asking anybody. */
  get known(): KeptAnswerEntry<T> | undefined {
    return this.#known;
  }

  /** The cloud has shown that what is kept is wrong: it is asked again the next time, and what was kept serves only while it can't be. */
  forget(): void {
    this.#wrongUntil = this.#context.clock.now();
    this.#failedAt = Number.NEGATIVE_INFINITY;
  }

  close(): void {
    this.#closed.abort();
  }

  async #read(): Promise<Result<KeptAnswerEntry<T>>> {
    const { clock, log } = this.#context;
    const { cloud, what, strict, read } = this.#options;
    const at = clock.now();
    const answer = await read(AbortSignal.any([this.#closed.signal, AbortSignal.timeout(readMilliseconds)]));
    if (!answer.ok) {
      this.#failedAt = clock.now();
      const age = this.#known === undefined ? {} : { ageSeconds: Math.round((at - this.#known.at) / 1000) };
      // Who goes by no older answer gets the failure itself, and tells it.
      if (!strict) log.write('catalogue.failed', { cloud, what, problem: answer.error.message, ...age });
      return answer;
    }
    const kept = { at, value: answer.value };
    this.#known = kept;
    this.#failedAt = Number.NEGATIVE_INFINITY;
    if (at >= this.#wrongUntil) this.#wrongUntil = Number.NEGATIVE_INFINITY;
    await this.#save(kept);
    return ok(kept);
  }

  /** The parts first, under a name of their own: whoever reads meanwhile finds the old ones, and never a mixture. */
  async #save({ at, value }: KeptAnswerEntry<T>): Promise<void> {
    const { state, log } = this.#context;
    const text = gzipSync(JSON.stringify(value)).toString('base64');
    const parts = Math.ceil(text.length / partLength);
    try {
      for (let index = 0; index < parts; index++) {
        const part = text.slice(index * partLength, (index + 1) * partLength);
        await state.put(this.#partKey(at, index), part, { ttlSeconds: keepSeconds });
      }
      const before = await state.get<{ at: number; parts: number }>(this.#options.key);
      await state.put(this.#options.key, { at, parts }, { ttlSeconds: keepSeconds });
      if (before !== undefined && before.value.at !== at) {
        for (let index = 0; index < before.value.parts; index++)
          await state.delete(this.#partKey(before.value.at, index));
      }
    } catch (error) {
      // It is known here; the next process asks the cloud again.
      const { cloud, what } = this.#options;
      log.write('catalogue.failed', { cloud, what: `keeping ${what}`, problem: String(error) });
    }
  }

  async #load(): Promise<KeptAnswerEntry<T> | undefined> {
    const { state } = this.#context;
    const head = await state.get<{ at: number; parts: number }>(this.#options.key);
    if (head === undefined || head.value.at === this.#known?.at) return undefined;
    const { at, parts } = head.value;
    const texts = await Promise.all(
      Array.from({ length: parts }, (_, index) => state.get<string>(this.#partKey(at, index))),
    );
    // Somebody has just put a newer answer in its place, or an earlier version wrote it differently.
    if (texts.some((part) => part === undefined)) return undefined;
    try {
      const text = gunzipSync(Buffer.from(texts.map((part) => part?.value).join(''), 'base64')).toString();
      return { at, value: JSON.parse(text) as T };
    } catch {
      return undefined;
    }
  }

  #partKey(at: number, index: number): string {
    return `${this.#options.key}/${at}/${index}`;
  }
}

const newest = <T>(
  a: KeptAnswerEntry<T> | undefined,
  b: KeptAnswerEntry<T> | undefined,
): KeptAnswerEntry<T> | undefined => (a !== undefined && (b === undefined || a.at > b.at) ? a : b);
