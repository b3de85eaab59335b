/**
 * State on Azure Table storage. A compare-and-set is one request with the entity's etag. Table storage has no time to live: an
 * expired entry reads as absent everywhere, and `sweep` removes it some time later.
 *
 * The client repeats a request whose answer was lost, and the repetition of a conditional write meets its own work. So every
 * write has an id of its own, and one that is refused looks whose work it met.
 */
import type { TableClient } from '@azure/data-tables';
import type { Json } from '../../base/json.ts';
import type { Clock, Ids } from '../../base/runtime.ts';
import { checkKey, checkLimit, checkTimeToLive, checkValue } from '../arguments.ts';
import type { Entry, State } from '../contract.ts';
import { explained, failureOf, openTable, type RetryOptions, type TablesConnection } from './client.ts';
import { type FoundEntity, isLive, liveEtag, type StateEntity, toEntity, toEntry, toVersion } from './entity.ts';
import { filtersFor, toTableKeys } from './keys.ts';

export interface TablesStateOptions {
  connection: TablesConnection;
  /** 3 to 63 letters and digits, starting with a letter. It is made when it is missing at the first write. */
  table: string;
  clock: Clock;
  ids: Ids;
  retry?: RetryOptions;
}

export interface TablesState extends State {
  /** Removes up to `limit` expired entries and says how many. Walks through the whole table: for a timer, once an hour. */
  sweep(limit?: number): Promise<number>;
}

const defaultPage = 100;
/** A page ends when it holds this much text, whatever its limit: a list must not fill the memory. */
const pageCharacters = 1024 * 1024;
/** An operation with all its repetitions. A function must not hang on a store that holds only what may be lost. */
const longestMs = 20_000;
/** So often may somebody else come in between before we give up. Each time, somebody has got on. */
const mostRaces = 20;
const sweptAtOnce = 16;

/**
 * @example
 * const state = openTablesState({ connection: { endpoint, credential }, table: 'poolwright', clock, ids });
 * const version = await state.put('turn/production', { holder: 'w-1' }, { ifVersion: null, ttlSeconds: 30 });
 */
