/**
 * What AWS was asked for the classes of a cluster, each answer kept for a while and shared: by all claims of this process in
 * memory, by all functions in state. A hundred claims of one class cost one question each.
 */

import { fingerprint } from '../../../base/fingerprint.ts';
import type { Json } from '../../../base/json.ts';
import { RecentMap } from '../../../base/recent-map.ts';
import { ok, type Result } from '../../../base/result.ts';
import type { ProviderContext } from '../../context.ts';
import { KeptAnswer } from '../../kept-answer.ts';

export type LookupContext = Pick<ProviderContext, 'state' | 'clock' | 'log'>;

/** Classes are few, and each has a handful of questions. */
const mostQuestions = 1000;

const doubtSeconds = 10;

export class Lookups {
  readonly #context: LookupContext;
  /** Tells account and region apart in state, where several share it. */
  readonly #scope: string;
  readonly #kept = new RecentMap<string, KeptAnswer<Json>>({
    max: mostQuestions,
    dispose: (answer) => answer.close(),
  });
  readonly #doubtedAt = new Map<string, number>();

  constructor(context: LookupContext, scope: string) {
    this.#context = context;
    this.#scope = scope;
  }

  /** @param about Everything that the answer depends on. */
  async ask<T extends Json>(
    what: string,
    about: unknown,
    freshSeconds: number,
    read: (signal: AbortSignal) => Promise<Result<T>>,
    signal: AbortSignal,
    { strict = false }: { strict?: boolean } = {},
  ): Promise<Result<T>> {
    const key = `ec2/${this.#scope}/${what}/${fingerprint(about)}`;
    let kept = this.#kept.get(key);
    if (kept === undefined) {
      kept = new KeptAnswer<Json>(this.#context, { cloud: 'AWS', what, key, freshSeconds, strict, read });
      this.#kept.set(key, kept);
    }
    const answer = await kept.get(signal);
    // The key holds what is asked: under it there is never an answer of another shape.
    return answer.ok ? ok(answer.value.value as T) : answer;
  }

  /** AWS has shown that something we knew is no longer so. */
  forget(what?: string): void {
    for (const [key, kept] of this.#kept.entries()) {
      if (what === undefined || key.startsWith(`ec2/${this.#scope}/${what}/`)) kept.forget();
    }
  }

  /** What we know makes a class unusable, and somebody may be mending it: it is asked anew, but not for each of a hundred claims. */
  doubt(what: string): void {
    const now = this.#context.clock.now();
    if (now - (this.#doubtedAt.get(what) ?? Number.NEGATIVE_INFINITY) < doubtSeconds * 1000) return;
    this.#doubtedAt.set(what, now);
    this.forget(what);
  }

  close(): void {
    this.#kept.clear();
  }
}
