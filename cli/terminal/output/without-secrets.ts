/** A configuration that can be shown to others: where a secret is may be read, what it is may not. */
import { isSecretKey, scrubText } from '../../../shared/observe/log/redact.ts';

const hidden = '[redacted]';
/** They name a file or a variable. */
const pointer = /(File|Files|Variable)$/;
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

export function withoutSecrets(value: unknown, key = ''): unknown {
  if (typeof value === 'string') {
    if (privateKey.test(value)) return hidden;
    // A key may be given as a file, whose name helps.
    if (key === 'clientKey') return value;
    return isSecret(key) ? hidden : scrubText(value);
  }
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutSecrets(inner, name)]));
}

const isSecret = (key: string): boolean => isSecretKey(key) && !pointer.test(key);
