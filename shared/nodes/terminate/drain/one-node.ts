/** One round on one node: taint, evict or delete what is due, and once no pod is left, look whether its volumes are detached. */

import { type Failure, ok, type Result } from '../../../base/result.ts';
import { toWireTime } from '../../../kube/conditions.ts';
import { pods } from '../../../kube/contract.ts';
import { listAll } from '../../../kube/list-all.ts';
import { conditionTypes } from '../../claims/spec/well-known.ts';
import type { StoredNode } from '../../node-objects/node-stages.ts';
import { count, drainFields, drainingText, type Held, heldText, volumesText } from '../../steps/report/drain-text.ts';
import { graceElapsed, type News, setConditions } from '../../steps/report/say.ts';
import { type Again, againAfter } from '../../steps/retry-later.ts';
import type { ClaimRef, ClusterServices, LifecycleServices } from '../../steps/services.ts';
import { isRefused } from '../../steps/unwritten.ts';
import { volumesOn } from './attachments.ts';
import { carryOut, type Evicted } from './evict.ts';
import { holdNode, keepPodsAway, mayRelease } from './keep-away.ts';
import { heldByWish, planRound, type Round } from './plan.ts';
import { isIdle, type Pod, podName } from './pods.ts';

/** What one node still waits for, and how the claim says so. */
export type Waiting = {
  text: string;
  /** Where a claim has several nodes, it speaks of the one that is furthest from its end. */
  stage: 'held' | 'leaving' | 'volumes';
  /** Changes whenever the drain has come further. */
  progress: string;
  /** Something is on its way out, so it is worth to look again soon. */
  leaving: boolean;
  nextAt: number;
  conditions: Parameters<typeof setConditions>[3];
  news: News[];
  /** The API server asks for so much time. */
  atLeastSeconds?: number;
};

const podsPerPage = 250;
/** The node changed under our hands; the next look is at what it is now. */
const conflictSeconds = 0.2;

/** This node is drained, or its time is up: as it was seen last. */
export type Drained = { drained: StoredNode };

export async function drainNode(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  node: StoredNode,
  deadline: number | undefined,
  signal: AbortSignal,
): Promise<Waiting | Again | Drained> {
  const { name } = node.metadata;
  const now = services.clock.now();
  const isOver = deadline !== undefined && now >= deadline;
  const release = mayRelease(node) && (await looksIdle(services, cluster, name, signal));
  const kept = await keepPodsAway(cluster, node, release, signal);
  const drained: Drained = { drained: (kept.ok && kept.value) || node };
  if (kept.ok && !kept.value) return drained;
  const untainted = kept.ok ? undefined : waitingForServer(name, 'it cannot be tainted', kept.error, deadline);
  if (untainted && 'do' in untainted) return untainted;
  // After the taint, so that nothing comes that this list does not show.
  const present = await podsOn(cluster, name, signal);
  if (!present.ok) {
    if (!isOver || !isRefused(present.error)) {
      return waitingForServer(name, 'its pods cannot be listed', present.error, deadline);
    }
    await sayElapsed(services, cluster, ref, name, 'pods that could not be listed', signal);
    return drained;
  }

  const round = planRound(present.value, now, deadline);
  if (round.left > 0 && !untainted && !isOver) await holdNode(cluster, drained.drained, signal);
  // Without the taint whoever is evicted may come back. But the deadline holds: who is out of time goes with its own grace.
  const due = untainted ? { remove: round.remove, evict: [] } : round;
  const evicted = await carryOut(services, cluster, due, signal);
  if (isOver) {
    if (round.left > 0) await sayElapsed(services, cluster, ref, name, count(round.left, 'pod'), signal);
    return drained;
  }
  if (untainted) return { ...untainted, nextAt: round.nextAt };
  if (round.left > 0) return waitingForPods(name, round, evicted, deadline);
  return (await waitingForVolumes(services, cluster, name, present.value, deadline, signal)) ?? drained;
}

/**
 * Before the taint, and only a hint, so what the server has at hand will do: the list after the taint decides what is drained. Of an empty
 * node the finalizer goes with the taint, because nothing is left that it would keep; its claim's own finalizer holds the machine.
 */
async function looksIdle(
  services: LifecycleServices,
  cluster: ClusterServices,
  node: string,
  signal: AbortSignal,
): Promise<boolean> {
  const selection = { fieldSelector: `spec.nodeName=${node}`, limit: podsPerPage, resourceVersion: '0' as const };
  const listed = await cluster.api.list<Pod>(pods, selection, signal);
  if (!listed.ok || listed.value.continue !== undefined || !isIdle(listed.value.items, services.clock.now()))
    return false;
  const volumes = await volumesOn(services, cluster, node, [], signal);
  return volumes.ok && volumes.value.length === 0;
}

