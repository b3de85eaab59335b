/**
 * 10,000 claims in flight: every launch has its instance and waits for a node that does not come. The host's memory is
 * looked at while they wait, then the host is killed with kill -9 and started again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { zeroLatency } from '../../sim/cloud/settings.ts';
import type { Bench } from '../figure.ts';
import { type HostProcess, startHost } from './host.ts';
import { countMoved } from './journal.ts';
import { onStage } from './stage.ts';

export interface InFlight {
  /** The most that the host held resident while all of them waited. */
  memoryMegabytes: number;
  /** From the start of the new process until each of the launches has finished a step in it. */
  restartSeconds: number;
}

/** Longer than a launch waits before it looks for its node again, so that every one has looked at least once. */
const watchSeconds = 30;
const giveUpSeconds = 120;

export const inFlight = (bench: Bench): Promise<InFlight> =>
  bench.once('in-flight', () =>
    onStage({ ...zeroLatency, registerSeconds: null }, async (stage) => {
      const { many } = bench.sizes;
      const first = await startHost(stage.directory('host'), stage.world);
      const launched = stage.world.until('launched', many);
      await stage.load.create('claim', many);
      await launched;
      bench.say(`${many} launches wait for their nodes`);
      const memoryMegabytes = await mostMemory(first);
      bench.say(
        `resident memory ${memoryMegabytes.toFixed(0)} MB, peak since the start ${first.memory().peak.toFixed(0)} MB`,
      );

      await first.kill();
      // By now every one of them is due, so the new process has all of the work at once.
      await pause(watchSeconds * 1000);
      const second = await startHost(stage.directory('host'), stage.world);
      const up = (Date.now() - second.startedAt) / 1000;
      const restartSeconds = await untilAllWentOn(second, many);
      bench.say(`up after ${up.toFixed(1)} s, every launch had gone on after ${restartSeconds.toFixed(1)} s`);
      await second.kill();
      return { memoryMegabytes, restartSeconds };
    }),
  );

async function mostMemory(host: HostProcess): Promise<number> {
  let most = 0;
  for (let second = 0; second < watchSeconds; second++) {
    await pause(1000);
    most = Math.max(most, host.memory().now);
  }
  return most;
}

/** Asked of the journal itself: a launch has gone on when it has recorded a step since the process was started. */
async function untilAllWentOn(host: HostProcess, launches: number): Promise<number> {
  for (;;) {
    const { moved, last } = countMoved(host.journal, host.startedAt);
    if (moved === launches) return (last - host.startedAt) / 1000;
    if (Date.now() - host.startedAt > giveUpSeconds * 1000) return Number.POSITIVE_INFINITY;
    await pause(500);
  }
}
