/** Reads TOML 1.0, as far as settings of Bottlerocket use it: all of it but the checks of numbers and dates. */
import { isTable, TomlRaw, type TomlTable, type TomlValue } from './toml-values.ts';

export type ReadToml = { ok: true; value: TomlTable } | { ok: false; line: number; message: string };

export function readToml(text: string): ReadToml {
  const reader = new Reader(text.replaceAll('\r\n', '\n'));
  try {
    return { ok: true, value: reader.document() };
  } catch (error) {
    if (error instanceof TomlError) return { ok: false, line: reader.line, message: error.message };
    throw error;
  }
}

class TomlError extends Error {}

const bareKey = /[A-Za-z0-9_-]+/y;
const rawValue = /[+-]?(?:inf|nan|[0-9][0-9A-Za-z_.+:-]*(?: [0-9]{2}:[0-9:.+Zz-]+)?)/y;
const escapes: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  '"': '"',
  '\\': '\\',
  e: '\u001b',
};
/** No settings are nested so deep; it keeps a hostile text from filling the stack. */
const deepest = 100;

class Reader {
  readonly #text: string;
  #at = 0;
  /** Tables that a header has opened: a second header of the same name is a mistake. */
  readonly #opened = new Set<TomlTable>();
  /** Inline tables and plain lists are complete as written. */
  readonly #closed = new Set<TomlValue>();

  constructor(text: string) {
    this.#text = text;
  }

  get line(): number {
    return this.#text.slice(0, this.#at).split('\n').length;
  }

