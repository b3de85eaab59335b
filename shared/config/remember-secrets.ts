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

export function rememberEnvironment(env: Environment): void {
  for (const [name, value = ''] of Object.entries(env)) {
    if (isSecret(name)) rememberText(value);
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
