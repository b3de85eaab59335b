/**
 * State on one DynamoDB table. Compare-and-set is one request whose condition also says what has expired; reads are strongly
 * consistent. DynamoDB deletes expired items by itself, but days late: until then they read as absent.
 *
 * The client repeats a request whose answer was lost, and the repetition of a conditional write meets its own work. The
 * version is made here, so a write that is refused sees whether what it met is its own.
 */

import type { Json } from '../../base/json.ts';
import type { Clock, Ids } from '../../base/runtime.ts';
import type { AwsConnection } from '../../platforms/aws/client-options.ts';
import { checkKey, checkLimit, checkTimeToLive, checkValue } from '../arguments.ts';
import type { Entry, State } from '../contract.ts';
import { type DynamoDbRequests, explained, longestMs, type OpenedDynamoDb, openDynamoDb } from './client.ts';
import { fromItem, type Item, isLive, stateTable, toEntry, toItem, toItemKey } from './item.ts';
import { walkInOrder } from './list.ts';

export interface DynamoDbStateOptions extends DynamoDbRequests {
  connection: AwsConnection;
  /** It must be there: the deployment makes it, with the keys of `stateTable`. */
  table: string;
  clock: Clock;
  ids: Ids;
}

const defaultPage = 100;
/** A page ends when it holds this much text, whatever its limit: a list must not fill the memory. */
const pageCharacters = 1024 * 1024;

const live = 'attribute_not_exists(expiresAt) OR expiresAt > :now';
const conditions = {
  absent: `attribute_not_exists(${stateTable.sortKey}) OR expiresAt <= :now`,
  present: `attribute_exists(${stateTable.sortKey}) AND (${live})`,
  unchanged: `version = :version AND (${live})`,
} as const;

/**
 * @example
 * const state = openDynamoDbState({ connection: { region: 'eu-west-1' }, table: 'poolwright', clock, ids });
 * const version = await state.put('turn/production', { holder: 'w-1' }, { ifVersion: null, ttlSeconds: 30 });
 */
export function openDynamoDbState({ connection, table, clock, ids, ...requests }: DynamoDbStateOptions): State {
  let opening: Promise<OpenedDynamoDb> | undefined;
  const open = (): Promise<OpenedDynamoDb> => {
    opening ??= openDynamoDb(connection, requests).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const limits = () => ({ abortSignal: AbortSignal.timeout(longestMs) });
  const failed = (error: unknown) => explained(error, table, connection.region);

  /** True, or the item that was in the way (none, if there is none). */
  async function conditionally(act: (opened: OpenedDynamoDb) => Promise<unknown>): Promise<true | { met?: Item }> {
    const opened = await open();
    try {
      await act(opened);
      return true;
    } catch (error) {
      if (!(error instanceof opened.commands.ConditionalCheckFailedException)) throw failed(error);
      return error.Item === undefined ? {} : { met: error.Item };
    }
  }

  const conditionOf = (ifVersion: string | null) => ({
    ConditionExpression: ifVersion === null ? conditions.absent : conditions.unchanged,
    ExpressionAttributeValues: {
      ':now': { N: String(clock.now()) },
      ...(ifVersion === null ? {} : { ':version': { S: ifVersion } }),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  });

  return {
    async get<T extends Json>(key: string) {
      checkKey(key);
      const { client, commands } = await open();
      try {
        const { Item: item } = await client.send(
          new commands.GetItemCommand({ TableName: table, Key: toItemKey(key), ConsistentRead: true }),
          limits(),
        );
        const found = item && fromItem(item);
        return found && isLive(found, clock.now()) ? toEntry<T>(found) : undefined;
      } catch (error) {
        throw failed(error);
      }
    },

    async put(key, value, { ifVersion, ttlSeconds } = {}) {
      checkKey(key);
      const text = checkValue(key, value);
      const expiresAt = ttlSeconds === undefined ? undefined : clock.now() + checkTimeToLive(ttlSeconds);
      const version = ids.next();
      const answer = await conditionally(({ client, commands }) =>
        client.send(
          new commands.PutItemCommand({
            TableName: table,
            Item: toItem({ key, text, version, expiresAt }),
            ...(ifVersion === undefined ? {} : conditionOf(ifVersion)),
          }),
          limits(),
        ),
      );
      // Refused by its own work, done by a try whose answer was lost.
      const own = answer !== true && answer.met !== undefined && fromItem(answer.met).version === version;
      return answer === true || own ? version : undefined;
    },

    async delete(key, { ifVersion } = {}) {
      checkKey(key);
      const answer = await conditionally(({ client, commands }) =>
        client.send(
          new commands.DeleteItemCommand({
            TableName: table,
            Key: toItemKey(key),
            ConditionExpression: ifVersion === undefined ? conditions.present : conditions.unchanged,
            ExpressionAttributeValues: {
              ':now': { N: String(clock.now()) },
              ...(ifVersion === undefined ? {} : { ':version': { S: ifVersion } }),
            },
          }),
          limits(),
        ),
      );
      return answer === true;
    },

    async list<T extends Json>(
      prefix: string,
      { after = '', limit = defaultPage }: { after?: string; limit?: number } = {},
    ) {
      const size = checkLimit(limit);
      const items: Entry<T>[] = [];
      let characters = 0;
      try {
        for await (const found of walkInOrder(await open(), { table, prefix, after, size })) {
          if (!isLive(found, clock.now())) continue;
          const last = items.at(-1);
          // One more than asked for tells that there is a next page.
          if (last && (items.length === size || characters + found.text.length > pageCharacters)) {
            return { items, next: last.key };
          }
          items.push(toEntry<T>(found));
          characters += found.text.length;
        }
      } catch (error) {
        throw failed(error);
      }
      return { items };
    },
  };
}
