/**
 * Variables that name a secret, with the secret in its place. Azure puts secrets into variables by itself; Lambda does not. Only for
 * what nobody follows later: the ways into clusters and the token of the API are followed when they are used.
 */
import type { Environment } from '../../../shared/base/environment.ts';
import { isSecretReference } from '../../../shared/platforms/aws/secret-reference.ts';
import type { ReadReference } from './references.ts';

/** Keys of clusters and callers, credentials of other clouds and of collectors: which variable holds one, the configuration may say. */
const followed =
  /^(POOLWRIGHT_CLUSTERS_\w+_INTAKE_(TOKENS|PATH_SECRETS)|POOLWRIGHT_HTTP_CALLERS_\w+_TOKENS|POOLWRIGHT_METRICS_OTLP_HEADERS|OTEL_EXPORTER_OTLP_(METRICS_)?HEADERS|AZURE_\w+)$/;

/**
 * @param say Gets what is wrong with one, which is then left out: what it opens stays shut, and nothing else stops.
 */
export async function followVariables(
  env: Environment,
  read: ReadReference,
  say: (problem: string) => void,
): Promise<Environment> {
  const entries = Object.entries(env).filter(isFollowed);
  if (entries.length === 0) return env;
  const replaced = await Promise.all(
    entries.map(async ([name, text = '']): Promise<[string, string | undefined]> => {
      const secrets = await Promise.all(listOf(text).map((one) => secretOf(name, one, read, say)));
      const known = secrets.filter((one) => one !== undefined);
      return [name, known.length === 0 ? undefined : known.join(',')];
    }),
  );
  return { ...env, ...Object.fromEntries(replaced) };
}

export const followedNames = (env: Environment): string[] =>
  Object.entries(env)
    .filter(isFollowed)
    .map(([name]) => name);

/** For who may not read the secrets: a reference in the place of one would be taken for a secret of the wrong form. */
export const withoutFollowed = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter((entry) => !isFollowed(entry)));

const isFollowed = ([name, text = '']: [string, string | undefined]): boolean =>
  followed.test(name) && listOf(text).some(isSecretReference);

/** As the configuration reads lists. */
const listOf = (text: string): string[] => text.split(',').map((one) => one.trim());

async function secretOf(
  name: string,
  text: string,
  read: ReadReference,
  say: (problem: string) => void,
): Promise<string | undefined> {
  if (!isSecretReference(text)) return text;
  const found = await read(text);
  if (found.ok) return found.value.trim();
  say(`${name}: ${found.error.message}`);
  return undefined;
}
