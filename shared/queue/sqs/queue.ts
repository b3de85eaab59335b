/**
 * The queue on SQS (a standard queue) and the queue for its dead letters. Where SQS differs from the contract's words:
 *
 * - It shares between groups by itself (fair queues): a receive can't choose, and no group has a bound of its own.
 * - It keeps order only roughly, and holds a message back for 15 minutes at most.
 * - It can't keep a reason with a message. The last one that this process named goes with the message to the dead letters;
 *   what SQS moves there by itself has none.
 * - It does not know how old its oldest message is; its metrics do (`ApproximateAgeOfOldestMessage`).
 * - Its numbers are approximate, and lag by up to a minute.
 */

import type { Clock } from '../../base/runtime.ts';
import type { AwsConnection } from '../../platforms/aws/client-options.ts';
import { boundedReason, checkBodies, checkCount, checkSeconds } from '../arguments.ts';
import type { Message, Queue, QueueOptions } from '../contract.ts';
import { receivedTooOften } from '../reasons.ts';
import { once, openSqs, queueNameOf } from './client.ts';
import { SqsDeadLetters } from './dead-letters.ts';
import { Deliveries } from './deliveries.ts';
import { SqsPlace } from './endpoint.ts';
import { fromBroker, fromReceipt, toBroker } from './message.ts';

export interface SqsQueueSettings {
  connection: AwsConnection;
  /** Its name, URL or ARN. It must be there. */
  queue: string;
  /** Where its dead letters are: name, URL or ARN. Without it the queue's own redrive policy says so. */
  deadLetterQueue?: string;
  clock: Clock;
  /** `visibilitySeconds` is asked for with every receive; the redrive policy should allow `maxReceives`. */
  options: QueueOptions;
  /** How long a receive waits for a first message (0 to 20, default 5). */
  waitSeconds?: number;
}

const longestDelaySeconds = 900;
/** From the first delivery on. SQS refuses more, so a little is left for the way there. */
const longestHiddenSeconds = 12 * 3600 - 60;

/**
 * @example
 * const queue = openSqsQueue({ connection: { region: 'eu-west-1' }, queue: 'poolwright-events', clock,
 *   options: { visibilitySeconds: 60, maxReceives: 10, maxBodyBytes: maxEventBytes } });
 */
