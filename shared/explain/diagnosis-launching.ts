/** Why a claim has no machine, or its machine is no node that is ready for work. */

import { defined } from '../base/defined.ts';
import { isObject } from '../base/json.ts';
import type { Condition } from '../base/kubernetes/object.ts';
import type { Problem } from '../base/problems.ts';
import { asSentence } from '../base/text.ts';
import { parseRecord } from '../nodes/claims/attempt/annotation.ts';
import type { AttemptRecord } from '../nodes/claims/attempt/attempt.ts';
import type { NodeClaim } from '../nodes/claims/spec/types.ts';
import { validateClaim } from '../nodes/claims/spec/validate-claim.ts';
import { annotations, conditionTypes, labels } from '../nodes/claims/spec/well-known.ts';
import type { DiagnosisFacts, Rule } from './diagnosis-facts.ts';
import { conditionOf, isDeleting, isTrue, sinceOf, timeOfDay, workflowOf } from './diagnosis-words.ts';

function recordOf({ metadata }: NodeClaim): AttemptRecord | undefined {
  const parsed = parseRecord(metadata.annotations?.[annotations.attempt], metadata.uid);
  return 'record' in parsed ? parsed.record : undefined;
}

/** Before anything else that may be wrong: fixed or not, nothing is bought during a pause. */
const paused: Rule = ({ claim, pauses, decisions }) => {
  if (!claim || isDeleting(claim) || isTrue(claim, conditionTypes.launched)) return undefined;
  const record = recordOf(claim);
  const condition = conditionOf(claim, conditionTypes.launched);
  // What was begun before the pause continues.
  if (record?.state === 'open' && condition?.reason !== 'Paused') return undefined;
  const provider = record?.provider || claim.metadata.annotations?.[annotations.provider];
  const pause = pauses.find(({ kind, name }) => kind === 'cluster' || provider === undefined || provider === name);
  if (!pause) return undefined;
  const { kind, name, setBy, why } = pause;
  const byConfiguration = setBy === 'configuration';
  const since = condition?.reason === 'Paused' ? sinceOf(condition) : {};
  const last = decisions.at(-1);
  return {
    code: 'Paused',
    cause: `${kind} ${name} is paused${byConfiguration ? ' in the configuration' : ''}${why ? `: ${why}` : ''}; no new instances are created`,
    cure: byConfiguration
      ? `remove the pause of ${kind} ${name} from the configuration, and restart the host`
      : `to resume: poolwright resume ${kind} ${name}`,
    ...(last?.step === 'choose' && since.since === undefined ? { since: last.at } : since),
  };
};

const readOnlyReasons: ReadonlySet<string> = new Set([
  'NotOwner',
  'RivalProvisioner',
  'ClusterNotUsable',
  'OwnerUnknown',
]);

/** A condition stays until the next step writes another; what the host says now is newer. */
const released: Rule = (facts) => {
  const { claim, isHostKnown, standing } = facts;
  if (!claim || !isHostKnown || isDeleting(claim) || isTrue(claim, conditionTypes.launched)) return undefined;
  const { reason = '' } = conditionOf(claim, conditionTypes.launched) ?? {};
  const isReleased = reason === 'Paused' || (readOnlyReasons.has(reason) && standing?.acts === true);
  if (!isReleased) return undefined;
  const until = untilOf(facts, claim);
  return {
    well: true,
    cause: `nothing is wrong: the condition ${reason} is stale and will be cleared`,
    cure: `none needed: the host continues automatically${until === undefined ? '' : ` at ${timeOfDay(until)}`}`,
    ...defined({ until }),
  };
};

/** The claim itself says what is wrong with its launch. */
const notLaunched: Rule = (facts) => {
  const { claim } = facts;
  if (!claim || isDeleting(claim) || isTrue(claim, conditionTypes.launched)) return undefined;
  const condition = conditionOf(claim, conditionTypes.launched);
  if (!condition) return undefined;
  return spoken(facts, claim, condition);
};

