/**
 * What a claim's conditions say of its machine and node. Each stage is a latch, as with Karpenter: once reached it stays
 * True for the life of the attempt, and what goes wrong later is said by the next stage. So no condition flaps with its node.
 */
import { type ConditionChange, findCondition, isTrue } from '../../kube/conditions.ts';
import { conditionTypes } from '../claims/spec/well-known.ts';
import type { StoredClaim } from '../steps/claim-access.ts';
import type { NodeWait, StoredNode } from './node-stages.ts';

/** What was seen of the node. */
export type Sight =
  | { found: 'node'; node: StoredNode; waitingFor: NodeWait | undefined }
  | { found: 'none' | 'several' | 'foreign' | 'refused'; why: string };

export interface StageChanges {
  changes: ConditionChange[];
  /** A stage was reached, or something is wrong. Otherwise only the words change, and they can wait a little. */
  due: boolean;
}

/** `launchedAt`: when the machine was there, if that was before now. */
export function decideStages(claim: StoredClaim, sight: Sight, launchedAt?: number): StageChanges {
  const conditions = claim.status?.conditions;
  const launched: ConditionChange = { type: conditionTypes.launched, status: 'True', at: launchedAt };
  const news = !isTrue(conditions, conditionTypes.launched);
  const registered = isTrue(conditions, conditionTypes.registered);
  if (sight.found !== 'node') {
    const type = registered ? conditionTypes.initialized : conditionTypes.registered;
    const status = sight.found === 'none' || registered ? 'Unknown' : 'False';
    const change: ConditionChange = { type, status, reason: reasons[sight.found], message: sight.why };
    const changed = findCondition(conditions, type)?.reason !== change.reason;
    const later = registered ? [] : notBegun(claim);
    return { changes: [launched, change, ...later], due: news || (changed && sight.found !== 'none') };
  }
  const joined: ConditionChange = { type: conditionTypes.registered, status: 'True' };
  const { waitingFor } = sight;
  if (!waitingFor) {
    return { changes: [launched, joined, { type: conditionTypes.initialized, status: 'True' }], due: true };
  }
  return { changes: [launched, joined, initializing(claim, waitingFor)], due: news };
}

const reasons = {
  none: 'NodeNotFound',
  several: 'MultipleNodesFound',
  foreign: 'NodeOfAnotherClaim',
  refused: 'NodeNotUsable',
} as const;

/** What the attempt before said of its own node is not about this one's. A claim that has never said anything needs no words. */
function notBegun({ status }: StoredClaim): ConditionChange[] {
  const type = conditionTypes.initialized;
  if (!findCondition(status?.conditions, type)) return [];
  return [{ type, status: 'Unknown', reason: 'NodeNotFound', message: 'the node is not registered yet' }];
}

/** Kubelets put times and counters into their words: as long as it is the same wait, the words that are there stay. */
function initializing(claim: StoredClaim, { reason, message, node, detail }: NodeWait): ConditionChange {
  const type = conditionTypes.initialized;
  const said = findCondition(claim.status?.conditions, type);
  const isSame = node !== undefined && said?.reason === reason && claim.status?.nodeName === node;
  const text = (isSame && said.message) || (detail === undefined ? message : `${message}: ${detail}`);
  return { type, status: 'Unknown', reason, message: text };
}
