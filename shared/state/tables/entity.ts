/** Entries as entities of a table, and versions that say without a look whether the entry has expired. */
import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import type { Entry } from '../contract.ts';
import { fromTableKeys, type TableKeys, toTableKeys } from './keys.ts';

/** A property holds 32 Ki characters of UTF-16, and a value may have 60,000: it takes up to two of them. */
const largestPiece = 32_000;

export interface StateEntity extends TableKeys {
  value0: string;
  value1?: string;
  /** Which write made it: so a write whose answer was lost is known again. */
  write: string;
  expiresAt?: Date;
}

export interface Draft {
  key: string;
  text: string;
  write: string;
  expiresAt: number | undefined;
}

export function toEntity({ key, text, write, expiresAt }: Draft): StateEntity {
  const [value0 = '', value1] = pieces(text);
  return {
    ...toTableKeys(key),
    value0,
    ...defined({ value1 }),
    write,
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) }),
  };
}

/** What is read from a table: anybody may have written it. */
export type FoundEntity = TableKeys & { etag: string } & Partial<Omit<StateEntity, keyof TableKeys>>;

export function toEntry<T extends Json>(entity: FoundEntity): Entry<T> {
  const { value0 = 'null', value1 = '', etag } = entity;
  const expiresAt = entity.expiresAt?.getTime();
  return {
    key: fromTableKeys(entity),
    value: JSON.parse(value0 + value1) as T,
    version: toVersion(etag, expiresAt),
    ...defined({ expiresAt }),
  };
}

export const isLive = (entity: FoundEntity, now: number): boolean =>
  entity.expiresAt === undefined || entity.expiresAt.getTime() > now;

/** With the end in the version, a condition on an expired entry fails without a read. */
export const toVersion = (etag: string, expiresAt: number | undefined): string => `${expiresAt ?? ''}/${etag}`;

/** The etag behind a version, or undefined when it never was one or its entry has expired: nothing can have it now. */
export function liveEtag(version: string, now: number): string | undefined {
  const [, expiresAt, etag] = /^(\d*)\/(W\/".+")$/.exec(version) ?? [];
  if (etag === undefined) return undefined;
  return expiresAt === '' || Number(expiresAt) > now ? etag : undefined;
}

function pieces(text: string): string[] {
  const all: string[] = [];
  for (let start = 0; start < text.length || start === 0; ) {
    let end = Math.min(start + largestPiece, text.length);
    // Half of a surrogate pair is no text: it would come back as another character.
    if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end--;
    all.push(text.slice(start, end));
    if (end === text.length) break;
    start = end;
  }
  return all;
}
