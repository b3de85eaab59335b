/** Conditions of a claim: Ready follows from the others. The very array that was given comes back when nothing changes. */
import type { Condition } from '../../base/kubernetes/object.ts';
import { type ConditionChange, type ConditionContext, findCondition, setCondition } from '../../kube/conditions.ts';
import { conditionTypes } from '../claims/spec/well-known.ts';

/** Sets conditions, and Ready with them when one that it depends on is among them. */
export function setConditionsAndReady(
  conditions: readonly Condition[],
  changes: readonly ConditionChange[],
  context: ConditionContext,
): readonly Condition[] {
  let result = conditions;
  for (const change of changes) result = setCondition(result, change, context);
  return changes.some(({ type }) => readyDependsOn.includes(type))
    ? setCondition(result, readiness(result), context)
    : result;
}

export const readyDependsOn: readonly string[] = [
  conditionTypes.launched,
  conditionTypes.registered,
  conditionTypes.initialized,
];

/** Ready, from what it depends on: True if all are, False as soon as one is False, Unknown otherwise. */
export function readiness(conditions: readonly Condition[]): ConditionChange {
  const states = readyDependsOn.map((type) => ({ type, status: findCondition(conditions, type)?.status ?? 'Unknown' }));
  const open = states.filter(({ status }) => status !== 'True');
  if (open.length === 0) return { type: conditionTypes.ready, status: 'True' };
  const failed = open.some(({ status }) => status === 'False');
  return {
    type: conditionTypes.ready,
    status: failed ? 'False' : 'Unknown',
    reason: failed ? 'UnhealthyDependents' : 'ReconcilingDependents',
    message: open.map(({ type, status }) => `${type}=${status}`).join(', '),
  };
}
