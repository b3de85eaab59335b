/**
 * Server-side apply, simplified: ownership is recorded from the first apply on. What stood in the object before
 * belongs to the manager "before-first-apply", as on a real server that finds no record; except for what kubectl applied
 * from the client: a later `kubectl apply --server-side` takes over all fields of the manager that owns its annotation,
 * and lets go of those it does not apply, so that manager must own nothing of anybody else's.
 */
import { isObject, type Json } from '../../../shared/base/json.ts';
import { ApiError, badRequest } from '../api-error.ts';
import { apiVersionOf, type JsonObject, type KubeObject, own, type Resource, sameJson, textAt } from '../types.ts';
import {
  elementStep,
  type FieldSet,
  fieldsOf,
  leaves,
  owns,
  readSteps,
  removeSteps,
  withLeaf,
  without,
} from './field-ownership.ts';
import { mergePatch } from './merge-patch.ts';

interface Manager {
  manager: string;
  operation: 'Apply' | 'Update';
  subresource: string;
  time: string;
  fields: FieldSet;
}

/** Fields that the server itself keeps; nobody owns them. */
const serverFields = new Set([
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
]);

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const clientSideManager = 'kubectl-client-side-apply';

export interface ApplyRequest {
  manager: string;
  force: boolean;
  subresource: '' | 'status';
  now: string;
}

/** The object that results from applying the configuration to the live one (or to none). */
export function applyConfiguration(
  live: KubeObject | undefined,
  configuration: JsonObject,
  resource: Resource,
  request: ApplyRequest,
): JsonObject {
  if (isObject(configuration.metadata) && configuration.metadata.managedFields !== undefined) {
    throw badRequest('metadata.managedFields must be nil');
  }
  const scope = (object: JsonObject) => ownable(object, resource, request.subresource);
  const wanted = scope(configuration);
  const wantedFields = fieldsOf(wanted, resource.listKeys);
  const managers = live ? readManagers(live, resource) : [];
  const mine = (one: Manager) =>
    one.manager === request.manager && one.operation === 'Apply' && one.subresource === request.subresource;
  const before = managers.find(mine);
  let others = managers.filter((one) => !mine(one));

  const contested = leaves(wantedFields).filter(
    (steps) => live !== undefined && differs(readSteps(live, steps), readSteps(wanted, steps)),
  );
  const conflicts = others.flatMap((other) =>
    contested.filter((steps) => owns(other.fields, steps)).map((steps) => ({ other, steps })),
  );
  if (conflicts.length > 0 && !request.force) throw applyConflict(conflicts, apiVersionOf(resource));
  others = others
    .map((other) => ({ ...other, fields: contested.reduce(without, other.fields) }))
    .filter((other) => Object.keys(other.fields).length > 0);

  let result: Json = live ?? { ...configuration };
  // What this manager applied before, no longer applies, and nobody else owns, goes.
  for (const steps of before ? leaves(before.fields) : []) {
    if (!owns(wantedFields, steps) && !others.some((other) => owns(other.fields, steps))) {
      result = removeSteps(result, steps);
    }
  }
  result = mergeApplied(result, wanted, resource.listKeys, '');
  const unchanged = before !== undefined && sameJson(before.fields, wantedFields);
  const entry: Manager = {
    manager: request.manager,
    operation: 'Apply',
    subresource: request.subresource,
    time: unchanged ? before.time : request.now,
    fields: wantedFields,
  };
  const object = isObject(result) ? result : {};
  return withManagers(object, [entry, ...others], resource);
}

/** An empty map asks for nothing that a map with entries would not give. */
function differs(live: Json | undefined, wanted: Json | undefined): boolean {
  if (isObject(wanted) && isObject(live) && Object.keys(wanted).length === 0) return false;
  return !sameJson(live, wanted);
}

/** Moves the ownership of what a plain write has changed to its writer. Objects nobody ever applied carry no record. */
export function recordUpdate(
  before: KubeObject,
  after: JsonObject,
  resource: Resource,
  request: Omit<ApplyRequest, 'force'>,
): JsonObject {
  if (before.metadata.managedFields === undefined) return after;
  const fieldsBefore = fieldsOf(ownable(before, resource, ''), resource.listKeys);
  const fieldsAfter = fieldsOf(ownable(after, resource, ''), resource.listKeys);
  const all = [...leaves(fieldsBefore), ...leaves(fieldsAfter)];
  const changed = all.filter((steps) => !sameJson(readSteps(before, steps), readSteps(after, steps)));
  if (changed.length === 0) return after;
  const isWriter = (one: Manager) =>
    one.manager === request.manager && one.operation === 'Update' && one.subresource === request.subresource;
  const managers = readManagers(before, resource);
  const others = managers
    .filter((one) => !isWriter(one))
    .map((one) => ({ ...one, fields: changed.reduce(without, one.fields) }))
    .filter((one) => Object.keys(one.fields).length > 0);
  const own = managers.find(isWriter)?.fields ?? {};
  const fields = changed.reduce(
    (set, steps) => (readSteps(after, steps) === undefined ? without(set, steps) : withLeaf(set, steps)),
    own,
  );
  const entry: Manager = {
    manager: request.manager,
    operation: 'Update',
    subresource: request.subresource,
    time: request.now,
    fields,
  };
  return withManagers(after, Object.keys(fields).length > 0 ? [...others, entry] : others, resource);
}

