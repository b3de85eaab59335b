/**
 * What a request amounts to for a cluster that exists. Defaults may get better from release to release, and a live cluster must not follow
 * them: only what the author changed is changed. Pure.
 */
import { isObject } from '../../base/json.ts';
import type { PoolTypes } from '../pool-types/pool-type.ts';
import { type Resolved, resolve } from '../resolved/resolve.ts';
import { type Change, changesBetween } from '../rules/changes.ts';
import type { StoredRequest } from '../store/contract.ts';
import type { RequestRecord } from './record.ts';

export interface Effective {
  resolved: Resolved;
  changes: readonly Change[];
}

/** @param record Absent for a request that was never begun. */
export function effective(request: StoredRequest, record: RequestRecord | undefined, types: PoolTypes): Effective {
  const after = resolve(asRequest(request), types);
  if (record === undefined) return { resolved: after, changes: [] };
  const before = resolve({ ...asRequest(request), spec: record.spec }, types);
  const changes = changesBetween(before, after);
  const resolved = structuredClone(record.resolved);
  for (const { field } of changes) copyField(after, resolved, field.replace(/^spec\./, '').split('.'));
  return { resolved, changes };
}

const asRequest = ({ metadata, spec }: StoredRequest) => {
  const { name, namespace, uid } = metadata;
  return { apiVersion: '', kind: '', metadata: { name, namespace, uid }, spec };
};

function copyField(from: object, to: object, path: readonly string[]): void {
  const [key = '', ...rest] = path;
  const value: unknown = (from as Record<string, unknown>)[key];
  const target = to as Record<string, unknown>;
  if (rest.length > 0 && isObject(value) && isObject(target[key])) copyField(value, target[key], rest);
  else if (value === undefined) delete target[key];
  else target[key] = structuredClone(value);
}