/** The machine is there, and its node is not, or is not ready. */
const notJoined: Rule = (facts) => {
  const { claim } = facts;
  if (!claim || isDeleting(claim) || !isTrue(claim, conditionTypes.launched)) return undefined;
  const stage = [conditionTypes.registered, conditionTypes.initialized].find((type) => !isTrue(claim, type));
  const condition = stage === undefined ? undefined : conditionOf(claim, stage);
  const said = condition && spoken(facts, claim, condition);
  if (!said) return undefined;
  // It looks again every few seconds; what matters is how long it goes on looking.
  const { until: _, ...rest } = said;
  const until = deadlineOf(facts);
  const cure = facts.explained(said.code ?? '')?.cure ?? said.cure;
  if (until === undefined) return { ...rest, cure };
  return { ...rest, cure: `${asSentence(cure)} The host deletes the instance at ${timeOfDay(until)}.`, until };
};

/** Nobody of ours launched it, and so nobody of ours goes on with it. */
const foreign: Rule = ({ claim, decisions, workflows, explained }) => {
  if (!claim || isDeleting(claim) || !isTrue(claim, conditionTypes.launched) || recordOf(claim)?.attempt)
    return undefined;
  const said = decisions.findLast(({ step }) => step === 'take over');
  if (said?.code !== 'left-alone' || workflows.some(({ status }) => status === 'running')) return undefined;
  const code = 'ForeignInstance';
  return {
    code,
    cause: said.text,
    cure: explained(code)?.cure ?? 'leave it to the provisioner that launched it',
    since: said.at,
  };
};

/** Until when the node is waited for, as the launch has worked it out. */
function deadlineOf({ decisions }: DiagnosisFacts): number | undefined {
  const until = decisions.findLast(({ code }) => code === 'node-awaited')?.fields?.until;
  return typeof until === 'number' ? until : undefined;
}

function spoken(facts: DiagnosisFacts, claim: NodeClaim, condition: Condition): ReturnType<Rule> {
  // Of another writer's conditions either may be missing.
  const { reason = '' } = condition;
  const entry = facts.explained(reason);
  // `Launching` and its like say how far it is, and nothing is wrong.
  if (!entry) return undefined;
  const until = untilOf(facts, claim);
  return {
    code: reason,
    cause: messageOf(facts, condition) || entry.cause,
    cure: cureOf(facts, claim, condition, cureOfClass(facts, reason) ?? entry.cure, until),
    ...sinceOf(condition),
    ...defined({ until }),
  };
}

/** Of a claim whose node class is not ready, what fixes the class. */
function cureOfClass({ decisions, explained }: DiagnosisFacts, reason: string): string | undefined {
  const { fields } = decisions.findLast(({ code }) => code === 'launch-waits') ?? {};
  const isSame = fields?.reason === reason && typeof fields.because === 'string';
  return isSame ? explained(String(fields.because))?.cure : undefined;
}

/**
 * Of a launch that failed the condition also says when the next try is, which the cure says: so what failed is taken from the decision
 * or the Event that was written with it.
 */
function messageOf({ decisions, events }: DiagnosisFacts, { status, reason, message = '' }: Condition): string {
  if (status !== 'False') return message;
  const decided = decisions.findLast(({ code }) => code === 'launch-failed')?.fields;
  if (decided?.reason === reason && typeof decided?.message === 'string') return decided.message;
  return events.findLast((one) => one.reason === reason)?.message ?? message;
}

/** When the next try is due by the record, or when the workflow looks again. */
function untilOf(facts: DiagnosisFacts, claim: NodeClaim): number | undefined {
  const { retryAt, state } = recordOf(claim) ?? {};
  if (state === 'failed' && retryAt !== undefined && retryAt > facts.now) return retryAt;
  const until = workflowOf(facts, 'running')?.until ?? askedToWait(facts);
  return until !== undefined && until > facts.now ? until : undefined;
}

