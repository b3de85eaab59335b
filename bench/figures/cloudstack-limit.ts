/**
 * Many claims at once under CloudStack's request limit: how long until the last of them has its VM and its tags, against the least time
 * in which the limit lets so many calls through. What is beyond 1 went to look-ups and looks, or is time in which nobody asked.
 */
import type { Figure } from '../figure.ts';
import { cloudStackLives } from '../harness/cloudstack.ts';
import { ownCalls } from './cloudstack-calls.ts';

/** As `api.throttling.max` and `api.throttling.interval` are where nobody changed them. */
const limit = { callLimit: 25, callLimitSeconds: 1 };
/** VMs that start at once, because the limit is what is measured. */
const settings = { bootSeconds: 0.2, destroySeconds: 0.2, readySeconds: 0, role: 'admin', ...limit };

export const cloudStackLimit: Figure = {
  name: "100 claims at once under CloudStack's limit of 25 calls a second: time / the limit's own minimum",
  unit: '',
  limit: 1.2,
  allowed: 'at most',
  measure: async ({ sizes, say }) => {
    const claims = Math.min(100, sizes.perRound);
    const { startedAt, upSeconds, stats } = await cloudStackLives(settings, {}, claims);
    // Each VM takes a deploy and its tags, after what all look up together. The limit counts in intervals, and its calls may all come
    // at the beginning of one.
    const shared = Object.entries(stats.calls).reduce(
      (sum, [name, count]) => (ownCalls.has(name) ? sum : sum + count),
      0,
    );
    const least = (Math.ceil((claims * 2 + shared) / limit.callLimit) - 1) * limit.callLimitSeconds;
    const last = Math.max(stats.lastCalls.deployVirtualMachine ?? 0, stats.lastCalls.createTags ?? 0);
    const madeSeconds = (last - startedAt) / 1000;
    const asked = Object.values(stats.calls).reduce((sum, count) => sum + count, 0);
    say(
      `${claims} claims: ${madeSeconds.toFixed(1)} s (Ready after ${upSeconds.toFixed(1)} s), at least ${least.toFixed(1)} s; ${asked} calls, ${stats.throttled} turned away`,
    );
    return madeSeconds / least;
  },
};
