/** The status of a request, changed step by step. Pure: each function takes what was read and gives what to write. */
import type { Condition } from '../../base/kubernetes/object.ts';
import { cutText } from '../../base/text.ts';
import { type ConditionChange, setCondition, toWireTime } from '../../kube/conditions.ts';
import type { PlannedStage } from '../manifests/manifest.ts';
import type { Stage } from '../request/stages.ts';
import type { ClusterRequestStatus, StageStatus } from '../request/status.ts';
import type { StatusChange, StoredRequest } from '../store/contract.ts';

const maxMessage = 1024;

export interface StageChange {
  state: StageStatus['state'];
  waitingFor?: string | undefined;
  code?: string | undefined;
  message?: string | undefined;
}

/** All stages as they are before the first begins. Those that are done already stay done where nothing of them changes. */
export const pendingStages = (planned: readonly Pick<PlannedStage, 'stage'>[]): StageStatus[] =>
  planned.map(({ stage }) => ({ name: stage, state: 'Pending' }));

export function changeStage(
  stages: readonly StageStatus[],
  name: Stage,
  { state, waitingFor, code, message }: StageChange,
  now: number,
  deadlineSeconds?: number,
): StageStatus[] {
  return stages.map((stage) => {
    if (stage.name !== name) return stage;
    const startedAt = stage.startedAt ?? toWireTime(now);
    const ended = state === 'Succeeded' || state === 'Failed';
    const next: StageStatus = { name, state };
    if (state !== 'Pending') next.startedAt = startedAt;
    if (!ended && deadlineSeconds !== undefined) {
      next.deadline = toWireTime(Date.parse(startedAt) + deadlineSeconds * 1000);
    }
    if (ended) next.finishedAt = toWireTime(now);
    if (ended) next.seconds = Math.max(0, Math.round((now - Date.parse(startedAt)) / 1000));
    if (waitingFor !== undefined) next.waitingFor = cutText(waitingFor, maxMessage);
    if (code !== undefined) next.code = code;
    if (message !== undefined) next.message = cutText(message, maxMessage);
    return next;
  });
}

export function withConditions(
  request: StoredRequest,
  changes: readonly ConditionChange[],
  now: number,
): Condition[] | undefined {
  const before: readonly Condition[] = request.status?.conditions ?? [];
  const context = { now, generation: request.metadata.generation };
  const after = changes.reduce((conditions, change) => setCondition(conditions, change, context), before);
  return after === before ? undefined : [...after];
}

/** Only what differs; undefined if nothing does. */
export function statusChange(request: StoredRequest, fields: StatusChange): StatusChange | undefined {
  const before = request.status ?? {};
  const changed = Object.entries(fields).filter(([field, value]) => {
    if (value === undefined) return false;
    const current = before[field as keyof ClusterRequestStatus];
    return value === null ? current !== undefined : JSON.stringify(current) !== JSON.stringify(value);
  });
  return changed.length === 0 ? undefined : (Object.fromEntries(changed) as StatusChange);
}