export function openTablesState({ connection, table, clock, ids, retry }: TablesStateOptions): TablesState {
  let opening: Promise<TableClient> | undefined;
  const client = (): Promise<TableClient> => {
    opening ??= openTable(connection, table, retry).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const limits = () => ({ abortSignal: AbortSignal.timeout(longestMs) });

  async function find(key: string): Promise<FoundEntity | undefined> {
    const { partitionKey, rowKey } = toTableKeys(key);
    try {
      const found = await (await client()).getEntity<StateEntity>(partitionKey, rowKey, limits());
      return { ...found, partitionKey, rowKey, etag: found.etag };
    } catch (error) {
      if (['not-found', 'no-table'].includes(failureOf(error))) return undefined;
      throw explained(error, table);
    }
  }

  /** The etag, or what was in the way. */
  async function write(
    entity: StateEntity,
    condition: 'none' | 'absent' | { etag: string },
  ): Promise<{ etag: string } | 'exists' | 'changed' | 'not-found'> {
    const tables = await client();
    const attempt = () => {
      if (condition === 'none') return tables.upsertEntity(entity, 'Replace', limits());
      if (condition === 'absent') return tables.createEntity(entity, limits());
      return tables.updateEntity(entity, 'Replace', { ...limits(), etag: condition.etag });
    };
    try {
      const { etag } = await attempt().catch(async (error: unknown) => {
        if (failureOf(error) !== 'no-table') throw error;
        await tables.createTable(limits());
        return attempt();
      });
      if (etag === undefined) throw new Error(`the table ${table} answered a write without an etag`);
      return { etag };
    } catch (error) {
      const failure = failureOf(error);
      if (failure === 'other' || failure === 'no-table') throw explained(error, table);
      return failure;
    }
  }

  /** Of a write that was refused: it may have met its own work, done by a try whose answer was lost. */
  const ownWork = (found: FoundEntity | undefined, entity: StateEntity): string | undefined =>
    found?.write === entity.write ? toVersion(found.etag, entity.expiresAt?.getTime()) : undefined;

  async function create(entity: StateEntity, key: string): Promise<string | undefined> {
    for (let race = 0; race < mostRaces; race++) {
      const made = await write(entity, 'absent');
      if (typeof made === 'object') return toVersion(made.etag, entity.expiresAt?.getTime());
      const found = await find(key);
      const own = ownWork(found, entity);
      if (own !== undefined) return own;
      if (!found) continue;
      if (isLive(found, clock.now())) return undefined;
      const replaced = await replace(entity, key, found.etag);
      if (replaced !== undefined) return replaced;
    }
    return undefined;
  }

  async function replace(entity: StateEntity, key: string, etag: string): Promise<string | undefined> {
    const written = await write(entity, { etag });
    if (typeof written === 'object') return toVersion(written.etag, entity.expiresAt?.getTime());
    return written === 'not-found' ? undefined : ownWork(await find(key), entity);
  }

  /** Whether it was this call that removed it. */
  async function remove(key: string, etag: string): Promise<boolean> {
    const { partitionKey, rowKey } = toTableKeys(key);
    try {
      await (await client()).deleteEntity(partitionKey, rowKey, { ...limits(), etag });
      return true;
    } catch (error) {
      if (failureOf(error) === 'other') throw explained(error, table);
      return false;
    }
  }

  /** All entities that a filter finds, request by request; an answer may be empty and still have a next one. */
  async function* walk(filter: string, size: number, select?: string[]): AsyncGenerator<FoundEntity> {
    const tables = await client();
    const queryOptions = { filter, ...(select ? { select } : {}) };
    try {
      const pages = tables
        .listEntities<StateEntity>({ queryOptions, requestOptions: { timeout: longestMs } })
        .byPage({ maxPageSize: size });
      for await (const page of pages) yield* page;
    } catch (error) {
      if (failureOf(error) !== 'no-table') throw explained(error, table);
    }
  }

  return {
    async get<T extends Json>(key: string) {
      checkKey(key);
      const found = await find(key);
      return found && isLive(found, clock.now()) ? toEntry<T>(found) : undefined;
    },

    async put(key, value, { ifVersion, ttlSeconds } = {}) {
      checkKey(key);
      const text = checkValue(key, value);
      const now = clock.now();
      const expiresAt = ttlSeconds === undefined ? undefined : now + checkTimeToLive(ttlSeconds);
      const entity = toEntity({ key, text, write: ids.next(), expiresAt });
      if (ifVersion === null) return create(entity, key);
      if (ifVersion !== undefined) {
        const etag = liveEtag(ifVersion, now);
        return etag === undefined ? undefined : replace(entity, key, etag);
      }
      const written = await write(entity, 'none');
      if (typeof written !== 'object') throw new Error(`the table ${table} refused an unconditional write: ${written}`);
      return toVersion(written.etag, expiresAt);
    },

    async delete(key, { ifVersion } = {}) {
      checkKey(key);
      if (ifVersion !== undefined) {
        const etag = liveEtag(ifVersion, clock.now());
        return etag !== undefined && remove(key, etag);
      }
      for (let race = 0; race < mostRaces; race++) {
        const found = await find(key);
        if (!found || !isLive(found, clock.now())) return false;
        if (await remove(key, found.etag)) return true;
      }
      throw new Error(`the entry ${JSON.stringify(key)} was written ${mostRaces} times while it was being deleted`);
    },

    async list<T extends Json>(
      prefix: string,
      { after = '', limit = defaultPage }: { after?: string; limit?: number } = {},
    ) {
      const size = checkLimit(limit);
      const items: Entry<T>[] = [];
      let characters = 0;
      for (const filter of filtersFor(prefix, after)) {
        // One more than asked for tells whether there is a next page.
        for await (const found of walk(filter, Math.min(size + 1, 1000))) {
          if (!isLive(found, clock.now())) continue;
          const length = (found.value0?.length ?? 0) + (found.value1?.length ?? 0);
          const last = items.at(-1);
          if (last && (items.length === size || characters + length > pageCharacters)) {
            return { items, next: last.key };
          }
          items.push(toEntry<T>(found));
          characters += length;
        }
      }
      return { items };
    },

    async sweep(limit = 500) {
      const most = checkLimit(limit);
      const filter = `expiresAt le datetime'${new Date(clock.now()).toISOString()}'`;
      let expired: FoundEntity[] = [];
      let removed = 0;
      const flush = async (): Promise<void> => {
        const tables = await client();
        const answers = await Promise.allSettled(
          // With its etag: it may have been written again, with a longer life, since we read it.
          expired.map(({ partitionKey, rowKey, etag }) =>
            tables.deleteEntity(partitionKey, rowKey, { ...limits(), etag }),
          ),
        );
        expired = [];
        removed += answers.filter(({ status }) => status === 'fulfilled').length;
        const broken = answers.find((one) => one.status === 'rejected' && failureOf(one.reason) === 'other');
        if (broken?.status === 'rejected') throw explained(broken.reason, table);
      };
      for await (const found of walk(filter, Math.min(most, 1000), ['PartitionKey', 'RowKey'])) {
        expired.push(found);
        if (removed + expired.length >= most) break;
        if (expired.length >= sweptAtOnce) await flush();
      }
      await flush();
      return removed;
    },
  };
}
