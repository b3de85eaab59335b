/** Receiving from a queue that others fill, on fauxqs. */
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { receiveFromSqs, type SqsReceiver, type SqsReceiverOptions } from '../../shared/queue/sqs/receiver.ts';
import { type Fauxqs, startSqs } from '../peers/fauxqs.ts';
import { anSqsQueue, type SqsQueue } from './an-sqs-queue.ts';

let sqs: Fauxqs;
beforeAll(async () => {
  sqs = await startSqs();
});
afterAll(() => sqs.close());

const open: { stop(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.stop();
});

async function aQueue(name?: string): Promise<SqsQueue> {
  const queue = await anSqsQueue(sqs.connection, name);
  open.push({ stop: () => queue.close() });
  return queue;
}

function receive(queue: string, more: Pick<SqsReceiverOptions, 'handle'> & Partial<SqsReceiverOptions>): SqsReceiver {
  const receiver = receiveFromSqs({ connection: sqs.connection, queue, ...more });
  open.push(receiver);
  return receiver;
}

const nothingLeft = async (queue: SqsQueue): Promise<void> => {
  await vi.waitFor(async () => expect(await queue.left()).toEqual({ visible: 0, inFlight: 0 }), { timeout: 60_000 });
};

it.each(['name', 'url'] as const)(
  'messages of a queue given by its %s are handled, and gone when they are done',
  async (by) => {
    const queue = await aQueue();
    const seen: string[] = [];
    receive(queue[by], {
      handle: async ({ body }) => {
        seen.push(body);
        return 'done';
      },
    });
    await queue.send(['a', 'b']);
    await nothingLeft(queue);
    expect(seen.toSorted()).toEqual(['a', 'b']);
  },
);

it('a message that is to come later comes again, and counts its deliveries', async () => {
  const queue = await aQueue();
  const counts: number[] = [];
  receive(queue.name, {
    handle: async ({ receiveCount }) => {
      counts.push(receiveCount);
      if (counts.length === 1) return { retryAfterSeconds: 20, reason: 'not yet' };
      if (counts.length === 2) throw new Error('broken');
      return 'done';
    },
    waitSeconds: 1,
  });
  await queue.send(['a']);
  const startedAt = sqs.clock.now();
  // Time goes on by itself here, because nobody can tell when the settlement has arrived.
  await vi.waitFor(
    async () => {
      await sqs.pass(1);
      expect(await queue.left()).toEqual({ visible: 0, inFlight: 0 });
    },
    { timeout: 60_000, interval: 20 },
  );
  expect(counts).toEqual([1, 2, 3]);
  expect(sqs.clock.now() - startedAt).toBeGreaterThanOrEqual(20_000);
});

it('a flood is taken by several receivers, and one slow message holds up only those that came with it', async () => {
  const queue = await aQueue();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const seen = new Set<string>();
  receive(queue.name, {
    handle: async ({ body }) => {
      if (body === '0') await released;
      seen.add(body);
      return 'done';
    },
    receivers: 3,
  });
  await queue.send(Array.from({ length: 60 }, (_, index) => String(index)));
  await vi.waitFor(() => expect(seen.size).toBe(59), { timeout: 60_000 });
  release();
  await nothingLeft(queue);
  expect(seen.size).toBe(60);
});

it('a queue that does not exist is said once, with its name and region, and is used as soon as it is there', async () => {
  const states: (string | undefined)[] = [];
  const retries: (() => void)[] = [];
  const timers = {
    after: (_: number, run: () => void) => {
      retries.push(run);
      return () => void retries.splice(retries.indexOf(run), retries.includes(run) ? 1 : 0);
    },
  };
  let seen = 0;
  const receiver = receive('not-there', {
    handle: async () => {
      seen++;
      return 'done';
    },
    onState: (problem) => states.push(problem),
    timers,
  });
  const tryAgain = async (): Promise<void> => {
    await vi.waitFor(() => expect(retries).toHaveLength(1), { timeout: 60_000 });
    retries.splice(0)[0]?.();
  };
  await tryAgain();
  await tryAgain();
  await vi.waitFor(() => expect(retries).toHaveLength(1), { timeout: 60_000 });
  expect(states).toEqual([expect.stringMatching(/"not-there" in eu-west-1 does not exist \(check/)]);
  expect(receiver.problem).toBe(states[0]);
  const queue = await aQueue('not-there');
  await queue.send(['a']);
  await tryAgain();
  await nothingLeft(queue);
  expect(seen).toBe(1);
  expect(states).toEqual([expect.any(String), undefined]);
  expect(receiver.problem).toBeUndefined();
});

it('who stops does not wait for the end of a long poll, but for what is being handled', async () => {
  const queue = await aQueue();
  const idle = receive(queue.name, { handle: async () => 'done' });
  const { promise: began, resolve: begin } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const busyQueue = await aQueue();
  const busy = receive(busyQueue.name, {
    handle: async () => {
      begin();
      await released;
      return 'done';
    },
  });
  await busyQueue.send(['a']);
  await began;
  await idle.stop();
  let stopped = false;
  const stopping = busy.stop().then(() => {
    stopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(stopped).toBe(false);
  release();
  await stopping;
  expect(await busyQueue.left()).toEqual({ visible: 0, inFlight: 0 });
});
