/** Carries out one round: deletes what is out of time, evicts what is due, and says what was refused. */
import type { Failure } from '../../../base/result.ts';
import { pods } from '../../../kube/contract.ts';
import type { Held, HoldReason } from '../../steps/report/drain-text.ts';
import type { ClusterServices, LifecycleServices } from '../../steps/services.ts';
import type { Round } from './plan.ts';
import { type Pod, podName } from './pods.ts';
import { heldByBudget, heldByBudgets } from './wording.ts';

/** A node has a few hundred pods at most; the API server serves many nodes that drain at once. */
const atOnce = 8;
/** A step has to end long before its engine gives it up. What was not begun by then is for the next round. */
const longestMs = 20_000;

export interface Evicted {
  /** Refused, by the Event that tells of it. */
  refused: Map<RefusalReason, Held[]>;
  /** How many were accepted. */
  accepted: number;
  /** The API server is busy or away; it says nothing about the pods. */
  later: Failure | undefined;
}

type RefusalReason = Extract<HoldReason, 'EvictionRefused' | 'BudgetsOverlap' | 'EvictionFailed'>;

export async function carryOut(
  services: LifecycleServices,
  cluster: ClusterServices,
  round: Pick<Round, 'remove' | 'evict'>,
  signal: AbortSignal,
): Promise<Evicted> {
  const evicted: Evicted = { refused: new Map(), accepted: 0, later: undefined };
  const refuse = (reason: RefusalReason, held: Held): void => {
    const known = evicted.refused.get(reason);
    if (known) known.push(held);
    else evicted.refused.set(reason, [held]);
  };
  const done = (reason: 'terminated' | 'forced'): void => {
    evicted.accepted++;
    services.metrics.podsDrained.inc({ reason });
  };

  const remove = async ({ pod, graceSeconds }: Round['remove'][number]): Promise<void> => {
    const options = { uid: pod.metadata.uid, gracePeriodSeconds: graceSeconds };
    const answer = await cluster.api.delete(pods, refOf(pod), options, signal);
    if (answer.ok) return done('forced');
    if (isOver(answer.error)) return;
    if (isLater(answer.error)) evicted.later = answer.error;
    else refuse('EvictionFailed', { pod: podName(pod), why: `cannot be deleted: ${answer.error.message}` });
  };

  const evict = async (pod: Pod): Promise<void> => {
    const answer = await cluster.api.evict(refOf(pod), pod.metadata.uid, signal);
    services.metrics.evictionRequests.inc({ code: answer.ok ? '201' : answer.error.kind });
    if (answer.ok) return done('terminated');
    const { error } = answer;
    const name = podName(pod);
    if (error.refusedBy === 'budget') refuse('EvictionRefused', heldByBudget(name, error.message));
    else if (error.refusedBy === 'several-budgets') refuse('BudgetsOverlap', heldByBudgets(name));
    else if (isOver(error)) return;
    else if (isLater(error)) evicted.later = error;
    else refuse('EvictionFailed', { pod: name, why: `cannot be evicted: ${error.message}` });
  };

  const tasks = [...round.remove.map((one) => () => remove(one)), ...round.evict.map((pod) => () => evict(pod))];
  const end = services.clock.monotonic() + longestMs;
  // One that is told to slow down speaks for all.
  const goesOn = (): boolean => !evicted.later && !signal.aborted && services.clock.monotonic() < end;
  const worker = async (): Promise<void> => {
    for (let task = tasks.shift(); task && goesOn(); task = tasks.shift()) await task();
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, tasks.length) }, worker));
  return evicted;
}

const refOf = ({ metadata: { name, namespace } }: Pod) => ({ name, ...(namespace ? { namespace } : {}) });

/** It is gone, or another pod stands under its name. */
const isOver = ({ kind }: Failure): boolean => kind === 'not-found' || kind === 'conflict';

const isLater = ({ kind }: Failure): boolean =>
  kind === 'throttled' || kind === 'unavailable' || kind === 'outcome-unknown';
