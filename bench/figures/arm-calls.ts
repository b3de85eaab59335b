/**
 * Calls to ARM in one claim's life on agent pools, as the stand-in receives them, when nothing fails and both operations take
 * three polls. What claims share (sizes, quota, lists) is counted, too; tokens and prices are not asked of ARM. The worse of
 * AKS and Arc counts.
 */
import type { Figure } from '../figure.ts';
import { poolLives } from '../harness/azure.ts';

/** Polled after one, two and three seconds, an operation of two and a half is over at the third. */
const threePolls = {
  createSeconds: 2.5,
  deleteSeconds: 2.5,
  retryAfterSeconds: 1,
  // As on AKS, whose operations end when the Node is there.
  machineLeadSeconds: 0.5,
  operationsAtOnce: 100,
};
const notArm: ReadonlySet<string> = new Set(['tokens', 'prices.list']);

export const armCalls: Figure = {
  name: "ARM calls in a claim's life without faults, three polls each",
  unit: '',
  limit: 11,
  allowed: 'at most',
  measure: async ({ sizes, say }) => {
    const claims = Math.min(100, sizes.perRound);
    let most = 0;
    for (const kind of ['aks', 'arc'] as const) {
      const { stats } = await poolLives(kind, threePolls, claims);
      const calls = Object.entries(stats.calls).filter(([what]) => !notArm.has(what));
      const inWords = calls.map(([what, count]) => `${what} ${(count / claims).toFixed(2)}`).join(', ');
      say(`${kind}, per claim: ${inWords}`);
      most = Math.max(most, calls.reduce((sum, [, count]) => sum + count, 0) / claims);
    }
    return most;
  },
};
