/** Reading a request, and changing it only from what was read. */
import type { Failure, Result } from '../../base/result.ts';
import type { RequestPlace, RequestRef } from '../services.ts';
import type { MetadataChange, StatusChange, StoredRequest } from '../store/contract.ts';

export type RequestRead =
  | { found: 'request'; request: StoredRequest }
  /** It is gone, or another one has its name. */
  | { found: 'gone' }
  | { found: 'unknown'; failure: Failure };

export async function readRequest(
  { store }: Pick<RequestPlace, 'store'>,
  ref: RequestRef,
  signal?: AbortSignal,
): Promise<RequestRead> {
  const answer = await store.get(ref, signal);
  if (answer.ok) {
    return answer.value.metadata.uid === ref.uid ? { found: 'request', request: answer.value } : { found: 'gone' };
  }
  return answer.error.kind === 'not-found' ? { found: 'gone' } : { found: 'unknown', failure: answer.error };
}

/** How often a write that met somebody else's is decided again from a fresh reading. */
const maxConflicts = 6;

type Change = { status: StatusChange } | { metadata: MetadataChange };
export type Changed = { ok: true; request: StoredRequest | undefined } | { ok: false; failure: Failure };

/** `decide` says what to write for what was read, or undefined for nothing. A request that is gone needs no change. */
export async function changeRequest(
  place: Pick<RequestPlace, 'store'>,
  ref: RequestRef,
  decide: (request: StoredRequest) => Change | undefined,
  signal?: AbortSignal,
  known?: StoredRequest,
): Promise<Changed> {
  let request = known;
  for (let conflicts = 0; ; conflicts++) {
    if (request === undefined) {
      const read = await readRequest(place, ref, signal);
      if (read.found === 'unknown') return { ok: false, failure: read.failure };
      if (read.found === 'gone') return { ok: true, request: undefined };
      request = read.request;
    }
    const change = decide(request);
    if (change === undefined) return { ok: true, request };
    const written = await write(place, ref, change, request, signal);
    if (written.ok) return { ok: true, request: written.value };
    const { kind } = written.error;
    if ((kind !== 'conflict' && kind !== 'not-found') || conflicts >= maxConflicts) {
      return { ok: false, failure: written.error };
    }
    request = undefined;
  }
}

function write(
  { store }: Pick<RequestPlace, 'store'>,
  ref: RequestRef,
  change: Change,
  { metadata: { uid, resourceVersion } }: StoredRequest,
  signal?: AbortSignal,
): Promise<Result<StoredRequest>> {
  const follows = { uid, resourceVersion };
  return 'status' in change
    ? store.patchStatus(ref, change.status, follows, signal)
    : store.patchMetadata(ref, change.metadata, follows, signal);
}
