import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GroupCommit, openDatabase, StorageError, schemaVersion, toStorageError } from './sqlite.ts';

const migrations = ['create table item (name text primary key, body text) strict'];
let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sqlite-'));
  file = join(directory, 'test.db');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = (scripts = migrations, busyTimeoutMs = 0) =>
  openDatabase({ file, synchronous: 'FULL', migrations: scripts, busyTimeoutMs });

function storageErrorOf(work: () => unknown): StorageError {
  try {
    work();
  } catch (error) {
    if (error instanceof StorageError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

const names = (database: { connection: DatabaseSync }) =>
  database.connection
    .prepare('select name from item order by name')
    .all()
    .map((row) => row.name);

describe('opening a database', () => {
  it('uses a write-ahead log and the asked durability', () => {
    const database = open();

    expect(database.connection.prepare('pragma journal_mode').get()?.journal_mode).toBe('wal');
    expect(database.connection.prepare('pragma synchronous').get()?.synchronous).toBe(2);
    database.close();
  });

  it('applies only the migrations that the file has not seen, and keeps its rows', () => {
    const before = open();
    before.connection.exec("insert into item values ('a', 'b')");
    before.close();

    const after = open([...migrations, 'alter table item add column extra integer not null default 7']);

    expect(schemaVersion(after)).toBe(2);
    expect(after.connection.prepare('select * from item').get()).toEqual({ name: 'a', body: 'b', extra: 7 });
    after.close();
  });

  it('leaves no trace of a migration that fails half way', () => {
    expect(() => open(['create table one (x); create table one (x)'])).toThrow();

    const database = open([]);
    expect(schemaVersion(database)).toBe(0);
    expect(database.connection.prepare("select count(*) as n from sqlite_schema where name = 'one'").get()?.n).toBe(0);
    database.close();
  });

  it('refuses a file with a newer schema and says so', () => {
    open([...migrations, 'create table later (x)']).close();

    const error = storageErrorOf(() => open());

    expect(error.kind).toBe('newer-schema');
    expect(error.message).toContain(file);
    expect(error.message).toContain('schema 2, this version knows 1');
  });

  it('refuses a file that is no database', () => {
    writeFileSync(file, 'this is a text that is longer than the header of a database file. '.repeat(20));

    expect(storageErrorOf(() => open())).toMatchObject({ kind: 'corrupt', file });
  });

  it('refuses a damaged file', () => {
    const database = open();
    const insert = database.connection.prepare('insert into item values (?, ?)');
    database.transaction(() => {
      for (let i = 0; i < 500; i++) insert.run(`name-${i}`, 'x'.repeat(100));
    });
    database.close();
    const bytes = readFileSync(file);
    bytes.fill(0xff, 4096, bytes.length - 4096);
    writeFileSync(file, bytes);

    expect(storageErrorOf(() => open())).toMatchObject({ kind: 'corrupt', file });
  });

  it('says what to do when the directory does not exist', () => {
    file = join(directory, 'nowhere', 'test.db');

    expect(storageErrorOf(() => open())).toMatchObject({ kind: 'io', whatToDo: expect.stringContaining('directory') });
  });

  it('says that another process holds the file', () => {
    open().close();
    const other = new DatabaseSync(file);
    other.exec('begin exclusive');

    expect(storageErrorOf(() => open([...migrations, 'create table later (x)'])).kind).toBe('locked');
    other.close();
  });

  // Root may write to everything, so the file mode proves nothing there.
  it.skipIf(process.getuid?.() === 0)('says that the file is read-only', () => {
    open().close();
    chmodSync(file, 0o444);
    chmodSync(directory, 0o555);

    expect(storageErrorOf(() => open([...migrations, 'create table later (x)'])).kind).toBe('io');
    chmodSync(directory, 0o755);
  });

  it('maps a read-only refusal and leaves errors of a statement alone', () => {
    const database = open();
    const refused = (sql: string) => {
      try {
        database.connection.exec(sql);
      } catch (error) {
        return toStorageError(error, file);
      }
      throw new Error('it did not fail');
    };

    expect(refused('insert into nothing values (1)')).toBeUndefined();
    database.connection.exec('pragma query_only = 1');
    expect(refused("insert into item values ('a', 'b')")?.kind).toBe('io');
    expect(toStorageError(new Error('unrelated'), file)).toBeUndefined();
    database.close();
  });
});

describe('a transaction', () => {
  it('keeps all or nothing', () => {
    const database = open();
    const insert = database.connection.prepare('insert into item (name) values (?)');

    expect(() =>
      database.transaction(() => {
        insert.run('a');
        throw new Error('no');
      }),
    ).toThrow('no');
    database.transaction(() => insert.run('b'));

    expect(names(database)).toEqual(['b']);
    database.close();
  });
});

describe('a group commit', () => {
  const setup = (options: ConstructorParameters<typeof GroupCommit>[1] = {}) => {
    const database = open();
    const insert = database.connection.prepare('insert into item (name, body) values (?, ?)');
    const commits = new GroupCommit(database, options);
    const add = (name: string, body = '') => commits.enqueue(() => insert.run(name, body).changes);
    return { database, commits, add };
  };

  it('carries the writes of one turn in one commit and answers each caller', async () => {
    const { database, commits } = setup();

    const results = await Promise.all([1, 2, 3].map((n) => commits.enqueue(() => n * 2)));

    expect(results).toEqual([2, 4, 6]);
    expect(commits.counts).toEqual({ commits: 1, writes: 3 });
    database.close();
  });

  it('answers only after the commit: another connection sees the row by then', async () => {
    const { database, add } = setup();
    const other = new DatabaseSync(file);

    const pending = add('a');
    expect(names({ connection: other })).toEqual([]);
    await pending;

    expect(names({ connection: other })).toEqual(['a']);
    other.close();
    database.close();
  });

  it('undoes only the closure that throws', async () => {
    const { database, commits, add } = setup();

    const [first, second, third] = await Promise.allSettled([
      add('a'),
      commits.enqueue(() => {
        database.connection.exec("insert into item (name) values ('half')");
        throw new Error('mine alone');
      }),
      add('c'),
    ]);

    expect([first.status, second.status, third.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(names(database)).toEqual(['a', 'c']);
    database.close();
  });

  it('does not wait for the end of the turn when the group is large', async () => {
    const { database, commits, add } = setup({ maxGroup: 3, schedule: () => undefined });

    await Promise.all([add('a'), add('b'), add('c')]);

    expect(commits.counts.commits).toBe(1);
    database.close();
  });

  it('carries a flood of writes in groups of a bounded size', async () => {
    const { database, commits, add } = setup({ maxGroup: 3 });

    await Promise.all(Array.from({ length: 8 }, (_, n) => add(`n${n}`)));

    expect(commits.counts).toEqual({ commits: 3, writes: 8 });
    database.close();
  });

  it('commits everything at once when told to', () => {
    const { database, commits, add } = setup({ maxGroup: 3 });
    for (let n = 0; n < 8; n++) void add(`n${n}`);
    commits.flush();

    expect(commits.pending).toBe(0);
    expect(names(database)).toHaveLength(8);
    database.close();
  });

  it('gives the caller its promise before the closure runs, however large the group is', async () => {
    const { database, commits } = setup({ maxGroup: 1 });
    let promise: Promise<void> | undefined;
    let seen: Promise<void> | undefined;
    promise = commits.enqueue(() => {
      seen = promise;
    });
    await promise;

    expect(seen).toBe(promise);
    database.close();
  });

  it('takes a write that comes from a closure into the next group', async () => {
    const { database, commits, add } = setup();
    let inner: Promise<unknown> | undefined;

    await commits.enqueue(() => {
      inner = add('inner');
    });
    await inner;

    expect(commits.counts.commits).toBe(2);
    database.close();
  });

  it('rejects everybody, reports once and takes no more when the disk is full', async () => {
    const reported: StorageError[] = [];
    const { database, commits, add } = setup({ onFatal: (error) => reported.push(error) });
    await add('before');
    database.connection.exec('pragma max_page_count = 3');

    const results = await Promise.allSettled([add('small'), add('large', 'x'.repeat(100_000)), add('after')]);
    const later = await Promise.allSettled([add('later')]);

    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(later[0].status).toBe('rejected');
    expect(reported).toHaveLength(1);
    expect(reported[0]).toMatchObject({ kind: 'full', file, whatToDo: expect.stringContaining('Free some space') });
    expect(commits.fatal).toBe(reported[0]);
    expect(names(database)).toEqual(['before']);
    database.close();
  });
});
