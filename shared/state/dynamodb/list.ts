/** The entries with a prefix from all partitions, merged into one order. Each partition is read only as far as it is needed. */
import { defined } from '../../base/defined.ts';
import { longestMs, type OpenedDynamoDb } from './client.ts';
import { fromItem, type Item, inPartition, partitions, type StoredEntry, stateTable } from './item.ts';

export interface Range {
  table: string;
  prefix: string;
  /** Only keys behind this one. */
  after: string;
  /** How many the reader will most likely take. */
  size: number;
}

/** Expired ones too: the reader tells them. */
export async function* walkInOrder(opened: OpenedDynamoDb, range: Range): AsyncGenerator<StoredEntry> {
  // Behind every key with the prefix: nothing is left.
  if (range.after !== '' && !range.after.startsWith(range.prefix) && compare(range.after, range.prefix) > 0) return;
  const cursors = partitions.map((partition) => new PartitionCursor(opened, range, partition));
  await Promise.all(cursors.map((cursor) => cursor.fill()));
  for (;;) {
    const first = firstOf(cursors);
    const entry = first?.take();
    if (first === undefined || entry === undefined) return;
    yield entry;
    // A partition that has run out may still hold the next one of all.
    await first.fill();
  }
}

/** Where the next entry of one partition is: in what was read, or behind it. */
class PartitionCursor {
  readonly #opened: OpenedDynamoDb;
  readonly #range: Range;
  readonly #partition: string;
  readonly #pageSize: number;
  #buffer: StoredEntry[] = [];
  #start: Item | undefined;
  #over = false;

  constructor(opened: OpenedDynamoDb, range: Range, partition: string) {
    this.#opened = opened;
    this.#range = range;
    this.#partition = partition;
    // Its even part of the page, and a little more: the hash spreads keys only roughly.
    this.#pageSize = Math.ceil((range.size + 1) / partitions.length) + partitions.length;
    this.#start =
      range.after.startsWith(range.prefix) && range.after !== '' ? inPartition(partition, range.after) : undefined;
  }

  get next(): StoredEntry | undefined {
    return this.#buffer[0];
  }

  take(): StoredEntry | undefined {
    return this.#buffer.shift();
  }

  async fill(): Promise<void> {
    while (this.#buffer.length === 0 && !this.#over) {
      const { client, commands } = this.#opened;
      const { table, prefix } = this.#range;
      const withPrefix = prefix !== '';
      const page = await client.send(
        new commands.QueryCommand({
          TableName: table,
          ConsistentRead: true,
          Limit: this.#pageSize,
          // "prefix" alone: an empty one is refused as the value of a key.
          KeyConditionExpression: `${stateTable.partitionKey} = :partition${
            withPrefix ? ` AND begins_with(${stateTable.sortKey}, :prefix)` : ''
          }`,
          ExpressionAttributeValues: {
            ':partition': { S: this.#partition },
            ...(withPrefix ? { ':prefix': { S: prefix } } : {}),
          },
          ...defined({ ExclusiveStartKey: this.#start }),
        }),
        { abortSignal: AbortSignal.timeout(longestMs) },
      );
      this.#buffer = (page.Items ?? []).map(fromItem);
      this.#start = page.LastEvaluatedKey;
      // An answer may be empty, or cut at 1 MB, and still have a next one.
      this.#over = page.LastEvaluatedKey === undefined;
    }
  }
}

function firstOf(cursors: readonly PartitionCursor[]): PartitionCursor | undefined {
  let first: PartitionCursor | undefined;
  for (const cursor of cursors) {
    if (cursor.next === undefined) continue;
    if (first?.next === undefined || compare(cursor.next.key, first.next.key) < 0) first = cursor;
  }
  return first;
}

/** By bytes of UTF-8, as DynamoDB orders. */
const compare = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right));
