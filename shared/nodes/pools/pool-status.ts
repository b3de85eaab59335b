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

/**
 * Ready is the two before it, and not True while the pool's claims fail.
 * @param health Whether its claims become nodes; undefined where that can't be said, which is nothing against it.
 */
export function poolConditions(
  problems: readonly Problem[],
  nodeClass: ClassState,
  health?: ConditionChange,
): ConditionChange[] {
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
  const parts = [validation, classReady, ...(health ? [health] : [])];
  return [...parts, together(parts)];
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

/** One round may fail for a reason that passes; from the second on it is a failure. */
const roundsBeforeUnhealthy = 2;

export interface HealthQuestion {
  /** Rounds in a row in which claims were made and none became a node. */
  failedRounds: number;
  /** When the last of them began, in milliseconds. */
  roundBeganAt: number | undefined;
  anyInitialized: boolean;
  failure: PoolFailure | undefined;
}

/** Whether the pool's claims become nodes at all. Undefined while it can't be said. */
export function registrationHealth(question: HealthQuestion): ConditionChange | undefined {
  const { failedRounds, roundBeganAt = 0, anyInitialized, failure } = question;
  const type = 'NodeRegistrationHealthy';
  if (failedRounds === 1 && failure && failure.at >= roundBeganAt) {
    const message = `the last claim that failed was ${failure.claim}: ${failure.message}`;
    return { type, status: 'Unknown', reason: failure.reason, message };
  }
  if (failedRounds < roundsBeforeUnhealthy) return anyInitialized ? { type, status: 'True' } : undefined;
  const why = failure
    ? `the last claim that failed was ${failure.claim}: ${failure.message}`
    : 'the Events of its claims say why';
  const message = `${failedRounds} attempts in a row to create claims produced no node; ${why}`;
  return { type, status: 'False', reason: failure?.reason ?? 'RegistrationFailed', message };
}

/** What a condition that speaks of an older spec is replaced with. It does not count for Ready. */
export const healthNotKnownYet: ConditionChange = {
  type: 'NodeRegistrationHealthy',
  status: 'Unknown',
  reason: 'ReconcilingDependents',
  message: 'no claim has become a node or failed since the pool was changed',
};
