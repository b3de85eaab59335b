/** What a NodePool says about itself: its conditions, under Karpenter's names. */

import { describeProblems, type Problem } from '../../base/problems.ts';
import type { ConditionChange } from '../../kube/conditions.ts';
import { conditionTypes } from '../claims/spec/well-known.ts';
import type { PoolFailure } from './failures.ts';

/** How the pool's node class is. `unknown`: nobody could tell. */
export type ClassState =
  | { state: 'ready'; generation: number | undefined; hash: string | undefined; images?: readonly string[] | undefined }
  | { state: 'not-ready'; reason: string; message: string; generation: number | undefined }
  | { state: 'unknown'; message: string };

/** Ready is the two before it. */
export function poolConditions(problems: readonly Problem[], nodeClass: ClassState): ConditionChange[] {
  const validation: ConditionChange =
    problems.length === 0
      ? { type: 'ValidationSucceeded', status: 'True' }
      : {
          type: 'ValidationSucceeded',
          status: 'False',
          reason: 'NodePoolValidationFailed',
          message: describeProblems(problems),
        };
  const type = 'NodeClassReady';
  const classReady: ConditionChange =
    nodeClass.state === 'ready'
      ? { type, status: 'True' }
      : nodeClass.state === 'not-ready'
        ? { type, status: 'False', reason: nodeClass.reason, message: nodeClass.message }
        : { type, status: 'Unknown', reason: 'NodeClassUnreadable', message: nodeClass.message };
  return [validation, classReady, together([validation, classReady])];
}

function together(parts: readonly ConditionChange[]): ConditionChange {
  const type = conditionTypes.ready;
  const open = parts.filter(({ status }) => status !== 'True');
  if (open.length === 0) return { type, status: 'True' };
  const failed = open.some(({ status }) => status === 'False');
  return {
    type,
    status: failed ? 'False' : 'Unknown',
    reason: failed ? 'UnhealthyDependents' : 'ReconcilingDependents',
    message: open.map((part) => `${part.type}=${part.status}`).join(', '),
  };
}

/** One round may fail for a reason that passes; from the second on it is worth saying. */
const roundsBeforeUnhealthy = 2;

/** Whether the pool's claims become nodes at all. Undefined while it can't be said. */
export function registrationHealth(
  failedRounds: number,
  anyInitialized: boolean,
  failure: PoolFailure | undefined,
): ConditionChange | undefined {
  const type = 'NodeRegistrationHealthy';
  if (failedRounds < roundsBeforeUnhealthy) return anyInitialized ? { type, status: 'True' } : undefined;
  const why = failure
    ? `the last claim that failed was ${failure.claim}: ${failure.message}`
    : 'the Events of its claims say why';
  const message = `${failedRounds} attempts in a row to create claims produced no node; ${why}`;
  return { type, status: 'False', reason: failure?.reason ?? 'RegistrationFailed', message };
}
