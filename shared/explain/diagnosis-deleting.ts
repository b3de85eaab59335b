/** Why a claim that is being deleted is still there. */

import { defined } from '../base/defined.ts';
import type { Json } from '../base/json.ts';
import { annotations, conditionTypes } from '../nodes/claims/spec/well-known.ts';
import { lastingMs } from '../nodes/steps/report/pace.ts';
import type { DiagnosisFacts, Rule } from './diagnosis-facts.ts';
import { conditionOf, isDeleting, sinceOf, timeOfDay, workflowOf } from './diagnosis-words.ts';

type Hold = { reason: string; budget?: string };

/** What somebody can do about what holds a drain, the most binding first. By the reason of the Event that tells of it. */
const cures: { [reason: string]: (hold: Hold) => string } = {
  BudgetsOverlap: () => 'make the selectors of the budgets disjoint, or delete the pod',
  EvictionRefused: ({ budget }) => {
    const which = budget === undefined ? 'the budget' : `PodDisruptionBudget ${budget}`;
    return `relax ${which}, or make its pods healthy elsewhere; the drain then continues automatically`;
  },
  PodsNotToBeDisrupted: () => 'delete those pods, or remove their annotation; the drain then continues automatically',
  EvictionFailed: refused,
  DrainFailed: refused,
};

function refused(): string {
  return "check the provisioner's RBAC permissions and admission policies; the host retries";
}

const draining: Rule = (facts) => {
  const { claim } = facts;
  if (!claim || !isDeleting(claim)) return undefined;
  const condition = conditionOf(claim, conditionTypes.drained);
  if (!condition || condition.status === 'True' || conditionOf(claim, conditionTypes.instanceTerminating))
    return undefined;
  const { message } = condition;
  const hold = holdOf(facts);
  const until = deadlineOf(facts);
  const end = until === undefined ? '' : `; otherwise the host deletes the remaining pods at ${timeOfDay(until)}`;
  return {
    ...(hold === undefined ? { well: true as const } : { code: hold.reason }),
    cause: message || 'its node is being drained',
    cure: `${hold === undefined ? 'none needed: the pods are terminating' : (cures[hold.reason] ?? refused)(hold)}${end}`,
    ...sinceOf(condition),
    ...defined({ until }),
  };
};

/** As the drain said last: its decision is written together with the condition. Where there is none, its Events tell. */
function holdOf({ decisions, events, now }: DiagnosisFacts): Hold | undefined {
  const { code, fields = {} } = decisions.findLast(({ step }) => step === 'drain') ?? {};
  if (code === 'draining') {
    const held = namesIn(fields.heldBy);
    const reason = Object.keys(cures).find((one) => held.includes(one));
    return reason === undefined ? undefined : { reason, ...defined({ budget: budgetIn(fields.held) }) };
  }
  if (code === 'end-waits') return fields.reason === 'DrainFailed' ? { reason: 'DrainFailed' } : undefined;
  const told = events.filter(({ at }) => now - at <= toldAgainMs).map(({ reason }) => reason);
  const reason = Object.keys(cures).find((one) => told.includes(one));
  return reason === undefined ? undefined : { reason };
}

/** What lasts is told again by then: an Event that is older speaks of something that is over. */
const toldAgainMs = lastingMs + 5 * 60_000;

const namesIn = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** Of the first pod that one holds; the message names the others. */
function budgetIn(held: Json | undefined): string | undefined {
  for (const one of Array.isArray(held) ? held : []) {
    if (typeof one === 'object' && one !== null && !Array.isArray(one) && typeof one.budget === 'string')
      return one.budget;
  }
  return undefined;
}

const detaching: Rule = ({ claim, explained }) => {
  if (!claim || !isDeleting(claim)) return undefined;
  const condition = conditionOf(claim, conditionTypes.volumesDetached);
  if (!condition || condition.status === 'True') return undefined;
  const code = 'AwaitingVolumeDetachment';
  return {
    code,
    cause: condition.message || 'volumes are still attached to its node',
    cure: explained(code)?.cure ?? 'check the CSI driver',
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
    cure: `${explained(reason)?.cure ?? 'read the message; the host retries until it succeeds.'}${until === undefined ? '' : ` The next retry is at ${timeOfDay(until)}.`}`,
    ...sinceOf(condition),
    ...defined({ until }),
  };
};

/** Nobody of ours holds it. */
const foreign: Rule = ({ claim, decisions, explained }) => {
  if (!claim || !isDeleting(claim)) return undefined;
  const said = decisions.findLast(({ step }) => step === 'terminate');
  if (said?.code !== 'foreign-end') return undefined;
  const code = 'ForeignInstance';
  return {
    code,
    cause: said.text,
    cure: explained(code)?.cure ?? 'leave it to the provisioner that created it',
    since: said.at,
  };
};

function deadlineOf({ claim }: DiagnosisFacts): number | undefined {
  const at = Date.parse(claim?.metadata.annotations?.[annotations.terminationTimestamp] ?? '');
  return Number.isFinite(at) ? at : undefined;
}

export const deletingRules: readonly Rule[] = [draining, detaching, machine, foreign];
