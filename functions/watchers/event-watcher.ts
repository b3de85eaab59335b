/**
 * The watcher: one CloudEvent in, a workflow started or woken. Events are hints: it reads the claim and acts on what
 * stands there, so doubled, late and re-ordered events do no harm.
 */

import type { EventOf, PoolwrightEvent } from '../../events/catalog.ts';
import { parseEvent } from '../../events/parse.ts';
import { doubled } from '../../shared/base/backoff.ts';
import { failed, ok, type Result } from '../../shared/base/result.ts';
import { clusterRequests } from '../../shared/clusters/request/kind.ts';
import { nodeClaims, nodePools, nodes } from '../../shared/kube/contract.ts';
import { deleteAsRead } from '../../shared/kube/delete-as-read.ts';
import { type ClaimView, phaseOf } from '../../shared/nodes/claims/attempt/attempt.ts';
import { ensureWorkflow, wakeLaunch, wakeTerminate } from '../../shared/nodes/ensure.ts';
import { claimOf, type IndexedClaim } from '../../shared/nodes/node-objects/node-index.ts';
import type { StoredNode } from '../../shared/nodes/node-objects/node-stages.ts';
import { noteNode } from '../../shared/nodes/node-objects/note-node.ts';
import { releaseReplaced } from '../../shared/nodes/node-objects/replaced-node.ts';
import { markUnavailable } from '../../shared/nodes/offerings/unavailable-offerings.ts';
import { readClaim, type StoredClaim, takeSeenClaim, viewClaim } from '../../shared/nodes/steps/claim-access.ts';
import { dropHandover, handOver, handOverEnding } from '../../shared/nodes/steps/claim-handover.ts';
import { shapeClaim } from '../../shared/nodes/steps/claim-shape.ts';
import { isOurs } from '../../shared/nodes/steps/is-ours.ts';
import { claimKeyOf, getMachine } from '../../shared/nodes/steps/machine-gone.ts';
import { boughtAs } from '../../shared/nodes/steps/machine-labels.ts';
import { ownedByPool } from '../../shared/nodes/steps/pool-owner.ts';
import { refOf } from '../../shared/nodes/steps/ref.ts';
import type { Cause } from '../../shared/nodes/steps/report/cause.ts';
import { type ClaimRef, type ClusterServices, logFor } from '../../shared/nodes/steps/services.ts';
import { keepNode } from '../../shared/nodes/upkeep/keep-node.ts';
import type { Instance } from '../../shared/providers/contract.ts';
import { instanceIdOf } from '../../shared/providers/instance-id.ts';
import { isSameMachine } from '../../shared/providers/same-machine.ts';
import type { Handled } from '../../shared/queue/contract.ts';
import type { FunctionServices, QueueFunction } from '../declaration.ts';
import { aheadOfStore, lookLater } from './admitted.ts';
import { waitToDelete } from './deletion-limit.ts';

const lookAgainSeconds = 2;
const longestPauseSeconds = 300;

/** Whoever is started for a claim should not wait for the code that looks after pools. */
const poolEvents = () => import('./pool-events.ts');
const requestEvents = () => import('./request-events.ts');
const machineEvents = () => import('./machine-events.ts');

export const eventWatcher: QueueFunction = {
  name: 'watch-events',
  trigger: { type: 'queue', queue: 'events' },
  async handle(services, { body, receiveCount }, signal) {
    const parsed = parseEvent(body);
    if (!parsed.ok) return { dead: parsed.reason };
    const { event } = parsed;
    const cluster = services.cluster(event.data.cluster);
    if (!cluster) return { dead: `cluster ${event.data.cluster} is not in the configuration` };
    const standing = await services.ownership.standing(cluster.name);
    // Whoever acts there has its own events; should it become us, the resync finds what there is to do.
    if (!standing.acts && standing.reason !== 'OwnerUnknown') return 'done';
    const handled = standing.acts
      ? await handleEvent(services, cluster, event, receiveCount, signal)
      : later(standing.why);
    if (typeof handled === 'string' || 'dead' in handled) return handled;
    // A cluster that is away for a while must not use up the deliveries of its events.
    const growing = doubled(receiveCount, handled.retryAfterSeconds, longestPauseSeconds);
    return { ...handled, retryAfterSeconds: growing };
  },
};

