/**
 * Calls to EC2 in one claim's life, as the stand-in receives them, for a hundred claims that are alike and when nothing fails:
 * the fleets and their launch templates, the looks at instances, the ends. What all claims look up together (images, networks,
 * types, prices, the cluster, the account) is counted apart: it must not grow with them.
 */
import type { Bench, Figure } from '../figure.ts';
import { type FleetStats, fleetLives } from '../harness/aws.ts';
import type { Lives } from '../harness/stand-in.ts';

/** As instances come and go, though shorter: both take a few looks. */
const settings = { pendingSeconds: 3, shutdownSeconds: 3, readySeconds: 0.5 };

/** What makes, watches and ends machines; everything else is a look-up that claims share. */
const ownCalls: ReadonlySet<string> = new Set([
  'ec2:CreateFleet',
  'ec2:CreateLaunchTemplate',
  'ec2:DescribeInstances',
  'ec2:DescribeLaunchTemplates',
  'ec2:TerminateInstances',
]);

const livesOf = ({ once, sizes }: Bench): Promise<{ claims: number; lives: Lives<FleetStats> }> =>
  once('lives on EC2', async () => {
    const claims = Math.min(100, sizes.perRound);
    return { claims, lives: await fleetLives(settings, {}, claims) };
  });

const sumOf = ({ calls }: FleetStats, own: boolean): number =>
  Object.entries(calls).reduce((sum, [name, count]) => (ownCalls.has(name) === own ? sum + count : sum), 0);

const inWords = ({ calls }: FleetStats, own: boolean): string =>
  Object.entries(calls)
    .filter(([name]) => ownCalls.has(name) === own)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

export const ec2Calls: Figure = {
  name: "EC2 calls in a claim's life, 100 identical claims, no faults",
  unit: '',
  limit: 5,
  allowed: 'at most',
  measure: async (bench) => {
    const { claims, lives } = await livesOf(bench);
    const { upSeconds, downSeconds } = lives;
    const took = `up in ${upSeconds.toFixed(1)} s, down in ${downSeconds.toFixed(1)} s`;
    bench.say(`${claims} claims, ${took}: ${inWords(lives.stats, true)}`);
    return sumOf(lives.stats, true) / claims;
  },
};

export const ec2Lookups: Figure = {
  name: 'look-ups in AWS that 100 identical claims share, in all',
  unit: '',
  limit: 12,
  allowed: 'at most',
  measure: async (bench) => {
    const { lives } = await livesOf(bench);
    bench.say(inWords(lives.stats, false));
    return sumOf(lives.stats, false);
  },
};
