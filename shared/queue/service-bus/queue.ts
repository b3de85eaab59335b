/**
 * The queue on Azure Service Bus, with locks (peek-lock). Where Service Bus differs from the contract's words:
 *
 * - It knows no groups but sessions, which would let one receiver at a time have a group: messages come in the order of the one
 *   queue, and no group has a bound of its own.
 * - Its lock has the length that the queue was made with: `extend` renews it for that long, whatever is asked for.
 * - It does not say which messages are locked: `stats` counts those being handled as ready, and stops at 1,000 of a kind.
 * - It can't hold back a message that is given back. `abandon` with a delay schedules a copy and then completes the message:
 *   whoever dies in between leaves two, never none. `replay` does the same with dead letters.
 */
import type {
  ServiceBusMessage,
  ServiceBusReceivedMessage,
  ServiceBusReceiver,
  ServiceBusSender,
} from '@azure/service-bus';
import type { Clock, Ids } from '../../base/runtime.ts';
import { boundedReason, checkBodies, checkCount, checkSeconds } from '../arguments.ts';
import { type Message, type Queue, type QueueOptions, SendError } from '../contract.ts';
import { selectorOf, type WhichLetters } from '../dead-letter-filter.ts';
import { receivedTooOften } from '../reasons.ts';
import { explanationOf, isLockLost, lockedMessage, type ServiceBusNamespace, toSequenceNumber } from './client.ts';
import { deadFromBroker, fromBroker, fromReceipt, properties, toBroker } from './message.ts';

export interface ServiceBusQueueSettings {
  namespace: ServiceBusNamespace;
  name: string;
  clock: Clock;
  ids: Ids;
  /** Lock duration and largest body are the queue's own; `maxReceives` is ours and must be less than the queue's. */
  options: QueueOptions;
  /** How long a receive waits for a first message (default 1,000). */
  waitMs?: number;
}

export interface ServiceBusQueue extends Queue {
  /**
   * Puts a copy of the message on the queue that appears after the delay, with its count and its reason. Whoever received the
   * message completes it then. False: it was received too often, and belongs to the dead letters.
   */
  tryLater(message: Message, delaySeconds: number, reason: string): Promise<boolean>;
}

const defaultPage = 100;
const largestPage = 1000;
/** More are not counted: a peek walks through them one by one. */
const mostCounted = 1000;
const peekAtOnce = 100;
const takeAtOnce = 50;

/**
 * @example
 * const namespace = openServiceBus({ namespace: 'poolwright.servicebus.windows.net', credential });
 * const queue = openServiceBusQueue({ namespace, name: 'events', clock, ids,
 *   options: { visibilitySeconds: 60, maxReceives: 10, maxBodyBytes: maxEventBytes } });
 */
