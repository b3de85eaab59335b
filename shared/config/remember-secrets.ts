/** What a configuration and the environment hold of secrets, known to the redaction as soon as they are read. */
import type { Environment } from '../base/environment.ts';
import { rememberSecret } from '../base/secrets/known-secrets.ts';
import { rememberConnectionString, rememberPrivateKey, rememberUrl } from '../base/secrets/remember-parts.ts';
import { isSecretKey } from '../observe/log/redact.ts';
import { isSecretReference } from '../platforms/aws/secret-reference.ts';
import { isUnresolvedReference } from '../platforms/azure/key-vault-reference.ts';

/** They say where a secret is or what it is like, which helps whoever has to look for it. Pods have such variables for each Service. */
const pointer =
  /(files?|variables?|names?|ref|ur[il]|path|dir|host|port(_.*)?|addr|endpoint|id|type|mode|seconds|ttl)$/i;
const isSecret = (key: string): boolean => isSecretKey(key) && !pointer.test(key);

/**
 * Any program may have named a variable like a secret, for a setting such as `disabled` or `default-namespace`. Taken for a secret, such a
 * word would disappear from every message. Words without a digit and in one case are taken only when they are long.
 */
const isRandomEnough = (value: string): boolean => {
  const text = value.trim();
  if (text.length >= 24) return true;
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9\s_.-]/].filter((kind) => kind.test(text)).length;
  return kinds >= 2 && new Set(text).size >= 6;
};

export function rememberEnvironment(env: Environment): void {
  for (const [name, value = ''] of Object.entries(env)) {
    if (isSecret(name) && isRandomEnough(value)) rememberText(value);
    else if (/_proxy$/i.test(name) && URL.canParse(value)) rememberUrl(new URL(value));
    else if (/(^|;)\s*(AccountKey|SharedAccessKey)=/i.test(value)) rememberConnectionString(value);
  }
}

/** @param value Of the field `key`; of a map or a list, all of it. */
export function rememberConfig(value: unknown, key = ''): void {
  if (typeof value === 'string') {
    if (key === 'proxyUrl' && URL.canParse(value)) rememberUrl(new URL(value));
    else if (isSecret(key)) rememberText(value);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const [name, inner] of Object.entries(value)) rememberConfig(inner, isList ? key : name);
}

/** A key may be given as a file, and a secret by where it lies. */
function rememberText(value: string): void {
  if (isSecretReference(value) || isUnresolvedReference(value)) return;
  if (value.includes('-----BEGIN ')) rememberPrivateKey(value);
  else if (!/^([./~]|file:)/.test(value)) rememberSecret(value);
}
