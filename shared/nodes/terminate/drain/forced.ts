/** Pods that would outlive the deadline of the claim are deleted instead of evicted: when, and with which grace. Pure. */
import { graceMs, type Pod } from './pods.ts';

/** From then on the pod is deleted, not evicted: later, and it would not have its own grace before the machine goes. */
export const forcedAt = (pod: Pod, deadline: number): number => deadline - graceMs(pod);

/** What is left for a pod that is deleted now: at least a second, because zero means without telling its kubelet. */
export const graceLeftSeconds = (pod: Pod, deadline: number, now: number): number =>
  Math.max(1, Math.floor(Math.min(deadline - now, graceMs(pod)) / 1000));
