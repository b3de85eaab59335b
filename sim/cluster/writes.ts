/**
 * Creating, changing and deleting objects, with the rules of a kube-apiserver. All of it is synchronous on memory;
 * who answers somebody waits for the commit first.
 */

import { defined } from '../../shared/base/defined.ts';
import { isObject } from '../../shared/base/json.ts';
import type { Clock, Ids, Random } from '../../shared/base/runtime.ts';
import {
  ApiError,
  alreadyExists,
  badRequest,
  type Cause,
  conflict,
  forbidden,
  invalid,
  modified,
  notFound,
} from './api-error.ts';
import { freshUid, generatedName } from './identity.ts';
import { recordUpdate } from './patches/server-side-apply.ts';
import { validateCoreFinalizers, validateOwners } from './resources/builtin-rules.ts';
import { crdStorage, establishedStatus, resourceOf, validateDefinition } from './resources/custom-resources.ts';
import { carryMetadata, decodeDraft, validateMetadata } from './resources/metadata-rules.ts';
import type { Registry } from './resources/registry.ts';
import { applyDefaults, prune, validate } from './resources/schema.ts';
import { settleTimes } from './resources/times.ts';
import { type Entry, keyOf, type ObjectStore } from './store/object-store.ts';
import {
  apiVersionOf,
  copyJson,
  type Draft,
  type JsonObject,
  type KubeObject,
  kubeTime,
  own,
  type Resource,
  sameJson,
  storageKey,
  textAt,
} from './types.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  dryRun: boolean;
  fieldValidation: FieldValidation;
  fieldManager: string;
  subresource: '' | 'status';
  /** Filled by the write: shown to the client in Warning headers. */
  warnings: string[];
}

export function writeOptions(given: Partial<WriteOptions> = {}): WriteOptions {
  return { dryRun: false, fieldValidation: 'Warn', fieldManager: 'unknown', subresource: '', warnings: [], ...given };
}

export interface Written {
  entry: Entry;
  /** The write did not happen because it would have changed nothing. */
  unchanged?: boolean;
}

const generateAttempts = 8;

export class Writes {
  readonly objects: ObjectStore;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly #ids: Ids;
  readonly #random: Random;
  podsWaitForKubelet = false;
  /** Told when the last finalizer of an object has gone and the object with it. */
  onRemoved: (resource: Resource, object: KubeObject) => void = () => {};

  constructor(objects: ObjectStore, registry: Registry, clock: Clock, ids: Ids, random: Random) {
    this.objects = objects;
    this.registry = registry;
    this.clock = clock;
    this.#ids = ids;
    this.#random = random;
  }

  now(): string {
    return kubeTime(this.clock.now());
  }

