/**
 * Host and bare client take turns, round by round, each against a world of its own: what else happens on the machine then
 * hits both alike. Whoever does not play waits; so it takes nothing from the other.
 */
import { zeroLatency } from '../../sim/cloud/settings.ts';
import { bareAgent } from '../bare/calls.ts';
import { perClaim } from '../bare/plan.ts';
import { startBareClient } from './bare-client.ts';
import type { Calls } from './calls.ts';
import { hostAgent, startHost } from './host.ts';
import { onStage, type Stage } from './stage.ts';

export interface Round {
  /** How many claims lived. */
  count: number;
  launchCalls: Calls;
  terminateCalls: Calls;
}

/** One round: claims come, get Ready, are deleted and are gone. `agent` names whose calls are counted. */
export type Play<R extends Round> = (stage: Stage, agent: string, prefix: string) => Promise<R>;

/** The first round of each warms it up and is not returned; the host's also says which calls the bare client makes. */
export const duel = <R extends Round>(
  rounds: number,
  play: Play<R>,
  options: { bareCommits: boolean },
): Promise<{ host: R; bare: R }[]> =>
  onStage(zeroLatency, (hostStage) =>
    onStage(zeroLatency, async (bareStage) => {
      const host = await startHost(hostStage.directory('host'), hostStage.world);
      const seen = await play(hostStage, hostAgent, 'warm');
      const plan = {
        launch: perClaim(seen.launchCalls, seen.count),
        terminate: perClaim(seen.terminateCalls, seen.count),
      };
      const bare = await startBareClient(
        bareStage.world,
        plan,
        options.bareCommits ? bareStage.directory('bare') : undefined,
      );
      let bareCalls = callsOf(await play(bareStage, bareAgent, 'warm'));
      const results: { host: R; bare: R }[] = [];
      for (let round = 0; round < rounds; round++) {
        const ofHost = await play(hostStage, hostAgent, `round-${round}`);
        const ofBare = await play(bareStage, bareAgent, `round-${round}`);
        bareCalls += callsOf(ofBare);
        results.push({ host: ofHost, bare: ofBare });
      }
      await host.end();
      await bare.end(bareCalls);
      return results;
    }),
  );

export const callsOf = ({ launchCalls, terminateCalls }: Round): number =>
  [launchCalls, terminateCalls].flatMap((calls) => Object.values(calls)).reduce((sum, count) => sum + count, 0);
