import {
  ServiceBusClient,
  type ServiceBusReceivedMessage,
  type ServiceBusReceiver,
  type ServiceBusReceiverOptions,
} from '@azure/service-bus';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../../shared/base/runtime.ts';
import { type Broker, startServiceBus } from './broker.ts';

const clock = manualClock();
let broker: Broker;
let client: ServiceBusClient;
let queues = 0;
let queue: string;
beforeAll(async () => {
  broker = await startServiceBus({ clock, queues: {} });
});
afterAll(() => broker.close());
beforeEach(() => {
  queue = `queue-${++queues}`;
  broker.ensureQueue(queue, { lockSeconds: 30, maxDeliveryCount: 2 });
  client = new ServiceBusClient(broker.connectionString, {
    // On a slow machine a send that is tried once more would be there twice.
    retryOptions: { maxRetries: 2, retryDelayInMs: 10, timeoutInMs: 60_000 },
  });
});
afterEach(() => client.close());

/** Just these many, as soon as they are there, however long that takes. A call that asks for more than there are ends by the clock. */
const take = (receiver: ServiceBusReceiver, count: number) =>
  receiver.receiveMessages(count, { maxWaitTimeInMs: 60_000 });
/** The client must not renew locks by itself: it would ask its own clock when. */
const receiverOf = (name: string, options: ServiceBusReceiverOptions = {}) =>
  client.createReceiver(name, { maxAutoLockRenewalDurationInMs: 0, ...options });
/** With a link of its own: one whose credit is not drained in time is closed, and what it has received can't be settled on it. */
const expectNone = async () => expect(await receiverOf(queue).receiveMessages(5, { maxWaitTimeInMs: 5 })).toEqual([]);
const bodies = (messages: readonly ServiceBusReceivedMessage[]) => messages.map(({ body }) => body as unknown);

describe('the Service Bus stand-in, with the real client', () => {
  it('delivers what was sent, alone or in a batch, in order, and completes it', async () => {
    const sender = client.createSender(queue);
    await sender.sendMessages({ body: 'one', applicationProperties: { color: 'red' } });
    const batch = await sender.createMessageBatch();
    for (const body of [2, { three: 3 }, Buffer.from('four')]) batch.tryAddMessage({ body });
    await sender.sendMessages(batch);
    const receiver = receiverOf(queue);
    const messages = await take(receiver, 4);
    expect(bodies(messages)).toEqual(['one', 2, { three: 3 }, Buffer.from('four')]);
    expect(messages[0]).toMatchObject({ applicationProperties: { color: 'red' }, deliveryCount: 0 });
    expect(messages[0]?.enqueuedTimeUtc?.getTime()).toBe(clock.now());
    expect(messages[0]?.lockedUntilUtc?.getTime()).toBe(clock.now() + 30_000);
    for (const message of messages) await receiver.completeMessage(message);
    clock.advance(31_000);
    await expectNone();
  });

  it('gives an abandoned message out again, with what was changed, and buries it when that was too often', async () => {
    await client.createSender(queue).sendMessages({ body: 'a' });
    const receiver = receiverOf(queue);
    const [first] = await take(receiver, 1);
    await receiver.abandonMessage(first!, { why: 'busy' });
    const [second] = await take(receiver, 1);
    expect(second).toMatchObject({ deliveryCount: 1, applicationProperties: { why: 'busy' } });
    expect(second?.lockToken).not.toBe(first?.lockToken);
    await receiver.abandonMessage(second!);
    await expectNone();
    const dead = receiverOf(queue, { subQueueType: 'deadLetter' });
    expect(await take(dead, 1)).toMatchObject([{ body: 'a', deadLetterReason: 'MaxDeliveryCountExceeded' }]);
  });

  it('keeps dead letters apart with their reason', async () => {
    await client.createSender(queue).sendMessages({ body: 'a' });
    const receiver = receiverOf(queue);
    const [message] = await take(receiver, 1);
    await receiver.deadLetterMessage(message!, { deadLetterReason: 'r', deadLetterErrorDescription: 'd', at: 7 });
    const dead = receiverOf(queue, { subQueueType: 'deadLetter' });
    const letters = await dead.peekMessages(10);
    expect(letters).toMatchObject([{ body: 'a', deadLetterReason: 'r', deadLetterErrorDescription: 'd' }]);
    expect(letters[0]?.applicationProperties?.at).toBe(7);
  });

  it('holds back what is scheduled, and forgets what was cancelled', async () => {
    const sender = client.createSender(queue);
    const at = new Date(clock.now() + 10_000);
    await sender.sendMessages({ body: 'later', scheduledEnqueueTimeUtc: at });
    const [number] = await sender.scheduleMessages({ body: 'never' }, at);
    const receiver = receiverOf(queue);
    await expectNone();
    expect((await receiver.peekMessages(5)).map(({ body, state }) => [body, state])).toEqual([
      ['later', 'scheduled'],
      ['never', 'scheduled'],
    ]);
    await sender.cancelScheduledMessages(number!);
    clock.advance(10_000);
    expect(bodies(await take(receiver, 1))).toEqual(['later']);
    await expectNone();
  });

  it('lets locks end, and be renewed', async () => {
    await client.createSender(queue).sendMessages({ body: 'a' });
    const receiver = receiverOf(queue);
    const [message] = await take(receiver, 1);
    clock.advance(20_000);
    expect((await receiver.renewMessageLock(message!)).getTime()).toBe(clock.now() + 30_000);
    clock.advance(29_000);
    await expectNone();
    clock.advance(2000);
    await expect(receiver.renewMessageLock(message!)).rejects.toMatchObject({ code: 'MessageLockLost' });
    await expect(receiver.completeMessage(message!)).rejects.toMatchObject({ code: 'MessageLockLost' });
    expect(await take(receiver, 1)).toMatchObject([{ deliveryCount: 1 }]);
  });

  it('brings a subscriber what arrives later', async () => {
    const receiver = receiverOf(queue);
    const arrived = Promise.withResolvers<unknown>();
    receiver.subscribe({
      processMessage: async ({ body }) => arrived.resolve(body),
      processError: async ({ error }) => arrived.reject(error),
    });
    await client.createSender(queue).sendMessages({ body: 'a' });
    expect(await arrived.promise).toBe('a');
  });

  it('refuses a queue that is not there', async () => {
    const sender = client.createSender('no-such-queue');
    await expect(sender.sendMessages({ body: 'a' })).rejects.toMatchObject({ code: 'MessagingEntityNotFound' });
  });

  it('is found again by a client whose connection broke', async () => {
    const sender = client.createSender(queue);
    await sender.sendMessages({ body: 'a' });
    broker.dropConnections();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    await sender.sendMessages({ body: 'b' });
    expect(bodies(await take(receiverOf(queue), 2))).toEqual(['a', 'b']);
  });
});