/** The cloud said when to come again, in its last answer. */
function askedToWait({ decisions }: DiagnosisFacts): number | undefined {
  const { at, detail } = decisions.at(-1) ?? {};
  if (at === undefined || typeof detail !== 'object' || detail === null || Array.isArray(detail)) return undefined;
  return typeof detail.retryAfterSeconds === 'number' ? at + detail.retryAfterSeconds * 1000 : undefined;
}

const chosen: ReadonlySet<string> = new Set(['NoInstanceTypeFits', 'InsufficientCapacity', 'QuotaExceeded']);
/** What is wrong stands in the spec, which nobody can change on a claim. */
const inSpec: ReadonlySet<string> = new Set(['NoInstanceTypeFits', 'InvalidClaim']);

type Mistake = Pick<Problem, 'path' | 'suggestion'>;

/** What is wrong with the claim, as the choice that refused it has found; else as it can be found again. */
function mistakesOf({ decisions }: DiagnosisFacts, claim: NodeClaim, reason: string): readonly Mistake[] {
  const { fields } = decisions.findLast(({ code }) => code === 'nothing-chosen') ?? {};
  const decided = fields?.reason === reason && Array.isArray(fields.problems) ? fields.problems : [];
  const known = decided.flatMap((one): Mistake[] => {
    if (!isObject(one) || typeof one.path !== 'string') return [];
    return [{ path: one.path, ...(typeof one.suggestion === 'string' ? { suggestion: one.suggestion } : {}) }];
  });
  return known.length > 0 ? known : validateClaim(claim);
}

/** What was probably meant by the one thing that is misspelled; where there are several, the message is better read as a whole. */
function meantBy(mistakes: readonly Mistake[]): string | undefined {
  const suggestions = mistakes.flatMap(({ suggestion }) => (suggestion === undefined ? [] : [suggestion]));
  return suggestions.length === 1 ? suggestions[0] : undefined;
}

/** Annotations and labels can be changed at any time; the spec cannot. */
const isOutsideSpec = ({ path }: Mistake): boolean => path.startsWith('metadata.');

function cureOf(
  facts: DiagnosisFacts,
  claim: NodeClaim,
  { reason: code }: Condition,
  cure: string,
  until: number | undefined,
): string {
  const nearest = chosen.has(code) ? nearestOf(facts) : undefined;
  const again = until === undefined ? '' : ` The host retries automatically at ${timeOfDay(until)}.`;
  if (inSpec.has(code)) {
    const pool = claim.metadata.labels?.[labels.nodePool];
    const where =
      pool === undefined
        ? 'The spec of a NodeClaim is immutable: delete the claim and create a new one.'
        : `Change it in the template of NodePool ${pool}.`;
    const mistakes = mistakesOf(facts, claim, code);
    const meant = meantBy(mistakes);
    const write = meant === undefined ? cure : `write "${meant}"`;
    const isMutable = pool === undefined && mistakes.length > 0 && mistakes.every(isOutsideSpec);
    return isMutable ? `${asSentence(write)}${again}` : `${asSentence(nearest ?? write)} ${where}`;
  }
  const first = code === 'QuotaExceeded' ? 'request a higher quota from the cloud' : 'wait';
  if (nearest !== undefined) return `${first}, or ${nearest}.${again}`;
  return `${asSentence(cure)}${again}`;
}

/** As the choice that failed has worked it out. */
function nearestOf({ decisions }: DiagnosisFacts): string | undefined {
  const detail = decisions.findLast(({ step }) => step === 'choose')?.detail;
  if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) return undefined;
  const { nearest } = detail;
  if (typeof nearest !== 'object' || nearest === null || Array.isArray(nearest)) return undefined;
  return typeof nearest.text === 'string' ? nearest.text : undefined;
}

export const launchingRules: readonly Rule[] = [paused, released, notLaunched, foreign, notJoined];
