/** Asynchronous jobs: what `queryAsyncJobResult` says of one. */
import { asObject, isObject, type Json, type JsonObject } from '../../base/json.ts';
import type { Failure } from '../../base/result.ts';
import { problemIn } from './envelope.ts';
import { jobFailure } from './errors.ts';

export type JobState =
  | { state: 'pending' }
  /** `result` is what the command answers, such as `{ virtualmachine: … }`. */
  | { state: 'done'; result: JsonObject; instanceId?: string }
  | { state: 'failed'; failure: Failure; instanceId?: string };

const pending = 0;
const succeeded = 1;

export function jobStateOf(answer: JsonObject): JobState {
  const status = Number(answer.jobstatus);
  if (status === pending) return { state: 'pending' };
  const { jobinstanceid } = answer;
  const about = typeof jobinstanceid === 'string' ? { instanceId: jobinstanceid } : {};
  const result = answer.jobresult;
  if (status === succeeded) return { state: 'done', result: isObject(result) ? result : {}, ...about };
  const problem = problemIn(result) ?? { code: Number(answer.jobresultcode ?? 0), text: textOf(result) };
  return { state: 'failed', failure: jobFailure(problem, commandOf(answer)), ...about };
}

const textOf = (result: Json | undefined): string =>
  typeof result === 'string' ? result : JSON.stringify(asObject(result) ?? '');

/** `org.apache.cloudstack.api.command.user.vm.DeployVMCmd` → `DeployVMCmd`. */
const commandOf = ({ cmd }: JsonObject): string =>
  typeof cmd === 'string' ? (cmd.split('.').at(-1) ?? cmd) : 'the job';
