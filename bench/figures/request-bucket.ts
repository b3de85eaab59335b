/**
 * Many claims at once against a request bucket of EC2 that lets few calls through: how long until the last of them has its
 * machine, against the least time in which the bucket gives so many calls. What is beyond 1 is time in which the bucket would
 * have given one and nobody asked.
 */
import type { Figure } from '../figure.ts';
import { fleetLives } from '../harness/aws.ts';

const bucket = { burst: 5, refillPerSecond: 2 };
/** Machines that start at once, because the bucket is what is measured. */
const settings = {
  pendingSeconds: 0.2,
  shutdownSeconds: 0.2,
  readySeconds: 0,
  buckets: { CreateFleet: bucket },
};
const requestRates = { CreateFleet: { burst: bucket.burst, perSecond: bucket.refillPerSecond } };

export const requestBucket: Figure = {
  name: "100 claims at once against EC2's request bucket: time / the bucket's own minimum",
  unit: '',
  limit: 1.2,
  allowed: 'at most',
  measure: async ({ sizes, say }) => {
    const claims = Math.min(100, sizes.perRound / 3);
    const { madeSeconds, upSeconds, stats } = await fleetLives(settings, { requestRates }, claims);
    const least = (claims - bucket.burst) / bucket.refillPerSecond;
    const asked = stats.calls['ec2:CreateFleet'] ?? 0;
    say(
      `${claims} claims: ${madeSeconds.toFixed(1)} s (Ready after ${upSeconds.toFixed(1)} s), at least ${least.toFixed(1)} s; ${asked} calls for ${stats.fleets} fleets, ${stats.throttled} turned away`,
    );
    return madeSeconds / least;
  },
};
