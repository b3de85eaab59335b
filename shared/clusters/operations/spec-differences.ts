/** Where two specs differ, as fields; the order of keys does not matter, and a list is one field. */
import { isObject, type Json } from '../../base/json.ts';

export function differingFields(before: unknown, after: unknown, path = 'spec'): string[] {
  if (!isObject(before as Json) || !isObject(after as Json)) {
    return canonical(before) === canonical(after) ? [] : [path];
  }
  const [one, other] = [before as Record<string, unknown>, after as Record<string, unknown>];
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
  return keys.flatMap((key) => differingFields(one[key], other[key], `${path}.${key}`));
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner as Json)
      ? Object.fromEntries(Object.entries(inner as object).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  ) ?? '';
