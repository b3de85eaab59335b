/**
 * A small stand-in for node auto-provisioning: its kinds come late, and node classes and pools get their conditions. It makes no nodes:
 * no pod waits for one here.
 */
import type { JsonObject } from '../../../shared/base/json.ts';
import { nodeClassKind } from '../../../shared/clusters/manifests/resources.ts';
import { readDefinitions } from '../../cluster/bootstrap.ts';
import type { ClusterStore, KubeObject } from '../../cluster/server.ts';
import { fieldAt, listAt, textAt } from '../../cluster/types.ts';
import type { AsoFault } from '../faults.ts';
import { timeOf } from '../operator.ts';

const definitions = { apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions' };
const classes = { apiVersion: `${nodeClassKind.group}/v1beta1`, plural: nodeClassKind.plural };
export const nodeClassDefinition = `${nodeClassKind.plural}.${nodeClassKind.group}`;
const pools = { apiVersion: 'karpenter.sh/v1', plural: 'nodepools' };
const kinds = [nodeClassDefinition, 'nodepools.karpenter.sh', 'nodeclaims.karpenter.sh'];

/** Safe to repeat. */
export async function serveKinds(store: ClusterStore): Promise<void> {
  const { items } = await store.list(definitions);
  const there = new Set(items.map(({ metadata }) => metadata.name));
  const missing = kinds.filter((name) => !there.has(name));
  if (missing.length === 0) return;
  for (const definition of readDefinitions()) {
    if (missing.includes(textAt(definition, 'metadata', 'name'))) await store.create(definitions, definition);
  }
}

interface Rules {
  now: number;
  /** How long a condition takes. */
  conditionSeconds: number;
  fault(subject: { kind: string; name: string; uid: string }): AsoFault | undefined;
}

/** When to look again; Infinity: when something changes. */
export async function keepConditions(store: ClusterStore, { now, conditionSeconds, fault }: Rules): Promise<number> {
  let next = Number.POSITIVE_INFINITY;
  const nodeClasses = await store.list(classes);
  for (const kind of [classes, pools]) {
    const { items } = kind === classes ? nodeClasses : await store.list(kind);
    for (const object of items) {
      const ready = kind === classes ? undefined : isReady(nodeClasses.items, object);
      const generation = object.metadata.generation ?? 0;
      if (ready === undefined ? isTold(object, generation) : isTold(object, generation, ready)) continue;
      const due = Date.parse(object.metadata.creationTimestamp) + conditionSeconds * 1000;
      if (generation === 1 && due > now) {
        next = Math.min(next, due);
        continue;
      }
      const { name, uid } = object.metadata;
      const refused = fault({ kind: object.kind, name, uid });
      const problem = refused?.kind === 'refused' ? refused : undefined;
      const conditions = conditionsOf(kind === classes, ready ?? true, generation, timeOf(now), problem);
      await store.patch({ ...kind, name }, 'merge', { status: { conditions } }, { subresource: 'status' });
    }
  }
  return next;
}

const conditionOf = (object: KubeObject, type: string) =>
  listAt(object, 'status', 'conditions').find((one) => textAt(one, 'type') === type);

const isTold = (object: KubeObject, generation: number, classReady?: boolean): boolean => {
  const ready = conditionOf(object, 'Ready');
  if (ready === undefined || fieldAt(ready, 'observedGeneration') !== generation) return false;
  return (
    classReady === undefined || (textAt(conditionOf(object, 'NodeClassReady'), 'status') === 'True') === classReady
  );
};

function isReady(nodeClasses: readonly KubeObject[], pool: KubeObject): boolean {
  const name = textAt(pool, 'spec', 'template', 'spec', 'nodeClassRef', 'name');
  const found = nodeClasses.find(({ metadata }) => metadata.name === name);
  return found !== undefined && textAt(conditionOf(found, 'Ready'), 'status') === 'True';
}

function conditionsOf(
  isClass: boolean,
  classReady: boolean,
  generation: number,
  now: string,
  problem: { code: string; message: string } | undefined,
): JsonObject[] {
  const one = (type: string, status: string, reason = type, message = ''): JsonObject => ({
    type,
    status,
    reason,
    message,
    observedGeneration: generation,
    lastTransitionTime: now,
  });
  const validated =
    problem === undefined
      ? one('ValidationSucceeded', 'True')
      : one('ValidationSucceeded', 'False', problem.code, problem.message);
  const parts = isClass
    ? [one('ImagesReady', 'True'), one('KubernetesVersionReady', 'True'), one('SubnetsReady', 'True'), validated]
    : [
        validated,
        classReady
          ? one('NodeClassReady', 'True')
          : one('NodeClassReady', 'False', 'NodeClassNotReady', 'the node class does not exist, or is not ready'),
      ];
  const bad = parts.filter(({ status }) => status !== 'True');
  const unknown = isClass
    ? []
    : [one('NodeRegistrationHealthy', 'Unknown', 'AwaitingReconciliation', 'object is awaiting reconciliation')];
  const ready =
    bad.length === 0
      ? one('Ready', 'True')
      : one('Ready', 'False', 'UnhealthyDependents', bad.map(({ type }) => `${String(type)}=False`).join(', '));
  return [...parts, ...unknown, ready];
}