export function openSqsQueue(settings: SqsQueueSettings): Queue {
  const { connection, queue, deadLetterQueue, clock, options, waitSeconds = 5 } = settings;
  checkCount('maxReceives', options.maxReceives);
  const name = queueNameOf(queue);
  const open = once(() => openSqs(connection));
  const main = new SqsPlace(open, queue, connection);
  const deliveries = new Deliveries();

  const dead = once(async (): Promise<{ place: SqsPlace; letters: SqsDeadLetters } | undefined> => {
    const where = deadLetterQueue ?? (await main.counts()).deadLetterArn;
    if (where === undefined) return undefined;
    const place = new SqsPlace(open, where, connection);
    return { place, letters: new SqsDeadLetters(place, options, waitSeconds) };
  });

  const isOurs = (message: Message): boolean =>
    fromReceipt(message.receipt).queue === name && deliveries.isOpen(message);
  const handleOf = (message: Message): string => fromReceipt(message.receipt).handle;
  const until = (seconds: number): number => clock.now() + seconds * 1000;

  /** False: somebody else has it, or it was settled before. One whose request failed may be settled again. */
  async function settle(message: Message, act: () => Promise<boolean>): Promise<boolean> {
    if (!isOurs(message) || !deliveries.settle(message)) return false;
    try {
      return await act();
    } catch (error) {
      deliveries.reopen(message);
      throw error;
    }
  }

  const hold = (message: Message): Promise<boolean> => main.hide(handleOf(message), options.visibilitySeconds);

  /** Sent first, then deleted: dying in between doubles it, and loses nothing. */
  const bury = (message: Message, reason: string): Promise<boolean> =>
    settle(message, async () => {
      const target = await dead();
      if (!target) {
        throw new Error(`the SQS queue ${JSON.stringify(name)} has no dead-letter queue (set a redrive policy on it)`);
      }
      // Whoever has lost it must leave no copy.
      if (!(await hold(message))) return false;
      const { id, body, group, enqueuedAt, receiveCount } = message;
      await target.place.send([
        toBroker({ id, body, group, enqueuedAt, received: receiveCount, reason: boundedReason(reason) }),
      ]);
      deliveries.gone(message);
      return main.delete(handleOf(message));
    });

  const tooOften = (message: Message, failure: string | undefined): string =>
    receivedTooOften(message.receiveCount, failure, options.visibilitySeconds);

  return {
    name,

    async send(bodies, { delaySeconds = 0, group } = {}) {
      checkBodies(name, bodies, options);
      const delay = Math.ceil(checkSeconds('delaySeconds', delaySeconds) / 1000);
      if (delay > longestDelaySeconds) {
        throw new RangeError(
          `delaySeconds is ${delaySeconds}; SQS delays a message by at most ${longestDelaySeconds} s`,
        );
      }
      await main.send(
        bodies.map((body) => toBroker({ body, group })),
        delay,
      );
    },

    async receive(max) {
      checkCount('max', max);
      const raw = await main.receive(max, options.visibilitySeconds, waitSeconds);
      const messages: Message[] = [];
      for (const message of raw.map((one) => fromBroker(one, name))) {
        deliveries.received(message, until(options.visibilitySeconds));
        if (message.receiveCount <= options.maxReceives) {
          messages.push(message);
          continue;
        }
        // The redrive policy allows more than we do. This delivery does not take place, so it doesn't count.
        const earlier = { ...message, receiveCount: message.receiveCount - 1 };
        await bury(earlier, tooOften(earlier, deliveries.failureOf(message, undefined)));
      }
      return messages;
    },

    complete: (message) =>
      settle(message, async () => {
        // SQS deletes with success what somebody else is handling by now.
        if (deliveries.isOverdue(message, clock.now()) && !(await hold(message))) return false;
        deliveries.gone(message);
        return main.delete(handleOf(message));
      }),

    async abandon(message, { delaySeconds = 0, reason } = {}) {
      const delay = Math.ceil(checkSeconds('delaySeconds', delaySeconds) / 1000);
      if (!isOurs(message)) return false;
      const failure = deliveries.failureOf(message, reason);
      if (message.receiveCount >= options.maxReceives) return bury(message, tooOften(message, failure));
      return settle(message, () => main.hide(handleOf(message), Math.min(delay, longestHiddenSeconds)));
    },

    async extend(message, seconds) {
      const more = Math.min(Math.ceil(checkSeconds('seconds', seconds) / 1000), longestHiddenSeconds);
      if (!isOurs(message)) return false;
      const extended = await main.hide(handleOf(message), more);
      if (extended) deliveries.extended(message, until(more));
      return extended;
    },

    deadLetter: bury,

    async deadLetters(page = {}) {
      checkCount('limit', page.limit ?? 1);
      return (await (await dead())?.letters.list(page)) ?? { items: [] };
    },

    async replay(ids) {
      return (await (await dead())?.letters.replay(main, ids)) ?? 0;
    },

    async dropDeadLetters(which) {
      return (await (await dead())?.letters.drop(which)) ?? 0;
    },

    async stats() {
      const [waiting, letters] = await Promise.all([main.counts(), dead().then((target) => target?.place.counts())]);
      return {
        ready: waiting.visible,
        delayed: waiting.delayed,
        inFlight: waiting.inFlight,
        // Those being listed right now are out of sight, and dead all the same.
        dead: (letters?.visible ?? 0) + (letters?.inFlight ?? 0),
        oldestAgeMs: 0,
      };
    },
  };
}
