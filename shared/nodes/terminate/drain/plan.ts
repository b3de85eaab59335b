/** One round of a drain, decided from the pods that are on the node. Pure: the activity carries it out. */
import type { Held } from '../../steps/report/drain-text.ts';
import { forcedAt, graceLeftSeconds } from './forced.ts';
import { groupOf, holdsNode, isLeaving, type Pod, podName, protectedUntil, stuckAt } from './pods.ts';

export interface Round {
  /** Deleted past budgets and wishes, because the claim's termination grace period runs out. */
  remove: { pod: Pod; graceSeconds: number }[];
  evict: Pod[];
  /** On their way out. */
  leaving: Pod[];
  /** Pods of the group that is due which ask not to be disrupted. */
  protected: { pod: Pod; until: number }[];
  /** All that the node still waits for. */
  left: number;
  /** Changes whenever the drain has come further. */
  progress: string;
  /** When something is due by the clock alone. */
  nextAt: number;
}

export function planRound(pods: readonly Pod[], now: number, deadline: number | undefined): Round {
  const round: Round = {
    remove: [],
    evict: [],
    leaving: [],
    protected: [],
    left: 0,
    progress: '',
    nextAt: deadline ?? Number.POSITIVE_INFINITY,
  };
  const groups: Pod[][] = [[], [], [], []];
  for (const pod of pods) if (holdsNode(pod, now)) groups[groupOf(pod)]?.push(pod);
  const due = groups.findIndex((group) => group.length > 0);
  if (due < 0) return round;

  // Whoever needs its grace to begin now can't wait for its group.
  const forced = new Set<Pod>();
  for (const pod of groups.flat()) {
    round.left++;
    if (isLeaving(pod) || deadline === undefined) continue;
    if (forcedAt(pod, deadline) <= now) {
      forced.add(pod);
      round.remove.push({ pod, graceSeconds: graceLeftSeconds(pod, deadline, now) });
    } else round.nextAt = Math.min(round.nextAt, forcedAt(pod, deadline));
  }
  for (const pod of groups[due] ?? []) {
    if (forced.has(pod)) continue;
    const until = protectedUntil(pod, now);
    if (isLeaving(pod)) {
      round.leaving.push(pod);
      round.nextAt = Math.min(round.nextAt, stuckAt(pod));
    } else if (until !== undefined) {
      round.protected.push({ pod, until });
      round.nextAt = Math.min(round.nextAt, until);
    } else round.evict.push(pod);
  }
  round.progress = `${due}/${round.left}/${round.leaving.length + round.remove.length}`;
  return round;
}

export const heldByWish = ({ pod, until }: Round['protected'][number]): Held => ({
  pod: podName(pod),
  why: Number.isFinite(until)
    ? `is marked do-not-disrupt until ${new Date(until).toISOString()}`
    : 'is marked do-not-disrupt, so it has to finish first',
});
