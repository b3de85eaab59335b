/** Secrets that this command can see: they must not get into an archive by any way. */
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { isSecretKey } from '../../../shared/observe/log/redact.ts';
import { kubeconfigFile } from '../../reach/cluster-access.ts';
import { rememberedTokenFile } from '../../reach/remembered-host.ts';
import type { PatientOptions } from './patient.ts';

export function secretsAtHand(options: PatientOptions, env: NodeJS.ProcessEnv, configuration: unknown): string[] {
  const { dataDir, tokenFile = rememberedTokenFile(resolve(dataDir)) } = options;
  const token = existsSync(tokenFile) ? [readFileSync(tokenFile, 'utf8').trim()] : [];
  const variables = Object.entries(env).flatMap(([name, text]) => (text && isSecretKey(name) ? [text] : []));
  return [...token, ...variables, ...secretsIn(configuration, ''), ...secretsOfKubeconfig(options)];
}

/** Whatever its parts are called; it may be several files, and not all of them YAML that can be read. */
function secretsOfKubeconfig(options: PatientOptions): string[] {
  return kubeconfigFile(options)
    .split(delimiter)
    .filter((file) => existsSync(file))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(secretLine)].map(([, secret = '']) => secret));
}

const secretLine =
  /^\s*(?:- )?(?:token|id-token|refresh-token|password|client-key-data|client-secret):\s*["']?([^\s"']+)/gm;

/** What stands in the fields of a configuration that hold secrets. */
function secretsIn(value: unknown, key: string): string[] {
  if (typeof value === 'string') return isSecretKey(key) && !/File$|Files$/.test(key) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => secretsIn(item, key));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => secretsIn(inner, name));
}
