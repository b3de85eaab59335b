import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { StorageError } from '../../../shared/platforms/sqlite/sqlite.ts';
import { openDatabase } from './database.ts';

const settled = (database: ReturnType<typeof openDatabase>) =>
  new Promise<Error | undefined>((resolve) => database.afterCommit(resolve));

test('the last write to a key within one commit counts', async () => {
  const database = openDatabase(':memory:');
  database.put('pods', 'a', '1');
  database.put('pods', 'a', '2');
  database.put('pods', 'b', '3');
  database.remove('pods', 'b');
  database.setResourceVersion(4);
  expect(await settled(database)).toBeUndefined();
  expect(database.load()).toEqual({ rows: [{ resource: 'pods', key: 'a', json: '2' }], resourceVersion: 4 });
  database.close();
});

test('after a failed commit nothing is answered any more, and the error says what to do', async () => {
  const database = openDatabase(':memory:');
  database.close();
  database.put('pods', 'a', '1');
  expect((await settled(database))?.message).toMatch(/a commit failed .* Restart/);
  expect(await settled(database)).toBeInstanceOf(Error);
});

test('a file that is no database is refused with its name and what to do', () => {
  expect(() => openDatabase(import.meta.filename)).toThrow(StorageError);
  expect(() => openDatabase(import.meta.filename)).toThrow(
    /database\.test\.ts: the file is not a SQLite database .* move it away; without it, the simulated cluster starts empty/,
  );
});

test('a file that is damaged in the middle is refused with its name and what to do', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'poolwright-')), 'cluster.db');
  onTestFinished(() => rmSync(dirname(file), { recursive: true }));
  const database = openDatabase(file);
  for (let i = 0; i < 200; i++) database.put('pods', `pod-${i}`, JSON.stringify({ pad: 'x'.repeat(500) }));
  await settled(database);
  database.close();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x5a, 4096));
  expect(() => openDatabase(file).load()).toThrow(StorageError);
  expect(() => openDatabase(file).load()).toThrow(/cluster\.db: the database is damaged .* move it away/);
});
