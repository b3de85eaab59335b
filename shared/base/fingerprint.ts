/** One short text for the content of a value, to see later whether it has changed. */
import { nodeCrypto } from './node-modules.ts';

/**
 * The same for the same content, whatever the order of fields and list entries. An absent field is the same as an empty one:
 * defaults that an API server fills in must not look like a change.
 */
export const fingerprint = (value: unknown): string =>
  nodeCrypto().createHash('sha256').update(canonical(value)).digest('hex').slice(0, 16);

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value)
      .filter(([, field]) => !isEmpty(field))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`);
    return `{${fields.join(',')}}`;
  }
  return JSON.stringify(value ?? null);
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.values(value).every(isEmpty));
