/**
 * How long a claim waits for its begin-create call at 100 claims per second: from the moment the cluster has stored the claim
 * and tells its watchers, to the cloud's receipt of the call, both seen in the one process that simulates them; the slowest
 * of a hundred.
 *
 * The baseline makes the same calls in the same order and, between them, the same commits to the same three files with the
 * same safety (event on the queue, receipt, start of the workflow, step, note of the decision), sharing a commit between
 * writers as the host does. It goes on to Ready like the host, so that both have the same company while they wait.
 */

import { zeroLatency } from '../../sim/cloud/settings.ts';
import { bareAgent } from '../bare/calls.ts';
import { perClaim } from '../bare/plan.ts';
import type { Bench, Figure } from '../figure.ts';
import { startBareClient } from '../harness/bare-client.ts';
import type { Calls } from '../harness/calls.ts';
import { hostAgent, startHost } from '../harness/host.ts';
import { liveOnce, total } from '../harness/lives.ts';
import { onStage, type Stage } from '../harness/stage.ts';
import { median, percentile } from '../harness/statistics.ts';

const claimsPerSecond = 100;

export const createLatency: Figure = {
  name: 'event to begin-create, p99 / bare at 100 claims/s',
  unit: '',
  limit: 3,
  allowed: 'at most',
  measure: async (bench) => {
    const ratios: number[] = [];
    for (let repetition = 0; repetition < bench.sizes.repetitions; repetition++) {
      const host = await latencyOfHost(bench);
      const bare = await latencyOfBareClient(bench, host.calls);
      bench.say(`host p99 ${host.p99} ms (median ${host.p50}), bare p99 ${bare.p99} ms (median ${bare.p50})`);
      ratios.push(host.p99 / bare.p99);
    }
    return median(ratios);
  },
};

const latencyOfHost = ({ sizes }: Bench): Promise<Latency> =>
  onStage(zeroLatency, async (stage) => {
    const host = await startHost(stage.directory('host'), stage.world);
    await liveOnce(stage, hostAgent, 'warm', sizes.warmUp);
    const latency = await underSteadyLoad(stage, hostAgent, sizes.usual);
    await host.kill();
    return latency;
  });

const latencyOfBareClient = ({ sizes }: Bench, calls: Calls): Promise<Latency> =>
  onStage(zeroLatency, async (stage) => {
    const plan = { launch: perClaim(calls, sizes.usual), terminate: {} };
    const bare = await startBareClient(stage.world, plan, stage.directory('bare'));
    await stage.load.create('warm', sizes.warmUp);
    await stage.world.until('ready', sizes.warmUp);
    const latency = await underSteadyLoad(stage, bareAgent, sizes.usual, sizes.warmUp);
    await bare.end(total(latency.calls));
    return latency;
  });

interface Latency {
  p50: number;
  p99: number;
  calls: Calls;
}

async function underSteadyLoad(stage: Stage, agent: string, count: number, before = 0): Promise<Latency> {
  const { world, load } = stage;
  await world.resetCalls();
  const ready = world.until('ready', before + count);
  await load.createEvenly('claim', claimsPerSecond, count);
  await ready;
  const latencies = await world.createLatencies();
  return { p50: median(latencies), p99: percentile(latencies, 0.99), calls: await world.calls(agent) };
}
