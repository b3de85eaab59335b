import { expect, test } from 'vitest';
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
  expect((await settled(database))?.message).toMatch(/can't be written: .* start again/);
  expect(await settled(database)).toBeInstanceOf(Error);
});

test('a file that is no database is refused with its name', () => {
  expect(() => openDatabase(import.meta.filename)).toThrow(/can't open the cluster's data in .*database\.test\.ts/);
});
