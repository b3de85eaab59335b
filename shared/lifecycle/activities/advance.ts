/**
 * advance: bring a claim with an instance as far as it can go now: Launched, Registered, Initialized. What is due together
 * is written together, because every write to the API server costs: the node once, the claim's status once.
 */
import { mayRecord, mayRegister } from '../../claims/attempt.ts';
import type { ConditionChange } from '../../claims/conditions.ts';
import type { Failure } from '../../claims/errors.ts';
import { conditionTypes } from '../../claims/well-known.ts';
import { nodes } from '../../cluster/contract.ts';
import type { Json } from '../../json.ts';
import type { Instance } from '../../providers/contract.ts';
import type { ActivityContext } from '../../workflow/contract.ts';
import { againAfter } from '../again.ts';
import type { Advanced, AdvanceInput } from '../answers.ts';
import { type ClaimChange, changeClaim, conditionOf, readClaim, type StoredClaim } from '../claim-access.ts';
import { type Deadlines, deadlinesOf } from '../deadlines.ts';
import { decided } from '../decision-log.ts';
import { readNodeClass } from '../node-class.ts';
import { nodeNames, rememberClaim } from '../node-index.ts';
import { type NodeStages, nodeStages, type StoredNode } from '../node-stages.ts';
import { nodePoolOf } from '../ownership.ts';
import { type LifecycleServices, logFor } from '../services.ts';
import { type StatusFields, statusPatch } from '../status.ts';
import { unwritten } from '../unwritten.ts';
import { viewInstance } from './begin-create.ts';
import { findPlace, isAgain, type Place } from './lookup.ts';

export const advance =
  (services: LifecycleServices) =>
  async (input: AdvanceInput, context: ActivityContext): Promise<Advanced> => {
    const { ref, attempt, providerID, instance } = input;
    const place = await findPlace(services, ref, input.provider);
    if (isAgain(place)) return place;
    const { cluster } = place;
    // Before the claim says Launched, so that a node event that comes right after finds its way.
    if (instance) await rememberClaim(services, ref, providerID);

    const read = await readClaim(cluster, ref, context.signal);
    if (read.found === 'unknown') return againAfter(read.failure);
    if (read.found !== 'claim') return { do: 'refused', why: 'gone' };
    const allowed = mayAdvance(input, read.view);
    if (!allowed.ok) return { do: 'refused', why: allowed.why };

    const found = await findNode(services, place, input, read.claim, context);
    if ('do' in found) return found;
    let stages: NodeStages | undefined;
    if (found.node) {
      stages = nodeStages(read.claim, found.node);
      if (stages.patch !== undefined) {
        const patched = await patchNode(place, found.node, stages.patch, context);
        if (patched) return patched;
      }
    }

    const tagged =
      instance ?? (stages?.waitingFor === undefined ? await taggedInstance(place, input, context) : undefined);
    if (tagged && 'do' in tagged) return tagged;
    const changes = conditionsFor(found, stages);
    const written = await changeClaim(
      cluster,
      ref,
      (fresh): ClaimChange<ReturnType<typeof mayAdvance>> => {
        if (fresh.found !== 'claim') return { write: undefined, result: { ok: false, why: 'gone' } };
        const verdict = mayAdvance({ ...input, ...(tagged ? { instance: tagged } : {}) }, fresh.view);
        if (!verdict.ok) return { write: undefined, result: verdict };
        const fields: StatusFields = {
          ...(instance ? launchedFields(instance) : {}),
          ...(found.node ? { nodeName: found.node.metadata.name } : {}),
        };
        const write = statusPatch(fresh.claim, services.clock.now(), changes, fields);
        return write === undefined ? { write, result: verdict } : { write, subresource: 'status', result: verdict };
      },
      context.signal,
      read,
    );
    if (!written.ok) return await unwritten(services, cluster, read.claim, written.failure);
    if (!written.result.ok) return { do: 'refused', why: written.result.why };
    const claim = written.claim ?? read.claim;

    if (stages && stages.waitingFor === undefined) {
      services.metrics.nodesCreated.inc({ nodepool: services.metrics.nodePool(nodePoolOf(claim)) });
      const seconds = (services.clock.now() - Date.parse(claim.metadata.creationTimestamp)) / 1000;
      services.metrics.stageDuration.observe({ stage: 'ready', provider: place.provider.name }, Math.max(0, seconds));
      logFor(services, ref, context.workflowId).write('claim.ready', { node: found.node?.metadata.name, seconds });
      await decided(services, ref, 'ready', `node ${found.node?.metadata.name} is ready`);
      return { do: 'ready' };
    }
    const waitingFor = stages?.waitingFor ?? found.why;
    await decided(services, ref, 'join', `attempt ${attempt}: ${waitingFor}`);
    return await waitOrGiveUp(services, place, claim, found.node !== undefined, waitingFor, context);
  };

/** Until Launched is written the instance itself is checked (rule 5); afterwards the claim's own record of it. */
function mayAdvance(input: AdvanceInput, view: Parameters<typeof mayRecord>[0]): ReturnType<typeof mayRecord> {
  const { ref, attempt, providerID, instance } = input;
  return instance && !(view?.launched && view.providerID === providerID)
    ? mayRecord(view, ref.uid, attempt, viewInstance(instance))
    : mayRegister(view, ref.uid, attempt, providerID, instance && viewInstance(instance));
}

