import { afterEach, describe, expect, it } from 'vitest';
import { manualTimers } from '../../test/conformance/queue/manual-timers.ts';
import { manualClock, systemIds } from '../base/runtime.ts';
import { GroupCommit } from '../platforms/sqlite/sqlite.ts';
import { type ConsumerOptions, type SettledAs, startConsumer } from './consumer.ts';
import type { Handled, Message } from './contract.ts';
import { openSqliteQueue, type SqliteQueue } from './sqlite/queue.ts';
import { openQueueDatabase } from './sqlite/schema.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

function setUp(maxReceives = 5) {
  const clock = manualClock();
  const timers = manualTimers(clock);
  const { database } = openQueueDatabase({ file: ':memory:' });
  cleanups.push(() => database.close());
  // Commits at the end of the microtasks make one turn of the event loop enough to come to rest.
  const commits = new GroupCommit(database, { schedule: queueMicrotask });
  const options = { visibilitySeconds: 30, maxReceives, maxBodyBytes: 1000 };
  const queue = openSqliteQueue({ database, commits, name: 'q', clock, ids: systemIds, options });
  const settled: SettledAs[] = [];
  const warnings: string[] = [];
  let queueFailures = 0;
  const start = (handle: ConsumerOptions['handle'], more: Partial<ConsumerOptions> = {}) =>
    startConsumer({
      queue,
      handle,
      clock,
      timers,
      visibilitySeconds: options.visibilitySeconds,
      log: { warn: (_, message) => warnings.push(message) },
      metrics: { settled: (as) => settled.push(as), queueFailed: () => queueFailures++ },
      ...more,
    });
  return { clock, timers, queue, start, settled, warnings, failures: () => queueFailures };
}

/** A handler whose messages end when the test says so. */
function heldHandler() {
  const held = new Map<string, (outcome: Handled) => void>();
  const order: string[] = [];
  const signals = new Map<string, AbortSignal>();
  return {
    held,
    order,
    signals,
    handle: (message: Message, signal: AbortSignal) => {
      order.push(message.body);
      signals.set(message.body, signal);
      return new Promise<Handled>((resolve) => held.set(message.body, resolve));
    },
    end(body: string, outcome: Handled = 'done') {
      held.get(body)?.(outcome);
      held.delete(body);
    },
  };
}

const depth = async (queue: SqliteQueue) => {
  const { ready, delayed, inFlight, dead } = await queue.stats();
  return { ready, delayed, inFlight, dead };
};
const nothing = { ready: 0, delayed: 0, inFlight: 0, dead: 0 };

