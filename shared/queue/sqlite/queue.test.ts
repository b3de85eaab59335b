import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { manualClock, systemIds } from '../../base/runtime.ts';
import { openDatabase } from '../../platforms/sqlite/sqlite.ts';
import { NoRoomError } from '../contract.ts';
import { openSqliteQueue } from './queue.ts';
import { openQueueDatabase, queueMigrations } from './schema.ts';
import { queueStatements } from './statements.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const options = { visibilitySeconds: 30, maxReceives: 2, maxBodyBytes: 1000 };

function setUp() {
  const clock = manualClock();
  const opened = openQueueDatabase({ file: ':memory:' });
  cleanups.push(() => opened.database.close());
  return { clock, ...opened, queue: openSqliteQueue({ ...opened, name: 'q', clock, ids: systemIds, options }) };
}

describe('openSqliteQueue', () => {
  it('tells its listeners after everything that can make a message due', async () => {
    const { queue } = setUp();
    let calls = 0;
    const stop = queue.onSend(() => calls++);
    await queue.send(['a']);
    expect(calls).toBe(1);
    const [message] = await queue.receive(1);
    if (message) await queue.abandon(message);
    expect(calls).toBe(2);
    const [again] = await queue.receive(1);
    if (again) await queue.deadLetter(again, 'bad');
    expect(calls).toBe(2);
    await queue.replay();
    expect(calls).toBe(3);
    await queue.send([]);
    stop();
    await queue.send(['b']);
    expect(calls).toBe(3);
  });

  it('tells a listener only when the message can be received', async () => {
    const { queue } = setUp();
    const received = new Promise((resolve) => queue.onSend(() => queue.receive(1).then(resolve)));
    await queue.send(['a']);
    expect(await received).toMatchObject([{ body: 'a' }]);
  });

  it('knows when the next message is due, one in flight included', async () => {
    const { queue, clock } = setUp();
    const now = clock.now();
    expect(await queue.nextVisibleAt()).toBeUndefined();
    await queue.send(['later'], { delaySeconds: 60 });
    expect(await queue.nextVisibleAt()).toBe(now + 60_000);
    await queue.send(['now']);
    expect(await queue.nextVisibleAt()).toBe(now);
    await queue.receive(1);
    expect(await queue.nextVisibleAt()).toBe(now + 30_000);
  });

  it('puts what arrives together into one commit', async () => {
    const { queue, commits } = setUp();
    await Promise.all(Array.from({ length: 50 }, (_, n) => queue.send([String(n)])));
    const before = commits.counts.commits;
    const messages = await queue.receive(50);
    await Promise.all(messages.map((message) => queue.complete(message)));
    expect(commits.counts.commits - before).toBe(2);
  });

  it('refuses a page that it never gave, and settings without sense', async () => {
    const { queue, clock, database, commits } = setUp();
    await expect(queue.deadLetters({ after: 'x' })).rejects.toThrow(/next of an earlier page/);
    const open = (change: object) => () =>
      openSqliteQueue({ database, commits, name: 'q', clock, ids: systemIds, options: { ...options, ...change } });
    expect(open({ maxReceives: 0 })).toThrow(RangeError);
    expect(open({ visibilitySeconds: -1 })).toThrow(RangeError);
  });

  it('replays many dead letters in several commits', async () => {
    const { queue, commits } = setUp();
    await queue.send(Array.from({ length: 1200 }, (_, n) => String(n)));
    const messages = await queue.receive(1200);
    await Promise.all(messages.map((message) => queue.deadLetter(message, 'bad')));
    const before = commits.counts.commits;
    expect(await queue.replay()).toBe(1200);
    expect(commits.counts.commits - before).toBe(3);
    expect(await queue.stats()).toMatchObject({ ready: 1200, dead: 0 });
  });

  it('clears a heap of messages that were received too often in bounded steps', async () => {
    const { queue, clock } = setUp();
    await queue.send(Array.from({ length: 1500 }, (_, n) => String(n)));
    for (let round = 0; round < options.maxReceives; round++) {
      await queue.receive(1500);
      clock.advance(30_000);
    }
    expect(await queue.receive(1)).toEqual([]);
    expect((await queue.stats()).ready).toBe(499);
    expect(await queue.receive(1)).toEqual([]);
    expect(await queue.stats()).toMatchObject({ ready: 0, dead: 1500 });
  });

  it('gives what is on a queue from before there were groups the cluster that its event names', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'poolwright-queue-'));
    cleanups.push(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'queue.db');
    const old = openDatabase({ file, synchronous: 'NORMAL', migrations: queueMigrations.slice(0, 1) });
    const event = (cluster: string): string => JSON.stringify({ data: { cluster } });
    const bodies = [event('a'), event('a'), event('b'), 'not JSON', '{"data":7}', '{"data":{"cluster":7}}'];
    for (const body of bodies)
      old.connection
        .prepare("insert into messages (queue, body, enqueued_at, visible_at) values ('q', ?, 0, 0)")
        .run(body);
    old.connection.exec(`insert into dead_letters (queue, seq, body, reason, receive_count, enqueued_at, dead_at)
      values ('q', 99, '${event('b')}', 'bad', 1, 0, 0)`);
    old.close();
    const opened = openQueueDatabase({ file });
    cleanups.unshift(() => opened.database.close());
    const share = { messages: 2, bytes: 1000 };
    const clock = manualClock();
    const settings = { ...opened, name: 'q', clock, ids: systemIds, options: { ...options, share } };
    const queue = openSqliteQueue(settings);
    await expect(queue.send(['x'], { group: 'a' })).rejects.toThrow(NoRoomError);
    const received = (await queue.receive(10)).map(({ group }) => group);
    expect(received).toEqual([undefined, '7', 'a', 'b', undefined, 'a']);
    expect(await queue.dropDeadLetters({ group: 'b' })).toBe(1);
  });

  it('counts what is on a queue from before totals were the sum of the shares', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'poolwright-queue-'));
    cleanups.push(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'queue.db');
    const old = openDatabase({ file, synchronous: 'NORMAL', migrations: queueMigrations.slice(0, 2) });
    for (const group of ['a', 'a', 'b'])
      old.connection
        .prepare("insert into messages (queue, grp, body, enqueued_at, visible_at) values ('q', ?, 'x', 0, 0)")
        .run(group);
    old.close();
    const opened = openQueueDatabase({ file });
    cleanups.unshift(() => opened.database.close());
    const clock = manualClock();
    const queue = openSqliteQueue({ ...opened, name: 'q', clock, ids: systemIds, options });
    expect(await queue.stats()).toMatchObject({ ready: 3, dead: 0 });
    for (const message of await queue.receive(10)) await queue.complete(message);
    expect(await queue.stats()).toMatchObject({ ready: 0, inFlight: 0 });
    const groups = () => opened.database.connection.prepare('select grp from shares').all().length;
    expect(groups()).toBe(2);
    clock.advance(60_000);
    expect(await queue.receive(1)).toEqual([]);
    expect(groups()).toBe(0);
  });

  it('answers every statement from an index: none walks through a table or sorts', () => {
    const { database } = setUp();
    for (const [name, sql] of Object.entries(queueStatements)) {
      const plan = database.connection
        .prepare(`explain query plan ${sql}`)
        .all(...Array(sql.split('?').length - 1).fill(0));
      for (const { detail } of plan)
        expect(String(detail), name).not.toMatch(/SCAN (messages|dead_letters|shares)|TEMP B-TREE/);
    }
    const hidden = database.connection.prepare(`explain query plan ${queueStatements.hidden}`).all('q', '', 0);
    expect(hidden.map(({ detail }) => detail).join()).toContain('COVERING INDEX messages_by_turn');
  });
});
