/** How the operator writes: a condition with the status, and its marks. */
import { isObject, type JsonObject } from '../../shared/base/json.ts';
import { nextCondition, type Standing } from './conditions.ts';
import type { AsoKind } from './kinds.ts';
import { type AsoObject, must, readyOf } from './object.ts';
import { type Operator, timeOf } from './operator.ts';

const refOf = ({ metadata }: AsoObject) => ({
  name: metadata.name,
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
});

/** @param fields The whole status besides the conditions; absent: as it is. */
export async function tell(
  { api, clock }: Operator,
  { resource }: AsoKind,
  object: AsoObject,
  standing: Standing,
  fields?: JsonObject,
): Promise<AsoObject> {
  const generation = object.metadata.generation ?? 0;
  const condition = nextCondition(readyOf(object), standing, generation, timeOf(clock.now()));
  const { conditions: _, ...before } = object.status ?? {};
  const wanted = fields === undefined ? {} : replacing(before, fields);
  if (condition === undefined && Object.keys(wanted).length === 0) return object;
  const conditions = [condition ?? readyOf(object)].map((one) => ({ ...one }));
  const status = { ...wanted, conditions } as JsonObject;
  return must(await api.mergePatch<AsoObject>(resource, refOf(object), { status }, { subresource: 'status' }));
}

/** A merge patch that leaves exactly `after`. */
function replacing(before: JsonObject, after: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const key of Object.keys(before)) if (after[key] === undefined) patch[key] = null;
  for (const [key, value] of Object.entries(after)) {
    const old = before[key];
    if (isObject(value) && isObject(old)) {
      const inner = replacing(old, value);
      if (Object.keys(inner).length > 0) patch[key] = inner;
    } else if (JSON.stringify(old) !== JSON.stringify(value)) patch[key] = value;
  }
  return patch;
}

/** Null removes one. Conditional: the list of finalizers is replaced as a whole. */
export async function mark(
  { api }: Operator,
  { resource }: AsoKind,
  object: AsoObject,
  metadata: {
    annotations?: Record<string, string | null>;
    labels?: Record<string, string>;
    finalizers?: string[];
    ownerReferences?: JsonObject[];
  },
): Promise<AsoObject> {
  const same = (given: object | undefined, live: object | undefined): boolean =>
    Object.entries(given ?? {}).every(([key, value]) => ((live as JsonObject | undefined)?.[key] ?? null) === value);
  const unchanged =
    same(metadata.annotations, object.metadata.annotations) &&
    same(metadata.labels, object.metadata.labels) &&
    (metadata.finalizers === undefined || metadata.finalizers.join() === (object.metadata.finalizers ?? []).join()) &&
    (metadata.ownerReferences === undefined ||
      metadata.ownerReferences.length === (object.metadata.ownerReferences ?? []).length);
  if (unchanged) return object;
  const patch = { metadata: { ...metadata, resourceVersion: object.metadata.resourceVersion } } as JsonObject;
  return must(await api.mergePatch<AsoObject>(resource, refOf(object), patch));
}

/** The webhook fills it in at creation; here it is the first thing that the controller does. */
export async function nameInAzure({ api }: Operator, { resource }: AsoKind, object: AsoObject): Promise<AsoObject> {
  if (typeof object.spec.azureName === 'string') return object;
  const patch = {
    metadata: { resourceVersion: object.metadata.resourceVersion },
    spec: { azureName: object.metadata.name },
  };
  return must(await api.mergePatch<AsoObject>(resource, refOf(object), patch));
}
