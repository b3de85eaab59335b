/** What holds for the metadata of every kind: its shape, its names and labels, and what an update may change. */
import { isObject, type Json } from '../../../shared/base/json.ts';
import { badRequest, type Cause, forbiddenField, invalidValue, requiredValue } from '../api-error.ts';
import { type Draft, type JsonObject, type KubeObject, own, sameJson } from '../types.ts';
import { settleMetadataTimes } from './times.ts';

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const qualifiedName = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const maxAnnotationsSize = 256 * 1024;

const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const qualifiedRule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

type Shape = 'string' | 'number' | 'texts' | 'strings' | 'objects';

const shapes: { [field: string]: Shape } = {
  name: 'string',
  generateName: 'string',
  namespace: 'string',
  uid: 'string',
  resourceVersion: 'string',
  generation: 'number',
  creationTimestamp: 'string',
  deletionTimestamp: 'string',
  deletionGracePeriodSeconds: 'number',
  labels: 'texts',
  annotations: 'texts',
  finalizers: 'strings',
  ownerReferences: 'objects',
  managedFields: 'objects',
};

const hasShape: { [shape in Shape]: (value: Json) => boolean } = {
  string: (value) => typeof value === 'string',
  number: (value) => Number.isInteger(value),
  texts: (value) => isObject(value) && Object.values(value).every((one) => typeof one === 'string' || one === null),
  strings: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  objects: (value) => Array.isArray(value) && value.every(isObject),
};

/**
 * A body as a draft, with its own copy of the metadata; refuses what a real server could not decode. Fields that
 * are null count as absent, and unknown ones are dropped.
 */
export function decodeDraft(body: JsonObject, kind: string, version: string): Draft {
  const given = body.metadata ?? {};
  if (!isObject(given)) throw undecodable(kind, version, 'metadata', 'ObjectMeta');
  const metadata: JsonObject = {};
  for (const [field, value] of Object.entries(given)) {
    const shape = own(shapes, field);
    // Empty counts as absent: clients in Go send some fields empty that they do not mean.
    if (shape === undefined || value === null || value === '') continue;
    if (!hasShape[shape](value)) throw undecodable(kind, version, `metadata.${field}`, shape);
    metadata[field] = value;
  }
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences']) {
    const value = metadata[field];
    if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) delete metadata[field];
  }
  settleMetadataTimes(metadata);
  return { ...body, metadata };
}

function undecodable(kind: string, version: string, field: string, wanted: string) {
  return badRequest(
    `${kind} in version "${version}" cannot be handled as a ${kind}: json: cannot unmarshal the value of field ObjectMeta.${field}: it must be of type ${wanted}`,
  );
}

export function validateMetadata(metadata: JsonObject, kind: string): Cause[] {
  const causes: Cause[] = [];
  const name = metadata.name;
  if (typeof name !== 'string' || name === '') {
    causes.push(requiredValue('metadata.name', 'name or generateName is required'));
  } else {
    const isLabel = kind === 'Namespace';
    if (name.length > (isLabel ? 63 : 253)) {
      causes.push(invalidValue('metadata.name', name, `must be no more than ${isLabel ? 63 : 253} characters`));
    } else if (!(isLabel ? label : subdomain).test(name)) {
      causes.push(invalidValue('metadata.name', name, isLabel ? labelRule : subdomainRule));
    }
  }
  for (const [key, value] of Object.entries(isObject(metadata.labels) ? metadata.labels : {})) {
    if (!isQualified(key)) causes.push(invalidValue('metadata.labels', key, qualifiedRule));
    if (String(value).length > 63) {
      causes.push(invalidValue('metadata.labels', value, 'must be no more than 63 characters'));
    } else if (!labelValue.test(String(value))) causes.push(invalidValue('metadata.labels', value, labelValueRule));
  }
  let annotationsSize = 0;
  for (const [key, value] of Object.entries(isObject(metadata.annotations) ? metadata.annotations : {})) {
    annotationsSize += key.length + Buffer.byteLength(String(value));
    if (!isQualified(key.toLowerCase())) causes.push(invalidValue('metadata.annotations', key, qualifiedRule));
  }
  if (annotationsSize > maxAnnotationsSize) {
    causes.push({
      reason: 'FieldValueTooLong',
      message: `Too long: may not be more than ${maxAnnotationsSize} bytes`,
      field: 'metadata.annotations',
    });
  }
  for (const finalizer of Array.isArray(metadata.finalizers) ? metadata.finalizers : []) {
    if (!isQualified(String(finalizer))) {
      causes.push(invalidValue('metadata.finalizers', finalizer, qualifiedRule));
    }
  }
  return causes;
}

function isQualified(key: string): boolean {
  const parts = key.split('/');
  const name = parts.at(-1) ?? '';
  if (parts.length > 2 || name.length > 63 || !qualifiedName.test(name)) return false;
  const prefix = parts.length === 2 ? (parts[0] ?? '') : undefined;
  return prefix === undefined || (prefix.length <= 253 && subdomain.test(prefix));
}

/** Fields that only the server sets: an update may leave them out, but not change them. */
const fixedFields = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
];

/** Takes over what the update left out, and lists what it must not change. */
export function carryMetadata(metadata: JsonObject, old: KubeObject): Cause[] {
  const causes: Cause[] = [];
  const before: JsonObject = old.metadata;
  for (const field of fixedFields) {
    const value = before[field];
    if (metadata[field] === undefined) {
      if (value !== undefined) metadata[field] = value;
    } else if (!sameJson(metadata[field], value)) {
      causes.push(invalidValue(`metadata.${field}`, metadata[field], 'field is immutable'));
    }
  }
  if (before.generation === undefined) delete metadata.generation;
  else metadata.generation = before.generation;
  if (before.generateName !== undefined) metadata.generateName = before.generateName;
  if (metadata.managedFields === undefined && before.managedFields !== undefined) {
    metadata.managedFields = before.managedFields;
  }
  if (old.metadata.deletionTimestamp !== undefined) {
    const known = new Set(old.metadata.finalizers ?? []);
    const added = (Array.isArray(metadata.finalizers) ? metadata.finalizers : []).filter(
      (one) => !known.has(String(one)),
    );
    if (added.length > 0) {
      const list = added.map((one) => JSON.stringify(one)).join(', ');
      causes.push(
        forbiddenField(
          'metadata.finalizers',
          `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
        ),
      );
    }
  }
  return causes;
}
