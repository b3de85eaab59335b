/** What the server runtime for machine drivers adds to gRPC, and what it needs at rest. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, Figure } from '../figure.ts';
import { removeDirectory, temporaryDirectory } from '../harness/leftovers.ts';
import { describePerSecond, startBare, startProvider, writeCertificates } from '../harness/provider-servers.ts';
import { median } from '../harness/statistics.ts';

const restMs = 5000;

async function measured({ sizes, say }: Bench): Promise<{ ratio: number; megabytes: number }> {
  const folder = temporaryDirectory('provider');
  const { directory, tls } = writeCertificates(folder);
  const ours = await startProvider(folder, directory, tls);
  await pause(restMs);
  const megabytes = ours.memory();
  const bare = await startBare(folder, directory, tls);
  const calls = sizes.perRound * 20;
  // The first round of each warms it up.
  for (const server of [ours, bare]) await describePerSecond(server, calls);
  const ratios: number[] = [];
  for (let round = 0; round < sizes.rounds; round++) {
    const [ourSpeed, bareSpeed] = [await describePerSecond(ours, calls), await describePerSecond(bare, calls)];
    say(`provider server ${ourSpeed.toFixed(0)} calls/s, bare ${bareSpeed.toFixed(0)} calls/s`);
    ratios.push(ourSpeed / bareSpeed);
  }
  await ours.end();
  await bare.end();
  removeDirectory(folder);
  return { ratio: median(ratios), megabytes };
}

const both = (bench: Bench) => bench.once('provider server', () => measured(bench));

export const providerServerSpeed: Figure = {
  name: 'calls per second of a provider server / bare',
  unit: '',
  limit: 0.6,
  allowed: 'at least',
  measure: async (bench) => (await both(bench)).ratio,
};

export const providerServerMemory: Figure = {
  name: 'provider server at rest: memory',
  unit: 'MB',
  limit: 90,
  allowed: 'at most',
  measure: async (bench) => (await both(bench)).megabytes,
};
