/**
 * Entries as items of a DynamoDB table. All keys of one partition are in one order, so a list needs partitions that it can
 * name: there are four, and the hash of a key says in which it lies. One would take about 1,000 writes a second until
 * DynamoDB splits it; more would make every list dearer.
 */

import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import { nodeCrypto } from '../../base/node-modules.ts';
import type { Entry } from '../contract.ts';

/** How the table has to be made: both keys are strings, and `timeToLive` is the attribute by which DynamoDB deletes. */
export const stateTable = { partitionKey: 'pk', sortKey: 'sk', timeToLive: 'ttl' } as const;

/** It can't be changed while there are entries: they would be looked for in another partition. */
export const partitions = ['0', '1', '2', '3'] as const;

export type Item = Record<string, AttributeValue>;

export interface StoredEntry {
  key: string;
  /** The value as JSON. */
  text: string;
  /** New with every write, so it tells whose work a refused write has met. */
  version: string;
  expiresAt: number | undefined;
}

export const toItemKey = (key: string): Item => inPartition(partitionOf(key), key);

export const inPartition = (partition: string, key: string): Item => ({
  [stateTable.partitionKey]: { S: partition },
  [stateTable.sortKey]: { S: key },
});

function partitionOf(key: string): string {
  const [first = 0] = nodeCrypto().hash('sha256', key, 'buffer');
  return partitions[first % partitions.length] ?? partitions[0];
}

export const toItem = ({ key, text, version, expiresAt }: StoredEntry): Item => ({
  ...toItemKey(key),
  value: { S: text },
  version: { S: version },
  ...(expiresAt === undefined
    ? {}
    : {
        expiresAt: { N: String(expiresAt) },
        // DynamoDB deletes by whole seconds, and up to days late: reads go by `expiresAt`.
        [stateTable.timeToLive]: { N: String(Math.ceil(expiresAt / 1000)) },
      }),
});

export function fromItem(item: Item): StoredEntry {
  const expiresAt = item.expiresAt?.N;
  return {
    key: item[stateTable.sortKey]?.S ?? '',
    text: item.value?.S ?? 'null',
    version: item.version?.S ?? '',
    expiresAt: expiresAt === undefined ? undefined : Number(expiresAt),
  };
}

export const isLive = ({ expiresAt }: StoredEntry, now: number): boolean => expiresAt === undefined || expiresAt > now;

export const toEntry = <T extends Json>({ key, text, version, expiresAt }: StoredEntry): Entry<T> => ({
  key,
  value: JSON.parse(text) as T,
  version,
  ...defined({ expiresAt }),
});
