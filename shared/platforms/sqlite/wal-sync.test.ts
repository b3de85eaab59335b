import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { GroupCommit, openDatabase, type SqliteDatabase } from './sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'wal-sync-'));
let database: SqliteDatabase | undefined;
let files = 0;
afterEach(() => database?.close());
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

function open(file = join(folder, `${++files}.db`)) {
  const opened = openDatabase({ file, synchronous: 'BACKGROUND', migrations: ['create table a (n integer) strict'] });
  database = opened;
  const onFatal = vi.fn();
  const commits = new GroupCommit(opened, { onFatal });
  const insert = opened.connection.prepare('insert into a values (?)');
  const count = (): unknown => opened.connection.prepare('select count(*) as n from a').get()?.n;
  return { opened, commits, count, onFatal, add: (n: number) => commits.enqueue(() => insert.run(n)) };
}

test('tells each caller in its order, after its commit', async () => {
  const { add, count, commits } = open();
  const told: number[] = [];
  await Promise.all(Array.from({ length: 2000 }, (_, n) => add(n).then(() => told.push(n))));

  expect(told).toEqual(Array.from({ length: 2000 }, (_, n) => n));
  expect(count()).toBe(2000);
  expect(commits.pending).toBe(0);
  expect(commits.counts.commits).toBeLessThan(100);
});

test('goes on while the disk is waited for', async () => {
  const { add, commits } = open();
  const first = add(1);
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  const second = add(2);
  expect(commits.pending).toBeGreaterThan(0);

  await Promise.all([first, second]);
});

test('a flush waits in place, and nobody is told twice', async () => {
  const { add, commits } = open();
  let told = 0;
  const writes = [add(1), add(2)].map((write) => write.then(() => told++));
  commits.flush();
  const later = add(3).then(() => told++);
  commits.flush();
  await Promise.all([...writes, later]);
  await new Promise(setImmediate);

  expect(told).toBe(3);
  expect(commits.pending).toBe(0);
});

test('closing tells whoever still waits', async () => {
  const { add, opened } = open();
  const write = add(1);
  await new Promise(setImmediate);
  opened.close();

  await write;
});

test('a write that throws is rejected alone', async () => {
  const { commits, add, count } = open();
  const bad = commits.enqueue(() => {
    throw new Error('no');
  });
  const good = add(1);

  await expect(bad).rejects.toThrow('no');
  await good;
  expect(count()).toBe(1);
});

test('in memory there is no log to wait for', async () => {
  const { add, count } = open(':memory:');
  await add(1);

  expect(count()).toBe(1);
});
