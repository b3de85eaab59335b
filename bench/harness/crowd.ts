/**
 * 100,000 claims in flight: every launch has its instance and waits for a node that does not come. More than the host keeps in
 * memory, so most wait in the journal alone, and are taken up from there when they are due.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { zeroLatency } from '../../sim/cloud/settings.ts';
import type { Bench } from '../figure.ts';
import { startHost } from './host.ts';
import { countMoved } from './journal.ts';
import { onStage } from './stage.ts';

export interface Crowd {
  /** The most that the host held resident from the last launch until every one of them had gone on. */
  memoryMegabytes: number;
  /** The share of the launches that finished another step after the last of them had been launched. */
  wentOn: number;
}

const lookSeconds = 5;
const giveUpSeconds = 3600;
/** Two cores need longer for so many launches than a Node may take by default, and then the first would be given up before the last began. */
const registration = '6h';

export const crowd = (bench: Bench): Promise<Crowd> =>
  bench.once('crowd', () =>
    onStage({ ...zeroLatency, registerSeconds: null }, async (stage) => {
      const { crowd: launches } = bench.sizes;
      const { world } = stage;
      const { sim, ...others } = world.providers;
      const patient = { ...others, sim: { ...sim, deadlines: { registration } } } as typeof world.providers;
      const host = await startHost(stage.directory('host'), { ...world, providers: patient });
      const launched = stage.world.until('launched', launches);
      await stage.load.create('claim', launches);
      await launched;
      const since = Date.now();
      const seconds = (): number => (Date.now() - since) / 1000;
      bench.say(`${launches} launches wait for their nodes after ${((since - host.startedAt) / 1000).toFixed(0)} s`);
      let memoryMegabytes = 0;
      let moved = 0;
      while (moved < launches && seconds() < giveUpSeconds) {
        for (let second = 0; second < lookSeconds; second++) {
          await pause(1000);
          memoryMegabytes = Math.max(memoryMegabytes, host.memory().now);
        }
        ({ moved } = countMoved(host.journal, since));
      }
      bench.say(
        `resident memory ${memoryMegabytes.toFixed(0)} MB, peak since the start ${host.memory().peak.toFixed(0)} MB; ` +
          `${moved} launches had gone on after ${seconds().toFixed(0)} s`,
      );
      await host.kill();
      return { memoryMegabytes, wentOn: moved / launches };
    }),
  );
