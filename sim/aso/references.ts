/** What a spec refers to: other objects by name, values in Secrets and ConfigMaps. All must be there before anything is put. */
import { asObject, isObject, type Json, type JsonObject } from '../../shared/base/json.ts';
import { type ClusterApi, configMaps, type KubeObject, secrets } from '../../shared/kube/contract.ts';
import { type Standing, warning } from './conditions.ts';
import { asoKindOf } from './kinds.ts';
import { type AsoObject, annotation, marks } from './object.ts';

type Found = { body: JsonObject } | { problem: Standing };

/** The spec as Azure gets it: with ids for references, and values for what is configured elsewhere. */
export async function resolveSpec(api: ClusterApi, { spec, metadata }: AsoObject): Promise<Found> {
  const { operatorSpec: _, owner: __, azureName: ___, ...rest } = spec;
  const namespace = metadata.namespace ?? '';
  let problem: Standing | undefined;
  const walk = async (value: Json): Promise<Json> => {
    if (Array.isArray(value)) return Promise.all(value.map(walk));
    if (!isObject(value)) return value;
    const fields: JsonObject = {};
    for (const [key, inner] of Object.entries(value)) {
      const resolved = await field(key, inner);
      Object.assign(fields, resolved ?? { [key]: await walk(inner) });
    }
    return fields;
  };
  const field = async (key: string, value: Json): Promise<JsonObject | undefined> => {
    const given = asObject(value);
    if (key.endsWith('FromConfig') && given !== undefined) {
      const found = await valueIn(api, namespace, given);
      if (typeof found !== 'string') problem ??= found;
      return { [key.replace(/FromConfig$/, '')]: typeof found === 'string' ? found : '' };
    }
    if (!/^reference$|Reference$/.test(key) || given === undefined) return undefined;
    if (typeof given.wellKnownName === 'string') return { [plainName(key)]: given.wellKnownName };
    if (typeof given.armId === 'string') return { [plainName(key)]: given.armId };
    const found = await idOf(api, namespace, given);
    if (typeof found !== 'string') problem ??= found;
    return { [plainName(key)]: typeof found === 'string' ? found : '' };
  };
  const body = await walk(rest);
  if (problem !== undefined) return { problem };
  const secret = await missingSecret(api, namespace, rest.configurationProtectedSettings);
  return secret === undefined ? { body: body as JsonObject } : { problem: secret };
}

const plainName = (key: string): string => (key === 'reference' ? 'id' : key.replace(/Reference$/, 'ID'));
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

async function idOf(api: ClusterApi, namespace: string, given: JsonObject): Promise<string | Standing> {
  const [group, kind, name] = [textOf(given.group), textOf(given.kind), textOf(given.name)];
  const known = asoKindOf(group, kind);
  const lost = warning(
    'ReferenceNotFound',
    `failed resolving reference: ${namespace}/${name}, Group/Kind: ${group}/${kind} does not exist`,
  );
  if (known === undefined) return lost;
  const found = await api.get<AsoObject>(known.resource, { namespace, name });
  const id = found.ok ? annotation(found.value, marks.resourceId) : undefined;
  // Without an id it exists and was never put: the operator waits for it in the same words.
  return id ?? lost;
}

async function valueIn(api: ClusterApi, namespace: string, given: JsonObject): Promise<string | Standing> {
  const [name, key] = [textOf(given.name), textOf(given.key)];
  const found = await api.get<KubeObject & { data?: Record<string, string> }>(configMaps, { namespace, name });
  const value = found.ok ? found.value.data?.[key] : undefined;
  return (
    value ??
    warning(
      'ConfigMapNotFound',
      `failed resolving config map references: ${namespace}/${name} does not exist or has no key ${key}`,
    )
  );
}

async function missingSecret(
  api: ClusterApi,
  namespace: string,
  given: Json | undefined,
): Promise<Standing | undefined> {
  const name = textOf(asObject(given)?.name);
  if (name === '') return undefined;
  const found = await api.get(secrets, { namespace, name });
  return found.ok
    ? undefined
    : warning('SecretNotFound', `failed resolving secret references: ${namespace}/${name} does not exist`);
}
