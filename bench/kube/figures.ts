/** What is promised against a real API server, and against the peer. */
import type { Figure } from '../figure.ts';
import { helpStart } from '../figures/help-start.ts';
import { median } from '../harness/statistics.ts';
import { total } from './audit.ts';
import { blackHole } from './black-hole.ts';
import { duel, ratio } from './duel.ts';
import { getClaims } from './get-claims.ts';
import type { Round } from './one-round.ts';

const againstPeer = (name: string, limit: number, of: (round: Round) => number): Figure => ({
  name: `${name}: ours ÷ Karpenter's`,
  unit: '',
  limit,
  allowed: 'at most',
  measure: async (bench) => ratio(await duel(bench), of),
});

const ours = (name: string, limit: number, of: (round: Round) => number): Figure => ({
  name,
  unit: '',
  limit,
  allowed: 'at most',
  measure: async (bench) => median((await duel(bench)).ours.map(of)),
});

export const kubeFigures: readonly Figure[] = [
  againstPeer('1,000 claims created at once until all are Ready', 0.18, (round) => round.upSeconds),
  againstPeer('the same 1,000 deleted until all are gone', 0.22, (round) => round.downSeconds),
  ours('our writes per claim, up', 4.1, ({ up, count }) => total(up.writes) / count),
  ours('our writes per claim, down', 3.1, ({ down, count }) => total(down.writes) / count),
  {
    name: 'our conflicts in a quiet cluster',
    unit: '',
    limit: 0,
    allowed: 'at most',
    // Of the worst round: none means none.
    measure: async (bench) =>
      Math.max(...(await duel(bench)).ours.map(({ up, down }) => up.conflicts + down.conflicts)),
  },
  againstPeer('processor time, up and down', 0.6, (round) => round.cpuSeconds),
  againstPeer('resident memory with 1,000 claims', 0.5, (round) => round.memoryMegabytes),
  blackHole,
  // No server is needed for it, but whoever measures the command wants both from one run.
  helpStart,
  getClaims,
];
