/** The contenders take turns, each time on a fresh API server: what else happens on the machine then hits both alike. */
import type { Bench } from '../figure.ts';
import { median } from '../harness/statistics.ts';
import { total } from './audit.ts';
import type { Contender } from './contender.ts';
import { karpenter } from './karpenter.ts';
import { oneRound, type Round } from './one-round.ts';
import { poolwright } from './poolwright.ts';

export interface Duel {
  ours: Round[];
  theirs: Round[];
}

const turns = 3;

export const duel = (bench: Bench): Promise<Duel> =>
  bench.once('kube-duel', async () => {
    const result: Duel = { ours: [], theirs: [] };
    for (let turn = 0; turn < turns; turn++) {
      result.ours.push(await play(bench, poolwright));
      result.theirs.push(await play(bench, karpenter));
    }
    return result;
  });

async function play(bench: Bench, contender: Contender): Promise<Round> {
  const round = await oneRound(contender, bench.sizes.few);
  const { count, up, down, upSeconds, downSeconds, cpuSeconds, memoryMegabytes } = round;
  const each = (kinds: Record<string, number>): string => (total(kinds) / count).toFixed(2);
  bench.say(
    `${contender.name}, ${count} claims: up ${upSeconds.toFixed(1)} s, down ${downSeconds.toFixed(1)} s, ` +
      `writes ${each(up.writes)} / ${each(down.writes)}, reads ${each(up.reads)} / ${each(down.reads)}, ` +
      `conflicts ${up.conflicts} / ${down.conflicts}, CPU ${cpuSeconds.toFixed(1)} s, ${memoryMegabytes.toFixed(0)} MB`,
  );
  return round;
}

/** The median of ours by the median of theirs. */
export const ratio = ({ ours, theirs }: Duel, of: (round: Round) => number): number =>
  median(ours.map(of)) / median(theirs.map(of));
