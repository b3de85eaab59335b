/** How a value is written into its surroundings: a shell script, YAML, JSON. The template says which, after a `|`. */
import type { Variable } from './variables.ts';

/** For the page about bootstrap, and for messages. */
export const filterTexts = {
  shell: 'one word for a shell, in quotes',
  yaml: 'one scalar for YAML, in quotes',
  json: 'JSON; labels are an object and taints a list of objects',
  list: 'a list in brackets, for YAML',
  base64: 'the text in base64',
  raw: 'as it is, whatever is in it: for a whole command',
} as const;

export type Filter = keyof typeof filterTexts;

export const filterNames = Object.keys(filterTexts) as Filter[];
export const isFilter = (name: string): name is Filter => name in filterTexts;

/** The same in a shell, between quotes of either kind, and in YAML. */
const harmless = /^[\p{L}\p{N}._:/=,+-]*$/u;

/** Undefined: without a filter the text could mean something else than itself where it stands. */
export function writtenAs(variable: Variable, filter: Filter | undefined): string | undefined {
  const { text, items, parts } = variable;
  switch (filter) {
    case undefined:
      return harmless.test(text) ? text : undefined;
    case 'raw':
      return text;
    case 'shell':
      return `'${text.replaceAll("'", String.raw`'\''`)}'`;
    case 'yaml':
      return yamlText(text);
    case 'json':
      return parts === undefined ? JSON.stringify(text) : JSON.stringify(parts);
    case 'list':
      return `[${(items ?? [text]).map((one) => yamlText(one)).join(', ')}]`;
    case 'base64':
      return Buffer.from(text).toString('base64');
  }
}

/** A scalar for YAML, all in ASCII: readers of YAML 1.1 refuse some characters as they are. */
const yamlText = (text: string): string =>
  JSON.stringify(text.toWellFormed()).replace(/[^\x20-\x7e]/gu, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
