/**
 * Deleting. An object with finalizers is only marked, and goes when its last finalizer does. Pods go at once, as if every
 * container ended when it is told to, unless the store says that they wait for a kubelet. Propagation policies are accepted, but nothing collects dependents:
 * that is a controller's work, and no controller runs here.
 */
import { isObject, type Json } from '../../shared/base/json.ts';
import { type ApiError, type Cause, conflict, forbidden, invalid, unsupportedValue } from './api-error.ts';
import { crdStorage } from './resources/custom-resources.ts';
import type { Entry } from './store/object-store.ts';
import { fieldAt, type KubeObject, kubeTime, type Resource, storageKey, textAt } from './types.ts';
import { uidMismatch, type Writes } from './writes.ts';

export interface DeleteOptions {
  uid: string;
  resourceVersion: string;
  propagationPolicy: string;
  dryRun: boolean;
  /** For pods; what the pod itself asks for when absent. */
  gracePeriodSeconds?: number;
}

export interface Deleted {
  entry: Entry;
  /** False when finalizers keep it. */
  gone: boolean;
}

const definitionFinalizer = 'customresourcecleanup.apiextensions.k8s.io';
const protectedNamespaces = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease']);

/** Reads DeleteOptions from a body; what the query says is handed in as defaults. */
export function parseDeleteOptions(body: Json | undefined, defaults: Partial<DeleteOptions> = {}): DeleteOptions {
  const options: DeleteOptions = {
    uid: textAt(body, 'preconditions', 'uid'),
    resourceVersion: textAt(body, 'preconditions', 'resourceVersion'),
    propagationPolicy: textAt(body, 'propagationPolicy') || (defaults.propagationPolicy ?? ''),
    dryRun: Array.isArray(fieldAt(body, 'dryRun')) || (defaults.dryRun ?? false),
  };
  const grace = fieldAt(body, 'gracePeriodSeconds') ?? defaults.gracePeriodSeconds;
  if (typeof grace === 'number') options.gracePeriodSeconds = grace;
  if (!['', 'Background', 'Foreground', 'Orphan'].includes(options.propagationPolicy)) {
    const allowed = ['Foreground', 'Background', 'Orphan', 'nil'];
    throw invalidOptions(unsupportedValue('propagationPolicy', options.propagationPolicy, allowed));
  }
  return options;
}

const invalidOptions = (cause: Cause): ApiError =>
  invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [cause]);

export function deleteObject(
  writes: Writes,
  resource: Resource,
  namespace: string | undefined,
  name: string,
  options: DeleteOptions,
): Deleted {
  const entry = writes.require(resource, namespace, name);
  const { object } = entry;
  checkPreconditions(resource, object, options);
  if (resource.kind === 'Namespace' && resource.group === '' && protectedNamespaces.has(name)) {
    throw forbidden(resource, name, 'this namespace may not be deleted');
  }
  if (options.dryRun) return { entry, gone: !object.metadata.finalizers?.length };
  if (resource.kind === 'Namespace' && resource.group === '') return deleteNamespace(writes, resource, object);
  if (storageKey(resource) === crdStorage) return deleteDefinition(writes, resource, object);
  const graceSeconds = resource.kind === 'Pod' && writes.podsWaitForKubelet ? graceOf(object, options) : 0;
  if (graceSeconds > 0) return { entry: giveGrace(writes, resource, entry, graceSeconds), gone: false };
  if (!object.metadata.finalizers?.length) return { entry: writes.removeNow(resource, object), gone: true };
  return { entry: markDeleted(writes, resource, entry), gone: false };
}

function checkPreconditions(resource: Resource, object: KubeObject, { uid, resourceVersion }: DeleteOptions): void {
  const { name, uid: actualUid, resourceVersion: actualVersion } = object.metadata;
  if (uid !== '' && uid !== actualUid) throw conflict(resource, name, uidMismatch(uid, actualUid));
  if (resourceVersion !== '' && resourceVersion !== actualVersion) {
    throw conflict(
      resource,
      name,
      `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${actualVersion}`,
    );
  }
}

