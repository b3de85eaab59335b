/**
 * Whole claims per second, launch and terminate, against the same HTTP calls made bare.
 *
 * Both sides run against a zero-latency cloud and cluster in their own process, under the same load, each in one process of
 * its own, with as many claims under way at once and the same HTTP client. The bare client makes, for each claim, every kind
 * of call as often as the host was counted to make it, and follows claims and nodes by the same two watches. It has no
 * workflows, no queue, no state, no decisions, no log. So what lies between the two is what the product adds.
 * They take turns; the median of the ratios counts.
 */
import type { Figure } from '../figure.ts';
import { callsOf, duel } from '../harness/duel.ts';
import { liveOnce, perSecond } from '../harness/lives.ts';
import { median } from '../harness/statistics.ts';

export const claimsPerSecond: Figure = {
  name: 'whole claims per second / bare',
  unit: '',
  limit: 0.6,
  allowed: 'at least',
  measure: async ({ sizes, say }) => {
    const rounds = await duel(sizes.rounds, (stage, agent, prefix) => liveOnce(stage, agent, prefix, sizes.perRound), {
      bareCommits: false,
    });
    for (const { host, bare } of rounds) {
      const [ofHost, ofBare] = [host, bare].map(
        (lives) => `${perSecond(lives).toFixed(1)}/s with ${(callsOf(lives) / lives.count).toFixed(1)} calls per claim`,
      );
      say(`host ${ofHost}, bare ${ofBare}`);
    }
    return median(rounds.map(({ host, bare }) => perSecond(host) / perSecond(bare)));
  },
};
