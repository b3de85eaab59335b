/**
 * What a claim says about its own end, where it takes a while: conditions on the claim, Events beside it. An end that is quick
 * says nothing, because each word is a write to the API server.
 */
import { type ConditionChange, findCondition } from '../../../kube/conditions.ts';
import { annotations, conditionTypes } from '../../claims/spec/well-known.ts';
import { type ClaimChange, changeClaim, type StoredClaim, statusChange, viewClaim } from '../claim-access.ts';
import { unannounced } from '../drain-deadline.ts';
import { type ClaimRef, type ClusterServices, type LifecycleServices, logFor } from '../services.ts';
import { statusPatch } from '../status.ts';
import { emitEventThrottled } from './claim-events.ts';
import type { CodedDecision } from './decision-catalog.ts';
import { recordDecision } from './decision-log.ts';
import { lastingMs } from './pace.ts';

/** Longer than this is no longer quick. */
export const quickSeconds = 5;
/** The words may change with every pod that leaves; nobody reads that fast. */
const sayAgainMs = 30_000;

export type LastReport = { text: string; at: number };

export type News = {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  /** What is kept of it for `explain`, where that is more than reason and message. */
  decision?: CodedDecision;
};

/** Whether it is time to speak. */
export const mustSay = (now: number, since: number, text: string, said: LastReport | undefined): boolean =>
  said === undefined
    ? now - since >= quickSeconds * 1000
    : now - said.at >= (said.text === text ? lastingMs : sayAgainMs);

/** Writes the conditions, announces the deadline if there is one, and tells the news. Failing to say it never fails the step. */
export async function setConditions(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  conditions: readonly ConditionChange[],
  news: readonly News[],
  signal?: AbortSignal,
): Promise<void> {
  const announced = await changeClaim(
    cluster,
    ref,
    (read): ClaimChange<null> => {
      const at = read.found === 'claim' && read.view.deleting ? unannounced(read.claim) : undefined;
      if (at === undefined) return { write: undefined, result: null };
      return { write: { metadata: { annotations: { [annotations.terminationTimestamp]: at } } }, result: null };
    },
    signal,
  );
  const claim = announced.ok ? announced.claim : undefined;
  if (!claim) return;
  await sayConditions(services, cluster, ref, () => conditions, signal, claim);
  for (const { type, reason, message } of news)
    await emitEventThrottled(services, cluster, claim, type, reason, message);
  const last = news.at(-1);
  if (!last) return;
  const { reason, message, decision = { code: 'end-waits', fields: { reason, message } } } = last;
  await recordDecision(services, ref, decision.code, decision.fields);
}

/** The claim as it is afterwards; undefined when that is not known. */
export async function sayConditions(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  changes: (claim: StoredClaim) => readonly ConditionChange[],
  signal: AbortSignal | undefined,
  known: StoredClaim,
): Promise<StoredClaim | undefined> {
  const said = await changeClaim(
    cluster,
    ref,
    (read): ClaimChange<null> => {
      if (read.found !== 'claim' || !read.view.deleting) return { write: undefined, result: null };
      const write = statusPatch(read.claim, services.clock.now(), changes(read.claim));
      return statusChange(write, null);
    },
    signal,
    { found: 'claim', claim: known, view: viewClaim(known) },
  );
  if (said.ok) return said.claim;
  logFor(services, ref).write('claim.condition.unwritten', { reason: 'Draining', problem: said.failure.message });
  return undefined;
}

export const graceElapsed = 'TerminationGracePeriodElapsed';

/** The machine is on its way out: what came before is over, and the claim must not go on saying that it waits for it. */
export function terminatingConditions(claim: StoredClaim, message: string): ConditionChange[] {
  const changes: ConditionChange[] = [{ type: conditionTypes.instanceTerminating, status: 'True', message }];
  // A claim without a Node had nothing to drain.
  if (!claim.status?.nodeName) return changes;
  for (const type of [conditionTypes.drained, conditionTypes.volumesDetached]) {
    if (findCondition(claim.status.conditions, type)?.reason !== graceElapsed) changes.push({ type, status: 'True' });
  }
  return changes;
}

/** Whether the claim says something about its drain that the next stage has to correct. */
export const saysDraining = (claim: StoredClaim): boolean =>
  [conditionTypes.drained, conditionTypes.volumesDetached].some((type) => {
    const condition = findCondition(claim.status?.conditions, type);
    return condition !== undefined && condition.status !== 'True' && condition.reason !== graceElapsed;
  });