  create(resource: Resource, namespace: string | undefined, body: JsonObject, options: WriteOptions): Entry {
    const draft = this.#decode(resource, namespace, body);
    const { metadata } = draft;
    if (textAt(metadata, 'resourceVersion') !== '') {
      throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created');
    }
    this.#checkNamespace(resource, namespace, textAt(metadata, 'name'));
    resource.prepareForCreate?.(draft);
    this.#fillName(resource, namespace, metadata);
    metadata.uid = freshUid(this.#ids);
    metadata.creationTimestamp = this.now();
    delete metadata.deletionTimestamp;
    delete metadata.deletionGracePeriodSeconds;
    delete metadata.resourceVersion;
    if (resource.hasGeneration) metadata.generation = 1;
    else delete metadata.generation;
    encodeSecret(resource, draft);
    const name = textAt(metadata, 'name');
    this.#settle(resource, draft, name, options, undefined, false);
    const existing = this.objects.get(storageKey(resource), keyOf(namespace, name));
    if (existing) throw alreadyExists(resource, name, existing.object);
    if (storageKey(resource) === crdStorage) draft.status = establishedStatus(draft, this.now());
    const object = complete(resource, draft);
    if (options.dryRun) return unsaved(object);
    const entry = this.objects.put(storageKey(resource), object);
    this.#serveDefinition(resource, entry.object);
    return entry;
  }

  /** Replaces the object by the draft that `change` makes of it. `conditional` is true for PUT. */
  update(
    resource: Resource,
    namespace: string | undefined,
    name: string,
    change: (current: KubeObject) => JsonObject,
    options: WriteOptions,
    verb: 'put' | 'patch' | 'apply',
  ): Written {
    const current = this.require(resource, namespace, name);
    const old = current.object;
    const draft = this.#decode(resource, namespace, change(old));
    this.#checkConditions(resource, old, draft.metadata, verb);
    this.#keepWhatIsNotMeant(resource, draft, old, options.subresource);
    // Where metadata is not meant it is the old one by now, and what was given, a wrong uid say, is not looked at.
    const { metadata } = draft;
    const causes = carryMetadata(metadata, old);
    if (causes.length > 0) throw invalid(resource, name, causes);
    delete metadata.resourceVersion;
    encodeSecret(resource, draft);
    this.#settle(resource, draft, name, options, old, verb !== 'put');
    let object = complete(resource, draft);
    object.metadata.resourceVersion = old.metadata.resourceVersion;
    if (sameJson(object, old)) return { entry: current, unchanged: true };
    // An apply brings its own record, also one that looks like the last: within a second only values may differ.
    if (verb !== 'apply') object = this.#recordManagers(resource, old, object, options);
    if (resource.hasGeneration && wantsOther(resource, old, object)) {
      object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    }
    if (options.dryRun) return { entry: unsaved(object) };
    const done = object.metadata.deletionTimestamp !== undefined && !object.metadata.finalizers?.length;
    if (done && !this.#isHeld(resource, object)) return { entry: this.removeNow(resource, object) };
    const entry = this.objects.put(storageKey(resource), object);
    this.#serveDefinition(resource, entry.object);
    return { entry };
  }

  require(resource: Resource, namespace: string | undefined, name: string): Entry {
    const entry = this.objects.get(storageKey(resource), keyOf(namespace, name));
    if (!entry) throw notFound(resource, name);
    return entry;
  }

  /** Takes the object out of the store; it has no finalizers any more. */
  removeNow(resource: Resource, last: KubeObject): Entry {
    const entry = this.objects.remove(storageKey(resource), last);
    if (storageKey(resource) === crdStorage) {
      this.registry.remove(last.metadata.name);
      this.objects.hub.endAll(last.metadata.name);
    }
    this.onRemoved(resource, entry.object);
    return entry;
  }

  #decode(resource: Resource, namespace: string | undefined, body: JsonObject): Draft {
    const apiVersion = apiVersionOf(resource);
    const { kind = resource.kind, apiVersion: givenVersion = apiVersion } = body;
    if (kind !== resource.kind || givenVersion !== apiVersion) {
      throw badRequest(
        `the object provided is a ${String(kind)} of ${String(givenVersion)}, but this endpoint takes a ${resource.kind} of ${apiVersion}`,
      );
    }
    const decoded = decodeDraft({ ...body, kind, apiVersion }, resource.kind, resource.version);
    // A server in Go knows the times of its own kinds; those of custom ones are texts to it.
    const draft = resource.custom ? decoded : (settleTimes(decoded, resource.schema) as Draft);
    if (!resource.namespaced) {
      if (draft.metadata.namespace) throw badRequest('namespace may not be set on a cluster-scoped object');
      delete draft.metadata.namespace;
    } else {
      if ((draft.metadata.namespace ?? namespace) !== namespace) {
        throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
      }
      if (namespace !== undefined) draft.metadata.namespace = namespace;
    }
    return draft;
  }

  #checkNamespace(resource: Resource, namespace: string | undefined, name: string): void {
    if (!resource.namespaced || namespace === undefined) return;
    const found = this.objects.get('namespaces', namespace);
    if (!found) throw notFound({ group: '', plural: 'namespaces' }, namespace);
    if (found.object.metadata.deletionTimestamp !== undefined) {
      const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
      const cause = {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      };
      throw forbidden(resource, name, why, [cause]);
    }
  }

  #fillName(resource: Resource, namespace: string | undefined, metadata: JsonObject): void {
    const prefix = textAt(metadata, 'generateName');
    if (textAt(metadata, 'name') !== '' || prefix === '') return;
    for (let attempt = 0; attempt < generateAttempts; attempt++) {
      const name = generatedName(prefix, this.#random);
      metadata.name = name;
      if (!this.objects.get(storageKey(resource), keyOf(namespace, name))) return;
    }
  }

