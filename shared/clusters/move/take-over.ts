/**
 * Another request takes the place of one that has made a cluster: a request of the same name and spec in another store, with the same
 * record. What is in Azure gets its marks. Nothing there is removed or made, and each step may have been done before.
 */
import { defined } from '../../base/defined.ts';
import type { Json } from '../../base/json.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import { requestAnnotations, requestFinalizer } from '../request/marks.ts';
import type { ClusterRequestSpec } from '../request/schema.ts';
import type { ClusterRequestStatus } from '../request/status.ts';
import type { Owner } from '../resolved/tags.ts';
import { type RequestRecord, recordAnnotation, recordOf } from '../steps/record.ts';
import type { RequestName, RequestStore, StoredRequest } from '../store/contract.ts';

/** The uid of the request that one continues. */
export const continuesAnnotation = 'poolwright.dev/continues';
/** Who carries a request out meanwhile: nobody, until it is let go. */
export type HeldBy = 'move' | 'restore';

/** What is known of the request that is continued. */
export interface Origin extends RequestName {
  uid: string;
  heldBy: HeldBy;
  spec: ClusterRequestSpec;
  record: Omit<RequestRecord, 'uid' | 'generation' | 'spec'>;
  labels?: Readonly<Record<string, string>>;
  status?: ClusterRequestStatus;
}

/** Gives what has the marks of one request those of another one; the driver `arm` does. */
export type HandOver = (uid: string, to: Owner, signal?: AbortSignal) => Promise<Result<number>>;

/** The request that continues it, which is held until `release`. `conflict`: one of that name exists that does not. */
export async function prepare(
  store: RequestStore,
  origin: Origin,
  deployment: string,
  signal?: AbortSignal,
): Promise<Result<StoredRequest>> {
  const { namespace, name } = origin;
  const found = await store.get(origin, signal);
  if (!found.ok && found.error.kind !== 'not-found') return found;
  const there = found.ok ? found : await create(store, origin, signal);
  if (!there.ok) return there;
  const request = there.value;
  if (request.metadata.annotations?.[continuesAnnotation] !== origin.uid) {
    return failed('conflict', `there is another request ${namespace}/${name} already`, { lasting: true });
  }
  if (request.metadata.deletionTimestamp !== undefined) {
    return failed('conflict', `the request ${namespace}/${name} is being deleted there`);
  }
  const recorded =
    recordOf(request) === undefined ? await writeRecord(store, request, origin, deployment, signal) : ok(request);
  if (!recorded.ok || recorded.value.status?.readyAt !== undefined) return recorded;
  return await writeStatus(store, recorded.value, origin.status, signal);
}

/** The driver says who carries it out, and there it may be another one. */
const withoutDriver = ({ driver: _, ...spec }: ClusterRequestSpec): ClusterRequestSpec => spec;

const create = (store: RequestStore, { namespace, name, uid, heldBy, spec, labels }: Origin, signal?: AbortSignal) =>
  store.create(
    {
      namespace,
      name,
      spec: withoutDriver(spec) as unknown as Json,
      annotations: { [continuesAnnotation]: uid, [requestAnnotations.carriedOutBy]: heldBy },
      ...defined({ labels }),
    },
    signal,
  );

/** With the finalizer: what there is has to be known to whoever deletes it. */
function writeRecord(
  store: RequestStore,
  { metadata }: StoredRequest,
  { record, spec, uid: seed }: Origin,
  deployment: string,
  signal?: AbortSignal,
): Promise<Result<StoredRequest>> {
  const { tagged: _, ...kept } = record;
  const { uid, resourceVersion, generation = 1, finalizers = [] } = metadata;
  const whole: RequestRecord = {
    ...kept,
    uid,
    deployment,
    generation,
    spec: withoutDriver(spec),
    // Names that derive from a uid stay those of the first request.
    seed: record.seed ?? seed,
    ...(store.name === 'state' ? { tagged: true } : {}),
  };
  const change = {
    annotations: recordAnnotation(whole),
    finalizers: [...new Set([...finalizers, requestFinalizer])],
  };
  return store.patchMetadata(metadata, change, { uid, resourceVersion }, signal);
}

/** Since when it has been ready, and what is known of its cluster. */
async function writeStatus(
  store: RequestStore,
  request: StoredRequest,
  status: ClusterRequestStatus | undefined,
  signal?: AbortSignal,
): Promise<Result<StoredRequest>> {
  const { cluster, startedAt, clusterReadyAt, readyAt, attempt } = status ?? {};
  const change = defined({ cluster, startedAt, clusterReadyAt, readyAt, attempt });
  if (Object.keys(change).length === 0) return ok(request);
  const { uid, resourceVersion } = request.metadata;
  return await store.patchStatus(request.metadata, change, { uid, resourceVersion }, signal);
}

export const ownerOf = (
  { metadata: { namespace, name, uid } }: StoredRequest,
  deployment: string,
  seed: string,
): Owner => ({
  deployment,
  namespace,
  name,
  uid,
  seed,
});

/** From here on it is carried out like any other. */
export async function release(
  store: RequestStore,
  request: StoredRequest,
  heldBy: HeldBy,
  signal?: AbortSignal,
): Promise<Result<StoredRequest>> {
  const { annotations, uid, resourceVersion } = request.metadata;
  if (annotations?.[requestAnnotations.carriedOutBy] !== heldBy) return ok(request);
  const change = { annotations: { [requestAnnotations.carriedOutBy]: null } };
  return await store.patchMetadata(request.metadata, change, { uid, resourceVersion }, signal);
}