/** Nobody has to be waited for where nothing runs. */
function graceOf(pod: KubeObject, { gracePeriodSeconds }: DeleteOptions): number {
  const bound = textAt(pod, 'spec', 'nodeName') !== '';
  if (!bound || ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'))) return 0;
  return gracePeriodSeconds ?? Number(fieldAt(pod, 'spec', 'terminationGracePeriodSeconds') ?? 0);
}

/** A grace that runs already can be shortened, never prolonged. */
function giveGrace(writes: Writes, resource: Resource, entry: Entry, seconds: number): Entry {
  const { object } = entry;
  const { generation = 0, deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  if (deletionTimestamp !== undefined && deletionGracePeriodSeconds <= seconds) return entry;
  const end = kubeTime(writes.clock.now() + seconds * 1000);
  return writes.objects.put(storageKey(resource), {
    ...object,
    metadata: {
      ...object.metadata,
      deletionTimestamp: end,
      deletionGracePeriodSeconds: seconds,
      generation: deletionTimestamp === undefined ? generation + 1 : generation,
    },
  });
}

function markDeleted(writes: Writes, resource: Resource, entry: Entry): Entry {
  const { object } = entry;
  if (object.metadata.deletionTimestamp !== undefined) return entry;
  const { generation } = object.metadata;
  return writes.objects.put(storageKey(resource), {
    ...object,
    metadata: {
      ...object.metadata,
      deletionTimestamp: writes.now(),
      deletionGracePeriodSeconds: 0,
      // The wish to be gone is a change of what is wanted.
      ...(generation === undefined ? {} : { generation: generation + 1 }),
    },
  });
}

/** First the content, then the namespace; it waits in phase Terminating while content is kept by finalizers. */
function deleteNamespace(writes: Writes, resource: Resource, object: KubeObject): Deleted {
  const name = object.metadata.name;
  let entry = writes.require(resource, undefined, name);
  if (object.metadata.deletionTimestamp === undefined) {
    const status = isObject(object.status) ? object.status : {};
    entry = markDeleted(writes, resource, {
      object: { ...object, status: { ...status, phase: 'Terminating' } },
      json: '',
    });
  }
  for (const { resource: kind, entry: item } of writes.contentOf(name)) {
    deleteObject(writes, kind, name, item.object.metadata.name, parseDeleteOptions(undefined));
  }
  const left = writes.objects.get('namespaces', name);
  return { entry, gone: left === undefined || removeIfDone(writes, resource, left.object) };
}

/** The objects of a kind go with its definition. */
function deleteDefinition(writes: Writes, resource: Resource, object: KubeObject): Deleted {
  const finalizers = object.metadata.finalizers ?? [];
  const marked = { ...object.metadata, finalizers: [...new Set([...finalizers, definitionFinalizer])] };
  const entry = markDeleted(writes, resource, { object: { ...object, metadata: marked }, json: '' });
  const defined = writes.registry.byStorage(object.metadata.name);
  for (const item of defined ? writes.objects.list(object.metadata.name) : []) {
    const { namespace, name } = item.object.metadata;
    if (defined) deleteObject(writes, defined, namespace, name, parseDeleteOptions(undefined));
  }
  const left = writes.objects.get(crdStorage, object.metadata.name);
  return { entry, gone: left === undefined || removeIfDone(writes, resource, left.object) };
}

/** Lets a namespace or a definition go whose content has just gone. */
function removeIfDone(writes: Writes, resource: Resource, object: KubeObject): boolean {
  if (object.metadata.deletionTimestamp === undefined) return false;
  const isDefinition = storageKey(resource) === crdStorage;
  const empty = isDefinition
    ? writes.objects.count(object.metadata.name) === 0
    : writes.contentOf(object.metadata.name).length === 0;
  const others = (object.metadata.finalizers ?? []).filter((finalizer) => finalizer !== definitionFinalizer);
  if (!empty || others.length > 0) return false;
  writes.removeNow(resource, object);
  return true;
}

/** Called when an object has gone: its namespace or its definition may have waited for that. */
export function afterRemoval(writes: Writes, resource: Resource, object: KubeObject): void {
  const holders: [string, string | undefined][] = [
    ['namespaces', object.metadata.namespace],
    [crdStorage, resource.custom ? storageKey(resource) : undefined],
  ];
  for (const [storage, name] of holders) {
    const holder = name === undefined ? undefined : writes.objects.get(storage, name);
    const kind = writes.registry.byStorage(storage);
    if (holder && kind) removeIfDone(writes, kind, holder.object);
  }
}
