/**
 * Deletes an object exactly as it was read. What it says may be the reason to delete it, and it may say something else by now: a
 * claim that had no node yet may be Ready. The uid alone would not notice that.
 */
import { ok, type Result } from '../base/result.ts';
import type { ClusterApi, KubeObject, Resource } from './contract.ts';

/** `gone`: it was gone already, or another object has its name. `changed`: the reason to delete it may no longer hold. */
export type DeletedAsRead = 'deleted' | 'gone' | 'changed';

/** An object that changes more often than this while we look is left to the next run. */
const maxReads = 3;

/** Where the object has changed since, `stillDue` decides on the newer one, which is then deleted under the same condition. */
export async function deleteAsRead<T extends KubeObject>(
  api: ClusterApi,
  resource: Resource,
  read: T,
  stillDue: (now: T) => boolean,
  signal?: AbortSignal,
): Promise<Result<DeletedAsRead>> {
  const { name, uid } = read.metadata;
  let { resourceVersion } = read.metadata;
  for (let reads = 0; ; reads++) {
    const deleted = await api.delete(resource, { name }, { uid, resourceVersion }, signal);
    if (deleted.ok) return ok('deleted');
    if (deleted.error.kind === 'not-found') return ok('gone');
    if (deleted.error.kind !== 'conflict') return deleted;
    if (reads === maxReads) return ok('changed');
    const now = await api.get<T>(resource, { name }, signal);
    if (!now.ok) return now.error.kind === 'not-found' ? ok('gone') : now;
    if (now.value.metadata.uid !== uid || now.value.metadata.deletionTimestamp !== undefined) return ok('gone');
    if (!stillDue(now.value)) return ok('changed');
    ({ resourceVersion } = now.value.metadata);
  }
}
