/** Keeps secrets out of the log, and its lines short, whatever somebody hands to it. */

const REDACTED = '[redacted]';
const MAX_DEPTH = 6;
const MAX_ITEMS = 50;
const MAX_TEXT = 4096;

/** Compared without case, dashes and underscores: `user_data`, `User-Data` and `userData` are one. */
const secretParts = [
  'authorization',
  'cookie',
  'credential',
  'customdata',
  'headers',
  'passphrase',
  'passwd',
  'password',
  'privatekey',
  'clientkey',
  'accesskey',
  'apikey',
  'secret',
  'token',
  'userdata',
];
/** They only say where a secret is, which is what one needs to know when it can't be read. */
const harmless = new Set(['tokenfile', 'secretname', 'secretref', 'passwordfile', 'headersfile']);

export function isSecretKey(key: string): boolean {
  const plain = key.toLowerCase().replace(/[-_.]/g, '');
  return !harmless.has(plain) && secretParts.some((part) => plain.includes(part));
}

/** Hides what looks like a secret within a text: bearer tokens, and the password in a URL. */
export function scrubText(text: string): string {
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text;
  return short
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${REDACTED}`)
    .replace(/(\w:\/\/[^\s/:@]*):[^\s/@]+@/g, `$1:${REDACTED}@`);
}

/** A copy that is safe to print. Cycles end at the depth limit; errors keep message, stack and causes. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return scrubText(value);
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return value;
  if (depth >= MAX_DEPTH) return '[too deep]';
  if (value instanceof Error) return redactError(value, depth);
  if (value instanceof Date) return value;
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => redact(item, depth + 1));
    if (value.length > MAX_ITEMS) items.push(`… (${value.length} items)`);
    return items;
  }
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value).slice(0, MAX_ITEMS)) {
    copy[key] = isSecretKey(key) && item !== undefined ? REDACTED : redact(item, depth + 1);
  }
  return copy;
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  return {
    type: error.name,
    message: scrubText(error.message),
    ...(error.stack === undefined ? {} : { stack: scrubText(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: redact(error.cause, depth + 1) }),
  };
}
