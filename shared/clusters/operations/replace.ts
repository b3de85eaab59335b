/** Changes the spec of a request, where the cluster can follow. */
import { asObject, type JsonObject } from '../../base/json.ts';
import type { Failure } from '../../base/result.ts';
import type { PoolTypes } from '../pool-types/pool-type.ts';
import { resolve } from '../resolved/resolve.ts';
import { changesBetween } from '../rules/changes.ts';
import { type Finding, isError } from '../rules/finding.ts';
import { isDeleting } from '../steps/phase.ts';
import { recordOf } from '../steps/record.ts';
import type { RequestName, StoredRequest } from '../store/contract.ts';
import { type AskedPlace, lookAhead } from './look-ahead.ts';
import { differingFields } from './spec-differences.ts';

export type ReplaceOutcome =
  | { outcome: 'changed' | 'same'; request: StoredRequest; findings: readonly Finding[] }
  | { outcome: 'refused'; findings: readonly Finding[] }
  | { outcome: 'deleting'; request: StoredRequest }
  | { outcome: 'failed'; failure: Failure };

export async function replaceRequest(
  place: AskedPlace,
  name: RequestName,
  object: JsonObject,
  now: number,
  signal?: AbortSignal,
): Promise<ReplaceOutcome> {
  const found = await place.store.get(name, signal);
  if (!found.ok) return { outcome: 'failed', failure: found.error };
  const before = found.value;
  if (isDeleting(before)) return { outcome: 'deleting', request: before };
  const metadata = { ...asObject(object.metadata), ...name };
  const options = { signal, stored: before, exists: true };
  const { findings, request } = await lookAhead(place, { ...object, metadata } as JsonObject, now, options);
  if (request === undefined || findings.some(isError)) return { outcome: 'refused', findings };
  if (differingFields(before.spec, request.spec).length === 0) return { outcome: 'same', request: before, findings };
  const impossible = impossibleChanges(before, { ...before, spec: request.spec }, place.poolTypes);
  if (impossible.length > 0) return { outcome: 'refused', findings: [...findings, ...impossible] };
  const { uid, resourceVersion } = before.metadata;
  const spec = request.spec as unknown as JsonObject;
  const written = await place.store.replaceSpec(name, spec, { uid: uid ?? '', resourceVersion }, signal);
  if (!written.ok) return { outcome: 'failed', failure: written.error };
  return { outcome: 'changed', request: written.value, findings };
}

/** Of a cluster that has been begun: what Azure never changes. Before that, everything may change. */
export function impossibleChanges(before: StoredRequest, after: StoredRequest, types: PoolTypes): Finding[] {
  const record = recordOf(before);
  if (record === undefined) return [];
  const resolved = (one: StoredRequest['spec']) => {
    const { name, namespace } = before.metadata;
    return resolve({ apiVersion: '', kind: '', metadata: { name, namespace }, spec: one }, types);
  };
  return changesBetween(resolved(record.spec), resolved(after.spec))
    .filter((change) => change.class === 'new-cluster')
    .map(({ field, why }) => ({
      severity: 'error' as const,
      field,
      code: 'ChangeNotPossible' as const,
      cause: `it cannot change for a cluster that exists: ${why}`,
      fix: 'set it back, or make another request for a new cluster',
    }));
}
