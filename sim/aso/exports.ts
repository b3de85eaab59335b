/** What the operator writes for others: the kubeconfig, the issuer, ids; into Secrets and ConfigMaps that belong to the object. */
import { asObject, type Json, type JsonObject } from '../../shared/base/json.ts';
import { type ClusterApi, configMaps, type KubeObject, type Resource, secrets } from '../../shared/kube/contract.ts';
import { fatal, type Standing } from './conditions.ts';
import { type AsoObject, must } from './object.ts';

/** What can be exported under its name in `operatorSpec`. */
export type Exported = Readonly<Record<string, string | undefined>>;

interface Destination {
  resource: Resource;
  name: string;
  data: Record<string, string>;
}

function destinations({ spec }: AsoObject, values: Exported): Destination[] {
  const wanted = asObject(spec.operatorSpec) ?? {};
  const found = new Map<string, Destination>();
  const add = (resource: Resource, given: Json | undefined): void => {
    for (const [field, where] of Object.entries(asObject(given) ?? {})) {
      const { name, key } = asObject(where) ?? {};
      const value = values[field];
      if (typeof name !== 'string' || typeof key !== 'string' || value === undefined) continue;
      const id = `${resource.kind}/${name}`;
      const one = found.get(id) ?? { resource, name, data: {} };
      one.data[key] = value;
      found.set(id, one);
    }
  };
  add(secrets, wanted.secrets);
  add(configMaps, wanted.configMaps);
  return [...found.values()];
}

/** The problem, if a target is somebody else's. */
export async function writeExports(
  api: ClusterApi,
  object: AsoObject,
  values: Exported,
): Promise<Standing | undefined> {
  for (const { resource, name, data } of destinations(object, values)) {
    const namespace = object.metadata.namespace ?? '';
    const content: JsonObject = resource.kind === 'Secret' ? { stringData: data } : { data };
    const found = await api.get<KubeObject>(resource, { namespace, name });
    if (!found.ok) {
      const whole = {
        apiVersion: 'v1',
        kind: resource.kind,
        metadata: { name, namespace, ownerReferences: [ownerReference(object)] },
        ...content,
      };
      must(await api.create(resource, whole));
    } else if (isOwnedBy(found.value, object)) {
      must(await api.mergePatch(resource, { namespace, name }, content));
    } else {
      const text = `cannot overwrite ${resource.kind} ${namespace}/${name} which is not owned by ${object.kind} ${namespace}/${object.metadata.name}`;
      return fatal('FailedWritingAdditionalKubernetesObjects', text);
    }
  }
  return undefined;
}

/** What was exported goes with its owner, as garbage collection would see to. */
export async function removeExports(api: ClusterApi, object: AsoObject, values: Exported): Promise<void> {
  for (const { resource, name } of destinations(object, values)) {
    const namespace = object.metadata.namespace ?? '';
    const found = await api.get<KubeObject>(resource, { namespace, name });
    if (found.ok && isOwnedBy(found.value, object)) {
      await api.delete(resource, { namespace, name }, { uid: found.value.metadata.uid ?? '' });
    }
  }
}

export const ownerReference = ({ apiVersion, kind, metadata }: AsoObject): JsonObject => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
});

const isOwnedBy = ({ metadata }: KubeObject, { metadata: owner }: AsoObject): boolean =>
  metadata.ownerReferences?.some(({ uid }) => uid === owner.uid) ?? false;
