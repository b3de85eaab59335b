import { ServiceBusClient, type ServiceBusReceivedMessage } from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manualClock, systemIds } from '../../../shared/base/runtime.ts';
import { SendError } from '../../../shared/queue/contract.ts';
import { openServiceBus, type ServiceBusNamespace } from '../../../shared/queue/service-bus/client.ts';
import { fromTrigger } from '../../../shared/queue/service-bus/message.ts';
import { openServiceBusQueue } from '../../../shared/queue/service-bus/queue.ts';
import { type Broker, startServiceBus } from '../../stand-ins/service-bus/broker.ts';

const clock = manualClock();
const options = { visibilitySeconds: 30, maxReceives: 3, maxBodyBytes: 64 * 1024 };
let broker: Broker;
let raw: ServiceBusClient;
let namespace: ServiceBusNamespace;
let queues = 0;
beforeAll(async () => {
  broker = await startServiceBus({ clock, queues: {} });
  raw = new ServiceBusClient(broker.connectionString);
  namespace = openServiceBus({ connectionString: broker.connectionString });
});
afterAll(async () => {
  await namespace.close();
  await raw.close();
  await broker.close();
});

function setUp({
  maxDeliveryCount = 10,
  through = namespace,
}: {
  maxDeliveryCount?: number;
  through?: ServiceBusNamespace;
} = {}) {
  const name = `queue-${++queues}`;
  broker.ensureQueue(name, { lockSeconds: 30, maxDeliveryCount });
  const open = (by: ServiceBusNamespace) =>
    openServiceBusQueue({ namespace: by, name, clock, ids: systemIds, options, waitMs: 2 });
  const host = raw.createReceiver(name, { maxAutoLockRenewalDurationInMs: 0, skipParsingBodyAsJson: true });
  return { name, queue: open(through), sound: open(namespace), host };
}

/** As the Functions host hands a message to a function: it has parsed the body, and counts from 1. */
function triggered(message: ServiceBusReceivedMessage) {
  const { messageId, deliveryCount = 0, enqueuedTimeUtc, lockToken, applicationProperties } = message;
  const body: unknown = JSON.parse(String(message.body));
  const metadata = { messageId, deliveryCount: deliveryCount + 1, enqueuedTimeUtc, lockToken, applicationProperties };
  return fromTrigger(body, JSON.parse(JSON.stringify(metadata)));
}

async function receiveByHost({ host }: ReturnType<typeof setUp>) {
  const [message] = await host.receiveMessages(1, { maxWaitTimeInMs: 5 });
  if (!message) throw new Error('nothing was received');
  return { message, delivery: triggered(message) };
}

/** Our process dies, or the service is away, at one call. */
function breaking(method: 'completeMessage' | 'scheduleMessages'): ServiceBusNamespace {
  const broken = async () => {
    throw new Error('the connection broke');
  };
  return {
    ...namespace,
    client: async () => {
      const client = await namespace.client();
      const without = <T extends object>(link: T): T => Object.assign(Object.create(link) as T, { [method]: broken });
      return Object.assign(Object.create(client) as ServiceBusClient, {
        createReceiver: (...all: Parameters<ServiceBusClient['createReceiver']>) =>
          without(client.createReceiver(...all)),
        createSender: (...all: Parameters<ServiceBusClient['createSender']>) => without(client.createSender(...all)),
      });
    },
  };
}

