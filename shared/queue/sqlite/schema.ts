import { GroupCommit, openDatabase, type SqliteDatabase, type StorageError } from '../../platforms/sqlite/sqlite.ts';

/**
 * Several queues share one file. What each group (cluster) has of a queue is kept by triggers, so that reading the depth of a queue
 * never counts its messages. The index on messages is what `receive` walks, group by group:
 * (queue, grp, visible_at, seq), and it holds `leased` too, so that counting what is hidden doesn't touch the rows.
 *
 * `seq` is never used twice (autoincrement): it is the id of a message, also through the dead letters and back.
 */
export const queueMigrations: readonly string[] = [
  `
  create table messages (
    seq integer primary key autoincrement,
    queue text not null,
    body text not null,
    enqueued_at integer not null,
    visible_at integer not null,
    receive_count integer not null default 0,
    leased integer not null default 0,
    receipt text,
    last_failure text
  ) strict;
  create index messages_by_visibility on messages (queue, visible_at, seq, leased);
  create index messages_by_age on messages (queue, enqueued_at);

  create table dead_letters (
    position integer primary key autoincrement,
    queue text not null,
    seq integer not null unique,
    body text not null,
    reason text not null,
    receive_count integer not null,
    enqueued_at integer not null,
    dead_at integer not null
  ) strict;
  create index dead_letters_by_queue on dead_letters (queue, position);

  create table totals (
    queue text primary key,
    messages integer not null default 0,
    dead integer not null default 0
  ) strict, without rowid;

  create trigger message_added after insert on messages begin
    insert into totals (queue, messages) values (new.queue, 1)
      on conflict (queue) do update set messages = messages + 1;
  end;
  create trigger message_removed after delete on messages begin
    update totals set messages = messages - 1 where queue = old.queue;
  end;
  create trigger dead_letter_added after insert on dead_letters begin
    insert into totals (queue, dead) values (new.queue, 1)
      on conflict (queue) do update set dead = dead + 1;
  end;
  create trigger dead_letter_removed after delete on dead_letters begin
    update totals set dead = dead - 1 where queue = old.queue;
  end;
  `,
  // What came before there were groups gets the cluster that its event names, so that it takes turns too.
  `
  alter table messages add column grp text not null default '';
  alter table dead_letters add column grp text not null default '';
  update messages set grp = coalesce(json_extract(body, '$.data.cluster'), '') where json_valid(body);
  update dead_letters set grp = coalesce(json_extract(body, '$.data.cluster'), '') where json_valid(body);
  drop index messages_by_visibility;
  create index messages_by_turn on messages (queue, grp, visible_at, seq, leased);
  create index dead_letters_by_group on dead_letters (queue, grp, position);

  create table shares (
    queue text not null,
    grp text not null,
    messages integer not null default 0,
    bytes integer not null default 0,
    dead integer not null default 0,
    dead_bytes integer not null default 0,
    primary key (queue, grp)
  ) strict, without rowid;
  insert into shares (queue, grp, messages, bytes)
    select queue, grp, count(*), sum(octet_length(body)) from messages where true group by queue, grp;
  insert into shares (queue, grp, dead, dead_bytes)
    select queue, grp, count(*), sum(octet_length(body) + octet_length(reason)) from dead_letters
    where true group by queue, grp
    on conflict (queue, grp) do update set dead = excluded.dead, dead_bytes = excluded.dead_bytes;

  create trigger share_message_added after insert on messages begin
    insert into shares (queue, grp, messages, bytes) values (new.queue, new.grp, 1, octet_length(new.body))
      on conflict (queue, grp) do update set messages = messages + 1, bytes = bytes + excluded.bytes;
  end;
  create trigger share_message_removed after delete on messages begin
    update shares set messages = messages - 1, bytes = bytes - octet_length(old.body)
      where queue = old.queue and grp = old.grp;
    delete from shares where queue = old.queue and grp = old.grp and messages = 0 and dead = 0;
  end;
  create trigger share_dead_letter_added after insert on dead_letters begin
    insert into shares (queue, grp, dead, dead_bytes)
      values (new.queue, new.grp, 1, octet_length(new.body) + octet_length(new.reason))
      on conflict (queue, grp) do update set dead = dead + 1, dead_bytes = dead_bytes + excluded.dead_bytes;
  end;
  create trigger share_dead_letter_removed after delete on dead_letters begin
    update shares set dead = dead - 1, dead_bytes = dead_bytes - octet_length(old.body) - octet_length(old.reason)
      where queue = old.queue and grp = old.grp;
    delete from shares where queue = old.queue and grp = old.grp and messages = 0 and dead = 0;
  end;
  `,
  // The totals are the sum of the shares, and a group that has nothing for a moment keeps its row: both were work for every message.
  `
  drop trigger message_added;
  drop trigger message_removed;
  drop trigger dead_letter_added;
  drop trigger dead_letter_removed;
  drop table totals;
  drop trigger share_message_removed;
  create trigger share_message_removed after delete on messages begin
    update shares set messages = messages - 1, bytes = bytes - octet_length(old.body)
      where queue = old.queue and grp = old.grp;
  end;
  `,
];

export interface QueueDatabase {
  database: SqliteDatabase;
  /** Shared by all queues of the file, so that they share their commits. */
  commits: GroupCommit;
}

/**
 * Opens the file that holds the queues. Messages are hints that the resync repeats, so the last moments before a power
 * cut may be lost (NORMAL); the death of the process loses nothing.
 */
export function openQueueDatabase(options: { file: string; onFatal?: (error: StorageError) => void }): QueueDatabase {
  const database = openDatabase({ file: options.file, synchronous: 'NORMAL', migrations: queueMigrations });
  return { database, commits: new GroupCommit(database, options.onFatal ? { onFatal: options.onFatal } : {}) };
}