async function handleEvent(
  services: FunctionServices,
  cluster: ClusterServices,
  event: PoolwrightEvent,
  receiveCount: number,
  signal: AbortSignal,
): Promise<Handled> {
  switch (event.type) {
    case 'dev.poolwright.claim.changed.v1':
      return claimChanged(services, cluster, event, receiveCount, signal);
    case 'dev.poolwright.claim.deleted.v1':
      return claimDeleted(services, event);
    case 'dev.poolwright.node.changed.v1':
      return nodeChanged(services, cluster, event, signal);
    case 'dev.poolwright.instance.interrupted.v1':
      return instanceInterrupted(services, cluster, event, signal);
    case 'dev.poolwright.pool.changed.v1':
      return (
        (await aheadOfStore(cluster.api, nodePools, event.data, receiveCount, signal)) ??
        (await poolEvents()).poolChanged(services, cluster, event.data, signal)
      );
    case 'dev.poolwright.cluster-request.changed.v1':
      return (
        (await aheadOfStore(cluster.api, clusterRequests, event.data, receiveCount, signal)) ??
        (await requestEvents()).clusterRequestChanged(services, event.data, signal)
      );
    case 'dev.poolwright.machine.changed.v1':
      return (await machineEvents()).machineChanged(services, event.data, signal);
    case 'dev.poolwright.node-class.changed.v1':
      return (
        (await nodeClassAhead(cluster, event, receiveCount, signal)) ??
        (await poolEvents()).nodeClassChanged(services, cluster, event.data, signal)
      );
  }
}

/** Where its kind is served by a provider of ours; others have nobody who would look at it. */
async function nodeClassAhead(
  { api, providers }: ClusterServices,
  { data }: EventOf<'dev.poolwright.node-class.changed.v1'>,
  receiveCount: number,
  signal: AbortSignal,
): Promise<Handled | undefined> {
  const kinds = providers.flatMap(({ nodeClasses }) => nodeClasses);
  const kind = kinds.find((one) => one.group === data.group && one.kind === data.kind);
  return kind && aheadOfStore(api, { ...kind, namespaced: false }, data, receiveCount, signal);
}

async function claimChanged(
  services: FunctionServices,
  cluster: ClusterServices,
  event: EventOf<'dev.poolwright.claim.changed.v1'>,
  receiveCount: number,
  signal: AbortSignal,
): Promise<Handled> {
  const { name, uid, resourceVersion, deleting, observedBy } = event.data;
  const ref: ClaimRef = { cluster: cluster.name, name, uid };
  const read = await takeSeenClaim(services, cluster, ref, resourceVersion, signal);
  if (read.found === 'unknown') return later(read.failure.message, read.failure.retryAfterSeconds);
  const admitted = observedBy === 'webhook';
  if (read.found !== 'claim') {
    if (admitted && !deleting && read.found === 'absent') return lookLater('the claim is not stored yet', receiveCount);
    // It had no finalizer, so it is gone already: a launch that still runs should see it now.
    if (deleting) await wakeLaunch(services, ref);
    return 'done';
  }
  if (admitted && deleting && !read.view.deleting) {
    return lookLater('the claim is not marked as deleting yet', receiveCount);
  }
  if (!isOurs(services, cluster.name, read.claim)) return 'done';
  // A new claim is read once for all the steps up to its first write; what is older may be in somebody's hands already.
  if (!read.view.record && !read.view.deleting) handOver(services, cluster, read.claim);
  else dropHandover(cluster, uid);
  handOverEnding(services, cluster, read.claim);
  await ensureWorkflow(services, cluster.name, read.claim, causeOf(services, event));
  if (read.view.deleting) {
    await wakeLaunch(services, ref);
    if (ownedByPool(read.claim)) await (await poolEvents()).poolLosesClaim(services, cluster, read.claim, signal);
  }
  return 'done';
}

/** An event without a time was noticed at the latest now. */
function causeOf({ clock }: FunctionServices, event: EventOf<'dev.poolwright.claim.changed.v1'>): Cause {
  const at = Date.parse(event.time ?? '');
  const { id, type, data } = event;
  return { event: id, type, observedBy: data.observedBy, at: Number.isNaN(at) ? clock.now() : at };
}

/** Somebody took the finalizer away, or there was none: a launch that still runs should see it now. */
async function claimDeleted(
  services: FunctionServices,
  event: EventOf<'dev.poolwright.claim.deleted.v1'>,
): Promise<Handled> {
  const { cluster, name, uid } = event.data;
  await wakeLaunch(services, { cluster, name, uid });
  return 'done';
}

async function nodeChanged(
  services: FunctionServices,
  cluster: ClusterServices,
  event: EventOf<'dev.poolwright.node.changed.v1'>,
  signal: AbortSignal,
): Promise<Handled> {
  const { name, providerID, deleting, ready } = event.data;
  if (!providerID) return 'done';
  const noted = await noteNode(services, cluster, { providerID, name }, signal);
  if (!noted.ok) return later(noted.error.message, noted.error.retryAfterSeconds);
  if (deleting) return nodeDeleted(services, cluster, name, providerID, signal);
  const ref = await claimOf(services, cluster.name, providerID);
  if (ref && !ready) await wakeTerminate(services, ref);
  if (ref?.ready) return isOlder(event, ref) ? 'done' : nodeAtRest(services, cluster, ref, name, signal);
  if (ref) await wakeLaunch(services, ref);
  return 'done';
}

