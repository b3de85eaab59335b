/**
 * What every queue driver owes: the comments in shared/queue/contract.ts, as tests. A driver brings a harness; what a
 * broker does only roughly (order, exact counts) is switched off by its traits.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Message, NoRoomError, type Queue, type QueueOptions } from '../../../shared/queue/contract.ts';
import { queueModel } from './model.ts';

export interface QueueHarness {
  /** Opens the queue of that name, and makes it if there is none. */
  open(name: string, options: QueueOptions): Promise<Queue>;
  /** Lets time pass for the broker. */
  pass(seconds: number): Promise<void>;
  /** Our process dies without a goodbye: what is opened afterwards is a new process's. Brokers elsewhere don't notice. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

export interface QueueTraits {
  /** Messages come in order, and a receive returns all it can up to its maximum; the model is run only then. */
  exact: boolean;
  modelRuns: number;
  /** Not every broker says what is being handled: there it counts as ready (default true). */
  tellsInFlight?: boolean;
  /** Nor how old its oldest message is (default true). */
  tellsAge?: boolean;
  /** A stand-in may notice only at a receive that a message is visible again (default true). */
  countsAtOnce?: boolean;
  /** A stand-in may refuse what its original takes: characters beyond U+FFFF (default true). */
  takesAllCharacters?: boolean;
  /** A stand-in may give one message to two who ask in the same instant, as its original may, rarely (default true). */
  givesToOne?: boolean;
  /** A broker may share between groups by means of its own, which no test can see, or not at all (default true). */
  takesTurns?: boolean;
  /** A broker may have bounds of its own, which are not ours to set: what waits, and what is dead (default true). */
  hasBounds?: boolean;
}

const options: QueueOptions = { visibilitySeconds: 30, maxReceives: 3, maxBodyBytes: 64 * 1024 };

