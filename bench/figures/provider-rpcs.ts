/**
 * Calls to a provider server in one claim's life, from the look for its name to the look that finds it gone, for a hundred claims that are alike
 * and when nothing fails. Claims that look at the same time share one list of machines; garbage collection lists them too.
 */
import type { Figure } from '../figure.ts';
import { providerLives } from '../harness/provider-lives.ts';

/** Tasks take a while, as at a hypervisor. */
const settings = { taskTime: 0.5, readySeconds: 0.3 };

export const providerRpcs: Figure = {
  name: "RPCs in a claim's life on the mock, 100 identical claims, no faults",
  unit: '',
  limit: 10,
  allowed: 'at most',
  measure: async ({ say, sizes }) => {
    const claims = Math.min(100, sizes.perRound);
    const { stats, upSeconds, downSeconds } = await providerLives(settings, claims);
    const calls = Object.entries(stats.calls);
    const took = `up in ${upSeconds.toFixed(1)} s, down in ${downSeconds.toFixed(1)} s`;
    say(`${claims} claims, ${took}: ${calls.map(([name, count]) => `${name} ${count}`).join(', ')}`);
    return calls.reduce((sum, [, count]) => sum + count, 0) / claims;
  },
};
