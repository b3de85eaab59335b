/** choose: what does this claim need next? Reads the claim, and where something is to be bought, picks the offering. */

import { defined } from '../../../base/defined.ts';
import { mistakesIn } from '../../../base/problems.ts';
import type { Serving } from '../../../providers/serving.ts';
import type { ActivityContext } from '../../../workflow/contract.ts';
import { type ClaimView, type Resume, resumeLaunch } from '../../claims/attempt/attempt.ts';
import { knownPrice, type Offering, offeringKey, offeringRef } from '../../claims/choice/offerings.ts';
import { readNodeClass } from '../../offerings/node-class.ts';
import { type Picked, pickOffering } from '../../offerings/pick-offering.ts';
import { pausedBy } from '../../pauses/pauses.ts';
import { areTurnsCounted, takeTurn } from '../../pauses/turns.ts';
import type { ChooseInput, Passed, Plan, PricedOffering } from '../../steps/answers.ts';
import { readClaim, type StoredClaim, takeClaim } from '../../steps/claim-access.ts';
import { handOver } from '../../steps/claim-handover.ts';
import { clearStatus } from '../../steps/clear-status.ts';
import { deadlinesOf } from '../../steps/deadlines.ts';
import { findCluster, isAgain } from '../../steps/lookup.ts';
import { chooseProvider, servingAs } from '../../steps/provider-choice.ts';
import { beganBy, type Cause } from '../../steps/report/cause.ts';
import { choiceDetail, failedChoiceDetail } from '../../steps/report/choice-detail.ts';
import { emitEventThrottled } from '../../steps/report/claim-events.ts';
import { recordDecision } from '../../steps/report/decision-log.ts';
import { againAfter } from '../../steps/retry-later.ts';
import { type ClaimRef, type ClusterServices, epochOf, type LifecycleServices } from '../../steps/services.ts';
import { setWaitingCondition } from '../../steps/waiting.ts';
import { takeOverClaim } from './take-over.ts';

type ToBegin = Extract<Resume, { do: 'begin' }>;
type NothingPicked = Extract<Picked, { do: 'fail' }>;

/** Whoever waits for a turn or for the end of a pause asks again this often, spread by chance. */
const turnSeconds = 15;
/** Hosts read a cluster's settings twice a minute. */
const settingsSeconds = 15;

/** Readings that were handed to the step which buys. */
const forBuying = new WeakSet<StoredClaim>();

export const choose =
  (services: LifecycleServices) =>
  async (input: ChooseInput, context: ActivityContext): Promise<Plan> => {
    const { ref, passed, cause } = input;
    const cluster = await findCluster(services, ref);
    if (isAgain(cluster)) return cluster;
    const goOn = (view: ClaimView) => whereToGoOn(view, passed, services.clock.now(), context.workflowId);
    let read = await takeClaim(services, cluster, ref, context.signal);
    // What was handed over is good enough to buy on, because the right to write is conditional; for all else it is read.
    // What this step itself handed over last time says nothing new: whoever buys may do so in another process, and it stays here then.
    if (read.found === 'claim' && read.handed && (forBuying.has(read.claim) || goOn(read.view).do !== 'begin')) {
      read = await readClaim(cluster, ref, context.signal);
    }
    if (read.found === 'unknown') return againAfter(read.failure);
    if (read.found !== 'claim') return { do: 'end', why: 'the claim is gone' };
    const { claim, view } = read;

    let resume = goOn(view);
    if (resume.do === 'take-over') {
      const plan = await takeOverClaim(services, cluster, ref, read, context);
      if (plan) return plan;
      resume = { do: 'begin', attempt: 1, failures: 0 };
    }
    if (resume.do === 'end') {
      // A signal may wake a launch that waits for its next try before the time has come.
      const { state, retryAt = 0 } = view.record ?? {};
      if (resume.why !== 'at-rest' || state !== 'failed') return { do: 'end', why: resume.why };
      const seconds = Math.max(0, (retryAt - services.clock.now()) / 1000) + 0.1;
      return { do: 'again', seconds, why: 'waiting for the next retry' };
    }
    // A record of ours binds us even when the configuration no longer names its provider: see `findClaimContext`.
    const provider = view.record?.provider ?? '';
    if (resume.do === 'register') return { ...resume, provider };
    if (resume.do === 'reclose') {
      const why = `attempt ${resume.attempt} was closed by a launch that did not finish`;
      return { do: 'reclose', attempt: resume.attempt, provider, why };
    }
    // An open attempt is bound to its provider: what it may have bought is taken away there, not forgotten.
    if (resume.offering && !servingAs(cluster, claim, provider)) {
      const why = `attempt ${resume.attempt} was started with provider ${provider}, which no longer serves this node class`;
      return { do: 'reclose', attempt: resume.attempt, provider, why };
    }
    const chosen = await chooseProvider(cluster, claim, view.record, context.signal);
    if (!chosen.ok && chosen.error.kind === 'not-ready') {
      const { message } = chosen.error;
      return await waitFor(
        services,
        cluster,
        ref,
        cause,
        { reason: 'ClusterSettingsUnusable', message, seconds: settingsSeconds },
        context,
      );
    }
    if (!chosen.ok && chosen.error.kind !== 'invalid') return againAfter(chosen.error);
    if (!chosen.ok) {
      const { kind, message } = chosen.error;
      const reason = 'InvalidClaim';
      const problems = mistakesIn(chosen.error).map(({ path, suggestion }) => ({ path, ...defined({ suggestion }) }));
      await recordDecision(services, ref, 'nothing-chosen', { reason, kind, message, problems }, beganBy(cause));
      return { do: 'fail', failure: chosen.error, reason };
    }
    const served = chosen.value;
    if (!served) return { do: 'end', why: 'not ours' };
    if (view.record?.state === 'failed' && view.launched) {
      const why = { reason: 'Relaunching', message: 'the instance is gone; the host is choosing a new one' };
      const cleared = await clearStatus(services, cluster, ref, view.record.attempt, why, context.signal);
      if (!cleared.ok) return againAfter(cleared.failure);
    }
    const plan = await pick(services, cluster, served, ref, claim, resume, passed, cause, context);
    if (plan.do === 'begin') {
      forBuying.add(claim);
      handOver(services, cluster, claim);
    }
    return plan;
  };

