/**
 * A claim's life when nothing fails and things take their time: machines boot, nodes join and get Ready, deletes take a
 * while. So the polls and waits that a real cloud asks for are counted too; with a zero-latency cloud there would be none.
 */
import type { Bench } from '../figure.ts';
import { hostAgent, startHost } from './host.ts';
import { readJournal } from './journal.ts';
import { liveOnce } from './lives.ts';
import { onStage } from './stage.ts';

const unhurried = {
  bootSeconds: 2,
  registerSeconds: 1,
  readySeconds: 1,
  startupTaintSeconds: 0,
  deleteSeconds: 2,
  nodeLostSeconds: null,
};

export interface OneLife {
  providerCalls: number;
  journalRows: number;
}

export const oneLife = (bench: Bench): Promise<OneLife> =>
  bench.once('one-life', () =>
    onStage(unhurried, async (stage) => {
      const claims = bench.sizes.perRound;
      const host = await startHost(stage.directory('host'), stage.world);
      const { launchCalls, terminateCalls } = await liveOnce(stage, hostAgent, 'claim', claims);
      await host.end();
      const cloudCalls = [...Object.entries(launchCalls), ...Object.entries(terminateCalls)].filter(([kind]) =>
        / instance(s|-types)\b/.test(kind),
      );
      // What was written for a claim: a row for each finished step, and one for each workflow.
      const query = 'select (select count(*) from journal) as steps, (select count(*) from instance) as workflows';
      const [{ steps, workflows } = { steps: 0, workflows: 0 }] = readJournal<{ steps: number; workflows: number }>(
        host.journal,
        query,
      );
      const inWords = cloudCalls.map(([kind, count]) => `${kind} ${(count / claims).toFixed(2)}`).join(', ');
      bench.say(
        `per claim: ${inWords}; ${(steps / claims).toFixed(2)} steps, ${(workflows / claims).toFixed(2)} workflows`,
      );
      return {
        providerCalls: cloudCalls.reduce((sum, [, count]) => sum + count, 0) / claims,
        journalRows: (steps + workflows) / claims,
      };
    }),
  );
