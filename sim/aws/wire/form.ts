/** Requests of the query protocols: `Filter.1.Value.2=x` is a path through objects and lists. */

/** A list is kept under its numbers, because that is how it comes. */
export interface Form {
  [key: string]: Form | string;
}

export function parseForm(text: string): Form {
  const form: Form = {};
  for (const [path, value] of new URLSearchParams(text)) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    let at = form;
    for (const key of keys) {
      const next = at[key];
      if (typeof next === 'object') at = next;
      else {
        const fresh: Form = {};
        at[key] = fresh;
        at = fresh;
      }
    }
    at[last] = value;
  }
  return form;
}

/** The text there, or undefined. */
export function textAt(form: Form | undefined, ...path: string[]): string | undefined {
  const found = at(form, path);
  return typeof found === 'string' ? found : undefined;
}

export function formAt(form: Form | undefined, ...path: string[]): Form | undefined {
  const found = at(form, path);
  return typeof found === 'object' ? found : undefined;
}

export const textsAt = (form: Form | undefined, ...path: string[]): string[] =>
  numbered(formAt(form, ...path)).filter((one) => typeof one === 'string');

export const formsAt = (form: Form | undefined, ...path: string[]): Form[] =>
  numbered(formAt(form, ...path)).filter((one) => typeof one === 'object');

/** Integer-like keys of an object come in their order. */
const numbered = (list: Form | undefined): (Form | string)[] => (list === undefined ? [] : Object.values(list));

function at(form: Form | undefined, path: readonly string[]): Form | string | undefined {
  let found: Form | string | undefined = form;
  for (const key of path) {
    if (typeof found !== 'object') return undefined;
    found = found[key];
  }
  return found;
}

export function tagsAt(form: Form | undefined, ...path: string[]): Record<string, string> {
  return Object.fromEntries(
    formsAt(form, ...path).map((tag) => [textAt(tag, 'Key') ?? '', textAt(tag, 'Value') ?? '']),
  );
}

/** Tags for one kind of resource, as `TagSpecification` has them. */
export const tagsFor = (form: Form, resource: string): Record<string, string> =>
  Object.assign(
    {},
    ...formsAt(form, 'TagSpecification')
      .filter((one) => textAt(one, 'ResourceType') === resource)
      .map((one) => tagsAt(one, 'Tag')),
  ) as Record<string, string>;
