/**
 * The journal's tables.
 *
 * - `instance`: one row per workflow id, from its start until retention removes it.
 * - `position`: where a running instance stands; the row goes when it ends. `wake` is set while the instance is cold,
 *   that is known to the database alone; it is null while the engine holds it in memory.
 * - `journal`: one row per finished command, written once.
 * - `mailbox`: signals that nobody has waited for yet.
 * - `counter`: the epoch floor. An epoch number at or below it may have been used by a history that is gone.
 */
import { openDatabase, type SqliteDatabase } from '../../platforms/sqlite/sqlite.ts';

export const journalMigrations: readonly string[] = [
  `
  create table instance (
    id integer primary key,
    key text not null,
    epoch integer not null,
    workflow text not null,
    version integer not null,
    grp text not null,
    input text not null,
    status text not null,
    started_at integer not null,
    ended_at integer,
    result text,
    error text,
    unique (key, epoch)
  ) strict;
  create index instance_by_status on instance (status, id);
  create index instance_by_end on instance (ended_at) where ended_at is not null;

  create table position (
    instance integer primary key,
    grp text not null,
    step integer not null,
    current text,
    items text,
    signal text,
    due integer not null,
    executing integer not null,
    wake integer
  ) strict;
  create index position_by_wake on position (grp, wake) where wake is not null;

  create table journal (
    instance integer not null,
    step integer not null,
    command text not null,
    ok integer not null,
    value text,
    at integer not null,
    primary key (instance, step)
  ) strict, without rowid;

  create table mailbox (
    instance integer not null,
    name text not null,
    at integer not null,
    primary key (instance, name)
  ) strict, without rowid;

  create table counter (name text primary key, value integer not null) strict, without rowid;
  `,
];

/** Opens the journal file. It records steps that cost money, so every commit reaches the disk. */
export function openJournal(file: string): SqliteDatabase {
  return openDatabase({ file, synchronous: 'BACKGROUND', migrations: journalMigrations });
}
