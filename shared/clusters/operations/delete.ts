/**
 * Deletes a request. What it made goes with it, unless its guard is set; so a guarded one needs a word about what is meant. The guard and
 * the deletion are one decision: a guard that somebody sets in between makes the deletion begin anew.
 */
import { defined } from '../../base/defined.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Failure } from '../../base/result.ts';
import type { RequestPlace } from '../services.ts';
import { isDeleting } from '../steps/phase.ts';
import type { RequestName, StoredRequest } from '../store/contract.ts';
import type { GuardWord } from './guard.ts';

export type DeleteOutcome =
  | { outcome: 'deleting'; request: StoredRequest; keeps: boolean }
  /** Nothing was made for it, so it is gone at once. */
  | { outcome: 'gone'; request: StoredRequest; keeps: boolean }
  /** It has a guard, and the caller said nothing about it. */
  | { outcome: 'guarded'; request: StoredRequest }
  | { outcome: 'failed'; failure: Failure };

const maxConflicts = 6;

export async function deleteRequest(
  { store }: Pick<RequestPlace, 'store'>,
  name: RequestName,
  guard: GuardWord | undefined,
  signal?: AbortSignal,
): Promise<DeleteOutcome> {
  let uid: string | undefined;
  for (let conflicts = 0; ; conflicts++) {
    const found = await store.get(name, signal);
    if (!found.ok) return { outcome: 'failed', failure: found.error };
    let request = found.value;
    // Another request may have got the name in between: that one was not meant.
    uid ??= request.metadata.uid ?? '';
    if (request.metadata.uid !== uid) return { outcome: 'gone', request, keeps: guard === 'keep' };
    if (isGuarded(request) && guard === undefined) return { outcome: 'guarded', request };

    const wanted = guard === undefined ? isGuarded(request) : guard === 'keep';
    if (isGuarded(request) !== wanted) {
      const { lifetime, ...rest } = request.spec;
      // A guard and a lifetime exclude each other, and what is being deleted needs no lifetime.
      const spec = { ...rest, ...(wanted ? {} : defined({ lifetime })), deleteGuard: wanted } as unknown as JsonObject;
      const { resourceVersion } = request.metadata;
      const written = await store.replaceSpec(name, spec, { uid, resourceVersion }, signal);
      if (written.ok) request = written.value;
      else if (written.error.kind === 'conflict' && conflicts < maxConflicts) continue;
      else return { outcome: 'failed', failure: written.error };
    }
    if (isDeleting(request)) return { outcome: 'deleting', request, keeps: wanted };

    const { resourceVersion, finalizers = [] } = request.metadata;
    const deleted = await store.delete(name, { uid, resourceVersion }, signal);
    if (deleted.ok) return { outcome: finalizers.length > 0 ? 'deleting' : 'gone', request, keeps: wanted };
    if (deleted.error.kind !== 'conflict' || conflicts >= maxConflicts) {
      return { outcome: 'failed', failure: deleted.error };
    }
  }
}

export const isGuarded = ({ spec }: StoredRequest): boolean => spec.deleteGuard === true;
