/** What the platform says of an instance, in the words of the port. */
import type { Json } from '../../base/json.ts';
import type { WorkflowInfo, WorkflowStatus } from '../contract.ts';
import type { EpochRecord } from '../epochs.ts';
import { waitingIn } from '../waiting.ts';
import type { CustomStatus } from './payloads.ts';

export interface InstanceStatus {
  runtimeStatus: string;
  customStatus?: CustomStatus | null;
  output?: Json;
  lastUpdatedTime: string;
}

export function readStatus(answer: Json | undefined): InstanceStatus | undefined {
  if (answer === null || typeof answer !== 'object' || Array.isArray(answer)) return undefined;
  const { runtimeStatus, customStatus, output, lastUpdatedTime } = answer;
  if (typeof runtimeStatus !== 'string' || typeof lastUpdatedTime !== 'string') return undefined;
  return { runtimeStatus, lastUpdatedTime, customStatus: customStatus as CustomStatus | null, output: output ?? null };
}

const endedStatuses = ['Completed', 'Failed', 'Terminated', 'Canceled'];

/** Suspended and continued ones count too: their next word is still to come. */
export const isRunning = ({ runtimeStatus }: InstanceStatus): boolean => !endedStatuses.includes(runtimeStatus);

/** How the extension begins when a replay did something else than the history says. */
const nonDeterministic = 'Non-Deterministic workflow detected';

export function infoOf(key: string, epoch: EpochRecord, instance: InstanceStatus): WorkflowInfo {
  const { workflow, version, startedAt } = epoch;
  const info = { id: `${key}/${epoch.epoch}`, key, epoch: epoch.epoch, workflow, version, startedAt };
  const custom = instance.customStatus ?? {};
  if (isRunning(instance)) {
    return { ...info, status: 'running', ...waitingIn(custom.waitingFor) };
  }
  const endedAt = Date.parse(instance.lastUpdatedTime);
  if (instance.runtimeStatus === 'Completed') {
    return { ...info, status: 'completed', endedAt, result: instance.output ?? null };
  }
  const said = typeof instance.output === 'string' ? instance.output : JSON.stringify(instance.output ?? '');
  return {
    ...info,
    status: failedStatus(custom, said),
    endedAt,
    error: custom.error ?? (said || instance.runtimeStatus),
  };
}

function failedStatus(custom: CustomStatus, said: string): WorkflowStatus {
  if (custom.status) return custom.status;
  return said.includes(nonDeterministic) ? 'mismatched' : 'failed';
}
