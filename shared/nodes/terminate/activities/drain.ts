/**
 * drain: keep new pods off the node, evict those that are on it, in Karpenter's order, and wait until their volumes are
 * detached. One round; the workflow asks again until nothing is left. The decisions are in `drain/`.
 */

import { defined } from '../../../base/defined.ts';
import { nodes } from '../../../kube/contract.ts';
import { instanceIdOf } from '../../../providers/instance-id.ts';
import { isSameMachine } from '../../../providers/same-machine.ts';
import type { ActivityContext } from '../../../workflow/contract.ts';
import { unregisteredTaint } from '../../claims/spec/taints.ts';
import { taintKeys } from '../../claims/spec/well-known.ts';
import { notLookedFor } from '../../discard/delete-held-up.ts';
import { nodeNames } from '../../node-objects/node-index.ts';
import { isReady, type StoredNode } from '../../node-objects/node-stages.ts';
import type { DrainInput, DrainResult, NodeSeen } from '../../steps/answers.ts';
import { readClaim } from '../../steps/claim-access.ts';
import { type DrainTarget, drainTarget } from '../../steps/drain-target.ts';
import { findClaimContext, findCluster, isAgain } from '../../steps/lookup.ts';
import { isGone } from '../../steps/machine-gone.ts';
import { mustSay, setConditions } from '../../steps/report/say.ts';
import { type Again, againAfter } from '../../steps/retry-later.ts';
import type { ClaimRef, ClusterServices, LifecycleServices } from '../../steps/services.ts';
import { drainNode, type Waiting, waitingForServer } from '../drain/one-node.ts';
import { pauseSeconds } from '../drain/pace.ts';

export const drain =
  (services: LifecycleServices) =>
  async (input: DrainInput, context: ActivityContext): Promise<DrainResult> => {
    const { ref } = input;
    const { signal } = context;
    const cluster = await findCluster(services, ref);
    if (isAgain(cluster)) return cluster;
    const target = input.target ?? (await readTarget(cluster, ref, signal));
    if (target === 'over') return { do: 'drained', nodes: [] };
    if ('do' in target) return target;

    const machines = await machinesOf(services, cluster, ref, target, signal);
    if (!Array.isArray(machines)) return machines;

    const seen: NodeSeen[] = [];
    const waiting: Waiting[] = [];
    for (const { name, providerID } of machines) {
      const got = await cluster.api.get<StoredNode>(nodes, { name }, signal);
      if (!got.ok && got.error.kind === 'not-found') continue;
      if (!got.ok) {
        const held = waitingForServer(name, 'it cannot be read', got.error, target.deadline);
        if ('do' in held) return held;
        if (target.deadline === undefined || services.clock.now() < target.deadline) waiting.push(held);
        continue;
      }
      const node = got.value;
      // A namesake with another machine is somebody else's.
      if (!isSameMachine(cluster, node.spec?.providerID, providerID)) continue;
      const pods = await hasPodsToLose(services, cluster, ref, target, node, signal);
      const left = pods ? await drainNode(services, cluster, ref, node, target.deadline, signal) : { drained: node };
      if ('do' in left) return left;
      if ('drained' in left) seen.push(asSeen(left.drained));
      else waiting.push(left);
    }
    if (waiting.length > 0) return goOn(services, cluster, input, waiting, signal);
    if (seen.length > 0) services.metrics.nodesDrained.inc({ nodepool: services.metrics.nodePool(target.nodepool) });
    return { do: 'drained', nodes: seen };
  };

const asSeen = ({ metadata: { name, uid, finalizers = [], deletionTimestamp } }: StoredNode): NodeSeen => ({
  name,
  uid,
  finalizers,
  deleting: deletionTimestamp !== undefined,
});

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

/** The Nodes that the claim's machine may have joined under. A machine that the claim does not name is asked for at its provider. */
async function machinesOf(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  { providerID, nodeName, unrecorded }: DrainTarget,
  signal: AbortSignal,
): Promise<{ name: string; providerID: string | undefined }[] | Again> {
  const named = { ...defined({ providerID, nodeName }) };
  if (unrecorded === undefined) return namesOf(services, cluster, named);
  const place = await findClaimContext(services, ref, unrecorded);
  if (isAgain(place)) return place;
  const found = await place.provider.find(place.claim, signal);
  if (!found.ok) return await notLookedFor(services, cluster, ref, found.error, signal);
  return (await Promise.all(found.value.map((machine) => namesOf(services, cluster, machine)))).flat();
}

async function namesOf(
  services: LifecycleServices,
  cluster: ClusterServices,
  { providerID, nodeName }: { providerID?: string; nodeName?: string },
): Promise<{ name: string; providerID: string | undefined }[]> {
  const names = new Set(providerID ? await nodeNames(services, cluster.name, providerID) : []);
  if (nodeName) names.add(nodeName);
  return [...names].map((name) => ({ name, providerID }));
}

/**
 * Pods of a machine that is gone, or that an administrator has declared out of service, run nowhere: no budget protects
 * them, and no kubelet would ever end them. And a node that was never registered never had any.
 */
async function hasPodsToLose(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  target: DrainTarget,
  node: StoredNode,
  signal: AbortSignal,
): Promise<boolean> {
  const { taints = [], providerID = '' } = node.spec ?? {};
  if (!target.registered && taints.some(({ key }) => key === unregisteredTaint.key)) return false;
  if (isReady(node)) return true;
  if (taints.some(({ key }) => key === taintKeys.outOfService)) return false;
  const provider = cluster.providers.find((one) => instanceIdOf(one, providerID) !== undefined);
  return !provider || !(await isGone(services, cluster, provider, providerID, signal, ref));
}

/** The furthest from its end first. */
const stages: readonly Waiting['stage'][] = ['held', 'leaving', 'volumes'];

async function goOn(
  services: LifecycleServices,
  cluster: ClusterServices,
  { ref, since, idle, said }: DrainInput,
  waiting: readonly Waiting[],
  signal: AbortSignal,
): Promise<DrainResult> {
  const now = services.clock.now();
  const text = waiting.map((one) => one.text).join('; ');
  const speak = mustSay(now, since, text, said);
  if (speak) {
    const [shown, ...others] = [...waiting].sort(
      (one, other) => stages.indexOf(one.stage) - stages.indexOf(other.stage),
    );
    // The last news is the decision that is kept: that of the node whose conditions the claim has.
    const news = [...others.flatMap((one) => one.news), ...(shown?.news ?? [])];
    await setConditions(services, cluster, ref, shown?.conditions ?? [], news, signal);
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
