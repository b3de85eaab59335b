/** What the platform says of an execution, in the words of the port. */
import type { Json } from '../../base/json.ts';
import type { WorkflowInfo } from '../contract.ts';
import type { EpochRecord } from '../epochs.ts';
import { waitingIn } from '../waiting.ts';
import type { EventView, ExecutionView } from './api.ts';
import { endingOf } from './endings.ts';
import { titleOf } from './names.ts';

export const isRunning = ({ status }: ExecutionView): boolean => status === 'RUNNING';

/** @param waitingFor Of one that runs. */
export function infoOf(
  key: string,
  { epoch, workflow, version, startedAt }: EpochRecord,
  execution: ExecutionView,
  waitingFor?: string,
): WorkflowInfo {
  const info = { id: `${key}/${epoch}`, key, epoch, workflow, version, startedAt };
  if (isRunning(execution)) return { ...info, status: 'running', ...waitingIn(waitingFor) };
  const ended = execution.endedAt === undefined ? {} : { endedAt: execution.endedAt };
  if (execution.status === 'SUCCEEDED') {
    return { ...info, ...ended, status: 'completed', result: parsed(execution.result) };
  }
  const { type, message } = execution.error ?? {};
  const status = execution.status === 'FAILED' ? endingOf(type) : 'failed';
  return { ...info, ...ended, status, error: message || type || execution.status };
}

/** What was begun last and has not ended: what a workflow waits for. @param events The newest first. */
export function waitingForIn(events: readonly EventView[]): string | undefined {
  const ended = new Set<string>();
  for (const { type, name, isRetried } of events) {
    if (name === undefined) continue;
    if (!type.endsWith('Started') && !isRetried) ended.add(name);
    else if (!ended.has(name)) return titleOf(name);
  }
  return undefined;
}

export function parsed(text: string | undefined): Json {
  if (text === undefined || text === '') return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
