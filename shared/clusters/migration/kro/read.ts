/** Reads what KRO has: its graphs, their instances, and the objects of an instance. Nothing is written. */
import { failed, ok, type Result } from '../../../base/result.ts';
import { type ClusterApi, deployments, failureCodes, type KubeObject, type Resource } from '../../../kube/contract.ts';
import { listAll } from '../../../kube/list-all.ts';
import { asoKinds, type Served } from '../../manifests/api-versions.ts';
import { isAsoKind } from '../../manifests/resources.ts';
import {
  type AnyObject,
  type Graph,
  type GraphNode,
  type GraphObject,
  graphResource,
  readGraph,
  textFor,
} from './graph.ts';
import { resourceOfKind } from './kinds.ts';
import { definitionDeletion, deploymentLabel, kroLabels } from './marks.ts';

export interface Instance {
  graph: Graph;
  object: AnyObject;
}

export interface Child {
  resource: Resource;
  object: AnyObject;
  /** The node of the graph that it is of. */
  node: string;
}

export interface Children {
  found: readonly Child[];
  /** Nodes of which nothing was found, and nothing says that there need not be anything. */
  missing: readonly GraphNode[];
}

export async function readGraphs(api: ClusterApi, signal: AbortSignal): Promise<Result<Graph[]>> {
  const graphs: Graph[] = [];
  const listed = await listAll<GraphObject>(
    api,
    graphResource,
    {},
    {
      onStart: () => void graphs.splice(0),
      onItem: (object) => {
        const graph = readGraph(object);
        if (graph !== undefined) graphs.push(graph);
      },
    },
    signal,
  );
  // Where KRO was never installed there are none.
  return listed.ok || listed.error.code === failureCodes.notServed ? ok(graphs) : listed;
}

/** Those of graphs that make clusters. */
export const makesClusters = ({ nodes }: Graph): boolean => nodes.some(({ kind }) => kind === 'ManagedCluster');

export async function readInstances(api: ClusterApi, graph: Graph, signal: AbortSignal): Promise<Result<AnyObject[]>> {
  const found: AnyObject[] = [];
  const hooks = { onStart: () => void found.splice(0), onItem: (one: AnyObject) => void found.push(one) };
  const listed = await listAll<AnyObject>(api, graph.instances, {}, hooks, signal);
  return listed.ok || listed.error.code === failureCodes.notServed ? ok(found) : listed;
}

/** `team-a/web`, or `web` where one namespace has it. */
export async function findInstances(
  api: ClusterApi,
  wanted: { name?: string; namespace?: string },
  signal: AbortSignal,
): Promise<Result<Instance[]>> {
  const graphs = await readGraphs(api, signal);
  if (!graphs.ok) return graphs;
  const found: Instance[] = [];
  for (const graph of graphs.value.filter(makesClusters)) {
    const instances = await readInstances(api, graph, signal);
    if (!instances.ok) return instances;
    for (const object of instances.value) {
      const { name, namespace } = object.metadata;
      if (wanted.name !== undefined && wanted.name !== name) continue;
      if (wanted.namespace !== undefined && wanted.namespace !== namespace) continue;
      found.push({ graph, object });
    }
  }
  return ok(found);
}

/** Undefined: there is none. */
export async function readObject(
  api: ClusterApi,
  resource: Resource,
  { name, namespace }: { name: string; namespace?: string | undefined },
  signal: AbortSignal,
): Promise<Result<AnyObject | undefined>> {
  const ref = namespace === undefined ? { name } : { name, namespace };
  const found = await api.get<AnyObject>({ ...resource, namespaced: namespace !== undefined }, ref, signal);
  return found.ok || found.error.kind !== 'not-found' ? found : ok(undefined);
}

/**
 * By label, as KRO marks them, and by the names of the templates: by name KRO deletes, whatever the labels say.
 * @param served Objects of the operator are read in the version that would be written.
 */
export async function readChildren(
  api: ClusterApi,
  { graph, object: instance }: Instance,
  served: Served,
  signal: AbortSignal,
): Promise<Result<Children>> {
  const found = new Map<string, Child>();
  const add = (node: GraphNode, resource: Resource, object: AnyObject): void =>
    void found.set(object.metadata.uid, {
      resource: { ...resource, namespaced: object.metadata.namespace !== undefined },
      object: { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object },
      node: object.metadata.labels?.[kroLabels.nodeId] ?? node.id,
    });
  const missing: GraphNode[] = [];
  for (const node of graph.nodes) {
    const resource = readVersion(resourceOfKind(node), served);
    const before = found.size;
    const labelSelector = `${kroLabels.instanceId}=${instance.metadata.uid}`;
    const onItem = (one: AnyObject): void => {
      const of = one.metadata.labels?.[kroLabels.nodeId];
      if (of === undefined || of === node.id) add(node, resource, one);
    };
    const listed = await listAll<AnyObject>(api, resource, { labelSelector }, { onItem }, signal);
    if (!listed.ok) {
      if (listed.error.code !== failureCodes.notServed) return listed;
      return failed('invalid', `no API serves ${node.kind} of ${node.apiVersion}`, { code: 'KroChildMissing' });
    }
    const name = node.name === undefined ? undefined : textFor(node.name, instance);
    if (name !== undefined) {
      const namespace =
        (node.namespace === undefined ? undefined : textFor(node.namespace, instance)) ?? instance.metadata.namespace;
      const where = resource.namespaced && namespace !== undefined ? { name, namespace } : { name };
      const read = await readObject(api, resource, where, signal);
      if (!read.ok) return read;
      if (read.value !== undefined) add(node, resource, read.value);
    }
    if (found.size === before && !node.optional) missing.push(node);
  }
  return ok({ found: [...found.values()], missing });
}

export const apiVersionOf = ({ group, version }: Resource): string => (group === '' ? version : `${group}/${version}`);

/** The version of the template where the server has it: another one has other defaults in Azure. */
export function readVersion(resource: Resource, served: Served): Resource {
  if (!isAsoKind(resource.kind) || asoKinds[resource.kind].group !== resource.group) return resource;
  const there = served[resource.kind];
  if (there === undefined || there.includes(resource.version)) return resource;
  return { ...resource, version: there[0] ?? resource.version };
}

interface Deployed extends KubeObject {
  spec?: { template?: { spec?: { containers?: { args?: string[]; env?: { name?: string; value?: string }[] }[] } } };
}

/** Whether KRO deletes the definition of a kind, and with it every instance, when the graph of that kind is deleted. */
export async function deletesDefinitions(api: ClusterApi, signal: AbortSignal): Promise<Result<boolean>> {
  const listed = await api.list<Deployed>(deployments, { labelSelector: deploymentLabel, limit: 20 }, signal);
  if (!listed.ok) return listed;
  const containers = listed.value.items.flatMap(({ spec }) => spec?.template?.spec?.containers ?? []);
  return ok(
    containers.some(
      ({ args = [], env = [] }) =>
        args.some((arg) => new RegExp(`^--?${definitionDeletion}(=true)?$`).test(arg)) ||
        env.some(({ name, value }) => name === 'KRO_ALLOW_CRD_DELETION' && value === 'true'),
    ),
  );
}
