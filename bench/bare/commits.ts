/**
 * The host's commits, bare: the same three files with the same safety, one plain table each, rows of the same size, and
 * shared commits, because whoever has many writes at once and a slow disk would do the same.
 */
import { join } from 'node:path';
import { GroupCommit, openDatabase } from '../../shared/platforms/sqlite/sqlite.ts';
import type { Commit } from './lives.ts';

const migrations = ['create table entry (id integer primary key, body text not null) strict'];
const sizes = { event: 420, receive: 420, start: 260, step: 700, note: 400 } as const;

export function openCommits(directory: string): Commit {
  const open = (name: string, synchronous: 'BACKGROUND' | 'NORMAL') => {
    const database = openDatabase({ file: join(directory, `bare-${name}.db`), synchronous, migrations });
    const insert = database.connection.prepare('insert into entry (body) values (?)');
    const commits = new GroupCommit(database);
    return (size: number): Promise<void> => commits.enqueue(() => void insert.run('x'.repeat(size)));
  };
  const queue = open('queue', 'NORMAL');
  const journal = open('journal', 'BACKGROUND');
  const state = open('state', 'NORMAL');
  const files = { event: queue, receive: queue, start: journal, step: journal, note: state };
  return (what) => files[what](sizes[what]);
}
