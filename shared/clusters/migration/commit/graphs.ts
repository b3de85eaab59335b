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
import { kroFinalizer, kroLabels } from '../kro/marks.ts';
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
  return ok(undefined);
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

/** What graphs that are gone have left behind: their revisions, and the definitions of their kinds. */
export interface Leftovers {
  revisions: readonly { name: string; uid: string }[];
  definitions: readonly { name: string; uid: string; resource: Resource }[];
}

interface Definition extends KubeObject {
  spec?: {
    group?: string;
    scope?: string;
    names?: { plural?: string; kind?: string };
    versions?: { name?: string; served?: boolean }[];
  };
}

/** @param unused Graphs that count as gone already. */
export async function leftovers(
  api: ClusterApi,
  unused: readonly Graph[],
  signal: AbortSignal,
): Promise<Result<Leftovers>> {
  const graphs = await readGraphs(api, signal);
  if (!graphs.ok) return graphs;
  const staying = graphs.value.filter((one) => !unused.some(({ uid }) => uid === one.uid));
  const ofGone: Leftovers['revisions'][number][] = [];
  const onRevision = ({ metadata }: KubeObject): void => {
    const graph = metadata.labels?.[kroLabels.graph];
    const owner = metadata.ownerReferences?.find(({ kind }) => kind === graphResource.kind)?.uid;
    if (graph === undefined && owner === undefined) return;
    if (!staying.some(({ name, uid }) => name === graph || uid === owner)) {
      ofGone.push({ name: metadata.name, uid: metadata.uid });
    }
  };
  const revised = await listAll<KubeObject>(api, revisions, {}, { onItem: onRevision }, signal);
  if (!revised.ok && revised.error.code !== failureCodes.notServed) return revised;

  const owned: Definition[] = [];
  const how = { labelSelector: ownedLabel, limit: 20 };
  const onDefinition = (one: Definition): void => void owned.push(one);
  const listed = await listAll<Definition>(api, customResourceDefinitions, how, { onItem: onDefinition }, signal);
  if (!listed.ok) return listed;
  const definitions: Leftovers['definitions'][number][] = [];
  for (const { metadata, spec } of owned) {
    const { group = '', scope, names, versions = [] } = spec ?? {};
    const { plural = '', kind = '' } = names ?? {};
    if (staying.some(({ instances }) => instances.kind === kind && instances.group === group)) continue;
    const version = versions.find(({ served }) => served)?.name ?? '';
    const resource = { group, version, plural, kind, namespaced: scope !== 'Cluster' };
    const used = await isUsed(api, resource, signal);
    if (!used.ok) return used;
    if (!used.value) definitions.push({ name: metadata.name, uid: metadata.uid, resource });
  }
  return ok({ revisions: ofGone, definitions });
}

const ownedLabel = 'kro.run/owned=true';

async function isUsed(api: ClusterApi, resource: Resource, signal: AbortSignal): Promise<Result<boolean>> {
  const page = await api.list(resource, { limit: 1 }, signal);
  if (page.ok) return ok(page.value.items.length > 0);
  return page.error.code === failureCodes.notServed ? ok(false) : page;
}

/** With a definition every object of its kind would go, so it is asked once more. */
export async function removeLeftovers(
  api: ClusterApi,
  { revisions: gone, definitions }: Leftovers,
  signal: AbortSignal,
): Promise<Result<void>> {
  for (const { name, uid } of gone) {
    const deleted = await api.delete(revisions, { name }, { uid }, signal);
    if (!deleted.ok && deleted.error.kind !== 'not-found') return deleted;
    const stripped = await strip(api, revisions, name, uid, signal);
    if (!stripped.ok) return stripped;
  }
  for (const { name, uid, resource } of definitions) {
    const used = await isUsed(api, resource, signal);
    if (!used.ok) return used;
    if (used.value) return migrationFailure('KroStillUsed', `${resource.kind} has instances again`);
    const deleted = await api.delete(customResourceDefinitions, { name }, { uid }, signal);
    if (!deleted.ok && deleted.error.kind !== 'not-found') return deleted;
  }
  return ok(undefined);
}
