/** Writing the status of a pool or a node class: only what changed, in one patch, never over somebody's newer write. */

import type { Json } from '../../base/json.ts';
import type { Condition } from '../../base/kubernetes/object.ts';
import type { Result } from '../../base/result.ts';
import { type ConditionChange, setCondition } from '../../kube/conditions.ts';
import type { ClusterApi, KubeObject, Resource } from '../../kube/contract.ts';

export type WithStatus = KubeObject & { status?: { conditions?: Condition[] } | undefined };

/** The patch that brings the status up to date, or undefined when it already is. A field that is `null` is removed. */
export function objectStatusPatch(
  object: WithStatus,
  now: number,
  changes: readonly ConditionChange[],
  fields: { [field: string]: Json } = {},
): { [field: string]: Json } | undefined {
  const before = conditionsOf(object);
  const { generation } = object.metadata;
  let after = before;
  for (const change of changes) after = setCondition(after, change, { now, generation });
  const status: { [field: string]: Json } = {};
  const known: { [field: string]: unknown } = { ...object.status };
  for (const [field, value] of Object.entries(fields)) {
    const same = value === null ? known[field] === undefined : JSON.stringify(known[field]) === JSON.stringify(value);
    if (!same) status[field] = value;
  }
  // A merge patch replaces lists as a whole.
  if (after !== before) status.conditions = after.map((condition) => ({ ...condition }));
  return Object.keys(status).length === 0 ? undefined : status;
}

/** The CRD may be anybody's, and so may be what stands in its status. */
export const conditionsOf = ({ status }: WithStatus): readonly Condition[] =>
  Array.isArray(status?.conditions) ? status.conditions.filter((one) => typeof one?.type === 'string') : [];

/** A `conflict` means that somebody wrote in between: the next run looks again. */
export const writeStatus = (
  api: ClusterApi,
  resource: Resource,
  { metadata: { name, uid, resourceVersion } }: KubeObject,
  status: { [field: string]: Json },
  signal: AbortSignal,
): Promise<Result<KubeObject>> =>
  api.mergePatch(resource, { name }, { metadata: { uid, resourceVersion }, status }, { subresource: 'status' }, signal);
