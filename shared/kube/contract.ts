/**
 * The cluster port: how the product reads and writes one Kubernetes cluster.
 *
 * Expected answers are values. `not-found` means that the server does serve the kind and has no such object: a server
 * that does not know the kind, or a proxy's 404 page, is `unavailable`, because a missing claim is a license to delete.
 */

import type { V1DeleteOptions, V1Preconditions } from '@kubernetes/client-node';
import type { Json } from '../base/json.ts';
import type { ObjectMeta } from '../base/kubernetes/object.ts';
import type { Failure, Result } from '../base/result.ts';

/** The `code` of failures that callers tell apart: the server does not know who we are, or does not have the kind. */
export const failureCodes = {
  unauthenticated: 'unauthenticated',
  notServed: 'not-served',
  /** What should be written into it exists as little as the namespace. */
  namespaceMissing: 'namespace-missing',
  /** The answer is longer than any that is taken; of a list, a smaller page may do. */
  tooLong: 'too-long',
} as const;

export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** False for a question in the form of an object: `create` brings back its answer, which has no uid and no version. */
  readonly stored?: false;
}

export interface ObjectRef {
  name: string;
  namespace?: string;
}

/** The least that every stored Kubernetes object has. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta & { resourceVersion: string; creationTimestamp: string };
}

export interface ListOptions {
  labelSelector?: string;
  fieldSelector?: string;
  limit?: number;
  continue?: string;
  /** `0`: as the server has it at hand, which costs it least and may be a little old. Absent: the latest. Not together with `continue`. */
  resourceVersion?: '0';
  /** In every namespace when absent. */
  namespace?: string;
}

export interface Page<T> {
  items: T[];
  resourceVersion: string;
  continue?: string;
  /** How long the answer was. */
  bytes?: number;
}

export type WatchEvent<T> =
  | { type: 'added' | 'modified' | 'deleted'; object: T }
  | { type: 'bookmark'; resourceVersion: string };

/** Why a watch ended: `expired` means list again (410), `closed` means go on from the last resourceVersion. */
export type WatchEnd = { end: 'closed' | 'expired' } | { end: 'failed'; message: string; retryAfterSeconds?: number };

export interface WatchOptions {
  resourceVersion: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** In every namespace when absent. */
  namespace?: string;
}

export interface JsonPatchOperation {
  op: 'add' | 'remove' | 'replace' | 'test';
  path: string;
  value?: Json;
}

/** What a server-side apply may be told beside the object. */
export interface ApplyOptions {
  /** Take over fields that another manager owns with another value; without it they answer `conflict`. */
  force?: boolean;
  subresource?: 'status';
  /** Nothing is stored; the answer is what would be. */
  dryRun?: boolean;
  /** A field that the kind does not have answers `invalid`; without it, the server drops such a field. */
  strict?: boolean;
}

export interface DeleteOptions extends V1Preconditions, Pick<V1DeleteOptions, 'gracePeriodSeconds'> {
  /** What becomes of the objects that this one owns; the server's own default when absent. */
  propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
}

/**
 * Why an eviction was refused for the sake of budgets. `budget`: the PodDisruptionBudget allows no disruption now; try again
 * later. `several-budgets`: more than one budget selects the pod, so no eviction ever succeeds until somebody mends them.
 */
export type EvictionRefusal = 'budget' | 'several-budgets';

/**
 * `refusedBy: 'budget'` comes with the kind `throttled`, and the message carries the budget's own words. `throttled` without
 * `refusedBy` is the API server being busy, which says nothing about the pod. `several-budgets` comes with `invalid`.
 */
export type EvictionResult =
  | Extract<Result<void>, { ok: true }>
  | { ok: false; error: Failure & { refusedBy?: EvictionRefusal } };