  document(): TomlTable {
    const root: TomlTable = new Map();
    let current = root;
    for (;;) {
      this.#skipLines();
      if (this.#at >= this.#text.length) return root;
      if (this.#eat('[[')) current = this.#listItem(root);
      else if (this.#eat('[')) current = this.#header(root);
      else this.#pair(current, 0);
      this.#endOfLine();
    }
  }

  #header(root: TomlTable): TomlTable {
    const path = this.#path();
    this.#expect(']');
    const table = this.#descend(root, path);
    if (this.#opened.has(table)) throw new TomlError(`the table [${path.join('.')}] is defined twice`);
    this.#opened.add(table);
    return table;
  }

  #listItem(root: TomlTable): TomlTable {
    const path = this.#path();
    this.#expect(']]');
    const parent = this.#descend(root, path.slice(0, -1));
    const key = path.at(-1) ?? '';
    const before = parent.get(key);
    const item: TomlTable = new Map();
    if (before === undefined) parent.set(key, [item]);
    else if (Array.isArray(before) && !this.#closed.has(before)) before.push(item);
    else throw new TomlError(`${path.join('.')} is already defined, and is not an array of tables`);
    return item;
  }

  /** Into the table at a path, making what is missing; of a list of tables the last one is meant. */
  #descend(from: TomlTable, path: readonly string[]): TomlTable {
    let table = from;
    for (const key of path) {
      const next = table.get(key);
      const inner = Array.isArray(next) && !this.#closed.has(next) ? next.at(-1) : next;
      if (inner === undefined) {
        const made: TomlTable = new Map();
        table.set(key, made);
        table = made;
      } else if (isTable(inner) && !this.#closed.has(inner)) table = inner;
      else throw new TomlError(`${key} is already defined, and is not a table`);
    }
    return table;
  }

  #pair(into: TomlTable, depth: number): void {
    const path = this.#path();
    this.#expect('=');
    this.#skipSpace();
    const table = this.#descend(into, path.slice(0, -1));
    const key = path.at(-1) ?? '';
    if (table.has(key)) throw new TomlError(`${path.join('.')} is defined twice`);
    table.set(key, this.#value(depth));
  }

  #path(): string[] {
    const path: string[] = [];
    do {
      this.#skipSpace();
      path.push(this.#key());
      if (path.length > deepest) throw new TomlError(`a key has more than ${deepest} parts`);
      this.#skipSpace();
    } while (this.#eat('.'));
    return path;
  }

  #key(): string {
    if (this.#peek('"')) return this.#basicString();
    if (this.#peek("'")) return this.#literalString();
    return this.#match(bareKey) ?? this.#fail('a key');
  }

  #value(depth: number): TomlValue {
    if (depth > deepest) throw new TomlError(`values are nested more than ${deepest} deep`);
    if (this.#eat('"""')) return this.#long('"""', true);
    if (this.#eat("'''")) return this.#long("'''", false);
    if (this.#peek('"')) return this.#basicString();
    if (this.#peek("'")) return this.#literalString();
    if (this.#eat('[')) return this.#array(depth);
    if (this.#eat('{')) return this.#inlineTable(depth);
    if (this.#word('true')) return true;
    if (this.#word('false')) return false;
    return new TomlRaw(this.#match(rawValue) ?? this.#fail('a value'));
  }

  #array(depth: number): TomlValue[] {
    const items: TomlValue[] = [];
    this.#closed.add(items);
    for (;;) {
      this.#skipLines();
      if (this.#eat(']')) return items;
      items.push(this.#value(depth + 1));
      this.#skipLines();
      if (this.#eat(']')) return items;
      this.#expect(',');
    }
  }

  #inlineTable(depth: number): TomlTable {
    const table: TomlTable = new Map();
    this.#skipLines();
    if (!this.#eat('}')) {
      for (;;) {
        this.#pair(table, depth + 1);
        this.#skipLines();
        if (this.#eat('}')) break;
        this.#expect(',');
        this.#skipLines();
      }
    }
    this.#closed.add(table);
    return table;
  }

  #basicString(): string {
    this.#expect('"');
    let result = '';
    for (;;) {
      const char = this.#next();
      if (char === '"') return result;
      if (char === '\n') throw new TomlError('a text does not end on its line');
      result += char === '\\' ? this.#escape() : char;
    }
  }

  #literalString(): string {
    this.#expect("'");
    const end = this.#text.indexOf("'", this.#at);
    const found = end < 0 ? undefined : this.#text.slice(this.#at, end);
    if (found === undefined || found.includes('\n')) throw new TomlError('a text does not end on its line');
    this.#at = end + 1;
    return found;
  }

  /** A text over several lines; up to two quotes may stand right before its end. */
  #long(quotes: string, escaped: boolean): string {
    this.#eat('\n');
    let result = '';
    for (;;) {
      if (this.#eat(quotes)) {
        const quote = quotes.slice(0, 1);
        for (let more = 0; more < 2 && this.#eat(quote); more++) result += quote;
        return result;
      }
      const char = this.#next();
      if (char !== '\\' || !escaped) result += char;
      else if (this.#match(/[ \t]*\n\s*/y) === undefined) result += this.#escape();
    }
  }

  #escape(): string {
    const char = this.#next();
    const digits = char === 'u' ? 4 : char === 'U' ? 8 : 0;
    if (digits === 0) return escapes[char] ?? this.#fail('an escape that TOML knows');
    const hex = this.#text.slice(this.#at, this.#at + digits);
    const point = /^[0-9A-Fa-f]+$/.test(hex) && hex.length === digits ? Number.parseInt(hex, 16) : Number.NaN;
    if (!(point <= 0x10ffff) || (point >= 0xd800 && point <= 0xdfff)) return this.#fail('a character in hex digits');
    this.#at += digits;
    return String.fromCodePoint(point);
  }

  #skipSpace(): void {
    this.#match(/[ \t]*/y);
  }

  /** Space, line ends and comments. */
  #skipLines(): void {
    this.#match(/(?:[ \t\n]|#[^\n]*)*/y);
  }

  #endOfLine(): void {
    this.#match(/[ \t]*(?:#[^\n]*)?/y);
    if (this.#at < this.#text.length && !this.#eat('\n')) this.#fail('the end of the line');
  }

  #word(word: string): boolean {
    const after = this.#text.charAt(this.#at + word.length);
    return !/[A-Za-z0-9_-]/.test(after) && this.#eat(word);
  }

  #next(): string {
    const point = this.#text.codePointAt(this.#at);
    if (point === undefined) throw new TomlError('the text ends in the middle of a value');
    const char = String.fromCodePoint(point);
    this.#at += char.length;
    return char;
  }

  #peek(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  #eat(text: string): boolean {
    if (!this.#peek(text)) return false;
    this.#at += text.length;
    return true;
  }

  #expect(text: string): void {
    if (!this.#eat(text)) this.#fail(`"${text}"`);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  /** What stands there is not repeated: settings may hold secrets, and this is shown in a status. */
  #fail(wanted: string): never {
    throw new TomlError(`${wanted} was expected`);
  }
}