/** After this launch itself closed and discarded an attempt it goes on to the next; else the claim says where to go on. */
function whereToGoOn(view: ClaimView, passed: Passed | undefined, now: number, workflowId: string): Resume {
  const { record } = view;
  const closedByUs = passed !== undefined && record?.state === 'closed' && record.closer?.id === passed.closer.id;
  if (closedByUs && record.attempt === passed.attempt && !view.deleting && !view.launched) {
    return { do: 'begin', attempt: passed.attempt + 1, failures: record.failures ?? 0 };
  }
  return resumeLaunch(view, view.uid, now, epochOf(workflowId));
}

async function waitFor(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  cause: Cause | undefined,
  { reason, because, message, seconds }: { reason: string; because?: string; message: string; seconds: number },
  context: ActivityContext,
): Promise<Plan> {
  await setWaitingCondition(services, cluster, ref, reason, message, context.signal);
  const fields = { reason, message, ...defined({ because }) };
  await recordDecision(services, ref, 'launch-waits', fields, { ...beganBy(cause), code: reason });
  return { do: 'again', seconds: seconds * (0.75 + services.random() / 2), why: message };
}

async function pick(
  services: LifecycleServices,
  cluster: ClusterServices,
  served: Serving,
  ref: ClaimRef,
  claim: StoredClaim,
  resume: ToBegin,
  passed: Passed | undefined,
  cause: Cause | undefined,
  context: ActivityContext,
): Promise<Plan> {
  const { provider } = served;
  const wait = (reason: string, message: string, seconds: number, because?: string): Promise<Plan> =>
    waitFor(services, cluster, ref, cause, { reason, message, seconds, ...defined({ because }) }, context);
  const fail = async ({ failure, reason, chosen }: NothingPicked): Promise<Plan> => {
    const more = chosen ? failedChoiceDetail(chosen.choice, chosen.question) : {};
    const { kind, message } = failure;
    const soldOut = chosen?.choice.outcome === 'sold-out' ? namesOf(chosen.choice.soldOut) : undefined;
    const fields = { reason, kind, message, ...defined({ soldOut }) };
    await recordDecision(services, ref, 'nothing-chosen', fields, { ...beganBy(cause), code: reason, ...more });
    return { do: 'fail', failure, reason };
  };

  // What was begun before the pause may have made a machine: begin-create looks for it, and buys nothing.
  const paused = resume.offering ? undefined : await pausedBy(services, cluster, provider.name);
  if (paused) return wait('Paused', paused, turnSeconds);

  const nodeClass = await readNodeClass(services, cluster, served.resource, claim.spec.nodeClassRef, context.signal);
  if (!nodeClass.ok) {
    const { kind, message, reason } = nodeClass.error;
    if (kind === 'not-found') return wait('NodeClassNotFound', message, turnSeconds);
    if (kind === 'not-ready') return wait('NodeClassNotReady', message, turnSeconds, reason);
    return againAfter(nodeClass.error);
  }
  const { launchSeconds } = deadlinesOf(claim, nodeClass.value.spec, provider);

  if (!(await areTurnsCounted(services, cluster))) {
    const message = `waiting: counting the existing instances of cluster ${cluster.name} against maxInstances`;
    return wait('WaitingForTurn', message, turnSeconds);
  }
  if (!(await takeTurn(services, cluster, ref.uid))) {
    const message = `waiting: cluster ${cluster.name} has reached maxInstances (${cluster.maxInstances})`;
    return wait('WaitingForTurn', message, turnSeconds);
  }
  // An open attempt is bound to the offering it was opened for.
  if (resume.offering) {
    return { do: 'begin', attempt: resume.attempt, provider: provider.name, offering: resume.offering, launchSeconds };
  }

  const picked = await pickOffering(services, provider, nodeClass.value, claim, context.signal);
  if (picked.do === 'fail') return fail(picked);
  if (picked.do === 'wait') {
    const { reason, message } = picked;
    if (reason === 'ProviderUnavailable') return wait(reason, message, 5);
    await emitEventThrottled(services, cluster, claim, 'Warning', reason, message);
    return wait(reason, message, turnSeconds);
  }
  const { best, chosen } = picked;
  const { choice } = chosen;
  const offering = { ...offeringRef(best), ...defined({ price: knownPrice(best.price) }) };
  await recordDecision(
    services,
    ref,
    'offering-chosen',
    { attempt: resume.attempt, offering },
    {
      ...beganBy(cause),
      provider: provider.name,
      ...choiceDetail(choice),
    },
  );
  return {
    do: 'begin',
    attempt: resume.attempt,
    provider: provider.name,
    offering: offeringRef(best),
    price: best.price ?? null,
    ...(choice.alternatives.length > 0 ? { alternatives: choice.alternatives.map(priced) } : {}),
    launchSeconds,
    ...(passed ? { closer: passed.closer } : {}),
  };
}

/** So many tell one round from another. */
const mostSoldOut = 10;
const namesOf = (offerings: readonly Offering[]): string[] => offerings.slice(0, mostSoldOut).map(offeringKey).sort();

const priced = (offering: Offering): PricedOffering => ({ ...offeringRef(offering), price: offering.price ?? null });
