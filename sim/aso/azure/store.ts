/** The simulated Azure in one SQLite file: what exists, and what existed. */
import type { DatabaseSync } from 'node:sqlite';
import { openDatabase, type SqliteDatabase } from '../../../shared/platforms/sqlite/sqlite.ts';
import { simulatedStorageError } from '../../kit/storage-failure.ts';
import type { AzureResource } from './resource.ts';

const schema = 'create table resources (seq integer primary key, json text not null, gone integer not null) strict;';

export class AzureStore {
  readonly #database: SqliteDatabase;
  readonly #put: ReturnType<DatabaseSync['prepare']>;

  /** A path, or `:memory:`. */
  constructor(file: string) {
    try {
      this.#database = openDatabase({ file, synchronous: 'NORMAL', migrations: [schema] });
    } catch (error) {
      throw simulatedStorageError(error, file, 'cloud');
    }
    this.#put = this.#database.connection.prepare('insert or replace into resources values (?, ?, ?)');
  }

  put(resource: AzureResource): void {
    this.#database.guard(() => this.#put.run(resource.seq, JSON.stringify(resource), resource.goneAt === null ? 0 : 1));
  }

  all(): AzureResource[] {
    const rows = this.#database.guard(() =>
      this.#database.connection.prepare('select json from resources order by seq').all(),
    );
    return rows.map(({ json }) => JSON.parse(String(json)) as AzureResource);
  }

  close(): void {
    this.#database.close();
  }
}
