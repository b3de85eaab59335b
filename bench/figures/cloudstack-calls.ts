/**
 * Calls to CloudStack in one claim's life, as the stand-in receives them, for a hundred claims that are alike and when nothing fails: the
 * deploys and their tags, the looks at VMs, the destroys. What all claims look up together (zones, networks, templates, offerings, the
 * account) is counted apart: it must not grow with them.
 */
import type { Bench, Figure } from '../figure.ts';
import { type CloudStackStats, cloudStackLives } from '../harness/cloudstack.ts';
import type { Lives } from '../harness/stand-in.ts';

/** As VMs come and go, though shorter: a job is over when it is looked at for the first time. */
const settings = { bootSeconds: 3, destroySeconds: 3, readySeconds: 0.5 };

/** What makes, watches and ends VMs; everything else is a look-up that claims share. */
export const ownCalls: ReadonlySet<string> = new Set([
  'createTags',
  'deployVirtualMachine',
  'destroyVirtualMachine',
  'listVirtualMachines',
  'queryAsyncJobResult',
]);

type Role = 'admin' | 'user';

const livesOf = ({ once, sizes }: Bench, role: Role): Promise<{ claims: number; lives: Lives<CloudStackStats> }> =>
  once(`lives on CloudStack as ${role}`, async () => {
    const claims = Math.min(100, sizes.perRound);
    return { claims, lives: await cloudStackLives({ ...settings, role }, {}, claims) };
  });

const sumOf = ({ calls }: CloudStackStats, own: boolean): number =>
  Object.entries(calls).reduce((sum, [name, count]) => (ownCalls.has(name) === own ? sum + count : sum), 0);

const inWords = ({ calls }: CloudStackStats, own: boolean): string =>
  Object.entries(calls)
    .filter(([name]) => ownCalls.has(name) === own)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

const callsAs = (role: Role, how: string, limit: number): Figure => ({
  name: `CloudStack calls in a claim's life, 100 identical claims, no faults, ${how}`,
  unit: '',
  limit,
  allowed: 'at most',
  measure: async (bench) => {
    const { claims, lives } = await livesOf(bench, role);
    const { upSeconds, downSeconds } = lives;
    const took = `up in ${upSeconds.toFixed(1)} s, down in ${downSeconds.toFixed(1)} s`;
    bench.say(`${claims} claims, ${took}: ${inWords(lives.stats, true)}`);
    return sumOf(lives.stats, true) / claims;
  },
});

export const cloudStackCalls = callsAs('admin', 'with customid', 7);
export const cloudStackCallsWithoutIds = callsAs('user', 'without customid', 8);

export const cloudStackLookups: Figure = {
  name: 'look-ups in CloudStack that 100 identical claims share, in all',
  unit: '',
  limit: 10,
  allowed: 'at most',
  measure: async (bench) => {
    const { lives } = await livesOf(bench, 'admin');
    bench.say(inWords(lives.stats, false));
    return sumOf(lives.stats, false);
  },
};
