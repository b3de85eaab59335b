/**
 * drain: keep new pods off the node, evict those that are on it, in Karpenter's order, and wait until their volumes are
 * detached. One round; the workflow asks again until nothing is left. The decisions are in `drain/`.
 */
import { unregisteredTaint } from '../../claims/taints.ts';
import { conditionTypes, taintKeys } from '../../claims/well-known.ts';
import { nodes, pods } from '../../cluster/contract.ts';
import { listAll } from '../../cluster/list-all.ts';
import type { ActivityContext } from '../../workflow/contract.ts';
import { type Again, againAfter } from '../again.ts';
import type { Drained, DrainInput, NodeSeen } from '../answers.ts';
import { readClaim } from '../claim-access.ts';
import { volumesOn } from '../drain/attachments.ts';
import { carryOut } from '../drain/evict.ts';
import { keepPodsAway } from '../drain/keep-away.ts';
import { pauseSeconds } from '../drain/pace.ts';
import { type Held, heldByWish, planRound } from '../drain/plan.ts';
import { type Pod, podName } from '../drain/pods.ts';
import { graceElapsed, mustSay, type News, say } from '../drain/say.ts';
import { type DrainTarget, drainTarget } from '../drain/target.ts';
import { count, drainingText, heldText, volumesText } from '../drain/wording.ts';
import { isGone } from '../machine-gone.ts';
import { nodeNames } from '../node-index.ts';
import { isReady, type StoredNode } from '../node-stages.ts';
import type { ClaimRef, ClusterServices, LifecycleServices } from '../services.ts';
import { findCluster, isAgain } from './lookup.ts';

/** What one node still waits for, and how the claim says so. */
type Waiting = {
  text: string;
  progress: string;
  leaving: boolean;
  nextAt: number;
  conditions: Parameters<typeof say>[3];
  news: News[];
  /** The API server asks for so much time. */
  atLeastSeconds?: number;
};

const podsPerPage = 250;
/** The node changed under our hands; the next look is at what it is now. */
const conflictSeconds = 0.2;

export const drain =
  (services: LifecycleServices) =>
  async (input: DrainInput, context: ActivityContext): Promise<Drained> => {
    const { ref } = input;
    const { signal } = context;
    const cluster = await findCluster(services, ref);
    if (isAgain(cluster)) return cluster;
    const target = input.target ?? (await readTarget(cluster, ref, signal));
    if (target === 'over') return { do: 'drained', nodes: [] };
    if ('do' in target) return target;

    const seen: NodeSeen[] = [];
    const waiting: Waiting[] = [];
    for (const name of await namesOf(services, cluster, target)) {
      const got = await cluster.api.get<StoredNode>(nodes, { name }, signal);
      if (!got.ok && got.error.kind === 'not-found') continue;
      if (!got.ok) return againAfter(got.error);
      const node = got.value;
      // A namesake with another machine is somebody else's.
      if (node.spec?.providerID !== target.providerID) continue;
      const { uid, finalizers = [], deletionTimestamp } = node.metadata;
      seen.push({ name, uid, finalizers, deleting: deletionTimestamp !== undefined });
      if (!(await hasPodsToLose(services, cluster, target, node, signal))) continue;
      const left = await drainNode(services, cluster, ref, target, node, signal);
      if (left && 'do' in left) return left;
      if (left) waiting.push(left);
    }
    if (waiting.length > 0) return goOn(services, cluster, input, waiting, signal);
    if (seen.length > 0) services.metrics.nodesDrained.inc({ nodepool: services.metrics.nodePool(target.nodepool) });
    return { do: 'drained', nodes: seen };
  };

async function readTarget(
  cluster: ClusterServices,
  ref: ClaimRef,
  signal: AbortSignal,
): Promise<DrainTarget | Again | 'over'> {
  const read = await readClaim(cluster, ref, signal);
  if (read.found === 'unknown') return againAfter(read.failure);
  // What becomes of the machine is decided by the next step, which reads the claim for itself.
  return read.found === 'claim' && read.view.deleting ? drainTarget(read.claim) : 'over';
}

async function namesOf(
  services: LifecycleServices,
  cluster: ClusterServices,
  { providerID, nodeName }: DrainTarget,
): Promise<Set<string>> {
  const names = new Set(providerID ? await nodeNames(services, cluster.name, providerID) : []);
  if (nodeName) names.add(nodeName);
  return names;
}

/**
 * Pods of a machine that is gone, or that an administrator has declared out of service, run nowhere: no budget protects
 * them, and no kubelet would ever end them. And a node that was never registered never had any.
 */
async function hasPodsToLose(
  services: LifecycleServices,
  cluster: ClusterServices,
  target: DrainTarget,
  node: StoredNode,
  signal: AbortSignal,
): Promise<boolean> {
  const { taints = [], providerID = '' } = node.spec ?? {};
  if (!target.registered && taints.some(({ key }) => key === unregisteredTaint.key)) return false;
  if (isReady(node)) return true;
  if (taints.some(({ key }) => key === taintKeys.outOfService)) return false;
  const provider = cluster.providers.find((one) => one.instanceId(providerID) !== undefined);
  return !provider || !(await isGone(services, cluster, provider, providerID, signal));
}

