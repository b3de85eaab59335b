/**
 * A stand-in for KRO, as far as a migration has to fear it: at each round it puts its finalizer and labels back on instances, applies what
 * templates say by force, and deletes by name what an instance that is being deleted had, also of a suspended one. Expressions are
 * fields of the instance.
 *
 * @example
 * const kro = new Kro(connect('kro.run/applyset'));
 * await kro.round();
 */
import { isObject, type Json, type JsonObject } from '../../../shared/base/json.ts';
import {
  type AnyObject,
  type Graph,
  type GraphObject,
  graphResource,
  readGraph,
  textFor,
} from '../../../shared/clusters/migration/kro/graph.ts';
import { resourceOfKind } from '../../../shared/clusters/migration/kro/kinds.ts';
import type { ClusterApi, Resource } from '../../../shared/kube/contract.ts';

const finalizer = 'kro.run/finalizer';
export const kroManager = 'kro.run/applyset';

export class Kro {
  readonly #api: ClusterApi;
  readonly #graph: string | undefined;
  /** Names of objects that it has asked to delete. */
  readonly deleted: string[] = [];
  /** How often it has applied an object. */
  applied = 0;

  /** @param graph The only one that it knows, on a server with others. */
  constructor(api: ClusterApi, graph?: string) {
    this.#graph = graph;
    this.#api = api;
  }

  /** Everything once. What somebody else wrote in between is for the next round. */
  async round(): Promise<void> {
    const listed = await this.#api.list<GraphObject>(graphResource);
    for (const object of listed.ok ? listed.value.items : []) {
      if (this.#graph !== undefined && object.metadata.name !== this.#graph) continue;
      const graph = readGraph(object);
      if (graph === undefined || !(await this.#keepGraph(object))) continue;
      const instances = await this.#api.list<AnyObject>(graph.instances);
      for (const one of instances.ok ? instances.value.items : []) await this.#keep(graph, one);
    }
  }

  /** False: it is being deleted. Instances and their objects stay. */
  async #keepGraph({ metadata }: GraphObject): Promise<boolean> {
    const { name, uid, finalizers = [], deletionTimestamp } = metadata;
    const wanted = deletionTimestamp === undefined ? [...new Set([...finalizers, finalizer])] : [];
    if (wanted.length !== finalizers.length) {
      await this.#api.mergePatch(graphResource, { name }, { metadata: { uid, finalizers: wanted } });
    }
    return deletionTimestamp === undefined;
  }

  async #keep(graph: Graph, instance: AnyObject): Promise<void> {
    const { name, namespace, uid, deletionTimestamp, finalizers = [], labels } = instance.metadata;
    const ref = { name, ...(namespace === undefined ? {} : { namespace }) };
    if (deletionTimestamp !== undefined) return this.#end(graph, instance, ref);
    const marks = { 'kro.run/owned': 'true', 'kro.run/resource-graph-definition-name': graph.name };
    const isMarked = Object.entries(marks).every(([key, value]) => labels?.[key] === value);
    if (!finalizers.includes(finalizer) || !isMarked) {
      const metadata = { uid, labels: marks, finalizers: [...new Set([...finalizers, finalizer])] };
      const kept = await this.#api.mergePatch<AnyObject>(graph.instances, ref, { metadata });
      if (!kept.ok) return;
    }
    if (['suspended', 'disabled'].includes(instance.metadata.annotations?.['kro.run/reconcile'] ?? '')) return;
    let ready = true;
    for (const node of graph.nodes) {
      const object = rendered(node.template, instance) as JsonObject;
      const metadata = object.metadata as JsonObject;
      const body = {
        ...object,
        metadata: {
          namespace: metadata.namespace ?? namespace ?? null,
          ...metadata,
          labels: {
            ...(metadata.labels as JsonObject | undefined),
            'kro.run/owned': 'true',
            'kro.run/instance-id': uid,
            'kro.run/instance-name': name,
            'kro.run/node-id': node.id,
            'app.kubernetes.io/managed-by': 'kro',
            'applyset.kubernetes.io/part-of': `applyset-${name}-v1`,
          },
        },
      };
      const applied = await this.#api.apply<AnyObject>(resourceOfKind(node), body as Json, { force: true });
      this.applied += 1;
      if (!applied.ok) return;
      ready &&= readyOf(applied.value);
    }
    const state = ready ? 'ACTIVE' : 'IN_PROGRESS';
    if (instance.status?.state !== state) {
      await this.#api.mergePatch(graph.instances, ref, { metadata: {}, status: { state } }, { subresource: 'status' });
    }
  }

  async #end(graph: Graph, instance: AnyObject, ref: { name: string; namespace?: string }): Promise<void> {
    let left = 0;
    for (const node of [...graph.nodes].reverse()) {
      const name = textFor(node.name ?? '', instance) ?? '';
      const resource: Resource = resourceOfKind(node);
      const where = {
        name,
        ...(instance.metadata.namespace === undefined ? {} : { namespace: instance.metadata.namespace }),
      };
      const there = await this.#api.get<AnyObject>(resource, where);
      if (!there.ok) continue;
      left += 1;
      this.deleted.push(`${node.kind}/${name}`);
      await this.#api.delete(resource, where, {});
    }
    const finalizers = (instance.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    if (left === 0) await this.#api.mergePatch(graph.instances, ref, { metadata: { finalizers } });
  }
}

const readyOf = ({ status, metadata }: AnyObject): boolean => {
  const conditions = (status?.conditions ?? []) as { type: string; status: string; observedGeneration?: number }[];
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && ready.observedGeneration === metadata.generation;
};

function rendered(value: Json, instance: AnyObject): Json {
  if (Array.isArray(value)) return value.map((one) => rendered(one, instance));
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, rendered(one, instance)]));
  }
  if (typeof value !== 'string') return value;
  const text = textFor(value, instance);
  if (text === undefined) throw new Error(`an expression that the stand-in does not know: ${value}`);
  // A whole expression keeps the type of what it names.
  const whole = /^\$\{schema\.spec\.([A-Za-z]+)\}$/.exec(value)?.[1];
  return whole === undefined ? text : ((instance.spec?.[whole] ?? text) as Json);
}