  #checkConditions(resource: Resource, old: KubeObject, metadata: JsonObject, verb: 'put' | 'patch' | 'apply'): void {
    const { name } = old.metadata;
    const version = textAt(metadata, 'resourceVersion');
    const uid = textAt(metadata, 'uid');
    if (verb === 'put' && uid !== '' && uid !== old.metadata.uid) {
      throw conflict(resource, name, uidMismatch(uid, old.metadata.uid));
    }
    if (version === '' || version === '0') {
      if (verb === 'put' && !resource.allowUnconditionalUpdate) {
        const message = 'Invalid value: 0: must be specified for an update';
        throw invalid(resource, name, [{ reason: 'FieldValueInvalid', message, field: 'metadata.resourceVersion' }]);
      }
    } else if (version !== old.metadata.resourceVersion) throw modified(resource, name);
  }

  /** The main endpoint does not touch the status, and the status endpoint nothing else. */
  #keepWhatIsNotMeant(resource: Resource, draft: Draft, old: KubeObject, subresource: '' | 'status'): void {
    if (!resource.statusSubresource) return;
    const kept =
      subresource === 'status' ? Object.keys({ ...draft, ...old }).filter((key) => key !== 'status') : ['status'];
    for (const field of kept) {
      if (field === 'metadata') continue;
      const value = own(old, field);
      if (value === undefined) delete draft[field];
      else draft[field] = value;
    }
    if (subresource === 'status' && !resource.statusMayChangeMetadata) {
      const { managedFields } = draft.metadata;
      draft.metadata = { ...old.metadata, ...defined({ managedFields }) };
    }
  }

  /** Unknown fields, defaults, validation. */
  #settle(
    resource: Resource,
    draft: Draft,
    name: string,
    options: WriteOptions,
    old: KubeObject | undefined,
    isPatch: boolean,
  ): void {
    const causes: Cause[] = validateMetadata(draft.metadata, resource.kind);
    causes.push(...validateOwners(draft.metadata.ownerReferences));
    if (resource.group === '') causes.push(...validateCoreFinalizers(draft.metadata.finalizers));
    if (resource.custom) {
      // A patch shares its untouched parts with the stored object, which must stay as it is.
      for (const field of Object.keys(draft)) {
        const value = draft[field];
        if (field !== 'metadata' && value !== undefined) draft[field] = copyJson(value);
      }
      const unknown = prune(draft, resource.schema);
      if (unknown.length > 0) reportUnknown(unknown, resource, options, isPatch);
      applyDefaults(draft, resource.schema);
      const { metadata: _metadata, ...rest } = draft;
      const { metadata: _oldMetadata, ...oldRest } = old ?? { metadata: undefined };
      causes.push(...validate(rest, resource.schema, '', old ? oldRest : undefined));
    }
    if (storageKey(resource) === crdStorage) causes.push(...validateDefinition(draft));
    causes.push(...(resource.validate?.(draft) ?? []));
    if (old) causes.push(...(resource.validateUpdate?.(draft, old) ?? []));
    if (causes.length > 0) throw invalid(resource, name, causes);
  }

  #recordManagers(resource: Resource, old: KubeObject, object: KubeObject, options: WriteOptions): KubeObject {
    // A plain write moves what it changed to its writer, unless it brings a record.
    if (!sameJson(old.metadata.managedFields, object.metadata.managedFields)) return object;
    return complete(
      resource,
      recordUpdate(old, object, resource, {
        manager: options.fieldManager,
        subresource: options.subresource,
        now: this.now(),
      }) as Draft,
    );
  }

  /** A namespace or definition that is being deleted stays as long as it has content. */
  #isHeld(resource: Resource, object: KubeObject): boolean {
    if (resource.kind !== 'Namespace' || resource.group !== '') return false;
    return this.contentOf(object.metadata.name).length > 0;
  }

  /** All objects in a namespace. */
  contentOf(namespace: string): { resource: Resource; entry: Entry }[] {
    return this.registry
      .all()
      .filter((resource) => resource.namespaced)
      .flatMap((resource) => this.objects.list(storageKey(resource), namespace).map((entry) => ({ resource, entry })));
  }

  #serveDefinition(resource: Resource, object: KubeObject): void {
    if (storageKey(resource) !== crdStorage) return;
    const defined = resourceOf(object);
    if (defined) this.registry.add(defined);
    else this.registry.remove(object.metadata.name);
  }
}

export function uidMismatch(wanted: string, actual: string): string {
  return `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${actual}`;
}

function reportUnknown(unknown: string[], resource: Resource, options: WriteOptions, isPatch: boolean): void {
  const texts = unknown.map((path) => `unknown field "${path}"`);
  if (options.fieldValidation === 'Warn') options.warnings.push(...texts);
  if (options.fieldValidation !== 'Strict') return;
  const problem = `strict decoding error: ${texts.join(', ')}`;
  if (!isPatch) {
    throw badRequest(
      `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: ${problem}`,
    );
  }
  const cause = { reason: 'FieldValueInvalid', message: `Invalid value: ${problem}`, field: 'patch' };
  throw invalid({ group: '', kind: '' }, '', [cause]);
}

/** Type first, then metadata: the order in which people read objects. */
function complete(resource: Resource, draft: Draft): KubeObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = draft;
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    // The fields that must be there have been filled in or carried over by now.
    metadata: metadata as KubeObject['metadata'],
    ...rest,
  };
}

function unsaved(object: KubeObject): Entry {
  return { object, json: JSON.stringify(object) };
}

/** Whether anything but metadata, and the status where that is apart, differs. */
function wantsOther(resource: Resource, old: KubeObject, object: KubeObject): boolean {
  const wanted = ({ metadata: _metadata, status, ...rest }: KubeObject) =>
    resource.statusSubresource ? rest : { ...rest, status };
  return !sameJson(wanted(old), wanted(object));
}

/** Clear text in a Secret is for writing only: it becomes data. */
function encodeSecret(resource: Resource, draft: Draft): void {
  if (resource.kind !== 'Secret' || resource.group !== '' || !isObject(draft.stringData)) return;
  const encoded = Object.entries(draft.stringData).map(([key, value]) => [
    key,
    Buffer.from(String(value)).toString('base64'),
  ]);
  draft.data = { ...(isObject(draft.data) ? draft.data : {}), ...Object.fromEntries(encoded) };
  delete draft.stringData;
}