describe('the queue on Service Bus', () => {
  it('doubles a message, and never loses it, when we die between the copy and the completion', async () => {
    const { queue, sound } = setUp({ through: breaking('completeMessage') });
    await queue.send(['a']);
    const [message] = await queue.receive(1);
    await expect(queue.abandon(message!, { delaySeconds: 10 })).rejects.toThrow(/the connection broke/);
    clock.advance(31_000);
    const both = await sound.receive(10);
    expect(both.map(({ id, receiveCount }) => [id, receiveCount])).toEqual([
      [message?.id, 2],
      [message?.id, 2],
    ]);
  });

  it('keeps a message whose copy could not be made', async () => {
    const { queue, sound } = setUp({ through: breaking('scheduleMessages') });
    await queue.send(['a']);
    const [message] = await queue.receive(1);
    await expect(queue.abandon(message!, { delaySeconds: 10 })).rejects.toThrow(/the connection broke/);
    clock.advance(31_000);
    expect(await sound.receive(10)).toHaveLength(1);
  });

  it('leaves no copy when the message belongs to somebody else by now', async () => {
    const { queue } = setUp();
    await queue.send(['a']);
    const [stale] = await queue.receive(1);
    clock.advance(31_000);
    const [current] = await queue.receive(1);
    expect(await queue.abandon(stale!, { delaySeconds: 10 })).toBe(false);
    expect(await queue.complete(current!)).toBe(true);
    expect(await queue.stats()).toMatchObject({ ready: 0, delayed: 0 });
  });

  it('keeps id, age and count of a message over its copies', async () => {
    const { queue } = setUp();
    await queue.send(['a']);
    const [first] = await queue.receive(1);
    clock.advance(5000);
    await queue.abandon(first!, { delaySeconds: 60, reason: 'busy' });
    clock.advance(60_000);
    const [second] = await queue.receive(1);
    expect(second).toMatchObject({ id: first?.id, enqueuedAt: first?.enqueuedAt, receiveCount: 2 });
    expect((await queue.stats()).oldestAgeMs).toBe(65_000);
  });

  it('settles what a host received: later, with a copy that the host knows nothing of', async () => {
    const world = setUp();
    await world.queue.send([JSON.stringify({ type: 'claim' })]);
    const { message, delivery } = await receiveByHost(world);
    expect(delivery).toMatchObject({ body: '{"type":"claim"}', receiveCount: 1 });
    expect(await world.queue.tryLater(delivery, 20, 'not there yet')).toBe(true);
    await world.host.completeMessage(message);
    expect(await world.queue.receive(1)).toEqual([]);
    clock.advance(20_000);
    const again = await receiveByHost(world);
    expect(again.delivery).toMatchObject({ id: delivery.id, receiveCount: 2, enqueuedAt: delivery.enqueuedAt });
    await world.queue.tryLater(again.delivery, 1, 'still not');
    await world.host.completeMessage(again.message);
    clock.advance(1000);
    const last = await receiveByHost(world);
    expect(await world.queue.tryLater(last.delivery, 1, 'gone')).toBe(false);
  });

  it('settles what a host received: dead, by its lock', async () => {
    const world = setUp();
    await world.queue.send(['"no event"']);
    const { message, delivery } = await receiveByHost(world);
    expect(await world.queue.deadLetter(delivery, 'not a CloudEvent')).toBe(true);
    await expect(world.host.completeMessage(message)).rejects.toMatchObject({ code: 'MessageLockLost' });
    expect((await world.queue.deadLetters()).items).toMatchObject([{ id: delivery.id, reason: 'not a CloudEvent' }]);
  });

  it('says in our words what the broker buried by itself', async () => {
    const { queue } = setUp({ maxDeliveryCount: 2 });
    await queue.send(['a']);
    for (let round = 0; round < 2; round++) {
      await queue.receive(1);
      clock.advance(31_000);
    }
    expect(await queue.receive(1)).toEqual([]);
    const [letter] = (await queue.deadLetters()).items;
    expect(letter?.reason).toBe('received 2 times, and never settled: its handler crashed or took longer than 30 s');
    expect(await queue.replay()).toBe(1);
    expect(await queue.receive(1)).toMatchObject([{ receiveCount: 1 }]);
  });

  it('finds a named dead letter behind many others, and leaves those where they are', async () => {
    const { queue } = setUp({ maxDeliveryCount: 1 });
    await queue.send(Array.from({ length: 60 }, (_, index) => String(index)));
    expect(await queue.receive(60)).toHaveLength(60);
    clock.advance(31_000);
    await queue.receive(1);
    const { items } = await queue.deadLetters({ limit: 100 });
    const deepest = items.find(({ body }) => body === '59');
    expect(await queue.replay([deepest?.id ?? ''])).toBe(1);
    expect(await queue.receive(5)).toMatchObject([{ body: '59', receiveCount: 1 }]);
    expect((await queue.deadLetters({ limit: 100 })).items).toHaveLength(59);
    expect(await queue.replay()).toBe(59);
  });

  it('sends more than one batch holds', async () => {
    const { queue } = setUp();
    const body = 'x'.repeat(60_000);
    await queue.send(Array.from({ length: 10 }, () => body));
    expect((await queue.stats()).ready).toBe(10);
  });

  it('takes messages of others as they are', async () => {
    const { name, queue } = setUp();
    await raw.createSender(name).sendMessages([{ body: { any: 'object' }, messageId: 'theirs' }, { body: 'text' }]);
    const messages = await queue.receive(5);
    expect(messages.map(({ body }) => body)).toEqual(['{"any":"object"}', '"text"']);
    expect(messages[0]).toMatchObject({ id: 'theirs', receiveCount: 1, enqueuedAt: clock.now() });
  });

  it('goes on after its connection broke', async () => {
    const { queue } = setUp();
    await queue.send(['a']);
    broker.dropConnections();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    await queue.send(['b']);
    expect((await queue.receive(5)).map(({ body }) => body)).toEqual(['a', 'b']);
  });

  it('says what is wrong with a queue that is not there', async () => {
    const queue = openServiceBusQueue({ namespace, name: 'absent', clock, ids: systemIds, options, waitMs: 2 });
    const sent = queue.send(['a']);
    await expect(sent).rejects.toThrow(/"absent" does not exist in this namespace/);
    await expect(sent).rejects.toBeInstanceOf(SendError);
    await expect(queue.stats()).rejects.toThrow(/does not exist/);
  });
});
