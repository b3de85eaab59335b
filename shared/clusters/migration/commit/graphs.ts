/** Graph definitions that no instance uses any more, with their revisions and KRO's finalizers. */
import { ok, type Result } from '../../../base/result.ts';
import {
  type ClusterApi,
  customResourceDefinitions,
  failureCodes,
  type KubeObject,
  type Resource,
} from '../../../kube/contract.ts';
import { listAll } from '../../../kube/list-all.ts';
import { type Graph, type GraphObject, graphResource } from '../kro/graph.ts';
import { kroFinalizer } from '../kro/marks.ts';
import { makesClusters, readGraphs, readInstances } from '../kro/read.ts';
import { type MigrationParts, migrationFailure, waitUntil } from '../parts.ts';
import { listRecords } from '../record.ts';

const revisions: Resource = {
  group: 'internal.kro.run',
  version: 'v1alpha1',
  plural: 'graphrevisions',
  kind: 'GraphRevision',
  namespaced: false,
};

export interface UnusedGraphs {
  unused: readonly Graph[];
  /** With how many instances, or migrations that may still be rolled back. */
  used: readonly { graph: Graph; instances: number; uncommitted: number }[];
}

/** @param committing Records that are being committed: they need no way back. */
export async function unusedGraphs(
  api: ClusterApi,
  committing: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Result<UnusedGraphs>> {
  const graphs = await readGraphs(api, signal);
  if (!graphs.ok) return graphs;
  const records = await listRecords(api, {}, signal);
  if (!records.ok) return records;
  const unused: Graph[] = [];
  const used: UnusedGraphs['used'][number][] = [];
  for (const graph of graphs.value.filter(makesClusters)) {
    const instances = await readInstances(api, graph, signal);
    if (!instances.ok) return instances;
    const uncommitted = records.value.filter(
      (one) => one.graph === graph.name && !committing.has(one.instance.uid),
    ).length;
    if (instances.value.length === 0 && uncommitted === 0) unused.push(graph);
    else used.push({ graph, instances: instances.value.length, uncommitted });
  }
  return ok({ unused, used });
}

const ownForMs = 15_000;
const lookEveryMs = 500;

/** KRO takes its finalizer off itself; where it does not run any more, nobody would. */
export async function deleteGraph(parts: MigrationParts, graph: Graph, signal: AbortSignal): Promise<Result<void>> {
  const { api } = parts;
  const instances = await readInstances(api, graph, signal);
  if (!instances.ok) return instances;
  if (instances.value.length > 0) {
    return migrationFailure('KroStillUsed', `${graph.instances.kind} has ${instances.value.length} instances`);
  }
  const ref = { name: graph.name };
  const deleted = await api.delete(graphResource, ref, { uid: graph.uid }, signal);
  if (!deleted.ok && deleted.error.kind !== 'not-found') return deleted;
  const look = async (): Promise<Result<true | undefined>> => {
    const read = await api.get<GraphObject>(graphResource, ref, signal);
    if (read.ok) return ok(read.value.metadata.uid === graph.uid ? undefined : true);
    return read.error.kind === 'not-found' ? ok(true) : read;
  };
  const gone = await waitUntil(parts, { everyMs: lookEveryMs, forMs: ownForMs }, look, signal);
  if (!gone.ok) return gone;
  if (gone.value === undefined) {
    const stripped = await strip(api, graphResource, ref.name, graph.uid, signal);
    if (!stripped.ok) return stripped;
  }
  const ended = await endRevisions(api, graph, signal);
  return ended.ok ? deleteDefinition(api, graph, signal) : ended;
}

async function strip(
  api: ClusterApi,
  resource: Resource,
  name: string,
  uid: string,
  signal: AbortSignal,
): Promise<Result<void>> {
  const read = await api.get<KubeObject>(resource, { name }, signal);
  if (!read.ok) return read.error.kind === 'not-found' ? ok(undefined) : read;
  const { metadata } = read.value;
  if (metadata.uid !== uid) return ok(undefined);
  const finalizers = (metadata.finalizers ?? []).filter((one) => one !== kroFinalizer);
  const patch = { metadata: { uid, resourceVersion: metadata.resourceVersion, finalizers } };
  const written = await api.mergePatch(resource, { name }, patch, {}, signal);
  return written.ok || written.error.kind === 'not-found' ? ok(undefined) : written;
}

/** They belong to the graph, and have the same finalizer. */
async function endRevisions(api: ClusterApi, graph: Graph, signal: AbortSignal): Promise<Result<void>> {
  const found: KubeObject[] = [];
  const isIts = ({ metadata }: KubeObject): boolean =>
    metadata.ownerReferences?.some(({ uid }) => uid === graph.uid) === true ||
    metadata.labels?.['kro.run/resource-graph-definition-name'] === graph.name;
  const onItem = (one: KubeObject): void => void (isIts(one) && found.push(one));
  const listed = await listAll<KubeObject>(api, revisions, {}, { onItem }, signal);
  if (!listed.ok) return listed.error.code === failureCodes.notServed ? ok(undefined) : listed;
  for (const { metadata } of found) {
    const deleted = await api.delete(revisions, { name: metadata.name }, { uid: metadata.uid }, signal);
    if (!deleted.ok && deleted.error.kind !== 'not-found') return deleted;
    const stripped = await strip(api, revisions, metadata.name, metadata.uid, signal);
    if (!stripped.ok) return stripped;
  }
  return ok(undefined);
}

/** The kind of the instances: KRO leaves its definition. Only one that KRO made, and only without objects of that kind. */
async function deleteDefinition(api: ClusterApi, graph: Graph, signal: AbortSignal): Promise<Result<void>> {
  const { plural, group } = graph.instances;
  const name = `${plural}.${group}`;
  const read = await api.get<KubeObject>(customResourceDefinitions, { name }, signal);
  if (!read.ok) return read.error.kind === 'not-found' ? ok(undefined) : read;
  const { labels, uid } = read.value.metadata;
  if (labels?.['kro.run/owned'] !== 'true') return ok(undefined);
  const left = await readInstances(api, graph, signal);
  if (!left.ok) return left;
  if (left.value.length > 0) return migrationFailure('KroStillUsed', `${graph.instances.kind} has instances again`);
  const deleted = await api.delete(customResourceDefinitions, { name }, { uid }, signal);
  return deleted.ok || deleted.error.kind === 'not-found' ? ok(undefined) : deleted;
}
