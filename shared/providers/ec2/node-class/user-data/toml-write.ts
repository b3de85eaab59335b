/** Writes TOML: the same data always gives the same bytes. */
import { isTable, TomlRaw, type TomlTable, type TomlValue } from './toml-values.ts';

export function writeToml(table: TomlTable): string {
  const lines: string[] = [];
  writeTable(table, [], lines);
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function writeTable(table: TomlTable, path: readonly string[], lines: string[]): void {
  const entries = [...table].sort(([a], [b]) => (a < b ? -1 : 1));
  const plain = entries.filter(([, value]) => !isTable(value) && !isTableList(value));
  const isEmpty = entries.length === 0;
  // A table that holds only tables needs no line of its own.
  if (path.length > 0 && (plain.length > 0 || isEmpty))
    lines.push(...space(lines), `[${path.map(writeKey).join('.')}]`);
  for (const [key, value] of plain) lines.push(`${writeKey(key)} = ${writeValue(value)}`);
  for (const [key, value] of entries) {
    if (isTable(value)) writeTable(value, [...path, key], lines);
    else if (isTableList(value)) for (const one of value) writeItem(one, [...path, key], lines);
  }
}

function writeItem(table: TomlTable, path: readonly string[], lines: string[]): void {
  lines.push(...space(lines), `[[${path.map(writeKey).join('.')}]]`);
  // Below an item nothing has a header of its own: a table inside would belong to the list's last item only by luck.
  for (const [key, value] of [...table].sort(([a], [b]) => (a < b ? -1 : 1))) {
    lines.push(`${writeKey(key)} = ${writeValue(value)}`);
  }
}

const space = (lines: readonly string[]): string[] => (lines.length === 0 ? [] : ['']);

const isTableList = (value: TomlValue): value is TomlTable[] =>
  Array.isArray(value) && value.length > 0 && value.every(isTable);

const writeKey = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : writeString(key));

function writeValue(value: TomlValue): string {
  if (typeof value === 'string') return writeString(value);
  if (typeof value === 'boolean') return String(value);
  if (value instanceof TomlRaw) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeValue).join(', ')}]`;
  const fields = [...value]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => `${writeKey(key)} = ${writeValue(one)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

const short: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
};

/** Control characters have no other form in TOML. */
function writeString(text: string): string {
  const escaped = text.replaceAll(
    /[\p{Cc}"\\]/gu,
    (one) => short[one] ?? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}
