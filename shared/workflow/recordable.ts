/** What may be recorded: JSON that reads back the same, and not too much of it. */
import type { Json } from '../base/json.ts';

export type Recorded = { ok: true; text: string; value: Json } | { ok: false; error: string };

/**
 * The text that a journal keeps, and the value as a replay will see it. Workflows always get the latter, so that a value
 * can't differ between the first run and a replay. Properties that are undefined vanish, as JSON has it.
 */
export function record(value: unknown, what: string, maxBytes: number): Recorded {
  const wrong = unfit(value, 0);
  if (wrong) return { ok: false, error: `${what} is not JSON: it contains ${wrong}` };
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) return { ok: false, error: `${what} is too large: ${bytes} bytes, the limit is ${maxBytes}` };
  return { ok: true, text, value: JSON.parse(text) };
}

const deepest = 100;

function unfit(value: unknown, depth: number): string | undefined {
  if (depth > deepest) return `more than ${deepest} levels, or itself`;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : String(value);
    case 'object':
      return value === null ? undefined : unfitObject(value, depth);
    default:
      return typeof value;
  }
}

function unfitObject(value: object, depth: number): string | undefined {
  const isArray = Array.isArray(value);
  if (!isArray) {
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== null && prototype !== Object.prototype) return `a ${value.constructor?.name ?? 'special object'}`;
  }
  for (const part of isArray ? value : Object.values(value)) {
    if (part === undefined && !isArray) continue;
    const wrong = unfit(part, depth + 1);
    if (wrong) return wrong;
  }
  return undefined;
}
