/**
 * What is kept until a migration is committed: the instance and its objects as they were, so that they can go back. It is a ConfigMap next to
 * the request, written before anything is changed. Where a migration stands is not in it: the objects themselves say that.
 */
import { isObject, type JsonObject } from '../../base/json.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import { type ClusterApi, configMaps, type KubeObject, type Resource } from '../../kube/contract.ts';
import { listAll } from '../../kube/list-all.ts';
import { policyOf, reconcilePolicy } from '../drivers/aso/condition.ts';
import type { ClusterRequestSpec } from '../request/schema.ts';
import type { Child, Instance } from './kro/read.ts';
import { azureIdOf } from './kro/state.ts';

export interface RecordedChild {
  resource: Resource;
  name: string;
  namespace?: string;
  uid: string;
  /** Its policy annotation before; null: it had none. */
  policy: string | null;
  /** As it was: the host has added what the request says by default. */
  spec: JsonObject | null;
  azureId: string | null;
  /** Applied by the request: the manifest has this name. */
  described: boolean;
}

export interface MigrationRecord {
  v: 1;
  graph: string;
  instances: Resource;
  instance: { name: string; namespace?: string; uid: string };
  /** As it is created again by a rollback. */
  manifest: JsonObject;
  children: readonly RecordedChild[];
  request: { namespace: string; name: string };
  /** Without the guard that it has until the migration is committed. */
  spec: ClusterRequestSpec;
}

const label = 'poolwright.dev/migrated-from';
const key = 'record.json';

interface StoredMap extends KubeObject {
  data?: Record<string, string>;
}

export const recordName = (uid: string): string => `poolwright-kro-${uid}`;

export function recordOf(
  { graph, object }: Instance,
  children: readonly Child[],
  request: MigrationRecord['request'],
  spec: ClusterRequestSpec,
  isDescribed: (child: Child) => boolean,
): MigrationRecord {
  const { name, namespace, uid, labels, annotations } = object.metadata;
  return {
    v: 1,
    graph: graph.name,
    instances: graph.instances,
    instance: { name, ...(namespace === undefined ? {} : { namespace }), uid },
    manifest: JSON.parse(
      JSON.stringify({
        apiVersion: `${graph.instances.group}/${graph.instances.version}`,
        kind: graph.instances.kind,
        metadata: { name, namespace, labels, annotations },
        spec: object.spec ?? {},
      }),
    ) as JsonObject,
    children: children.map((child) => ({
      resource: child.resource,
      name: child.object.metadata.name,
      ...(child.object.metadata.namespace === undefined ? {} : { namespace: child.object.metadata.namespace }),
      uid: child.object.metadata.uid,
      policy: child.object.metadata.annotations?.[reconcilePolicy] === undefined ? null : policyOf(child.object),
      spec: child.object.spec ?? null,
      azureId: azureIdOf(child.object) ?? null,
      described: isDescribed(child),
    })),
    request,
    spec,
  };
}

/** The first one counts: what is there now may no longer be what was there before. */
export async function keepRecord(
  api: ClusterApi,
  record: MigrationRecord,
  signal: AbortSignal,
): Promise<Result<MigrationRecord>> {
  const name = recordName(record.instance.uid);
  const { namespace } = record.request;
  const made = await api.create<StoredMap>(
    configMaps,
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace, labels: { [label]: 'kro' } },
      data: { [key]: JSON.stringify(record) },
    },
    signal,
  );
  if (made.ok) return ok(record);
  if (made.error.kind !== 'conflict') return made;
  const there = await api.get<StoredMap>(configMaps, { name, namespace }, signal);
  if (!there.ok) return there;
  const read = readRecord(there.value);
  return read === undefined
    ? failed('invalid', `ConfigMap ${namespace}/${name} has no record that can be read`)
    : ok(read);
}

/** Those of instances that have begun to leave KRO and are not committed. */
export async function listRecords(
  api: ClusterApi,
  wanted: { name?: string; namespace?: string },
  signal: AbortSignal,
): Promise<Result<MigrationRecord[]>> {
  const found: MigrationRecord[] = [];
  const listed = await listAll<StoredMap>(
    api,
    configMaps,
    { labelSelector: `${label}=kro` },
    {
      onStart: () => void found.splice(0),
      onItem: (one) => {
        const record = readRecord(one);
        if (record !== undefined) found.push(record);
      },
    },
    signal,
  );
  if (!listed.ok) return listed;
  return ok(
    found.filter(
      ({ instance }) =>
        (wanted.name === undefined || instance.name === wanted.name) &&
        (wanted.namespace === undefined || instance.namespace === wanted.namespace),
    ),
  );
}

export async function forgetRecord(
  api: ClusterApi,
  record: MigrationRecord,
  signal: AbortSignal,
): Promise<Result<void>> {
  const ref = { name: recordName(record.instance.uid), namespace: record.request.namespace };
  const there = await api.get<StoredMap>(configMaps, ref, signal);
  if (!there.ok) return there.error.kind === 'not-found' ? ok(undefined) : there;
  const deleted = await api.delete(configMaps, ref, { uid: there.value.metadata.uid }, signal);
  return deleted.ok || deleted.error.kind !== 'not-found' ? deleted : ok(undefined);
}

function readRecord({ data }: StoredMap): MigrationRecord | undefined {
  try {
    const read: unknown = JSON.parse(data?.[key] ?? '');
    return isObject(read) && read.v === 1 && Array.isArray(read.children)
      ? (read as unknown as MigrationRecord)
      : undefined;
  } catch {
    return undefined;
  }
}

export const describeInstance = ({ instances, instance }: Pick<MigrationRecord, 'instances' | 'instance'>): string =>
  `${instances.kind} ${instance.namespace === undefined ? '' : `${instance.namespace}/`}${instance.name}`;

export const describeChild = ({ resource, namespace, name }: RecordedChild): string =>
  `${resource.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
