/**
 * Whole claims per second, launch and terminate, against the same HTTP calls made bare.
 *
 * Both sides run against a zero-latency cloud and cluster in their own process, under the same load, each in one process of
 * its own, with as many claims under way at once and the same HTTP client. The bare client makes, for each claim, every kind
 * of call as often as the host was just counted to make it, and follows claims and nodes by the same two watches. It has no
 * workflows, no queue, no state, no decisions, no log. So what lies between the two is what the product adds.
 * Host and bare client take turns; the median of the ratios counts.
 */

import { zeroLatency } from '../../sim/cloud/settings.ts';
import { bareAgent } from '../bare/calls.ts';
import { perClaim } from '../bare/plan.ts';
import type { Bench, Figure } from '../figure.ts';
import { startBareClient } from '../harness/bare-client.ts';
import { hostAgent, startHost } from '../harness/host.ts';
import { type Lives, liveOnce, perSecond, total } from '../harness/lives.ts';
import { onStage } from '../harness/stage.ts';
import { median } from '../harness/statistics.ts';

export const claimsPerSecond: Figure = {
  name: 'whole claims per second / bare',
  unit: '',
  limit: 0.5,
  allowed: 'at least',
  measure: async (bench) => {
    const ratios: number[] = [];
    for (let repetition = 0; repetition < bench.sizes.repetitions; repetition++) {
      const host = await livesOfHost(bench);
      const bare = await livesOfBareClient(bench, host);
      const [calls, bareCalls] = [host, bare].map(
        ({ launchCalls, terminateCalls, count }) => total(launchCalls, terminateCalls) / count,
      );
      bench.say(
        `host ${perSecond(host).toFixed(1)}/s with ${calls?.toFixed(1)} calls per claim, ` +
          `bare ${perSecond(bare).toFixed(1)}/s with ${bareCalls?.toFixed(1)}`,
      );
      ratios.push(perSecond(host) / perSecond(bare));
    }
    return median(ratios);
  },
};

const livesOfHost = ({ sizes }: Bench): Promise<Lives> =>
  onStage(zeroLatency, async (stage) => {
    const host = await startHost(stage.directory('host'), stage.world);
    await liveOnce(stage, hostAgent, 'warm', sizes.warmUp);
    const lives = await liveOnce(stage, hostAgent, 'claim', sizes.usual);
    await host.end();
    return lives;
  });

const livesOfBareClient = ({ sizes }: Bench, host: Lives): Promise<Lives> =>
  onStage(zeroLatency, async (stage) => {
    const bare = await startBareClient(stage.world, {
      launch: perClaim(host.launchCalls, host.count),
      terminate: perClaim(host.terminateCalls, host.count),
    });
    await liveOnce(stage, bareAgent, 'warm', sizes.warmUp);
    const lives = await liveOnce(stage, bareAgent, 'claim', sizes.usual);
    await bare.end(total(lives.launchCalls, lives.terminateCalls));
    return lives;
  });
