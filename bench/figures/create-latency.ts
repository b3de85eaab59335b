/**
 * How long a claim waits for its begin-create call at 100 claims per second: from the moment the cluster has stored the claim
 * and tells its watchers, to the cloud's receipt of the call, both seen in the one process that simulates them; the slowest
 * of a hundred.
 *
 * The baseline makes the same calls in the same order and, between them, the same commits to the same three files with the
 * same safety (event on the queue, receipt, start of the workflow, step, note of the decision), sharing a commit between
 * writers as the host does. It goes on to Ready like the host, so that both have the same company while they wait.
 * They take turns; the median of the ratios counts.
 */
import type { Figure } from '../figure.ts';
import { duel, type Play, type Round } from '../harness/duel.ts';
import { median, percentile } from '../harness/statistics.ts';

const claimsPerSecond = 100;

export const createLatency: Figure = {
  name: 'event to begin-create, p99 / bare at 100 claims/s',
  unit: '',
  limit: 2,
  allowed: 'at most',
  measure: async ({ sizes, say }) => {
    const rounds = await duel(sizes.rounds, steadyLoad(sizes.perRound), { bareCommits: true });
    for (const { host, bare } of rounds) {
      say(`host p99 ${host.p99} ms (median ${host.p50}), bare p99 ${bare.p99} ms (median ${bare.p50})`);
    }
    return median(rounds.map(({ host, bare }) => host.p99 / bare.p99));
  },
};

interface Latency extends Round {
  p50: number;
  p99: number;
}

const steadyLoad =
  (count: number): Play<Latency> =>
  async ({ world, load }, agent, prefix) => {
    await world.resetCalls();
    const ready = world.until('ready', count);
    await load.createEvenly(prefix, claimsPerSecond, count);
    await ready;
    const latencies = await world.createLatencies();
    const launchCalls = await world.calls(agent);
    await world.resetCalls();
    const gone = world.until('claims', 0);
    await load.remove(prefix, count);
    await gone;
    const terminateCalls = await world.calls(agent);
    return { count, p50: median(latencies), p99: percentile(latencies, 0.99), launchCalls, terminateCalls };
  };
