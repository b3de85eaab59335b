/** Which fields of a configuration hold paths, and from where these are meant. */
import { delimiter, resolve } from 'node:path';

/** Fields that hold a path or a list of them; in some a PEM text may stand instead. */
export const pathFields: ReadonlySet<string> = new Set([
  'kubeconfig',
  'tokenFile',
  'tokenFiles',
  'secretFile',
  'apiKeyFile',
  'secretKeyFile',
  'headersFile',
  'pathSecretFiles',
  'urlFile',
  'signingKeyFiles',
  'poolTypesFile',
  'certificateAuthority',
  'clientCertificate',
  'clientKey',
  'certFile',
  'keyFile',
  'clientCaFile',
]);

/** Paths in a file are meant from where the file is, not from where somebody happens to stand. */
export function withAbsolutePaths(value: unknown, folder: string): unknown {
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      pathFields.has(key) ? absolutePaths(key, inner, folder) : withAbsolutePaths(inner, folder),
    ]),
  );
}

function absolutePaths(key: string, value: unknown, folder: string): unknown {
  if (Array.isArray(value)) return value.map((one) => absolutePaths(key, one, folder));
  // A cluster or provider may be called like a field.
  return typeof value === 'string' ? absolute(key, value, folder) : withAbsolutePaths(value, folder);
}

function absolute(key: string, text: string, folder: string): string {
  if (text === '' || text.includes('-----BEGIN ')) return text;
  if (key !== 'kubeconfig') return resolve(folder, text);
  // It may be several, and `default` is what kubectl would take.
  if (text === 'default') return text;
  return text
    .split(delimiter)
    .map((one) => (one === '' ? one : resolve(folder, one)))
    .join(delimiter);
}
