/** The fields of a request: names with one value each, and what CloudStack reads out of them (lists, maps, numbers, booleans). */
import { invalid, type Refused } from './refusals.ts';

export type Fields = Readonly<Record<string, string>>;

/** Of a name that comes twice, the first value counts. */
export function fieldsOf(...sources: readonly URLSearchParams[]): Fields {
  const fields: Record<string, string> = {};
  for (const source of sources) for (const [name, value] of source) fields[name] ??= value;
  return fields;
}

/** What a person or a program sent for a command; empty texts are as if they were not there. */
export class Arguments {
  readonly fields: Fields;
  readonly command: string;
  /** Parameters of CloudStack are found whatever their capitals. */
  readonly #byName = new Map<string, string>();

  constructor(command: string, fields: Fields) {
    this.command = command;
    this.fields = fields;
    for (const [name, value] of Object.entries(fields)) {
      if (value !== '') this.#byName.set(name.toLowerCase(), value);
    }
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  text(name: string): string | undefined {
    return this.#byName.get(name);
  }

  flag(name: string): boolean | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : text.toLowerCase() === 'true';
  }

  number(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^-?\d+$/.test(text)) throw this.badValue(name, text);
    return Number(text);
  }

  list(name: string): string[] {
    return (this.text(name) ?? '').split(',').filter((one) => one !== '');
  }

  /** `name[0].key=a`, `name[0].value=b`, …: one object for each number, in their order. */
  maps(name: string): Record<string, string>[] {
    const found = new Map<number, Record<string, string>>();
    for (const [field, value] of Object.entries(this.fields)) {
      const [, number, key] = /^[^[]+\[(\d+)\]\.(.+)$/.exec(field) ?? [];
      if (number === undefined || key === undefined || !field.toLowerCase().startsWith(`${name}[`)) continue;
      const entry = found.get(Number(number)) ?? {};
      entry[key] = value;
      found.set(Number(number), entry);
    }
    return [...found].sort(([a], [b]) => a - b).map(([, entry]) => entry);
  }

  /** Key and value of each: tags. */
  pairs(name: string): { key: string; value: string | undefined }[] {
    return this.maps(name).map((entry) => {
      const { key, value } = entry;
      if (key === undefined) throw invalid(`No key is given in ${name}`);
      return { key, value };
    });
  }

  /** `details[0].cpuNumber=4&details[0].memory=8192`, or spread over several numbers. */
  details(name: string): Record<string, string> {
    return Object.assign({}, ...this.maps(name)) as Record<string, string>;
  }

  badValue(name: string, value: string): Refused {
    return invalid(
      `Unable to execute API command ${this.command.toLowerCase()} due to invalid value. Invalid parameter ${name} value=${value} due to incorrect long value format, or entity does not exist or due to incorrect parameter annotation for the field in api cmd class.`,
    );
  }
}
