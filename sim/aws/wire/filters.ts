/** The filters of EC2's describes: names with values, all of which must fit; `*` and `?` stand for what they always do. */
import { type Form, formsAt, textAt, textsAt } from './form.ts';

export interface Filter {
  name: string;
  values: readonly string[];
  matches: (value: string) => boolean;
}

/** What a resource says to a filter of that name; undefined when it has no such thing, null when there is no such filter. */
export type Facts = (name: string) => string | readonly string[] | undefined | null;

export const filtersOf = (form: Form): Filter[] =>
  formsAt(form, 'Filter').map((one) => {
    const values = textsAt(one, 'Value');
    return { name: textAt(one, 'Name') ?? '', values, matches: matcher(values) };
  });

function matcher(values: readonly string[]): (value: string) => boolean {
  if (!values.some((value) => /[*?]/.test(value))) {
    const wanted = new Set(values);
    return (value) => wanted.has(value);
  }
  const patterns = values.map(
    (value) =>
      new RegExp(
        `^${value
          .replace(/[.+^${}()|[\]\\]/g, '\\$&')
          .replaceAll('*', '.*')
          .replaceAll('?', '.')}$`,
        's',
      ),
  );
  return (value) => patterns.some((pattern) => pattern.test(value));
}

export function fits(filters: readonly Filter[], facts: Facts): boolean {
  return filters.every(({ name, matches }) => {
    const found = facts(name);
    if (found === undefined || found === null) return false;
    return typeof found === 'string' ? matches(found) : found.some(matches);
  });
}

/** The first filter that the resource does not know at all. */
export const unknownFilter = (filters: readonly Filter[], facts: Facts): string | undefined =>
  filters.find(({ name }) => !isTagFilter(name) && facts(name) === null)?.name;

const isTagFilter = (name: string): boolean => name.startsWith('tag:') || name === 'tag-key';

/** The facts of anything with tags. */
export const withTags =
  (tags: Readonly<Record<string, string>>, more: Facts): Facts =>
  (name) => {
    if (name.startsWith('tag:')) return tags[name.slice(4)];
    return name === 'tag-key' ? Object.keys(tags) : more(name);
  };

/** From a table: what is not in it is no filter. */
export const table =
  (entries: Readonly<Record<string, string | readonly string[] | undefined>>): Facts =>
  (name) =>
    name in entries ? entries[name] : null;