export interface ClusterApi {
  /** As configured, for logs and ids. */
  readonly name: string;
  /** What the identity of the server was checked with: authorities, or else its address. Absent before it is known. */
  anchors?(): readonly string[] | undefined;
  get<T extends KubeObject>(resource: Resource, ref: ObjectRef, signal?: AbortSignal): Promise<Result<T>>;
  /** One page. A `continue` that is too old answers `conflict`: start the list again, from its first page. */
  list<T extends KubeObject>(resource: Resource, options?: ListOptions, signal?: AbortSignal): Promise<Result<Page<T>>>;
  /**
   * Ends when the server ends it, the line falls silent or the signal fires (both `closed`). While a promise of `onEvent` is
   * pending nothing more is read. What `onEvent` throws ends the watch and comes out of it.
   */
  watch<T extends KubeObject>(
    resource: Resource,
    options: WatchOptions,
    onEvent: (event: WatchEvent<T>) => void | Promise<void>,
    signal: AbortSignal,
  ): Promise<WatchEnd>;
  create<T extends KubeObject>(resource: Resource, object: Json, signal?: AbortSignal): Promise<Result<T>>;
  /**
   * A resourceVersion in the body makes it conditional: another version answers `conflict`. So does a uid, but not for the
   * status of a custom resource: there the server takes no notice of it, and only a resourceVersion holds.
   */
  mergePatch<T extends KubeObject>(
    resource: Resource,
    ref: ObjectRef,
    patch: Json,
    options?: { subresource?: 'status' },
    signal?: AbortSignal,
  ): Promise<Result<T>>;
  /** A `test` that does not hold answers `conflict`. */
  jsonPatch<T extends KubeObject>(
    resource: Resource,
    ref: ObjectRef,
    operations: JsonPatchOperation[],
    options?: { subresource?: 'status' },
    signal?: AbortSignal,
  ): Promise<Result<T>>;
  /**
   * Server-side apply under our field manager: what is in `object` is ours and set, what we applied earlier and is no longer in
   * it is removed, and what is not there yet is created (not by `status`). `object` needs apiVersion, kind and metadata.name. A
   * field that somebody else manages with another value answers `conflict`, and the message names that manager and the field.
   * A `metadata.uid` in it makes it conditional: another object under the name answers `conflict`, and none is created.
   */
  apply<T extends KubeObject>(
    resource: Resource,
    object: Json,
    options?: ApplyOptions,
    signal?: AbortSignal,
  ): Promise<Result<T>>;
  /** Deleting what is gone is `not-found`; another uid under the name is `conflict`. */
  delete(resource: Resource, ref: ObjectRef, options: DeleteOptions, signal?: AbortSignal): Promise<Result<void>>;
  /** `not-found` and `conflict` mean that the pod is no longer that pod; for the rest see `EvictionResult`. */
  evict(ref: ObjectRef, uid: string, signal?: AbortSignal): Promise<EvictionResult>;
  close(): void;
}

export const nodeClaims: Resource = {
  group: 'karpenter.sh',
  version: 'v1',
  plural: 'nodeclaims',
  kind: 'NodeClaim',
  namespaced: false,
};
export const nodes: Resource = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };
export const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
export const namespaces: Resource = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};
export const events: Resource = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };
export const nodePools: Resource = {
  group: 'karpenter.sh',
  version: 'v1',
  plural: 'nodepools',
  kind: 'NodePool',
  namespaced: false,
};
export const leases: Resource = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
};
export const configMaps: Resource = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
export const secrets: Resource = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  namespaced: true,
};
export const deployments: Resource = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};
export const podDisruptionBudgets: Resource = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
};
export const persistentVolumeClaims: Resource = {
  group: '',
  version: 'v1',
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  namespaced: true,
};
export const volumeAttachments: Resource = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'volumeattachments',
  kind: 'VolumeAttachment',
  namespaced: false,
};
export const customResourceDefinitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};
/** Asks the server whether we may do something. */
export const selfSubjectAccessReviews: Resource = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
  namespaced: false,
  stored: false,
};
