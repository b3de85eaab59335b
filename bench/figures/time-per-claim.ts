/**
 * Does a claim cost more among many? Time per claim from the first create to the last Ready, with a zero-latency cloud, at
 * 10,000 claims and at 1,000, in one host process. The host is warm before either, and the smaller number is taken twice,
 * because it is the noisier one.
 */

import { zeroLatency } from '../../sim/cloud/settings.ts';
import type { Figure } from '../figure.ts';
import { hostAgent, startHost } from '../harness/host.ts';
import { liveOnce } from '../harness/lives.ts';
import { onStage } from '../harness/stage.ts';

export const timePerClaim: Figure = {
  name: 'time per claim, 10,000 / 1,000',
  unit: '',
  limit: 1.1,
  allowed: 'at most',
  measure: ({ sizes, say }) =>
    onStage(zeroLatency, async (stage) => {
      const { world, load } = stage;
      const host = await startHost(stage.directory('host'), world);
      await liveOnce(stage, hostAgent, 'warm', sizes.warmUp);
      const first = await liveOnce(stage, hostAgent, 'few-a', sizes.few);
      const second = await liveOnce(stage, hostAgent, 'few-b', sizes.few);
      const atFew = (first.launchSeconds + second.launchSeconds) / (2 * sizes.few);

      const ready = world.until('ready', sizes.many);
      const from = Date.now();
      await load.create('many', sizes.many);
      const atMany = ((await ready) - from) / 1000 / sizes.many;
      await host.kill();
      say(
        `${(atFew * 1000).toFixed(2)} ms per claim at ${sizes.few}, ${(atMany * 1000).toFixed(2)} ms at ${sizes.many}`,
      );
      return atMany / atFew;
    }),
};
