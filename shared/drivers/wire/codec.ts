/** Turns values of ours into the JSON inside the messages and back, by tables of field names. */
import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Problem } from '../../base/result.ts';

export interface Codec<T> {
  write(value: T): Json;
  /** Undefined if the value is of another type: that is in `problems`. */
  read(value: unknown, path: string, problems: Problem[]): T | undefined;
}

const scalar = <T extends Json>(type: 'string' | 'number' | 'boolean'): Codec<T> => ({
  write: (value) => value,
  read: (value, path, problems) => {
    if (typeof value === type) return value as T;
    problems.push({ path, message: `must be a ${type}` });
    return;
  },
});

export const text = scalar<string>('string');
export const number = scalar<number>('number');
export const flag = scalar<boolean>('boolean');

export const textMap: Codec<Readonly<Record<string, string>>> = {
  write: (value) => ({ ...value }),
  read: (value, path, problems) => {
    if (isObject(value) && Object.values(value).every((one) => typeof one === 'string')) {
      return value as Record<string, string>;
    }
    problems.push({ path, message: 'must be an object of strings' });
    return;
  },
};

/** Texts in one, with a separator. */
export const joined = (separator: string): Codec<readonly string[]> => ({
  write: (value) => value.join(separator),
  read: (value, path, problems) =>
    text
      .read(value, path, problems)
      ?.split(separator)
      .map((part) => part.trim())
      .filter((part) => part !== ''),
});

export const list = <T>(item: Codec<T>): Codec<readonly T[]> => ({
  write: (value) => value.map(item.write),
  read: (value, path, problems) => {
    if (Array.isArray(value)) {
      return value.flatMap((one, at) => item.read(one, `${path}[${at}]`, problems) ?? []);
    }
    problems.push({ path, message: 'must be a list' });
    return;
  },
});

/** Our field, its name on the wire, and what it holds. */
type Fields<T> = { readonly [K in keyof Required<T>]: readonly [name: string, codec: Codec<NonNullable<T[K]>>] };

/**
 * An object. A manager in Go writes an empty text or 0 for what is not set, so both mean that a field is absent. Names of fields are read
 * whatever their case, as Go does. Fields that no table has are ignored.
 */
export const object = <T extends object>(
  fields: Fields<T>,
  options: { required?: readonly (keyof T)[] } = {},
): Codec<T> => {
  const entries = Object.entries(fields) as [keyof T & string, readonly [string, Codec<unknown>]][];
  return {
    write: (value) => {
      const written: JsonObject = {};
      for (const [field, [name, codec]] of entries) {
        if (value[field] !== undefined) written[name] = codec.write(value[field]);
      }
      return written;
    },
    read: (value, path, problems) => {
      if (!isObject(value)) {
        problems.push({ path, message: 'must be an object' });
        return;
      }
      const given = new Map(Object.entries(value).map(([name, one]) => [name.toLowerCase(), one]));
      const read: Partial<T> = {};
      for (const [field, [name, codec]] of entries) {
        const one = given.get(name.toLowerCase());
        const at = path === '' ? name : `${path}.${name}`;
        if (isUnset(one)) {
          if (options.required?.includes(field)) problems.push({ path: at, message: 'is missing' });
          continue;
        }
        const got = codec.read(one, at, problems);
        if (got !== undefined) read[field] = got as T[keyof T & string];
      }
      return read as T;
    },
  };
};

const isUnset = (value: unknown): boolean => value === undefined || value === null || value === '' || value === 0;
