import type { Json } from '../../base/json.ts';
import type { Entry } from '../contract.ts';

// A type, not an interface: only that compares with the open records that node:sqlite returns.
export type EntryRow = {
  key: string;
  value: string;
  version: number;
  expires_at: number | null;
};

export function toEntry<T extends Json>(row: EntryRow): Entry<T> {
  const entry = { key: row.key, value: JSON.parse(row.value) as T, version: String(row.version) };
  return row.expires_at === null ? entry : { ...entry, expiresAt: row.expires_at };
}

export const isAlive = ({ expires_at }: EntryRow, now: number): boolean => expires_at === null || expires_at > now;
