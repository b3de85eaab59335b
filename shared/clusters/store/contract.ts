/**
 * The store port: where requests for clusters are kept. In a management cluster they are ClusterRequest objects; a deployment without one
 * keeps them in the state port. Every driver passes `test/conformance/cluster-requests/conformance.ts`.
 *
 * - A request is changed only from what was read: every write but `create` names the uid and the resourceVersion that it follows, and
 *   answers `conflict` when the request is another one or has changed since. Nothing is written then.
 * - Spec, metadata and status are written apart, as in an API server: the generation grows with the spec only.
 * - A request with finalizers is not gone when it is deleted: it has a deletionTimestamp until the last finalizer is taken away.
 */
import type { Json } from '../../base/json.ts';
import type { Result } from '../../base/result.ts';
import type { KubeObject } from '../../kube/contract.ts';
import type { ClusterRequestSpec } from '../request/schema.ts';
import type { ClusterRequestStatus } from '../request/status.ts';

export interface RequestName {
  namespace: string;
  name: string;
}

/** A request as it is stored. Its spec has not been checked: whoever reads it hands it to `checkRequest`. */
export interface StoredRequest extends KubeObject {
  metadata: KubeObject['metadata'] & { namespace: string };
  spec: ClusterRequestSpec;
  status?: ClusterRequestStatus;
}

/** What a write follows. */
export interface ReadVersion {
  uid: string;
  resourceVersion: string;
}

/** `null` removes an annotation. Finalizers are the whole list. */
export interface MetadataChange {
  annotations?: Readonly<Record<string, string | null>>;
  finalizers?: readonly string[];
}

export interface NewRequest extends RequestName {
  spec: Json;
  labels?: Readonly<Record<string, string>>;
  annotations?: Readonly<Record<string, string>>;
}

export interface RequestPage {
  items: StoredRequest[];
  /** Go on with it while there is one. An old one answers `conflict`: start again. */
  continue?: string;
}

export interface RequestStore {
  /** The management cluster, or `state`; for logs, and part of the name of workflows. */
  readonly name: string;
  /** `not-found` means that there is surely none. */
  get(name: RequestName, signal?: AbortSignal): Promise<Result<StoredRequest>>;
  /** In every namespace when there is none. */
  list(
    options?: { namespace?: string; limit?: number; continue?: string },
    signal?: AbortSignal,
  ): Promise<Result<RequestPage>>;
  /** `conflict` if there is one of that name; `invalid` if an API server refuses it. */
  create(request: NewRequest, signal?: AbortSignal): Promise<Result<StoredRequest>>;
  replaceSpec(
    name: RequestName,
    spec: Json,
    follows: ReadVersion,
    signal?: AbortSignal,
  ): Promise<Result<StoredRequest>>;
  patchMetadata(
    name: RequestName,
    change: MetadataChange,
    follows: ReadVersion,
    signal?: AbortSignal,
  ): Promise<Result<StoredRequest>>;
  /** As a merge patch: lists are replaced as a whole, objects field by field, `null` removes a field. */
  patchStatus(
    name: RequestName,
    status: StatusChange,
    follows: ReadVersion,
    signal?: AbortSignal,
  ): Promise<Result<StoredRequest>>;
  /** Marks it as deleted, or removes it if it has no finalizers. Without a version, whatever version it has; the uid always holds. */
  delete(
    name: RequestName,
    follows: { uid: string; resourceVersion?: string },
    signal?: AbortSignal,
  ): Promise<Result<void>>;
}

export type StatusChange = { [Field in keyof ClusterRequestStatus]?: ClusterRequestStatus[Field] | null };
