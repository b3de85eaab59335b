/**
 * drain: keep new pods off the node and evict those that are on it, in Karpenter's order: what is not critical first,
 * daemons after the rest. One round; the workflow polls until there is nothing left to evict.
 */
import { disruptedTaint, equalTaints, mergeTaints, tolerates } from '../../claims/taints.ts';
import type { Toleration } from '../../claims/types.ts';
import { labels } from '../../claims/well-known.ts';
import { type KubeObject, nodes, pods } from '../../cluster/contract.ts';
import type { ActivityContext } from '../../workflow/contract.ts';
import { readClaim } from '../claim-access.ts';
import { tellSometimes } from '../claim-events.ts';
import { decided } from '../decision-log.ts';
import { isGone } from '../machine-gone.ts';
import { nodeNames } from '../node-index.ts';
import { isReady, type StoredNode } from '../node-stages.ts';
import { nodePoolOf } from '../ownership.ts';
import type { ClaimRef, ClusterServices, LifecycleServices } from '../services.ts';
import { findCluster, isAgain } from './lookup.ts';

type Pod = KubeObject & {
  spec?: { priorityClassName?: string; tolerations?: Toleration[]; nodeName?: string };
  status?: { phase?: string };
};

type Round = { done: true; value: null } | { done: false; retryAfterSeconds?: number };

const done: Round = { done: true, value: null };
const soon: Round = { done: false, retryAfterSeconds: 2 };
/** A pod that is still there so long after its time was up has a kubelet that no longer answers. */
const stuckMs = 60_000;
const podsPerPage = 250;

export const drain =
  (services: LifecycleServices) =>
  async ({ ref }: { ref: ClaimRef }, context: ActivityContext): Promise<Round> => {
    const cluster = findCluster(services, ref);
    if (isAgain(cluster)) return { done: false, retryAfterSeconds: cluster.seconds };
    const read = await readClaim(cluster, ref, context.signal);
    if (read.found === 'unknown') return soon;
    if (read.found !== 'claim') return done;
    const providerID = read.claim.status?.providerID;
    const names = new Set(providerID ? await nodeNames(services, cluster.name, providerID) : []);
    if (read.claim.status?.nodeName) names.add(read.claim.status.nodeName);

    let waiting = 0;
    for (const name of names) {
      const node = await cluster.api.get<StoredNode>(nodes, { name }, context.signal);
      if (!node.ok) {
        if (node.error.kind === 'not-found') continue;
        return soon;
      }
      if (node.value.spec?.providerID !== providerID) continue;
      if (await isDead(services, cluster, node.value, context.signal)) continue;
      if (!(await keepPodsAway(cluster, node.value, context.signal))) return { done: false, retryAfterSeconds: 0.2 };
      const left = await evictRound(services, cluster, node.value, context.signal);
      if (left === undefined) return soon;
      waiting += left.length;
      if (left.length > 0) {
        const text = `draining node ${name}: ${left.length} pods left, first ${left[0]}`;
        await decided(services, ref, 'drain', text);
        await tellSometimes(services, cluster, read.claim, 'Normal', 'Draining', text);
      }
    }
    if (waiting > 0) return { done: false, retryAfterSeconds: pauseSeconds(context.execution) };
    if (names.size > 0)
      services.metrics.nodesDrained.inc({ nodepool: services.metrics.nodePool(nodePoolOf(read.claim)) });
    return done;
  };

/** Pods of a machine that is gone run nowhere: no budget protects them, and no kubelet would ever end them. */
async function isDead(
  services: LifecycleServices,
  cluster: ClusterServices,
  node: StoredNode,
  signal: AbortSignal,
): Promise<boolean> {
  const providerID = node.spec?.providerID ?? '';
  const provider = cluster.providers.find((one) => one.instanceId(providerID) !== undefined);
  return !isReady(node) && provider !== undefined && (await isGone(services, cluster, provider, providerID, signal));
}

/** A budget that says no for an hour is not asked four thousand times. */
const pauseSeconds = (rounds: number): number => Math.min(10, Math.max(1, rounds / 10));

/** True when the node carries the taint; false: it changed meanwhile, look again. */
async function keepPodsAway(cluster: ClusterServices, node: StoredNode, signal: AbortSignal): Promise<boolean> {
  const taints = node.spec?.taints ?? [];
  const label = labels.excludeFromLoadBalancers;
  if (taints.some((taint) => equalTaints(taint, disruptedTaint)) && node.metadata.labels?.[label]) return true;
  const { uid, resourceVersion, name } = node.metadata;
  const patch = {
    metadata: { uid, resourceVersion, labels: { [label]: 'karpenter' } },
    spec: { taints: mergeTaints(taints, [disruptedTaint]).map((taint) => ({ ...taint })) },
  };
  const answer = await cluster.api.mergePatch(nodes, { name }, patch, {}, signal);
  return answer.ok || answer.error.kind === 'not-found';
}

/** Evicts the first group that has pods; returns the names of all that must still go, or undefined when it can't be known. */
async function evictRound(
  services: LifecycleServices,
  cluster: ClusterServices,
  node: StoredNode,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const now = services.clock.now();
  const groups: Pod[][] = [[], [], [], []];
  let page: string | undefined;
  do {
    const list = await cluster.api.list<Pod>(
      pods,
      { fieldSelector: `spec.nodeName=${node.metadata.name}`, limit: podsPerPage, ...(page ? { continue: page } : {}) },
      signal,
    );
    if (!list.ok) return undefined;
    for (const pod of list.value.items) if (mustGo(pod, now)) groups[orderOf(pod)]?.push(pod);
    page = list.value.continue;
  } while (page);
  const first = groups.find((group) => group.length > 0) ?? [];
  for (const pod of first) {
    if (pod.metadata.deletionTimestamp) continue;
    const { name, namespace, uid } = pod.metadata;
    const answer = await cluster.api.evict({ name, ...(namespace ? { namespace } : {}) }, uid, signal);
    services.metrics.evictionRequests.inc({ code: answer.ok ? '201' : answer.error.kind });
    if (answer.ok) services.metrics.podsDrained.inc({ reason: 'terminated' });
  }
  return groups.flat().map((pod) => `${pod.metadata.namespace}/${pod.metadata.name}`);
}

function mustGo(pod: Pod, now: number): boolean {
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return false;
  if (pod.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined) return false;
  // Who tolerates the taint means to stay to the end.
  if (pod.spec?.tolerations?.some((toleration) => tolerates(toleration, disruptedTaint))) return false;
  const leaving = pod.metadata.deletionTimestamp;
  return leaving === undefined || Date.parse(leaving) + stuckMs > now;
}

function orderOf(pod: Pod): number {
  const daemon = pod.metadata.ownerReferences?.some((owner) => owner.kind === 'DaemonSet') ?? false;
  const priority = pod.spec?.priorityClassName;
  const critical = priority === 'system-cluster-critical' || priority === 'system-node-critical';
  return (critical ? 2 : 0) + (daemon ? 1 : 0);
}