describe('startConsumer', () => {
  it('handles what is there and what arrives, without waiting for a poll', async () => {
    const { queue, start, timers, settled } = setUp();
    await queue.send(['before']);
    const seen: string[] = [];
    const consumer = start(async ({ body }) => {
      seen.push(body);
      return 'done';
    });
    await timers.rest();
    await queue.send(['after']);
    await timers.rest();
    expect(seen).toEqual(['before', 'after']);
    expect(settled).toEqual(['done', 'done']);
    expect(await depth(queue)).toEqual(nothing);
    await consumer.stop();
    expect(timers.pending).toBe(0);
  });

  it('wakes by itself when a delayed message is due, and not before', async () => {
    const { queue, start, timers } = setUp();
    const seen: string[] = [];
    const consumer = start(async ({ body }) => {
      seen.push(body);
      return 'done';
    });
    await queue.send(['later'], { delaySeconds: 7 });
    await timers.pass(6999);
    expect(seen).toEqual([]);
    await timers.pass(1);
    expect(seen).toEqual(['later']);
    await consumer.stop();
  });

  it('does not overlook what arrives while it makes up its mind to sleep', async () => {
    const { queue, start, timers } = setUp();
    const gate = Promise.withResolvers<void>();
    const slow = {
      ...queue,
      nextVisibleAt: async () => {
        const answer = await queue.nextVisibleAt();
        await gate.promise;
        return answer;
      },
    };
    const seen: string[] = [];
    const consumer = start(
      async ({ body }) => {
        seen.push(body);
        return 'done';
      },
      { queue: slow },
    );
    await timers.rest();
    await queue.send(['a']);
    gate.resolve();
    await timers.rest();
    expect(seen).toEqual(['a']);
    await consumer.stop();
  });

  it('polls a queue that cannot tell when something arrives', async () => {
    const { queue, start, timers } = setUp();
    const { onSend: _, nextVisibleAt: __, ...mute } = queue;
    const seen: string[] = [];
    const consumer = start(
      async ({ body }) => {
        seen.push(body);
        return 'done';
      },
      { queue: mute },
    );
    await timers.rest();
    await queue.send(['a']);
    await timers.pass(1000);
    expect(seen).toEqual(['a']);
    await consumer.stop();
  });

  it('never handles more at once than allowed, and receives nothing it has no room for', async () => {
    const { queue, start, timers } = setUp();
    const handler = heldHandler();
    await queue.send(['1', '2', '3', '4', '5']);
    const consumer = start(handler.handle, { concurrency: 2, batch: 10 });
    await timers.rest();
    expect(handler.order).toEqual(['1', '2']);
    expect(consumer.running).toBe(2);
    expect(await depth(queue)).toEqual({ ...nothing, ready: 3, inFlight: 2 });
    handler.end('2');
    await timers.rest();
    expect(handler.order).toEqual(['1', '2', '3']);
    for (const body of ['1', '3']) handler.end(body);
    await timers.rest();
    for (const body of ['4', '5']) handler.end(body);
    await timers.rest();
    expect(await depth(queue)).toEqual(nothing);
    await consumer.stop();
  });

  it('retries a throwing handler with growing delays, then gives the message to the dead letters', async () => {
    const { queue, start, timers, clock, settled } = setUp(4);
    const at: number[] = [];
    const began = clock.now();
    await queue.send(['bad']);
    const consumer = start(async () => {
      at.push((clock.now() - began) / 1000);
      throw new Error(`boom ${at.length}`);
    });
    await timers.pass(60_000);
    expect(at).toEqual([0, 1, 3, 7]);
    expect((await queue.deadLetters()).items).toMatchObject([
      { body: 'bad', reason: 'received 4 times, last failure: Error: boom 4', receiveCount: 4 },
    ]);
    expect(settled).toEqual(['failed', 'failed', 'failed', 'failed']);
    await consumer.stop();
  });

  it('bounds the growing delay, and treats a handler that throws before its promise alike', async () => {
    const { queue, start, timers, clock } = setUp(100);
    const at: number[] = [];
    await queue.send(['bad']);
    const consumer = start(
      () => {
        at.push(clock.now());
        throw 'not even an error';
      },
      { firstRetrySeconds: 2, maxRetrySeconds: 5 },
    );
    await timers.pass(20_000);
    expect(at.map((time) => (time - (at[0] ?? 0)) / 1000)).toEqual([0, 2, 6, 11, 16]);
    await consumer.stop();
  });

  it('lets a bad message block nobody', async () => {
    const { queue, start, timers } = setUp();
    await queue.send(['bad', 'a', 'hangs', 'b', 'poison', 'c']);
    const done: string[] = [];
    const consumer = start(
      async ({ body }) => {
        if (body === 'bad') throw new Error('boom');
        if (body === 'poison') return { dead: 'not understood' };
        if (body === 'hangs') await new Promise(() => {});
        done.push(body);
        return 'done';
      },
      { concurrency: 2, handlerSeconds: 60 },
    );
    await timers.pass(2000);
    expect(done).toEqual(['a', 'b', 'c']);
    expect((await queue.deadLetters()).items).toMatchObject([{ body: 'poison', reason: 'not understood' }]);
    await timers.pass(600_000);
    await consumer.stop();
    expect((await queue.deadLetters()).items.map(({ reason }) => reason)).toContain(
      'received 5 times, last failure: the handler took longer than 60 s',
    );
  });

  it('tells a handler that its time is over, and ignores what it says later', async () => {
    const { queue, start, timers, settled } = setUp();
    const handler = heldHandler();
    await queue.send(['slow']);
    const consumer = start(handler.handle, { handlerSeconds: 100, firstRetrySeconds: 50 });
    await timers.pass(99_999);
    expect(handler.signals.get('slow')?.aborted).toBe(false);
    await timers.pass(1);
    expect(handler.signals.get('slow')?.aborted).toBe(true);
    expect(settled).toEqual(['timed-out']);
    handler.end('slow');
    await timers.rest();
    expect(await depth(queue)).toEqual({ ...nothing, delayed: 1 });
    await consumer.stop();
  });

  it('keeps the message of a slow handler', async () => {
    const { queue, start, timers } = setUp();
    const handler = heldHandler();
    await queue.send(['slow']);
    const consumer = start(handler.handle);
    await timers.pass(200_000);
    expect(handler.order).toEqual(['slow']);
    expect(await depth(queue)).toEqual({ ...nothing, inFlight: 1 });
    handler.end('slow');
    await timers.rest();
    expect(await depth(queue)).toEqual(nothing);
    await consumer.stop();
  });

  it('retries when the handler says so, after the time that it names', async () => {
    const { queue, start, timers, clock } = setUp();
    const began = clock.now();
    const at: number[] = [];
    await queue.send(['a']);
    const consumer = start(async () => {
      at.push((clock.now() - began) / 1000);
      return at.length < 3 ? { retryAfterSeconds: 4, reason: 'not yet' } : 'done';
    });
    await timers.pass(20_000);
    expect(at).toEqual([0, 4, 8]);
    expect(await depth(queue)).toEqual(nothing);
    await consumer.stop();
  });

  it('stops by finishing what runs, and receives nothing more', async () => {
    const { queue, start, timers } = setUp();
    const handler = heldHandler();
    await queue.send(['a', 'b']);
    const consumer = start(handler.handle, { concurrency: 1 });
    await timers.rest();
    let stopped = false;
    const stopping = consumer.stop().then(() => {
      stopped = true;
    });
    await timers.rest();
    expect(stopped).toBe(false);
    handler.end('a');
    await stopping;
    await queue.send(['c']);
    await timers.pass(1000);
    expect(handler.order).toEqual(['a']);
    expect(await depth(queue)).toEqual({ ...nothing, ready: 2 });
    expect(timers.pending).toBe(0);
  });

  it('handles what it was receiving when it was stopped', async () => {
    const { queue, start } = setUp();
    await queue.send(['a']);
    const seen: string[] = [];
    const consumer = start(async ({ body }) => {
      seen.push(body);
      return 'done';
    });
    await consumer.stop();
    expect(seen).toEqual(['a']);
    expect(await depth(queue)).toEqual(nothing);
  });

  it('outlives a queue that fails for a while', async () => {
    const { queue, start, timers, failures, warnings } = setUp();
    let broken = true;
    const seen: number[] = [];
    const flaky = {
      ...queue,
      receive: (max: number) => (broken ? Promise.reject(new Error('disk')) : queue.receive(max)),
      complete: (message: Message) => (seen.length === 1 ? Promise.reject(new Error('disk')) : queue.complete(message)),
    };
    await queue.send(['a']);
    const consumer = start(
      async ({ receiveCount }) => {
        seen.push(receiveCount);
        return 'done';
      },
      { queue: flaky },
    );
    await timers.pass(2000);
    expect(failures()).toBe(2);
    broken = false;
    await timers.pass(1000);
    expect(seen).toEqual([1]);
    expect(warnings.at(-1)).toContain('settling the message failed');
    await timers.pass(30_000);
    expect(seen).toEqual([1, 2]);
    expect(await depth(queue)).toEqual(nothing);
    await consumer.stop();
  });

  it('says when somebody else got the message meanwhile', async () => {
    const { queue, start, timers, clock, settled } = setUp();
    const handler = heldHandler();
    await queue.send(['a']);
    const consumer = start(handler.handle, { concurrency: 1 });
    await timers.rest();
    // A pause of the whole process: no timer could extend.
    clock.advance(31_000);
    expect(await queue.receive(1)).toHaveLength(1);
    handler.end('a');
    await timers.rest();
    expect(settled).toEqual(['lost']);
    await consumer.stop();
  });

  describe('with groups', () => {
    const bodies = (group: string, count: number): string[] =>
      Array.from({ length: count }, (_, index) => `${group}-${index + 1}`);

    it('gives no group more than its part, and receives the next of it as soon as one of its group ends', async () => {
      const { queue, start, timers } = setUp();
      const { handle, order, end } = heldHandler();
      await queue.send(bodies('slow', 4), { group: 'slow' });
      await queue.send(bodies('quick', 2), { group: 'quick' });
      const consumer = start(handle, { concurrency: 8, perGroup: 2 });
      await timers.rest();
      expect(order).toEqual(['quick-1', 'slow-1', 'quick-2', 'slow-2']);
      expect(await depth(queue)).toEqual({ ...nothing, ready: 2, inFlight: 4 });
      end('slow-1');
      await timers.rest();
      expect(order.at(-1)).toBe('slow-3');
      for (const body of ['slow-2', 'slow-3', 'quick-1', 'quick-2']) end(body);
      await timers.rest();
      end('slow-4');
      await consumer.stop();
      expect(await depth(queue)).toEqual(nothing);
    });

    it('starts the message of one group at once, however many of another wait and none of them ends', async () => {
      const { queue, start, timers } = setUp();
      const { handle, order, end } = heldHandler();
      await queue.send(bodies('stuck', 3000), { group: 'stuck' });
      const consumer = start(handle, { concurrency: 4, perGroup: 2 });
      await timers.rest();
      expect(order).toEqual(['stuck-1', 'stuck-2']);
      await queue.send(['quick-1'], { group: 'quick' });
      await timers.rest();
      expect(order.at(-1)).toBe('quick-1');
      end('quick-1');
      // What waits uses up none of its deliveries meanwhile, and nobody asks for it again and again.
      await timers.pass(100_000);
      expect(order).toEqual(['stuck-1', 'stuck-2', 'quick-1']);
      const stopping = consumer.stop();
      for (const body of ['stuck-1', 'stuck-2']) end(body);
      await stopping;
      expect((await queue.receive(1))[0]?.receiveCount).toBe(1);
      expect(timers.pending).toBe(0);
    });

    it('wakes for the delayed message of a group with room while another group is at its limit', async () => {
      const { queue, start, timers } = setUp();
      const { handle, order, end } = heldHandler();
      await queue.send(bodies('stuck', 2), { group: 'stuck' });
      await queue.send(['quick-1'], { group: 'quick', delaySeconds: 3 });
      const consumer = start(handle, { concurrency: 4, perGroup: 1 });
      await timers.pass(2999);
      expect(order).toEqual(['stuck-1']);
      await timers.pass(1);
      expect(order).toEqual(['stuck-1', 'quick-1']);
      end('quick-1');
      const stopping = consumer.stop();
      end('stuck-1');
      await stopping;
    });
  });
});
