/** The words of the simulated cluster API: objects, and what the server knows about each kind of them. */
import { isObject, type Json, type JsonObject } from '../../shared/base/json.ts';
import type { Cause } from './api-error.ts';
import type { Schema } from './resources/schema.ts';
import type { ScalePaths } from './scale.ts';

export type { JsonObject };

export type ObjectMeta = {
  name: string;
  namespace?: string;
  generateName?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: { [key: string]: string };
  annotations?: { [key: string]: string };
  finalizers?: string[];
  ownerReferences?: JsonObject[];
  managedFields?: JsonObject[];
};

/** A stored object. Stored objects are never changed in place: every write makes a new one. */
export type KubeObject = {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: Json;
};

/** One column of `kubectl get`. A priority above 0 shows with `-o wide` only. */
export interface Column {
  name: string;
  type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  format?: string;
  description: string;
  priority: number;
  cell(object: KubeObject, now: number): Json;
}

/** Draft of an object on its way in: the shape of its parts is not known yet. */
export type Draft = JsonObject & { metadata: JsonObject };

/** What the server knows about one kind. */
export interface Resource {
  group: string;
  version: string;
  plural: string;
  singular: string;
  kind: string;
  shortNames: string[];
  categories: string[];
  namespaced: boolean;
  /** `/status` exists, and the main endpoint leaves the status alone. */
  statusSubresource: boolean;
  /** Status writes of built-in kinds may change labels and annotations too; those of custom resources may not. */
  statusMayChangeMetadata: boolean;
  /** `/scale` exists, and these are the numbers that it shows. */
  scale?: ScalePaths;
  /** `metadata.generation` counts changes of what is wanted. Nodes and ConfigMaps have none. */
  hasGeneration: boolean;
  /** A PUT without resourceVersion overwrites; where false it is refused. */
  allowUnconditionalUpdate: boolean;
  /** A PUT to a name that does not exist creates it (Leases and Events). */
  createOnUpdate: boolean;
  /** A DELETE that takes effect at once answers with the object, not with a Status (Pods, ServiceAccounts). */
  returnsDeletedObject: boolean;
  /** Defined by a CustomResourceDefinition: no strategic merge patch, pruned and validated by its schema. */
  custom: boolean;
  schema: Schema;
  columns: Column[];
  /** Fields that a fieldSelector may name, besides metadata.name and metadata.namespace. */
  selectableFields: { [field: string]: (object: KubeObject) => string };
  /** Keys that identify the elements of a list, by path without indices ("spec.taints"); `[]` means a set of plain values. */
  listKeys: { [path: string]: string[] };
  /** Fills in what the real server fills in on creation. May change the draft. */
  prepareForCreate?(draft: Draft): void;
  /** What a schema cannot say. */
  validate?(draft: Draft): Cause[];
  /** What an update of this kind must not change. */
  validateUpdate?(draft: Draft, old: KubeObject): Cause[];
}

/** Where a resource's objects are kept: stable over versions of the API. */
export function storageKey(resource: Pick<Resource, 'group' | 'plural'>): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

export function apiVersionOf(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** A record's own entry: a key like `constructor` must not find what every object inherits. */
export function own<Value>(record: { [key: string]: Value } | undefined, key: string): Value | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Reads a path of plain field names; undefined where anything on the way is missing. */
export function fieldAt(value: unknown, ...path: string[]): Json | undefined {
  let at: unknown = value;
  for (const step of path) {
    if (!isObject(at)) return undefined;
    at = own(at, step);
  }
  return at as Json | undefined;
}

export function textAt(value: unknown, ...path: string[]): string {
  const found = fieldAt(value, ...path);
  return found === undefined || found === null ? '' : String(found);
}

export function listAt(value: unknown, ...path: string[]): Json[] {
  const found = fieldAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Equality of JSON values that does not care for the order of keys. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    for (let i = 0; i < left.length; i++) if (!sameJson(left[i], right[i])) return false;
    return true;
  }
  if (Array.isArray(right)) return false;
  const leftFields = left as { [key: string]: unknown };
  const rightFields = right as { [key: string]: unknown };
  let count = 0;
  for (const key in leftFields) {
    if (leftFields[key] === undefined) continue;
    count++;
    if (!sameJson(leftFields[key], rightFields[key])) return false;
  }
  for (const key in rightFields) if (rightFields[key] !== undefined) count--;
  return count === 0;
}

/** A deep copy. Faster than structuredClone by far, and these values are plain JSON. */
export function copyJson(value: Json): Json {
  if (Array.isArray(value)) return value.map(copyJson);
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) {
    const item = value[name];
    if (item !== undefined && name !== '__proto__') copy[name] = copyJson(item);
  }
  return copy;
}

/** Kubernetes times have no fractions of a second. */
export function kubeTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