/** The launch has read the Node since. With many claims at once, the events of their Nodes come late. */
const isOlder = ({ time }: PoolwrightEvent, { lookedAt = 0 }: IndexedClaim): boolean =>
  Date.parse(time ?? '') < lookedAt;

/** No launch looks at this Node any more: it may have been made anew by its kubelet, and lack everything. */
async function nodeAtRest(
  services: FunctionServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  name: string,
  signal: AbortSignal,
): Promise<Handled> {
  const node = await cluster.api.get<StoredNode>(nodes, { name }, signal);
  if (!node.ok && node.error.kind === 'not-found') return 'done';
  const kept = node.ok ? await keepNode(services, cluster, ref, node.value, signal) : node;
  return kept.ok ? 'done' : later(kept.error.message, kept.error.retryAfterSeconds);
}

/** Whose machine it is: by the index, or, when the claim is so old that its entry has expired, by the machine's own tags. */
async function ownerOf(
  services: FunctionServices,
  cluster: ClusterServices,
  providerID: string,
  signal: AbortSignal,
): Promise<Result<ClaimRef | undefined>> {
  const ref = await claimOf(services, cluster.name, providerID);
  if (ref) return ok(ref);
  const machine = await findMachine(services, cluster, providerID, signal);
  if (!machine.ok) return machine.error.kind === 'not-found' ? ok(undefined) : machine;
  const { claimName: name, owner } = machine.value;
  if (owner.claimUid !== '') return ok({ cluster: cluster.name, name, uid: owner.claimUid });
  // A predecessor's machine knows no more than the name of its claim; that claim's status says whether it is the one.
  const claim = await cluster.api.get<StoredClaim>(nodeClaims, { name }, signal);
  if (!claim.ok) return claim.error.kind === 'not-found' ? ok(undefined) : claim;
  return ok({ cluster: cluster.name, name, uid: claim.value.metadata.uid });
}

async function findMachine(
  services: FunctionServices,
  cluster: ClusterServices,
  providerID: string,
  signal: AbortSignal,
  claim?: ClaimRef,
): Promise<Result<Instance>> {
  const identity = await cluster.identity();
  if (!identity.ok) return identity;
  const { deployment } = services;
  const owner = claim ? claimKeyOf(deployment, identity.value, claim) : { deployment, cluster: identity.value };
  let answer: Result<Instance> = failed('not-found', `no provider of cluster ${cluster.name} knows ${providerID}`);
  for (const provider of cluster.providers) {
    if (instanceIdOf(provider, providerID) === undefined) continue;
    answer = await getMachine(provider, owner, providerID, signal);
    if (answer.ok || answer.error.kind !== 'not-found') return answer;
  }
  return answer;
}

/** The claim that this machine serves now; the machine of an attempt that is over goes without its claim. */
async function claimWith(
  services: FunctionServices,
  cluster: ClusterServices,
  providerID: string,
  signal: AbortSignal,
): Promise<{ ref: ClaimRef; claim: StoredClaim; view: ClaimView } | { handled: Handled }> {
  const owner = await ownerOf(services, cluster, providerID, signal);
  if (!owner.ok) return { handled: later(owner.error.message, owner.error.retryAfterSeconds) };
  if (!owner.value) return { handled: 'done' };
  const read = await readClaim(cluster, owner.value, signal);
  if (read.found === 'unknown') return { handled: later(read.failure.message, read.failure.retryAfterSeconds) };
  if (read.found !== 'claim') return { handled: 'done' };
  const serves = await servesClaim(services, cluster, owner.value, read, providerID, signal);
  if (!serves.ok) return { handled: later(serves.error.message, serves.error.retryAfterSeconds) };
  if (!serves.value) return { handled: 'done' };
  return { ref: refOf(cluster.name, read.claim), claim: read.claim, view: read.view };
}

/** What the claim says decides. As long as it names no machine, the machine's own tags do: its launch may be about to record it. */
async function servesClaim(
  services: FunctionServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  { claim, view }: { claim: StoredClaim; view: ClaimView },
  providerID: string,
  signal: AbortSignal,
): Promise<Result<boolean>> {
  const named = claim.status?.providerID;
  if (named) return ok(isSameMachine(cluster, named, providerID));
  if (phaseOf(view) !== 'open') return ok(false);
  const machine = await findMachine(services, cluster, providerID, signal, ref);
  if (!machine.ok) return machine.error.kind === 'not-found' ? ok(false) : machine;
  const { claimUid, attempt } = machine.value.owner;
  return ok(claimUid === ref.uid && attempt === view.record?.attempt);
}