/**
 * What the API server refuses as such (a right that is missing, an admission policy) does not pass by itself: somebody has to
 * be told. Everything else is only "later".
 */
export function waitingForServer(
  node: string,
  problem: string,
  failure: Failure,
  deadline: number | undefined,
): Waiting | Again {
  if (!isRefused(failure)) return againAfter(failure, failure.kind === 'conflict' ? conflictSeconds : undefined);
  const text = `node ${node} cannot be drained, because ${problem}: ${failure.message}`;
  return {
    text,
    stage: 'held',
    progress: `${node}/refused`,
    leaving: false,
    nextAt: deadline ?? Number.POSITIVE_INFINITY,
    conditions: [{ type: conditionTypes.drained, status: 'Unknown', reason: 'Draining', message: text }],
    news: [{ type: 'Warning', reason: 'DrainFailed', message: text }],
  };
}

function waitingForPods(node: string, round: Round, evicted: Evicted, deadline: number | undefined): Waiting {
  const wishes = round.protected.map((one): Held => ({ ...heldByWish(one), reason: 'PodsNotToBeDisrupted' }));
  const refusals = [...evicted.refused].flatMap(([reason, refused]) =>
    refused.map((one): Held => ({ ...one, reason })),
  );
  const held: Held[] = [...refusals, ...wishes];
  const stays = new Set(held.map(({ pod }) => pod));
  const going = [...round.leaving, ...round.evict, ...round.remove.map(({ pod }) => pod)].map(podName);
  const leaving = going.filter((pod) => !stays.has(pod)).sort();
  const fields = drainFields(node, { left: round.left, held, leaving }, deadline);
  const text = drainingText(fields);

  const news: News[] = [...evicted.refused].map(([reason, refused]) => ({
    type: 'Warning',
    reason,
    message: heldText(node, refused, deadline),
  }));
  if (wishes.length > 0) {
    news.push({ type: 'Normal', reason: 'PodsNotToBeDisrupted', message: heldText(node, wishes, deadline) });
  }
  if (deadline !== undefined) {
    const message = `all pods of node ${node} are deleted by ${toWireTime(deadline)}, even if a budget or an annotation blocks their eviction`;
    news.push({ type: 'Warning', reason: 'TerminationGracePeriodExpiring', message });
  }
  return {
    text,
    stage: held.length > 0 ? 'held' : 'leaving',
    progress: `${node}/${round.progress}`,
    leaving: round.leaving.length + evicted.accepted > 0,
    nextAt: round.nextAt,
    conditions: [{ type: conditionTypes.drained, status: 'Unknown', reason: 'Draining', message: text }],
    news: [...news, { type: 'Normal', reason: 'Draining', message: text, decision: { code: 'draining', fields } }],
    ...(evicted.later ? { atLeastSeconds: againAfter(evicted.later, 1).seconds } : {}),
  };
}

async function waitingForVolumes(
  services: LifecycleServices,
  cluster: ClusterServices,
  node: string,
  present: readonly Pod[],
  deadline: number | undefined,
  signal: AbortSignal,
): Promise<Waiting | undefined> {
  const volumes = await volumesOn(services, cluster, node, present, signal);
  if (volumes.ok && volumes.value.length === 0) return undefined;
  const text = volumes.ok
    ? volumesText(node, volumes.value, deadline)
    : `the volume attachments of node ${node} cannot be read: ${volumes.error.message}`;
  const reason = 'AwaitingVolumeDetachment';
  return {
    text,
    stage: 'volumes',
    progress: `${node}/volumes/${volumes.ok ? volumes.value.length : 'unknown'}`,
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

async function podsOn(cluster: ClusterServices, node: string, signal: AbortSignal): Promise<Result<Pod[]>> {
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
  return listed.ok ? ok(found) : listed;
}

function sayElapsed(
  services: LifecycleServices,
  cluster: ClusterServices,
  ref: ClaimRef,
  node: string,
  left: string,
  signal: AbortSignal,
): Promise<void> {
  const message = `the termination grace period is over; node ${node} is deleted with ${left} on it`;
  const condition = { type: conditionTypes.drained, status: 'False' as const, reason: graceElapsed, message };
  return setConditions(
    services,
    cluster,
    ref,
    [condition],
    [{ type: 'Warning', reason: graceElapsed, message }],
    signal,
  );
}