export function queueConformance(
  driver: string,
  make: () => Promise<QueueHarness>,
  traits: QueueTraits = { exact: true, modelRuns: 60 },
): void {
  const { exact, modelRuns, tellsInFlight = true, tellsAge = true } = traits;
  const { countsAtOnce = true, takesAllCharacters = true, givesToOne = true } = traits;
  const { takesTurns = true, hasBounds = true } = traits;
  describe(`queue conformance: ${driver}`, () => {
    let harness: QueueHarness;
    let queue: Queue;
    beforeEach(async () => {
      harness = await make();
      queue = await harness.open('claims', options);
    });
    afterEach(() => harness.close());

    const bodies = (messages: readonly { body: string }[]) => {
      const all = messages.map(({ body }) => body);
      return exact ? all : all.sort();
    };

    /** Brokers may return fewer than asked: asks until nothing comes. */
    async function receiveAll(from: Queue = queue): Promise<Message[]> {
      const all: Message[] = [];
      for (let more = await from.receive(10); more.length > 0; more = await from.receive(10)) all.push(...more);
      return all;
    }

    /** Of a broker that does not tell the two apart. */
    const counts = (expected: { ready: number; delayed: number; inFlight: number; dead: number }) =>
      tellsInFlight ? expected : { ...expected, ready: expected.ready + expected.inFlight, inFlight: 0 };

    async function receiveOne(from: Queue = queue): Promise<Message> {
      const [message] = await from.receive(1);
      if (!message) throw new Error('nothing was received');
      return message;
    }

    async function allDeadLetters(from: Queue = queue, limit = 2) {
      const items = [];
      let page = await from.deadLetters({ limit });
      items.push(...page.items);
      while (page.next !== undefined) {
        page = await from.deadLetters({ after: page.next, limit });
        items.push(...page.items);
      }
      return items;
    }

    it('delivers what was sent, oldest first, once while it is being handled', async () => {
      await queue.send(['a', 'b', 'c']);
      const messages = await receiveAll();
      expect(bodies(messages)).toEqual(['a', 'b', 'c']);
      expect(messages.map(({ receiveCount }) => receiveCount)).toEqual([1, 1, 1]);
      expect(new Set(messages.map(({ id }) => id)).size).toBe(3);
      expect(await queue.receive(10)).toEqual([]);
    });

    it('returns no more than was asked for', async () => {
      await queue.send(['a', 'b', 'c']);
      expect((await queue.receive(2)).length).toBeLessThanOrEqual(2);
    });

    it('takes nothing, an empty body, Unicode and the largest body', async () => {
      await queue.send([]);
      expect(await queue.receive(10)).toEqual([]);
      const odd = [
        '',
        `ä€${takesAllCharacters ? '😀' : ''}\u2028\ufeff "\\`,
        'a\u0000b',
        '%_\'";--',
        'x'.repeat(options.maxBodyBytes),
      ];
      await queue.send(odd);
      expect(bodies(await receiveAll()).sort()).toEqual(odd.sort());
    });

    it('refuses a body over the limit, counted in bytes, and then sends none of the others', async () => {
      const tooBig = 'é'.repeat(options.maxBodyBytes / 2 + 1);
      await expect(queue.send(['fine', tooBig])).rejects.toThrow(RangeError);
      await expect(queue.send(['fine', tooBig])).rejects.toThrow(/65538 bytes.*65536/);
      expect(await queue.receive(10)).toEqual([]);
    });

    it('refuses text that is not Unicode, and senseless numbers', async () => {
      await expect(queue.send(['\ud800'])).rejects.toThrow(RangeError);
      await expect(queue.send(['a'], { delaySeconds: -1 })).rejects.toThrow(RangeError);
      await expect(queue.send(['a'], { delaySeconds: Number.NaN })).rejects.toThrow(RangeError);
      await expect(queue.receive(0)).rejects.toThrow(RangeError);
      await expect(queue.receive(1.5)).rejects.toThrow(RangeError);
      await expect(queue.deadLetters({ limit: 0 })).rejects.toThrow(RangeError);
      expect(await queue.receive(10)).toEqual([]);
    });

    it('completes for good', async () => {
      await queue.send(['a']);
      const message = await receiveOne();
      expect(await queue.complete(message)).toBe(true);
      expect(await queue.complete(message)).toBe(false);
      await harness.pass(options.visibilitySeconds + 1);
      expect(await queue.receive(10)).toEqual([]);
    });

    it('delivers again when the visibility timeout is over, with a higher count and the same id', async () => {
      await queue.send(['a']);
      const first = await receiveOne();
      await harness.pass(options.visibilitySeconds - 5);
      expect(await queue.receive(1)).toEqual([]);
      await harness.pass(6);
      const second = await receiveOne();
      expect(second).toMatchObject({ id: first.id, body: 'a', receiveCount: 2 });
      expect(second.receipt).not.toBe(first.receipt);
    });

    it('lets an old receipt settle nothing once the message was delivered again', async () => {
      await queue.send(['a']);
      const old = await receiveOne();
      await harness.pass(options.visibilitySeconds + 1);
      const current = await receiveOne();
      expect(await queue.complete(old)).toBe(false);
      expect(await queue.abandon(old)).toBe(false);
      expect(await queue.extend(old, 60)).toBe(false);
      expect(await queue.deadLetter(old, 'no')).toBe(false);
      expect(await queue.receive(1)).toEqual([]);
      expect(await queue.complete(current)).toBe(true);
    });

    it('delivers an abandoned message at once, or after the delay', async () => {
      await queue.send(['a']);
      expect(await queue.abandon(await receiveOne())).toBe(true);
      const again = await receiveOne();
      expect(again.receiveCount).toBe(2);
      expect(await queue.abandon(again, { delaySeconds: 20 })).toBe(true);
      expect(await queue.receive(1)).toEqual([]);
      await harness.pass(21);
      expect((await receiveOne()).receiveCount).toBe(3);
    });

    it('gives a slow handler more time', async () => {
      await queue.send(['a']);
      const message = await receiveOne();
      await harness.pass(20);
      expect(await queue.extend(message, 30)).toBe(true);
      await harness.pass(20);
      expect(await queue.receive(1)).toEqual([]);
      expect(await queue.complete(message)).toBe(true);
    });

    it('holds a delayed message back', async () => {
      await queue.send(['later'], { delaySeconds: 10 });
      await queue.send(['now']);
      expect(bodies(await receiveAll())).toEqual(['now']);
      await harness.pass(11);
      expect(bodies(await receiveAll())).toEqual(['later']);
    });

    it('gives a message that was received too often to the dead letters, with the last failure', async () => {
      await queue.send(['bad', 'good']);
      for (let round = 1; round <= options.maxReceives; round++) {
        const messages = await receiveAll();
        const bad = messages.find(({ body }) => body === 'bad');
        expect(bad?.receiveCount).toBe(round);
        if (bad) await queue.abandon(bad, { reason: `failure ${round}` });
        const good = messages.find(({ body }) => body === 'good');
        if (good) await queue.complete(good);
      }
      expect(await queue.receive(10)).toEqual([]);
      const [dead, ...others] = await allDeadLetters();
      expect(others).toEqual([]);
      expect(dead).toMatchObject({ body: 'bad', receiveCount: options.maxReceives });
      expect(dead?.reason).toBe('received 3 times, last failure: failure 3');
    });

    it('remembers the last failure that was named', async () => {
      await queue.send(['a']);
      await queue.abandon(await receiveOne(), { reason: 'no route' });
      await queue.abandon(await receiveOne());
      await queue.abandon(await receiveOne());
      expect(await queue.receive(1)).toEqual([]);
      expect((await allDeadLetters())[0]?.reason).toBe('received 3 times, last failure: no route');
    });

    it('does the same when handlers die without a word', async () => {
      await queue.send(['killer']);
      for (let round = 1; round <= options.maxReceives; round++) {
        expect((await receiveOne()).receiveCount).toBe(round);
        await harness.pass(options.visibilitySeconds + 1);
      }
      expect(await queue.receive(10)).toEqual([]);
      expect((await allDeadLetters())[0]?.reason).toMatch(/^received 3 times, and never settled/);
    });

    it('keeps dead letters apart with their reason, oldest first, in pages', async () => {
      await queue.send(['1', '2', '3', '4', '5']);
      for (const message of await receiveAll()) {
        expect(await queue.deadLetter(message, `bad ${message.body}`)).toBe(true);
        await harness.pass(1);
      }
      const letters = await allDeadLetters();
      expect(bodies(letters)).toEqual(['1', '2', '3', '4', '5']);
      for (const { body, reason, receiveCount, deadAt, enqueuedAt } of letters) {
        expect(reason).toBe(`bad ${body}`);
        expect(receiveCount).toBe(1);
        expect(deadAt).toBeGreaterThanOrEqual(enqueuedAt);
      }
      expect(await queue.deadLetters({ limit: 5 })).not.toHaveProperty('next');
      await harness.pass(options.visibilitySeconds + 1);
      expect(await queue.receive(10)).toEqual([]);
    });

    it('cuts an endless reason', async () => {
      await queue.send(['a']);
      await queue.deadLetter(await receiveOne(), 'x'.repeat(100_000));
      const [letter] = await allDeadLetters();
      expect(letter?.reason).toMatch(/^x+/);
      expect(letter?.reason.length).toBeLessThanOrEqual(4096);
    });

    it('replays all dead letters, or those named, with a fresh count', async () => {
      await queue.send(['1', '2', '3']);
      for (const message of await receiveAll()) await queue.deadLetter(message, 'bad');
      const letters = await allDeadLetters();
      const second = letters.find(({ body }) => body === '2');
      expect(await queue.replay([second?.id ?? '', 'no such id', second?.id ?? ''])).toBe(1);
      const back = await receiveAll();
      expect(back).toMatchObject([{ body: '2', receiveCount: 1 }]);
      expect(await queue.replay()).toBe(2);
      expect(await queue.replay()).toBe(0);
      expect(bodies(await receiveAll()).sort()).toEqual(['1', '3']);
      expect(await allDeadLetters()).toEqual([]);
    });

    it('lets one message die and be replayed again and again', async () => {
      await queue.send(['a']);
      for (let round = 0; round < 3; round++) {
        await queue.deadLetter(await receiveOne(), `round ${round}`);
        expect(await allDeadLetters()).toMatchObject([{ body: 'a', reason: `round ${round}` }]);
        expect(await queue.replay()).toBe(1);
      }
      expect(await queue.complete(await receiveOne())).toBe(true);
    });

    it('drops the dead letters that are named, for good, and no others', async () => {
      await queue.send(['1', '2', '3']);
      for (const message of await receiveAll()) await queue.deadLetter(message, 'bad');
      const letters = await allDeadLetters();
      const idOf = (wanted: string) => letters.find(({ body }) => body === wanted)?.id ?? '';
      expect(await queue.dropDeadLetters([])).toBe(0);
      expect(await queue.dropDeadLetters([idOf('2'), 'no such id', idOf('2'), idOf('3')])).toBe(2);
      expect(await queue.dropDeadLetters([idOf('2'), idOf('3')])).toBe(0);
      expect(await allDeadLetters()).toMatchObject([{ body: '1' }]);
      expect(await queue.replay([idOf('2'), idOf('3')])).toBe(0);
      expect(await queue.replay()).toBe(1);
      expect(bodies(await receiveAll())).toEqual(['1']);
    });

    it('lets a drop name nothing but dead letters of its own queue', async () => {
      const other = await harness.open('nodes', options);
      await queue.send(['dead', 'alive']);
      const [first, second] = await receiveAll();
      if (first) await queue.deadLetter(first, 'bad');
      if (second) await queue.abandon(second);
      const ids = [first?.id ?? '', second?.id ?? ''];
      expect(await other.dropDeadLetters(ids)).toBe(0);
      expect(await allDeadLetters()).toMatchObject([{ id: first?.id }]);
      expect(await queue.dropDeadLetters(ids)).toBe(1);
      expect(await receiveOne()).toMatchObject({ id: second?.id });
    });

    it('keeps whose a message is, through the dead letters and back', async () => {
      await queue.send(['a'], { group: 'one' });
      await queue.abandon(await receiveOne(), { delaySeconds: 1 });
      await harness.pass(2);
      const message = await receiveOne();
      expect(message.group).toBe('one');
      await queue.deadLetter(message, 'bad');
      expect(await allDeadLetters()).toMatchObject([{ group: 'one' }]);
      await queue.replay();
      expect((await receiveOne()).group).toBe('one');
      await queue.send(['b']);
      expect(await receiveOne()).not.toHaveProperty('group');
    });

    it('drops the dead letters that match a filter, and no others', async () => {
      await queue.send(['1', '2'], { group: 'one' });
      await queue.send(['3', '4'], { group: 'two' });
      await queue.send(['5']);
      for (const message of (await receiveAll()).sort((a, b) => (a.body < b.body ? -1 : 1))) {
        await queue.deadLetter(message, Number(message.body) % 2 === 0 ? 'an even one' : '100% odd_');
        await harness.pass(2);
      }
      const left = async (): Promise<string[]> => (await allDeadLetters()).map(({ body }) => body).sort();
      expect(await queue.dropDeadLetters({ group: 'three' })).toBe(0);
      expect(await queue.dropDeadLetters({ reason: '%' })).toBe(3);
      expect(await left()).toEqual(['2', '4']);
      const [{ deadAt } = { deadAt: 0 }] = (await allDeadLetters()).filter(({ body }) => body === '4');
      expect(await queue.dropDeadLetters({ group: 'two', deadBefore: deadAt })).toBe(0);
      expect(await queue.dropDeadLetters({ deadBefore: deadAt })).toBe(1);
      expect(await left()).toEqual(['4']);
      expect(await queue.dropDeadLetters({})).toBe(1);
      expect(await left()).toEqual([]);
    });

    it.runIf(takesTurns)('lets groups take turns, however much one of them has sent before', async () => {
      await queue.send(
        Array.from({ length: 50 }, (_, index) => `a${index}`),
        { group: 'a' },
      );
      await queue.send(['b0', 'b1'], { group: 'b' });
      await queue.send(['c0'], { group: 'c' });
      await queue.send(['none']);
      expect(bodies(await queue.receive(3))).toEqual(['none', 'a0', 'b0']);
      // The next receive goes on where this one stopped.
      expect(bodies(await queue.receive(4))).toEqual(['c0', 'a1', 'b1', 'a2']);
    });

    it.runIf(takesTurns)('lets the retries of one group hold up no other', async () => {
      await queue.send(
        Array.from({ length: 50 }, (_, index) => `a${index}`),
        { group: 'a' },
      );
      await Promise.all((await receiveAll()).map((message) => queue.abandon(message, { reason: 'not yet' })));
      await queue.send(['b0'], { group: 'b' });
      expect(bodies(await queue.receive(2))).toContain('b0');
    });

    it.runIf(takesTurns)('leaves on the queue what the receiver has no room for', async () => {
      await queue.send(['a0', 'a1', 'a2'], { group: 'a' });
      await queue.send(['b0', 'b1'], { group: 'b' });
      const room = (group: string): number => (group === 'a' ? 1 : 0);
      expect(bodies(await queue.receive(10, { room }))).toEqual(['a0']);
      expect(await queue.receive(10, { room: () => 0 })).toEqual([]);
      expect(bodies(await queue.receive(10))).toEqual(['b0', 'a1', 'b1', 'a2']);
    });

    it.runIf(hasBounds)(
      'takes no more of a group than its share, in messages or bytes, and all that others send',
      async () => {
        const share = { messages: 3, bytes: 100 };
        const bounded = await harness.open('bounded', { ...options, share });
        await bounded.send(['1', '2'], { group: 'a' });
        await bounded.send(['3', '4'], { group: 'a' });
        const refused = bounded.send(['5'], { group: 'a' });
        await expect(refused).rejects.toThrow(NoRoomError);
        await expect(refused).rejects.toMatchObject({ what: 'share', retryAfterSeconds: 5 });
        await bounded.send(['x'.repeat(100)], { group: 'b' });
        await expect(bounded.send(['y'], { group: 'b' })).rejects.toThrow(
          /"b" with 100 bytes.*3 messages or 100 bytes/,
        );
        await bounded.send(['6'], { group: 'c' });
        for (const message of await receiveAll(bounded)) await bounded.complete(message);
        await bounded.send(['7'], { group: 'a' });
        await bounded.send(['8'], { group: 'b' });
        expect(bodies(await receiveAll(bounded)).sort()).toEqual(['7', '8']);
      },
    );

    it.runIf(hasBounds)('bounds dead letters in number, bytes and age, and says how many went', async () => {
      const told: object[] = [];
      const onDropped = (dropped: object): void => void told.push(dropped);
      const deadLetterBounds = { letters: 3, bytes: 200, seconds: 3600, onDropped };
      const bounded = await harness.open('bounded', { ...options, deadLetterBounds });
      const bury = async (body: string, group: string): Promise<void> => {
        await bounded.send([body], { group });
        await bounded.deadLetter(await receiveOne(bounded), 'bad');
      };
      const left = async () => (await allDeadLetters(bounded)).map(({ body }) => body.slice(0, 2));
      await bury('b0', 'b');
      for (const body of ['a0', 'a1', 'a2', 'a3']) await bury(body, 'a');
      // Of the group that has most of them the oldest: the letter of another group stays.
      expect(await left()).toEqual(['b0', 'a2', 'a3']);
      await bury(`c0${'x'.repeat(190)}`, 'c');
      expect(await left()).toEqual(['b0', 'a3']);
      expect(told).toEqual([
        { letters: 1, why: 'number' },
        { letters: 1, why: 'number' },
        { letters: 1, why: 'number' },
        { letters: 1, why: 'bytes' },
      ]);
      await harness.pass(3601);
      expect(await bounded.receive(1)).toEqual([]);
      expect(await left()).toEqual([]);
      expect(told.at(-1)).toEqual({ letters: 2, why: 'age' });
    });

    it('gives a dead letter to the drop or to the replay, not to both', async () => {
      await queue.send(['1', '2', '3', '4']);
      for (const message of await receiveAll()) await queue.deadLetter(message, 'bad');
      const ids = (await allDeadLetters()).map(({ id }) => id);
      const [dropped, replayed] = await Promise.all([queue.dropDeadLetters(ids), queue.replay(ids)]);
      expect(dropped + replayed).toBe(4);
      expect(await receiveAll()).toHaveLength(replayed);
      expect(await allDeadLetters()).toEqual([]);
    });

    it('counts what is ready, delayed, in flight and dead', async () => {
      expect(await queue.stats()).toEqual({ ready: 0, delayed: 0, inFlight: 0, dead: 0, oldestAgeMs: 0 });
      await queue.send(['1', '2', '3', '4']);
      await queue.send(['later'], { delaySeconds: 60 });
      await queue.deadLetter(await receiveOne(), 'bad');
      await receiveOne();
      await harness.pass(10);
      const stats = await queue.stats();
      expect(stats).toMatchObject(counts({ ready: 2, delayed: 1, inFlight: 1, dead: 1 }));
      if (tellsAge) expect(stats.oldestAgeMs).toBeGreaterThanOrEqual(10_000);
      if (!countsAtOnce) return;
      await harness.pass(options.visibilitySeconds);
      expect(await queue.stats()).toMatchObject({ ready: 3, delayed: 1, inFlight: 0, dead: 1 });
      await harness.pass(60);
      expect(await queue.stats()).toMatchObject({ ready: 4, delayed: 0, inFlight: 0, dead: 1 });
    });

    it('keeps queues of different names apart', async () => {
      const other = await harness.open('nodes', options);
      await queue.send(['a']);
      expect(await other.receive(10)).toEqual([]);
      const message = await receiveOne();
      expect(await other.complete(message)).toBe(false);
      await queue.deadLetter(message, 'bad');
      expect(await other.replay()).toBe(0);
      expect(await allDeadLetters(other)).toEqual([]);
      expect((await other.stats()).dead).toBe(0);
    });

    it('gives every message to one receiver only, however many ask at once', async () => {
      const sent = Array.from({ length: 100 }, (_, index) => String(index));
      await queue.send(sent);
      const answers = await Promise.all(Array.from({ length: 30 }, () => queue.receive(4)));
      const received = [...answers.flat(), ...(await receiveAll())].map(({ body }) => body);
      expect((givesToOne ? received : [...new Set(received)]).sort()).toEqual(sent.sort());
    });

    it('lets one of many settlements of a delivery win', async () => {
      await queue.send(['a']);
      const message = await receiveOne();
      const answers = await Promise.all([
        queue.complete(message),
        queue.deadLetter(message, 'bad'),
        queue.complete(message),
      ]);
      expect(answers.filter(Boolean)).toHaveLength(1);
    });

    it('remembers everything over a crash', async () => {
      await queue.send(['1', '2', '3']);
      await queue.send(['later'], { delaySeconds: 60 });
      await queue.deadLetter(await receiveOne(), 'bad');
      const held = await receiveOne();
      await harness.crash();
      const reopened = await harness.open('claims', options);
      expect(await reopened.stats()).toMatchObject(counts({ ready: 1, delayed: 1, inFlight: 1, dead: 1 }));
      expect(await reopened.complete(held)).toBe(true);
      await harness.pass(61);
      expect(bodies(await receiveAll(reopened)).length).toBe(2);
      expect(await allDeadLetters(reopened)).toMatchObject([{ reason: 'bad' }]);
    });

    it.runIf(exact)('behaves like the model', async () => {
      await queueModel(make, modelRuns);
    });
  });
}
