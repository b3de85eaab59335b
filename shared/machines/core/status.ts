/** The status of an object, as VirtRigaud writes it. Pure: what was read in, what to write out. */
import type { Json, JsonObject } from '../../base/json.ts';
import type { Condition } from '../../base/kubernetes/object.ts';
import { cutText } from '../../base/text.ts';
import { type ConditionChange, setCondition } from '../../kube/conditions.ts';
import type { VirtualMachineStatus } from '../api/virtual-machine.ts';

/** `null` removes a field. */
export type StatusFields<Status = VirtualMachineStatus> = {
  [F in keyof Omit<Status, 'conditions'>]?: Status[F] | null | undefined;
};

const maxMessage = 1024;

/** An object with conditions in its status. */
interface WithStatus {
  metadata: { generation?: number | undefined };
  status?: { conditions?: Condition[] };
}

/** Only what differs, as a merge patch; undefined if nothing does. */
export function statusPatch<T extends WithStatus>(
  { metadata, status }: T,
  fields: StatusFields<NonNullable<T['status']>>,
  changes: readonly ConditionChange[],
  now: number,
): JsonObject | undefined {
  const context = { now, generation: metadata.generation };
  const known = (status ?? {}) as Readonly<Record<string, unknown>>;
  const before: readonly Condition[] = status?.conditions ?? [];
  const conditions = changes.reduce((all, change) => setCondition(all, change, context), before);
  const patch: JsonObject = {};
  for (const [field, value] of Object.entries(fields)) {
    const current = known[field];
    const next = field === 'message' && typeof value === 'string' ? cutText(value, maxMessage) : value;
    const same = next === null ? current === undefined : JSON.stringify(current) === JSON.stringify(next);
    if (next !== undefined && !same) patch[field] = next as Json;
  }
  if (conditions !== before) patch.conditions = JSON.parse(JSON.stringify(conditions)) as Json;
  return Object.keys(patch).length === 0 ? undefined : patch;
}
