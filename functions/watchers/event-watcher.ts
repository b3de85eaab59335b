/**
 * The watcher: one CloudEvent in, a workflow started or woken. Events are hints: it reads the claim and acts on what
 * stands there, so doubled, late and re-ordered events do no harm.
 */
import type { EventOf, PoolwrightEvent } from '../../events/catalogue.ts';
import { parseEvent } from '../../events/parse.ts';
import { nodeClaims } from '../../shared/cluster/contract.ts';
import { readClaim } from '../../shared/lifecycle/claim-access.ts';
import { ensureWorkflow, isOurs, wakeLaunch } from '../../shared/lifecycle/ensure.ts';
import { claimOf, rememberNode } from '../../shared/lifecycle/node-index.ts';
import type { ClaimRef, ClusterServices } from '../../shared/lifecycle/services.ts';
import { markUnavailable } from '../../shared/lifecycle/unavailable-offerings.ts';
import type { FunctionServices, Handled, QueueFunction } from '../declaration.ts';

/** An admission event comes before the object is stored: how long we wait for it to show. */
const admissionSeconds = 60;
const lookAgainSeconds = 2;
const longestPauseSeconds = 300;

export const eventWatcher: QueueFunction = {
  name: 'watch-events',
  trigger: { type: 'queue', queue: 'events' },
  async handle(services, { body, receiveCount }, signal) {
    const parsed = parseEvent(body);
    if (!parsed.ok) return { dead: parsed.reason };
    const { event } = parsed;
    const cluster = services.cluster(event.data.cluster);
    if (!cluster) return { dead: `cluster ${event.data.cluster} is not in the configuration` };
    const handled = await handleEvent(services, cluster, event, signal);
    if (typeof handled === 'string' || 'dead' in handled) return handled;
    // A cluster that is away for a while must not use up the deliveries of its events.
    const growing = Math.min(longestPauseSeconds, handled.retryAfterSeconds * 2 ** Math.min(receiveCount - 1, 20));
    return { ...handled, retryAfterSeconds: growing };
  },
};

function handleEvent(
  services: FunctionServices,
  cluster: ClusterServices,
  event: PoolwrightEvent,
  signal: AbortSignal,
): Promise<Handled> {
  switch (event.type) {
    case 'dev.poolwright.claim.changed.v1':
      return claimChanged(services, cluster, event, signal);
    case 'dev.poolwright.claim.deleted.v1':
      return claimDeleted(services, event);
    case 'dev.poolwright.node.changed.v1':
      return nodeChanged(services, cluster, event, signal);
    case 'dev.poolwright.instance.interrupted.v1':
      return instanceInterrupted(services, cluster, event, signal);
  }
}

async function claimChanged(
  services: FunctionServices,
  cluster: ClusterServices,
  event: EventOf<'dev.poolwright.claim.changed.v1'>,
  signal: AbortSignal,
): Promise<Handled> {
  const { name, uid, deleting, observedBy } = event.data;
  const ref: ClaimRef = { cluster: cluster.name, name, uid };
  const read = await readClaim(cluster, ref, signal);
  if (read.found === 'unknown') return later(read.failure.message, read.failure.retryAfterSeconds);
  const admitted = observedBy === 'webhook' && isYoung(services, event.time);
  if (read.found !== 'claim') {
    return admitted && !deleting ? later('the claim is not stored yet') : 'done';
  }
  if (admitted && deleting && !read.view.deleting) return later('the claim is not marked as deleting yet');
  if (!isOurs(services, cluster.name, read.claim)) return 'done';
  await ensureWorkflow(services, cluster.name, read.claim);
  if (read.view.deleting) await wakeLaunch(services, ref);
  return 'done';
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
  const { name, providerID, deleting } = event.data;
  if (!providerID) return 'done';
  await rememberNode(services, cluster.name, providerID, name);
  const ref = await claimOf(services, cluster.name, providerID);
  if (!ref) return 'done';
  // Whoever deletes a Node of ours wants its machine gone too, as with Karpenter.
  if (deleting) return deleteClaim(cluster, ref, signal);
  await wakeLaunch(services, ref);
  return 'done';
}

/** The machine goes whether we like it or not: drain while there is time, and don't buy the same right away. */
async function instanceInterrupted(
  services: FunctionServices,
  cluster: ClusterServices,
  event: EventOf<'dev.poolwright.instance.interrupted.v1'>,
  signal: AbortSignal,
): Promise<Handled> {
  const { provider, providerID, reason } = event.data;
  const ref = await claimOf(services, cluster.name, providerID);
  if (!ref) return 'done';
  const read = await readClaim(cluster, ref, signal);
  if (read.found === 'unknown') return later(read.failure.message, read.failure.retryAfterSeconds);
  if (read.found !== 'claim' || read.claim.status?.providerID !== providerID) return 'done';
  if (read.view.record) {
    const seconds = services.settings.unavailableSeconds;
    await markUnavailable(services, provider, read.view.record.offering, reason, seconds);
  }
  return deleteClaim(cluster, ref, signal);
}

async function deleteClaim(cluster: ClusterServices, ref: ClaimRef, signal: AbortSignal): Promise<Handled> {
  const read = await readClaim(cluster, ref, signal);
  if (read.found === 'unknown') return later(read.failure.message, read.failure.retryAfterSeconds);
  if (read.found !== 'claim' || read.view.deleting) return 'done';
  const deleted = await cluster.api.delete(nodeClaims, { name: ref.name }, { uid: ref.uid }, signal);
  if (deleted.ok || deleted.error.kind === 'not-found' || deleted.error.kind === 'conflict') return 'done';
  return later(deleted.error.message, deleted.error.retryAfterSeconds);
}

const later = (reason: string, retryAfterSeconds = lookAgainSeconds): Handled => ({ retryAfterSeconds, reason });

const isYoung = (services: FunctionServices, time: string | undefined): boolean =>
  time !== undefined && services.clock.now() - Date.parse(time) < admissionSeconds * 1000;