/** The part of an object that managers can own: no type, nothing that the server keeps. */
function ownable(object: JsonObject, resource: Resource, subresource: '' | 'status'): JsonObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object;
  if (subresource === 'status') return rest.status === undefined ? {} : { status: rest.status };
  if (isObject(metadata)) {
    const kept = Object.entries(metadata).filter(([name]) => !serverFields.has(name));
    if (kept.length > 0) rest.metadata = Object.fromEntries(kept);
  }
  if (resource.statusSubresource) delete rest.status;
  return rest;
}

function mergeApplied(target: Json | undefined, wanted: Json, listKeys: Resource['listKeys'], path: string): Json {
  if (isObject(wanted)) {
    const result: JsonObject = isObject(target) ? { ...target } : {};
    for (const [name, value] of Object.entries(wanted)) {
      if (name === '__proto__') continue;
      result[name] = mergeApplied(own(result, name), value, listKeys, path === '' ? name : `${path}.${name}`);
    }
    return result;
  }
  const keys = listKeys[path];
  if (Array.isArray(wanted) && Array.isArray(target) && keys) {
    const merged = [...target];
    for (const item of wanted) {
      const step = elementStep(item, keys);
      const index = merged.findIndex((one) => elementStep(one, keys) === step);
      if (index < 0) merged.push(item);
      else merged[index] = mergeApplied(merged[index], item, listKeys, path);
    }
    return merged;
  }
  return wanted;
}

function readManagers(object: KubeObject, resource: Resource): Manager[] {
  const recorded = object.metadata.managedFields;
  if (recorded === undefined) {
    const update = (manager: string, subresource: string, fields: FieldSet): Manager => ({
      manager,
      operation: 'Update',
      subresource,
      time: object.metadata.creationTimestamp,
      fields,
    });
    const all = fieldsOf(ownable(object, resource, ''), resource.listKeys);
    const byClient = appliedByClient(object, resource, all);
    return [
      update(clientSideManager, '', byClient.reduce(withLeaf, {})),
      update('before-first-apply', '', byClient.reduce(without, all)),
      update('before-first-apply', 'status', fieldsOf(ownable(object, resource, 'status'), resource.listKeys)),
    ].filter((one) => Object.keys(one.fields).length > 0);
  }
  return recorded.map((one) => ({
    manager: textAt(one, 'manager'),
    operation: one.operation === 'Apply' ? 'Apply' : 'Update',
    subresource: textAt(one, 'subresource'),
    time: textAt(one, 'time'),
    fields: (one.fieldsV1 ?? {}) as FieldSet,
  }));
}

/** What `kubectl apply` has written from the client: what its annotation says, as far as it is still there. */
function appliedByClient(object: KubeObject, resource: Resource, all: FieldSet): string[][] {
  const text = object.metadata.annotations?.[lastApplied];
  if (text === undefined) return [];
  let configuration: unknown;
  try {
    configuration = JSON.parse(text);
  } catch {
    // Somebody wrote there by hand; then nothing is known.
  }
  const applied = isObject(configuration as Json) ? ownable(configuration as JsonObject, resource, '') : {};
  const annotation = ['f:metadata', 'f:annotations', `f:${lastApplied}`];
  // kubectl writes an empty map of annotations: owned as a whole, it would stand for everybody's annotations.
  const isEmptyMap = (value: Json | undefined) => isObject(value) && Object.keys(value).length === 0;
  const still = leaves(fieldsOf(applied, resource.listKeys)).filter(
    (steps) => owns(all, steps) && !isEmptyMap(readSteps(applied, steps)),
  );
  return [...still, annotation];
}

function withManagers(object: JsonObject, managers: Manager[], resource: Resource): JsonObject {
  const managedFields = managers.map(({ manager, operation, subresource, time, fields }) => ({
    manager,
    operation,
    apiVersion: apiVersionOf(resource),
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
    ...(subresource === '' ? {} : { subresource }),
  }));
  return mergePatch(object, { metadata: { managedFields } }) as JsonObject;
}

function applyConflict(conflicts: { other: Manager; steps: string[] }[], apiVersion: string): ApiError {
  const field = (steps: string[]) =>
    steps.map((step) => (step.startsWith('f:') ? `.${step.slice(2)}` : `[${step.slice(2)}]`)).join('');
  // One that did not apply may have written in another version of the API, so that is said.
  const who = ({ manager, operation }: Manager): string =>
    operation === 'Apply' ? `"${manager}"` : `"${manager}" using ${apiVersion}`;
  const managers = [...new Set(conflicts.map(({ other }) => who(other)))];
  const list = conflicts.map(({ steps }) => `- ${field(steps)}`).join('\n');
  const text =
    conflicts.length === 1
      ? `Apply failed with 1 conflict: conflict with ${managers[0]}: ${field(conflicts[0]?.steps ?? [])}`
      : `Apply failed with ${conflicts.length} conflicts: conflicts with ${managers.join(', ')}:\n${list}`;
  return new ApiError(409, 'Conflict', text, {
    causes: conflicts.map(({ other, steps }) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${who(other)}`,
      field: field(steps),
    })),
  });
}
