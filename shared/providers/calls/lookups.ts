/**
 * What a cloud was asked for the classes of a cluster, each answer kept for a while and shared: by all claims of this process in
 * memory, by all functions in state. A hundred claims of one class cost one question each.
 */

import { fingerprint } from '../../base/fingerprint.ts';
import type { Json } from '../../base/json.ts';
import { RecentMap } from '../../base/recent-map.ts';
import { ok, type Result } from '../../base/result.ts';
import type { ProviderContext } from '../context.ts';
import { KeptAnswer } from '../kept-answer.ts';

export type LookupContext = Pick<ProviderContext, 'state' | 'clock' | 'log'>;

export interface LookupOptions {
  /** For people, in logs and failures: `AWS`. */
  cloud: string;
  /** Tells cloud, account and region apart in state, where several share it. */
  scope: string;
  /** Whether the answer was there already; for meters. */
  onAnswer?(what: string, how: 'hit' | 'miss'): void;
}

/** Classes are few, and each has a handful of questions. */
const mostQuestions = 1000;

const doubtSeconds = 10;

export class Lookups {
  readonly #context: LookupContext;
  readonly #options: LookupOptions;
  readonly #kept = new RecentMap<string, Question>({
    max: mostQuestions,
    dispose: ({ kept }) => kept.close(),
  });
  readonly #doubtedAt = new Map<string, number>();

  constructor(context: LookupContext, options: LookupOptions) {
    this.#context = context;
    this.#options = options;
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
    const { scope, onAnswer } = this.#options;
    const key = `${scope}/${what}/${fingerprint(about)}`;
    const question = this.#kept.get(key) ?? this.#question(what, key, { freshSeconds, strict }, read);
    const before = question.asked;
    const answer = await question.kept.get(signal);
    onAnswer?.(what, question.asked === before ? 'hit' : 'miss');
    // The key holds what is asked: under it there is never an answer of another shape.
    return answer.ok ? ok(answer.value.value as T) : answer;
  }

  /** The cloud has shown that something we knew is no longer so. */
  forget(what?: string): void {
    for (const [key, { kept }] of this.#kept.entries()) {
      if (what === undefined || key.startsWith(`${this.#options.scope}/${what}/`)) kept.forget();
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

  #question<T extends Json>(
    what: string,
    key: string,
    how: { freshSeconds: number; strict: boolean },
    read: (signal: AbortSignal) => Promise<Result<T>>,
  ): Question {
    const counted = (signal: AbortSignal): Promise<Result<Json>> => {
      question.asked++;
      return read(signal);
    };
    const { cloud } = this.#options;
    const kept = new KeptAnswer<Json>(this.#context, { cloud, what, key, ...how, read: counted });
    const question: Question = { kept, asked: 0 };
    this.#kept.set(key, question);
    return question;
  }
}

/** `asked`: how often the cloud itself was. */
interface Question {
  kept: KeptAnswer<Json>;
  asked: number;
}
