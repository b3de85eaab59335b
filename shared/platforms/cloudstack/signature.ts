/**
 * How a request to CloudStack is signed: all fields but the signature, sorted by name, with encoded values and in lower case, under HMAC-SHA1.
 * The server compares with what it makes of the fields as it received them, so this must be byte for byte what it does.
 */
import { createHmac } from 'node:crypto';

/** As Java's URLEncoder encodes, with spaces as `%20`: stricter than JavaScript's encodeURIComponent, except that `*` stays. */
const encoded = (value: string): string =>
  encodeURIComponent(value).replace(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

export function textToSign(fields: Readonly<Record<string, string>>): string {
  // By UTF-16 code unit, as Java sorts strings: not by the rules of a language.
  const names = Object.keys(fields).sort((a, b) => (a < b ? -1 : 1));
  return names
    .map((name) => `${name}=${encoded(fields[name] ?? '')}`)
    .join('&')
    .toLowerCase();
}

export const signatureOf = (fields: Readonly<Record<string, string>>, secretKey: string): string =>
  createHmac('sha1', secretKey).update(textToSign(fields), 'utf8').digest('base64');