/**
 * Whoever deletes a Node of ours wants its machine gone too, as with Karpenter. But a cloud controller also deletes Nodes
 * whose machine is gone already: then nobody has said anything about the claim, and garbage collection decides, with the
 * two readings that this takes.
 */
async function nodeDeleted(
  services: FunctionServices,
  cluster: ClusterServices,
  name: string,
  providerID: string,
  signal: AbortSignal,
): Promise<Handled> {
  // An event is a hint: whoever may send events must not be able to delete machines with them.
  const node = await cluster.api.get<StoredNode>(nodes, { name }, signal);
  if (!node.ok && node.error.kind !== 'not-found') return later(node.error.message, node.error.retryAfterSeconds);
  if (!node.ok || !node.value.metadata.deletionTimestamp) return 'done';
  if (!isSameMachine(cluster, node.value.spec?.providerID, providerID)) return 'done';
  const claimed = await claimWith(services, cluster, providerID, signal);
  if (!('ref' in claimed)) return claimed.handled;
  // Its end has begun, and deletes its Node by itself.
  if (claimed.view.deleting) return 'done';
  const machine = await findMachine(services, cluster, providerID, signal, claimed.ref);
  if (!machine.ok) {
    const { kind, message, retryAfterSeconds } = machine.error;
    return kind === 'not-found' ? 'done' : later(message, retryAfterSeconds);
  }
  const released = await releaseReplaced(services, cluster, name, providerID, signal);
  if (!released.ok) return later(released.error.message, released.error.retryAfterSeconds);
  return released.value ? 'done' : deleteClaim(services, cluster, claimed, signal);
}

/** The machine goes whether we like it or not: drain while there is time, and don't buy the same right away. */
async function instanceInterrupted(
  services: FunctionServices,
  cluster: ClusterServices,
  event: EventOf<'dev.poolwright.instance.interrupted.v1'>,
  signal: AbortSignal,
): Promise<Handled> {
  const { provider, providerID, reason } = event.data;
  const claimed = await claimWith(services, cluster, providerID, signal);
  if (!('ref' in claimed)) return claimed.handled;
  // A cloud announces interruptions on a queue of its own. What comes here may be anybody's word, so the cloud has to confirm it.
  const machine = await findMachine(services, cluster, providerID, signal, claimed.ref);
  if (!machine.ok && machine.error.kind !== 'not-found') {
    return later(machine.error.message, machine.error.retryAfterSeconds);
  }
  if (!machine.ok || !isTakenBack(machine.value)) {
    logFor(services, claimed.ref).write('interruption.unconfirmed', { provider, reason });
    return 'done';
  }
  const by = cluster.providers.find((one) => one.name === provider);
  const offering = boughtAs(claimed.claim, by);
  if (offering) {
    const seconds = services.settings.unavailableSeconds;
    const taken = { kind: 'insufficient-capacity', message: reason } as const;
    await markUnavailable(services, provider, offering, taken, seconds);
  }
  return deleteClaim(services, cluster, claimed, signal);
}

const isTakenBack = ({ state, interruptsAt }: Instance): boolean => state === 'deleting' || interruptsAt !== undefined;

async function deleteClaim(
  services: FunctionServices,
  cluster: ClusterServices,
  { ref, claim, view }: { ref: ClaimRef; claim: StoredClaim; view: ClaimView },
  signal: AbortSignal,
): Promise<Handled> {
  if (view.deleting) return 'done';
  const wait = await waitToDelete(services, cluster);
  if (wait !== undefined) {
    logFor(services, ref).write('deletions.limited', { perMinute: cluster.deletionsPerMinute });
    return later('events have deleted as many claims of this cluster as are allowed in a minute', wait);
  }
  // What was asked of the cluster and the cloud is about the machine of this attempt; the claim may have another one by now.
  const attempt = view.record?.attempt;
  const stillDue = (now: StoredClaim): boolean => viewClaim(shapeClaim(now)).record?.attempt === attempt;
  const deleted = await deleteAsRead(cluster.api, nodeClaims, claim, stillDue, signal);
  if (!deleted.ok) return later(deleted.error.message, deleted.error.retryAfterSeconds);
  return deleted.value === 'changed' ? later('the claim changed while it was checked') : 'done';
}

const later = (reason: string, retryAfterSeconds = lookAgainSeconds): Handled => ({ retryAfterSeconds, reason });