/** Undefined: this node is drained, or its time is up. */
async function drainNode(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  target: DrainTarget,
  node: StoredNode,
  signal: AbortSignal,
): Promise<Waiting | Again | undefined> {
  const { deadline } = target;
  const { name } = node.metadata;
  const kept = await keepPodsAway(cluster, node, signal);
  if (!kept.ok) return againAfter(kept.error, kept.error.kind === 'conflict' ? conflictSeconds : undefined);
  if (!kept.value) return undefined;
  const present = await podsOn(cluster, name, signal);
  if (!Array.isArray(present)) return present;

  const now = services.clock.now();
  const round = planRound(present, now, deadline);
  const evicted = await carryOut(services, cluster, round, signal);
  if (deadline !== undefined && now >= deadline) {
    if (round.left > 0) await sayElapsed(services, cluster, ref, name, round.left, signal);
    return undefined;
  }
  if (round.left > 0) {
    const protectedPods = round.protected.map(heldByWish);
    const refused = [...evicted.refused.values()].flat();
    const held: Held[] = [...refused, ...protectedPods];
    const names = new Set(held.map(({ pod }) => pod));
    const going = [...round.leaving, ...round.evict, ...round.remove.map(({ pod }) => pod)].map(podName);
    const leaving = going.filter((pod) => !names.has(pod)).sort();
    const text = drainingText(name, { left: round.left, held, leaving }, deadline);
    const news: News[] = [...evicted.refused].map(([reason, pods]) => ({
      type: 'Warning',
      reason,
      message: heldText(name, pods, deadline),
    }));
    if (protectedPods.length > 0) {
      news.push({ type: 'Normal', reason: 'PodsNotToBeDisrupted', message: heldText(name, protectedPods, deadline) });
    }
    if (deadline !== undefined) {
      const message = `all pods of node ${name} are deleted by ${new Date(deadline).toISOString()}, whatever holds them`;
      news.push({ type: 'Warning', reason: 'TerminationGracePeriodExpiring', message });
    }
    return {
      text,
      progress: `${name}/${round.progress}`,
      leaving: round.leaving.length + evicted.accepted > 0,
      nextAt: round.nextAt,
      conditions: [{ type: conditionTypes.drained, status: 'Unknown', reason: 'Draining', message: text }],
      news: [...news, { type: 'Normal', reason: 'Draining', message: text }],
      ...(evicted.later ? { atLeastSeconds: againAfter(evicted.later, 1).seconds } : {}),
    };
  }

  const volumes = await volumesOn(services, cluster, name, present, signal);
  if (volumes.ok && volumes.value.length === 0) return undefined;
  const text = volumes.ok
    ? volumesText(name, volumes.value, deadline)
    : `whether the volumes of node ${name} are detached can't be read: ${volumes.error.message}`;
  const reason = 'AwaitingVolumeDetachment';
  return {
    text,
    progress: `${name}/volumes/${volumes.ok ? volumes.value.length : 'unknown'}`,
    leaving: volumes.ok,
    nextAt: deadline ?? Number.POSITIVE_INFINITY,
    conditions: [
      { type: conditionTypes.drained, status: 'True' },
      { type: conditionTypes.volumesDetached, status: 'Unknown', reason, message: text },
    ],
    news: [{ type: volumes.ok ? 'Normal' : 'Warning', reason, message: text }],
    ...(volumes.ok ? {} : { atLeastSeconds: againAfter(volumes.error).seconds }),
  };
}

async function podsOn(cluster: ClusterServices, node: string, signal: AbortSignal): Promise<Pod[] | Again> {
  let found: Pod[] = [];
  const listed = await listAll<Pod>(
    cluster.api,
    pods,
    { fieldSelector: `spec.nodeName=${node}`, limit: podsPerPage },
    {
      onStart: () => {
        found = [];
      },
      onItem: (pod) => void found.push(pod),
    },
    signal,
  );
  return listed.ok ? found : againAfter(listed.error);
}

function sayElapsed(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  node: string,
  left: number,
  signal: AbortSignal,
): Promise<void> {
  const message = `the termination grace period is over; node ${node} goes with ${count(left, 'pod')} on it`;
  const condition = { type: conditionTypes.drained, status: 'False' as const, reason: graceElapsed, message };
  return say(services, cluster, ref, [condition], [{ type: 'Warning', reason: graceElapsed, message }], signal);
}

async function goOn(
  services: LifecycleServices,
  cluster: ClusterServices,
  { ref, since, idle, said }: DrainInput,
  waiting: readonly Waiting[],
  signal: AbortSignal,
): Promise<Drained> {
  const now = services.clock.now();
  const text = waiting.map((one) => one.text).join('; ');
  const speak = mustSay(now, since, text, said);
  if (speak) {
    const conditions = waiting[0]?.conditions ?? [];
    await say(
      services,
      cluster,
      ref,
      conditions,
      waiting.flatMap(({ news }) => news),
      signal,
    );
  }
  const nextAt = Math.min(...waiting.map((one) => one.nextAt));
  const seconds = pauseSeconds({ idle, leaving: waiting.some(({ leaving }) => leaving), nextAt, now });
  const asked = Math.max(0, ...waiting.map(({ atLeastSeconds = 0 }) => atLeastSeconds));
  const latest = speak ? { text, at: now } : said;
  return {
    do: 'wait',
    seconds: Math.max(seconds, asked),
    progress: waiting.map(({ progress }) => progress).join(';'),
    ...(latest ? { said: latest } : {}),
  };
}