/** Where one name serves all attempts, so may one providerID: then only the tag says whose machine it is (rule 5). */
async function taggedInstance(
  { provider, owner }: Place,
  { providerID }: AdvanceInput,
  context: ActivityContext,
): Promise<Instance | Extract<Advanced, { do: 'again' }> | undefined> {
  if (provider.traits.idempotency !== 'claim-name') return undefined;
  const got = await provider.get(owner, providerID, context.signal);
  return got.ok ? got.value : againAfter(got.error, 5);
}

const launchedFields = (instance: Instance): StatusFields => ({
  providerID: instance.providerID,
  ...(instance.imageID ? { imageID: instance.imageID } : {}),
  ...(instance.capacity ? { capacity: instance.capacity } : {}),
  ...(instance.allocatable ? { allocatable: instance.allocatable } : {}),
});

type FoundNode = { node: StoredNode | undefined; why: string; multiple: boolean };

/** By name, never by listing: the name comes from the provider, from the claim, or from the index that node events fill. */
async function findNode(
  services: LifecycleServices,
  place: Place,
  input: AdvanceInput,
  claim: StoredClaim,
  context: ActivityContext,
): Promise<FoundNode | Extract<Advanced, { do: 'again' }>> {
  const { providerID, instance } = input;
  const names = new Set(await nodeNames(services, place.cluster.name, providerID));
  for (const hint of [claim.status?.nodeName, instance?.nodeName]) if (hint) names.add(hint);
  const matching: StoredNode[] = [];
  for (const name of names) {
    const answer = await place.cluster.api.get<StoredNode>(nodes, { name }, context.signal);
    if (!answer.ok) {
      if (answer.error.kind === 'not-found') continue;
      return againAfter(answer.error);
    }
    if (answer.value.spec?.providerID === providerID && !answer.value.metadata.deletionTimestamp) {
      matching.push(answer.value);
    }
  }
  if (matching.length > 1) {
    const list = matching.map((node) => node.metadata.name).join(', ');
    return { node: undefined, why: `several nodes say they are ${providerID}: ${list}`, multiple: true };
  }
  return { node: matching[0], why: `no node with providerID ${providerID} has joined yet`, multiple: false };
}

async function patchNode(
  place: Place,
  node: StoredNode,
  patch: Json,
  context: ActivityContext,
): Promise<Extract<Advanced, { do: 'again' }> | undefined> {
  const { uid, resourceVersion, name } = node.metadata;
  const body = patch as { metadata?: { [key: string]: Json } };
  // Lists are replaced as a whole, so the patch holds only for the node as it was read.
  const conditional = { ...body, metadata: { ...body.metadata, uid, resourceVersion } };
  const answer = await place.cluster.api.mergePatch<StoredNode>(nodes, { name }, conditional, {}, context.signal);
  if (answer.ok) return undefined;
  const busy = answer.error.kind === 'conflict' || answer.error.kind === 'not-found';
  return busy ? { do: 'again', seconds: 0.2, why: `node ${name} changed meanwhile` } : againAfter(answer.error);
}

function conditionsFor(found: FoundNode, stages: NodeStages | undefined): ConditionChange[] {
  const launched: ConditionChange = { type: conditionTypes.launched, status: 'True' };
  if (!stages) {
    const reason = found.multiple ? 'MultipleNodesFound' : 'NodeNotFound';
    const status = found.multiple ? 'False' : 'Unknown';
    return [launched, { type: conditionTypes.registered, status, reason, message: found.why }];
  }
  const registered: ConditionChange = { type: conditionTypes.registered, status: 'True' };
  const { waitingFor } = stages;
  if (waitingFor === undefined) return [launched, registered, { type: conditionTypes.initialized, status: 'True' }];
  return [
    launched,
    registered,
    { type: conditionTypes.initialized, status: 'Unknown', reason: 'NodeNotInitialized', message: waitingFor },
  ];
}

/** Deadlines count from the transition times on the claim, so they hold over restarts, epochs and hosts. */
async function waitOrGiveUp(
  services: LifecycleServices,
  place: Place,
  claim: StoredClaim,
  registered: boolean,
  waitingFor: string,
  context: ActivityContext,
): Promise<Advanced> {
  const served = place.cluster.providerFor(claim.spec.nodeClassRef);
  const nodeClass = served
    ? await readNodeClass(services, place.cluster, served.resource, claim.spec.nodeClassRef, context.signal)
    : undefined;
  const deadlines: Deadlines = deadlinesOf(claim, nodeClass?.ok ? nodeClass.value.spec : undefined, place.provider);
  const since = conditionOf(claim, registered ? conditionTypes.registered : conditionTypes.launched);
  const limit = registered ? deadlines.initializationSeconds : deadlines.registrationSeconds;
  const waited = (services.clock.now() - Date.parse(since?.lastTransitionTime ?? '')) / 1000;
  const left = limit - (Number.isFinite(waited) ? waited : 0);
  if (left > 0) return { do: 'wait', for: waitingFor, seconds: Math.min(left + 1, services.settings.lookAgainSeconds) };
  const stage = registered ? 'initialized' : 'registered';
  const failure: Failure = { kind: 'not-ready', message: `not ${stage} within ${limit} s: ${waitingFor}` };
  return { do: 'overdue', failure, reason: registered ? 'InitializationTimeout' : 'RegistrationTimeout' };
}
