/**
 * The dead letters of a queue, on the queue that SQS has for them. SQS can't look without taking: what is listed is received
 * and given back, so a list that somebody else makes at the same moment may miss some, and nobody lists more than 1,000.
 */
import type { Message as SqsMessage } from '@aws-sdk/client-sqs';
import { checkCount } from '../arguments.ts';
import type { DeadLetter, DeadLetterFilter } from '../contract.ts';
import { isNames, selectorOf, type WhichLetters } from '../dead-letter-filter.ts';
import type { SqsPlace } from './endpoint.ts';
import { type DeadLetterRules, deadFromBroker, toBroker } from './message.ts';

const defaultPage = 100;
const mostListed = 1000;
const receiveAtOnce = 10;
/** Whoever dies while listing keeps them out of sight for so long. */
const heldSeconds = 60;

export class SqsDeadLetters {
  readonly #dead: SqsPlace;
  readonly #rules: DeadLetterRules;
  readonly #waitSeconds: number;
  /** One at a time: two would each see a part. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(dead: SqsPlace, rules: DeadLetterRules, waitSeconds: number) {
    this.#dead = dead;
    this.#rules = rules;
    this.#waitSeconds = Math.min(waitSeconds, 1);
  }

  async list({ after, limit = defaultPage }: { after?: string; limit?: number }) {
    const size = Math.min(checkCount('limit', limit), mostListed);
    return this.#alone(async () => {
      const held: SqsMessage[] = [];
      try {
        for await (const batch of this.#takeAll()) {
          held.push(...batch);
          if (held.length >= mostListed) break;
        }
        const letters = held
          .map((raw) => ({ letter: deadFromBroker(raw, this.#rules), at: sortKeyOf(raw) }))
          .sort((left, right) => (left.at < right.at ? -1 : 1))
          .filter(({ at }) => after === undefined || at > after);
        const items: DeadLetter[] = letters.slice(0, size).map(({ letter }) => letter);
        const next = letters.length > size ? letters[size - 1]?.at : undefined;
        return next === undefined ? { items } : { items, next };
      } finally {
        await this.#dead.release(held);
      }
    });
  }

  /** Sent first, then deleted: dying in between doubles a few, and loses none. */
  replay(to: SqsPlace, named: readonly string[] | undefined): Promise<number> {
    return this.#takeOut(named, (letters) =>
      to.send(letters.map(({ id, body, group }) => toBroker({ id, body, group }))),
    );
  }

  drop(which: readonly string[] | DeadLetterFilter): Promise<number> {
    return isNames(which) && which.length === 0 ? Promise.resolve(0) : this.#takeOut(which);
  }

  /** Deletes those meant, after they were put back, if they are to be. */
  #takeOut(which: WhichLetters, putBack?: (letters: readonly DeadLetter[]) => Promise<void>): Promise<number> {
    const isWanted = selectorOf(which);
    return this.#alone(async () => {
      const taken = new Set<string>();
      const others: SqsMessage[] = [];
      try {
        for await (const batch of this.#takeAll()) {
          const out: { raw: SqsMessage; letter: DeadLetter }[] = [];
          for (const raw of batch) {
            const letter = deadFromBroker(raw, this.#rules);
            // One that was put back and has died again already waits for the next replay; else this one might never end.
            if (!isWanted(letter) || (putBack && taken.has(letter.id))) {
              others.push(raw);
              continue;
            }
            taken.add(letter.id);
            out.push({ raw, letter });
          }
          await putBack?.(out.map(({ letter }) => letter));
          await Promise.all(out.map(({ raw }) => this.#dead.delete(raw.ReceiptHandle ?? '')));
        }
      } finally {
        await this.#dead.release(others);
      }
      return taken.size;
    });
  }

  /** Batch by batch, until there is nothing that was not seen before. */
  async *#takeAll(): AsyncGenerator<SqsMessage[]> {
    const seen = new Set<string | undefined>();
    for (;;) {
      const batch = await this.#dead.receive(receiveAtOnce, heldSeconds, this.#waitSeconds);
      const news = batch.filter(({ MessageId }) => !seen.has(MessageId));
      if (news.length === 0) return;
      for (const { MessageId } of news) seen.add(MessageId);
      yield news;
    }
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** By time, and among those of the same millisecond by id. */
const sortKeyOf = (raw: SqsMessage): string =>
  `${(raw.Attributes?.SentTimestamp ?? '0').padStart(15, '0')} ${raw.MessageId}`;
