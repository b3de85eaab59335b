/**
 * The cluster without HTTP: what the server serves, and what code in the same process may use directly. Every method
 * answers after its commit, and refuses with an ApiError, in the words that HTTP clients get.
 */
import { isObject, type Json } from '../../../shared/base/json.ts';
import type { Clock, Ids, Random } from '../../../shared/base/runtime.ts';
import { badRequest, conflict, invalid, pathNotFound } from '../api-error.ts';
import { afterRemoval, type Deleted, type DeleteOptions, deleteObject, parseDeleteOptions } from '../deletion.ts';
import { evict } from '../eviction.ts';
import { applyPatch, type PatchType } from '../patches/patches.ts';
import { applyConfiguration } from '../patches/server-side-apply.ts';
import { crdStorage, resourceOf } from '../resources/custom-resources.ts';
import { Registry } from '../resources/registry.ts';
import { parseFieldSelector, parseLabelSelector } from '../selectors.ts';
import { type JsonObject, type KubeObject, type Resource, storageKey, textAt } from '../types.ts';
import { type WriteOptions, Writes, writeOptions } from '../writes.ts';
import { type Entry, keyOf, ObjectStore } from './object-store.ts';
import { Pager } from './pages.ts';
import type { HistoryLimits } from './watch-hub.ts';

/** Which objects: `{ apiVersion: 'karpenter.sh/v1', plural: 'nodeclaims' }`, with a namespace where the kind has one. */
export interface KindRef {
  apiVersion: string;
  plural: string;
  namespace?: string;
}

export interface ObjectRef extends KindRef {
  name: string;
}

export interface Selection {
  labelSelector?: string;
  fieldSelector?: string;
}

export interface StoreOptions {
  file: string;
  clock: Clock;
  ids: Ids;
  random: Random;
  history?: HistoryLimits;
  /** A deleted pod stays until somebody deletes it without grace, as kubelets do; otherwise it goes at once. */
  podsWaitForKubelet?: boolean;
}

export class ClusterStore {
  readonly registry = new Registry();
  readonly objects: ObjectStore;
  readonly writes: Writes;
  readonly pager: Pager;
  readonly clock: Clock;

  constructor({ file, clock, ids, random, history, podsWaitForKubelet = false }: StoreOptions) {
    this.objects = new ObjectStore(file, history);
    this.clock = clock;
    this.writes = new Writes(this.objects, this.registry, clock, ids, random);
    this.writes.podsWaitForKubelet = podsWaitForKubelet;
    this.writes.onRemoved = (resource, object) => afterRemoval(this.writes, resource, object);
    this.pager = new Pager(ids.next());
    for (const { object } of this.objects.list(crdStorage)) {
      const resource = resourceOf(object);
      if (resource) this.registry.add(resource);
    }
  }

  resource(ref: KindRef): Resource {
    const resource = this.registry.find(ref.apiVersion, ref.plural);
    if (!resource) throw pathNotFound();
    return resource;
  }

  async get(ref: ObjectRef): Promise<KubeObject> {
    const { object } = this.writes.require(this.resource(ref), ref.namespace, ref.name);
    await this.committed();
    return object;
  }

  async list(ref: KindRef, selection: Selection = {}): Promise<{ items: KubeObject[]; resourceVersion: string }> {
    const items = this.select(this.resource(ref), ref.namespace, selection).map(({ object }) => object);
    const resourceVersion = String(this.objects.resourceVersion);
    await this.committed();
    return { items, resourceVersion };
  }

  async create(ref: KindRef, object: JsonObject, options: Partial<WriteOptions> = {}): Promise<KubeObject> {
    const entry = this.writes.create(this.resource(ref), ref.namespace, object, writeOptions(options));
    await this.committed();
    return entry.object;
  }

  /** Replaces the object; with a resourceVersion only if it is still the stored one. */
  async update(ref: ObjectRef, object: JsonObject, options: Partial<WriteOptions> = {}): Promise<KubeObject> {
    const entry = this.replace(this.resource(ref), ref.namespace, ref.name, object, writeOptions(options));
    await this.committed();
    return entry.entry.object;
  }

  async patch(
    ref: ObjectRef,
    type: PatchType,
    patch: Json,
    options: Partial<WriteOptions> & { force?: boolean } = {},
  ): Promise<KubeObject> {
    const { force = false, ...rest } = options;
    const { entry } = this.change(this.resource(ref), ref.namespace, ref.name, type, patch, writeOptions(rest), force);
    await this.committed();
    return entry.object;
  }

  /** Deletes, or marks as deleted while finalizers are left. */
  async delete(ref: ObjectRef, options: Partial<DeleteOptions> = {}): Promise<Deleted> {
    const deleteOptions = { ...parseDeleteOptions(undefined), ...options };
    const deleted = deleteObject(this.writes, this.resource(ref), ref.namespace, ref.name, deleteOptions);
    await this.committed();
    return deleted;
  }

