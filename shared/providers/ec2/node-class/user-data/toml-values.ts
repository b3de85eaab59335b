/** TOML as data. Numbers and dates are kept as they were written: nobody here reckons with them, and nothing of them is lost. */

export class TomlRaw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type TomlValue = string | boolean | TomlRaw | TomlValue[] | TomlTable;
/** A Map: keys such as `__proto__` are only keys here. */
export type TomlTable = Map<string, TomlValue>;

export const isTable = (value: TomlValue | undefined): value is TomlTable => value instanceof Map;

export const tomlTable = (fields: Readonly<Record<string, TomlValue | undefined>>): TomlTable =>
  new Map(Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));

export const tomlNumber = (value: number): TomlRaw => new TomlRaw(String(value));

/** What `over` says wins, field by field; tables on both sides are merged. */
export function mergeTables(base: TomlTable, over: TomlTable): TomlTable {
  const merged = new Map(base);
  for (const [key, value] of over) {
    const before = merged.get(key);
    merged.set(key, isTable(before) && isTable(value) ? mergeTables(before, value) : value);
  }
  return merged;
}