export function openServiceBusQueue(settings: ServiceBusQueueSettings): ServiceBusQueue {
  const { namespace, name, clock, ids, options, waitMs = 1000 } = settings;
  checkCount('maxReceives', options.maxReceives);
  const links = linksOf(namespace, name);
  /** A link has one receive at a time. */
  let lastReceive: Promise<unknown> = Promise.resolve();
  let lastTakeOut: Promise<unknown> = Promise.resolve();

  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw new Error(explanationOf(error, name), { cause: error });
    }
  };

  /** False when the lock is no longer ours. */
  const settled = (work: (receiver: ServiceBusReceiver) => Promise<unknown>): Promise<boolean> =>
    guarded(async () => {
      try {
        await work(await links.receiver());
        return true;
      } catch (error) {
        if (isLockLost(error)) return false;
        throw error;
      }
    });

  const complete = (message: Message): Promise<boolean> =>
    settled((receiver) => receiver.completeMessage(lockedMessage(fromReceipt(message.receipt).lock)));

  const bury = (message: Message, reason: string): Promise<boolean> =>
    settled((receiver) =>
      receiver.deadLetterMessage(lockedMessage(fromReceipt(message.receipt).lock), {
        deadLetterReason: 'Poolwright',
        deadLetterErrorDescription: boundedReason(reason),
        [properties.deadAt]: clock.now(),
        [properties.received]: message.receiveCount,
      }),
    );

  const tooOften = (message: Message, failure: string | undefined): string =>
    receivedTooOften(message.receiveCount, failure, options.visibilitySeconds);

  async function sendAll(messages: readonly ServiceBusMessage[]): Promise<void> {
    try {
      await sendInBatches(await links.sender(), messages);
    } catch (error) {
      if (error instanceof RangeError) throw error;
      throw new SendError(explanationOf(error, name));
    }
  }

  const copyOf = (
    { id, body, group, enqueuedAt, receiveCount }: Message,
    failure: string | undefined,
  ): ServiceBusMessage => toBroker({ id, body, group, enqueuedAt, receives: receiveCount, failure });

  const inMs = (delayMs: number): Date => new Date(clock.now() + delayMs);

  async function receiveNow(max: number): Promise<Message[]> {
    const receiver = await links.receiver();
    const messages: Message[] = [];
    for (const raw of await receiver.receiveMessages(max, { maxWaitTimeInMs: waitMs })) {
      const message = fromBroker(raw);
      if (message.receiveCount <= options.maxReceives) {
        messages.push(message);
        continue;
      }
      // This delivery does not take place, so it doesn't count.
      const earlier = { ...message, receiveCount: message.receiveCount - 1 };
      await bury(earlier, tooOften(earlier, fromReceipt(message.receipt).failure));
    }
    return messages;
  }

  /** Sent first, then completed: dying in between doubles one, at most. */
  async function putBack(batch: readonly ServiceBusReceivedMessage[]): Promise<void> {
    const letters = batch.map((raw) => deadFromBroker(raw, options.visibilitySeconds));
    await sendAll(letters.map(({ id, body, group }) => toBroker({ id, body, group, enqueuedAt: clock.now() })));
  }

  async function completeDead(dead: ServiceBusReceiver, batch: readonly ServiceBusReceivedMessage[]): Promise<void> {
    await Promise.all(
      batch.map((raw) =>
        dead.completeMessage(lockedMessage(raw.lockToken ?? '')).catch((error: unknown) => {
          if (!isLockLost(error)) throw error;
        }),
      ),
    );
  }

  /** Completes dead letters, those meant that are there now, after `before` is done with them. Returns how many. */
  async function takeOut(
    which: WhichLetters,
    before: (batch: readonly ServiceBusReceivedMessage[]) => Promise<void>,
  ): Promise<number> {
    const dead = await links.dead();
    const isWanted = selectorOf(which);
    const wanted = new Set<string>();
    for await (const raw of peeked(dead, 1n)) {
      if (isWanted(deadFromBroker(raw, options.visibilitySeconds))) wanted.add(String(raw.sequenceNumber));
    }
    let taken = 0;
    /** Held until the end, by number: given back at once they would come again at once. */
    const others = new Map<string, ServiceBusReceivedMessage>();
    while (wanted.size > 0) {
      const batch = await dead.receiveMessages(takeAtOnce, { maxWaitTimeInMs: waitMs });
      // Who is named twice, or doubled by a crash, is taken once for each letter there is.
      const ours = batch.filter((raw) => wanted.delete(String(raw.sequenceNumber)));
      const news = batch.filter((raw) => !ours.includes(raw) && !others.has(String(raw.sequenceNumber)));
      // Only those whose locks have ended meanwhile: what is still wanted is in somebody else's hands.
      if (ours.length + news.length === 0) break;
      for (const raw of news) others.set(String(raw.sequenceNumber), raw);
      await before(ours);
      await completeDead(dead, ours);
      taken += ours.length;
    }
    // One that can't be given back is there again when its lock ends.
    await Promise.allSettled(
      [...others.values()].map((raw) => dead.abandonMessage(lockedMessage(raw.lockToken ?? ''))),
    );
    return taken;
  }

  const takeOutAlone = (...work: Parameters<typeof takeOut>): Promise<number> => {
    const taken = lastTakeOut.then(() => guarded(() => takeOut(...work)));
    lastTakeOut = taken.catch(() => undefined);
    return taken;
  };

  return {
    name,

    async send(bodies, sendOptions = {}) {
      checkBodies(name, bodies, options);
      const delayMs = checkSeconds('delaySeconds', sendOptions.delaySeconds ?? 0);
      if (bodies.length === 0) return;
      const later = delayMs === 0 ? {} : { scheduledEnqueueTimeUtc: inMs(delayMs) };
      const { group } = sendOptions;
      const enqueuedAt = clock.now();
      await sendAll(bodies.map((body) => ({ ...toBroker({ id: ids.next(), body, group, enqueuedAt }), ...later })));
    },

    async receive(max) {
      checkCount('max', max);
      const received = lastReceive.then(() => guarded(() => receiveNow(max)));
      lastReceive = received.catch(() => undefined);
      return received;
    },

    complete,

    async abandon(message, { delaySeconds = 0, reason } = {}) {
      const delayMs = checkSeconds('delaySeconds', delaySeconds);
      const { lock, failure: earlier } = fromReceipt(message.receipt);
      const failure = reason === undefined ? earlier : boundedReason(reason);
      if (message.receiveCount >= options.maxReceives) return bury(message, tooOften(message, failure));
      if (delayMs === 0) {
        const changed = failure === undefined ? {} : { [properties.failure]: failure };
        return settled((receiver) => receiver.abandonMessage(lockedMessage(lock), changed));
      }
      // First make sure that it is ours, for long enough: who has lost it must not leave a copy.
      if (!(await settled((receiver) => receiver.renewMessageLock(lockedMessage(lock))))) return false;
      const sender = await links.sender();
      const copies = await guarded(() => sender.scheduleMessages(copyOf(message, failure), inMs(delayMs)));
      if (await complete(message)) return true;
      await sender.cancelScheduledMessages(copies).catch(() => undefined);
      return false;
    },

    async extend(message, seconds) {
      checkSeconds('seconds', seconds);
      return settled((receiver) => receiver.renewMessageLock(lockedMessage(fromReceipt(message.receipt).lock)));
    },

    deadLetter: bury,

    async tryLater(message, delaySeconds, reason) {
      const delayMs = checkSeconds('delaySeconds', delaySeconds);
      if (message.receiveCount >= options.maxReceives) return false;
      await sendAll([{ ...copyOf(message, boundedReason(reason)), scheduledEnqueueTimeUtc: inMs(delayMs) }]);
      return true;
    },

    async deadLetters({ after, limit = defaultPage } = {}) {
      const size = Math.min(checkCount('limit', limit), largestPage);
      if (after !== undefined && !/^\d{1,18}$/.test(after)) {
        throw new RangeError(`after must be the next of an earlier page, but it is ${JSON.stringify(after)}`);
      }
      const found = await guarded(async () => peekAll(await links.dead(), BigInt(after ?? 0) + 1n, size + 1));
      const items = found.slice(0, size).map((raw) => deadFromBroker(raw, options.visibilitySeconds));
      return found.length > size ? { items, next: String(found[size - 1]?.sequenceNumber) } : { items };
    },

    replay: (named) => takeOutAlone(named, putBack),

    dropDeadLetters: (which) => takeOutAlone(which, async () => undefined),

    stats: () =>
      guarded(async () => {
        const waiting = await peekAll(await links.receiver(), 1n, mostCounted);
        const dead = await peekAll(await links.dead(), 1n, mostCounted);
        const ready = waiting.filter(({ state }) => state !== 'scheduled').map((raw) => fromBroker(raw).enqueuedAt);
        return {
          ready: ready.length,
          delayed: waiting.length - ready.length,
          inFlight: 0,
          dead: dead.length,
          oldestAgeMs: ready.length === 0 ? 0 : Math.max(0, clock.now() - Math.min(...ready)),
        };
      }),
  };
}

