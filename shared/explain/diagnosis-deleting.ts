/** Why a claim that is being deleted is still there. */

import { defined } from '../base/defined.ts';
import { annotations, conditionTypes } from '../nodes/claims/spec/well-known.ts';
import type { DiagnosisFacts, Rule } from './diagnosis-facts.ts';
import { conditionOf, isDeleting, sinceOf, timeOfDay, workflowOf } from './diagnosis-words.ts';

const budget = /PodDisruptionBudget (\S+?)(?=[,;]|\s|$)/;

/** What holds a drain, by its words: the condition says all of them, and an Event only what was new. */
const holds: readonly { code: string; words: RegExp; cure(message: string): string }[] = [
  {
    code: 'BudgetsOverlap',
    words: /more than one PodDisruptionBudget/,
    cure: () => 'make the selectors of the budgets disjoint, or delete the pod',
  },
  {
    code: 'EvictionRefused',
    words: /PodDisruptionBudget|may not be evicted now/,
    cure: (message) => {
      const name = budget.exec(message)?.[1];
      const which = name === undefined ? 'the budget' : `PodDisruptionBudget ${name}`;
      return `relax ${which}, or let its pods become healthy elsewhere; the drain goes on by itself then`;
    },
  },
  {
    code: 'PodsNotToBeDisrupted',
    words: /do-not-disrupt|not to be disrupted/,
    cure: () => 'end those pods, or take their annotation away; the drain goes on by itself then',
  },
  {
    code: 'DrainFailed',
    words: /can't be drained/,
    cure: () => 'look at the rights of the provisioner and at admission policies; it is tried again',
  },
];

const draining: Rule = (facts) => {
  const { claim } = facts;
  if (!claim || !isDeleting(claim)) return undefined;
  const condition = conditionOf(claim, conditionTypes.drained);
  if (!condition || condition.status === 'True' || conditionOf(claim, conditionTypes.instanceTerminating))
    return undefined;
  const { message } = condition;
  const hold = holds.find(({ words }) => words.test(message));
  const until = deadlineOf(facts);
  const end = until === undefined ? '' : `; else what is left is deleted at ${timeOfDay(until)}`;
  return {
    ...(hold === undefined ? { well: true as const } : { code: hold.code }),
    cause: message || 'its node is being drained',
    cure: `${hold === undefined ? 'nothing: the pods are leaving' : hold.cure(message)}${end}`,
    ...sinceOf(condition),
    ...defined({ until }),
  };
};

const detaching: Rule = ({ claim, explained }) => {
  if (!claim || !isDeleting(claim)) return undefined;
  const condition = conditionOf(claim, conditionTypes.volumesDetached);
  if (!condition || condition.status === 'True') return undefined;
  const code = 'AwaitingVolumeDetachment';
  return {
    code,
    cause: condition.message || 'volumes are still attached to its node',
    cure: explained(code)?.cure ?? 'look at the CSI driver',
    ...sinceOf(condition),
  };
};

/** The machine itself does not go. */
const machine: Rule = (facts) => {
  const { claim, explained } = facts;
  if (!claim || !isDeleting(claim)) return undefined;
  const condition = conditionOf(claim, conditionTypes.instanceTerminating);
  if (!condition || condition.status === 'True') return undefined;
  const { reason, message } = condition;
  const until = workflowOf(facts, 'running')?.until;
  return {
    code: reason,
    cause: message,
    cure: `${explained(reason)?.cure ?? 'read the message; it is tried for ever.'}${until === undefined ? '' : ` The next try is at ${timeOfDay(until)}.`}`,
    ...sinceOf(condition),
    ...defined({ until }),
  };
};

/** Nobody of ours holds it. */
const foreign: Rule = ({ claim, decisions, explained }) => {
  if (!claim || !isDeleting(claim)) return undefined;
  const said = decisions.findLast(({ step }) => step === 'terminate');
  if (!said?.text.includes('no instance of ours')) return undefined;
  const code = 'ForeignInstance';
  return { code, cause: said.text, cure: explained(code)?.cure ?? 'leave it to whoever made it', since: said.at };
};

function deadlineOf({ claim }: DiagnosisFacts): number | undefined {
  const at = Date.parse(claim?.metadata.annotations?.[annotations.terminationTimestamp] ?? '');
  return Number.isFinite(at) ? at : undefined;
}

export const deletingRules: readonly Rule[] = [draining, detaching, machine, foreign];
