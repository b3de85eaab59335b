/** Keeps secrets out of the log, and its lines short, whatever somebody hands to it. */
import { redactSecrets } from '../../base/secrets/known-secrets.ts';

const redactedText = '[redacted]';
const maxDepth = 6;
const maxItems = 50;
const maxText = 4096;

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
const harmless = new Set([
  'tokenfile',
  'secretname',
  'secretref',
  'passwordfile',
  'headersfile',
  'apikeyfile',
  'secretkeyfile',
]);

export function isSecretKey(key: string): boolean {
  const plain = key.toLowerCase().replace(/[-_.]/g, '');
  return !harmless.has(plain) && secretParts.some((part) => plain.includes(part));
}

/** Hides secrets within a text: those that this process knows, and what looks like one (bearer tokens, the password in a URL). */
export function scrubText(input: string): string {
  // Before it is cut: half of a secret is harder to find.
  const text = redactSecrets(input);
  const short = text.length > maxText ? `${text.slice(0, maxText)}… (${text.length} characters)` : text;
  return shown(short)
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${redactedText}`)
    .replace(/(\w:\/\/[^\s/:@]*):[^\s/@]+@/g, `$1:${redactedText}@`);
}

/** JSON escapes line ends and most control characters; what it passes on as it is and a terminal obeys is escaped here. */
const shown = (text: string): string =>
  text.replace(
    /[\x7f-\x9f\p{Bidi_Control}\p{Zl}\p{Zp}]/gu,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A copy that is safe to print. Cycles end at the depth limit; errors keep message, stack and causes. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return scrubText(value);
  if (typeof value === 'bigint') return value.toString();
  // A `toJSON` among them would be called, and may throw.
  if (typeof value === 'function') return undefined;
  if (value === null || typeof value !== 'object') return value;
  if (depth >= maxDepth) return '[too deep]';
  if (value instanceof Error) return redactError(value, depth);
  if (value instanceof Date) return value;
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) {
    const items = value.slice(0, maxItems).map((item) => redact(item, depth + 1));
    if (value.length > maxItems) items.push(`… (${value.length} items)`);
    return items;
  }
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value).slice(0, maxItems)) {
    copy[key] = isSecretKey(key) && item !== undefined ? redactedText : redact(item, depth + 1);
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