/** The three links of a queue, each opened when it is first needed; the client opens it again when it breaks. */
function linksOf(namespace: ServiceBusNamespace, name: string) {
  // Bodies are ours to read, and locks are renewed by whoever handles a message.
  const common = { skipParsingBodyAsJson: true, maxAutoLockRenewalDurationInMs: 0 };
  const once = <T>(open: () => Promise<T>): (() => Promise<T>) => {
    let opened: Promise<T> | undefined;
    return () => {
      opened ??= open().catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      return opened;
    };
  };
  return {
    sender: once(async () => (await namespace.client()).createSender(name)),
    receiver: once(async () => (await namespace.client()).createReceiver(name, common)),
    dead: once(async () => (await namespace.client()).createReceiver(name, { ...common, subQueueType: 'deadLetter' })),
  };
}

/** As many as fit go together. */
async function sendInBatches(sender: ServiceBusSender, messages: readonly ServiceBusMessage[]): Promise<void> {
  const [first] = messages;
  if (first && messages.length === 1) return sender.sendMessages(first);
  let batch = await sender.createMessageBatch();
  for (const message of messages) {
    if (batch.tryAddMessage(message)) continue;
    await sender.sendMessages(batch);
    batch = await sender.createMessageBatch();
    if (!batch.tryAddMessage(message)) {
      throw new RangeError(
        `a message is larger than the namespace allows: ${batch.maxSizeInBytes} bytes with its properties`,
      );
    }
  }
  if (batch.count > 0) await sender.sendMessages(batch);
}

/** Everything from a sequence number on. An answer may hold fewer than asked for: only an empty one is the end. */
async function* peeked(receiver: ServiceBusReceiver, from: bigint): AsyncGenerator<ServiceBusReceivedMessage> {
  for (let next = from; ; ) {
    const page = await receiver.peekMessages(peekAtOnce, { fromSequenceNumber: toSequenceNumber(next) });
    const last = page.at(-1)?.sequenceNumber;
    if (last === undefined) return;
    yield* page;
    next = BigInt(String(last)) + 1n;
  }
}

async function peekAll(receiver: ServiceBusReceiver, from: bigint, most: number): Promise<ServiceBusReceivedMessage[]> {
  const found: ServiceBusReceivedMessage[] = [];
  for await (const raw of peeked(receiver, from)) {
    found.push(raw);
    if (found.length === most) break;
  }
  return found;
}