  async evict(namespace: string, name: string, eviction: JsonObject = {}): Promise<void> {
    evict(this.writes, this.resource({ apiVersion: 'v1', plural: 'pods' }), namespace, name, eviction);
    await this.committed();
  }

  /** Resolves when everything written so far survives a kill of the process. */
  committed(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.objects.afterCommit((failure) => (failure ? reject(failure) : resolve()));
    });
  }

  /** Entries that the selectors match, in order. Does not wait for a commit. */
  select(resource: Resource, namespace: string | undefined, selection: Selection): Entry[] {
    const labels = parseLabelSelector(selection.labelSelector);
    const fields = parseFieldSelector(selection.fieldSelector, resource);
    const storage = storageKey(resource);
    // A pinned name needs no scan, unless it may stand in any namespace.
    const pinned = fields?.name !== undefined && (!resource.namespaced || namespace !== undefined);
    const one = pinned ? this.objects.get(storage, keyOf(namespace, fields?.name ?? '')) : undefined;
    const entries = pinned ? (one ? [one] : []) : this.objects.list(storage, namespace);
    if (!labels && !fields) return entries;
    return entries.filter(({ object }) => (labels?.(object) ?? true) && (fields?.matches(object) ?? true));
  }

  /** PUT. Does not wait for a commit. */
  replace(
    resource: Resource,
    namespace: string | undefined,
    name: string,
    body: JsonObject,
    options: WriteOptions,
  ): { entry: Entry; created: boolean } {
    const given = textAt(body, 'metadata', 'name');
    if (given !== name) {
      throw badRequest(
        given === ''
          ? `name must be provided`
          : `the name of the object (${given}) does not match the name on the URL (${name})`,
      );
    }
    const exists = this.objects.get(storageKey(resource), keyOf(namespace, name)) !== undefined;
    if (!exists && resource.createOnUpdate && options.subresource === '') {
      return { entry: this.writes.create(resource, namespace, body, options), created: true };
    }
    const { entry } = this.writes.update(resource, namespace, name, () => body, options, 'put');
    return { entry, created: false };
  }

  /** PATCH. Does not wait for a commit. */
  change(
    resource: Resource,
    namespace: string | undefined,
    name: string,
    type: PatchType,
    patch: Json,
    options: WriteOptions,
    force: boolean,
  ): { entry: Entry; created: boolean } {
    if (type !== 'apply') {
      const change = (current: KubeObject) => applyPatch(current, type, patch, resource);
      return { entry: this.writes.update(resource, namespace, name, change, options, 'patch').entry, created: false };
    }
    if (!isObject(patch)) throw badRequest('the applied configuration must be an object');
    const given = textAt(patch, 'metadata', 'name');
    if (given !== '' && given !== name) {
      throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
    }
    for (const field of ['apiVersion', 'kind']) {
      if (typeof patch[field] !== 'string') throw badRequest(`${field} must be set in an applied configuration`);
    }
    const request = {
      manager: options.fieldManager,
      force,
      subresource: options.subresource,
      now: this.writes.now(),
    };
    const live = this.objects.get(storageKey(resource), keyOf(namespace, name));
    if (!live) {
      if (options.subresource !== '') this.writes.require(resource, namespace, name);
      const uid = textAt(patch, 'metadata', 'uid');
      if (uid !== '') {
        const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
        throw conflict(resource, name, why);
      }
      const named: JsonObject = { ...patch, metadata: { ...(isObject(patch.metadata) ? patch.metadata : {}), name } };
      const created = applyConfiguration(undefined, named, resource, request);
      return { entry: this.writes.create(resource, namespace, created, options), created: true };
    }
    const wanted = (current: KubeObject) =>
      withConditions(applyConfiguration(current, patch, resource, request), patch);
    return { entry: this.writes.update(resource, namespace, name, wanted, options, 'apply').entry, created: false };
  }
}

/** A resourceVersion or uid in an applied configuration is a condition, as in any other patch. */
function withConditions(result: JsonObject, configuration: JsonObject): JsonObject {
  const given = isObject(configuration.metadata) ? configuration.metadata : {};
  const conditions = Object.fromEntries(
    Object.entries(given).filter(([name]) => name === 'resourceVersion' || name === 'uid'),
  );
  return { ...result, metadata: { ...(isObject(result.metadata) ? result.metadata : {}), ...conditions } };
}

/** The manager must be named in an apply: without it nobody could own what is applied. */
export function requireManager(manager: string): void {
  if (manager !== '') return;
  throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', [
    { reason: 'FieldValueRequired', message: 'Required value: is required for apply patch', field: 'fieldManager' },
  ]);
}
