/** The fields of an object that have a value. With `exactOptionalPropertyTypes` a field is absent or has a value, never `undefined`. */
export type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * Leaves out what is undefined.
 *
 * @example defined({ name, zone: undefined }) // { name }
 */
export function defined<T extends object>(fields: T): Defined<T> {
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    const value = fields[name as keyof T];
    if (value !== undefined) kept[name] = value;
  }
  return kept as Defined<T>;
}
