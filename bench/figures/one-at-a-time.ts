/**
 * Many claims at once in a cluster of AKS, which takes one operation at a time: how long all of them take, up and down,
 * against the sum of what the operations took themselves. What is beyond 1 is the handing over from one to the next: the
 * poll that finds out, the turn that goes on, the next write. Real operations take minutes; with these of two seconds all
 * of that weighs a hundred times more.
 */
import type { Figure } from '../figure.ts';
import { poolLives } from '../harness/azure.ts';

const settings = { createSeconds: 2, deleteSeconds: 2, retryAfterSeconds: 1, readySeconds: 0.2, operationsAtOnce: 1 };

export const oneAtATime: Figure = {
  name: '100 claims in one AKS cluster, one operation at a time: time / operations',
  unit: '',
  limit: 1.1,
  allowed: 'at most',
  measure: async ({ sizes, say }) => {
    const claims = Math.min(100, Math.ceil(sizes.many / 50));
    const { seconds, stats } = await poolLives('aks', settings, claims);
    const writes = (stats.calls['pools.put'] ?? 0) + (stats.calls['pools.delete'] ?? 0);
    say(
      `${claims} claims: ${seconds.toFixed(1)} s, operations ${(stats.busyMs / 1000).toFixed(1)} s, ${writes} writes`,
    );
    return (seconds * 1000) / stats.busyMs;
  },
};
