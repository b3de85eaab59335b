import { expect, it } from 'vitest';
import { lifecycleActivities } from '../../../shared/nodes/activities.ts';
import type { LifecycleServices } from '../../../shared/nodes/steps/services.ts';
import { claimActivityNames, reconcilers, type TimerName } from '../../catalog.ts';
import { readSchedules } from './schedules.ts';
import { readSettings } from './settings.ts';
import { tickOf } from './timer-plan.ts';

const cluster = 'clusters: { a: { server: "https://a" } }';

const registered = async (env: Record<string, string>) => {
  const scheduleOf = await readSchedules(env, '/nowhere');
  return (timer: TimerName) => scheduleOf(timer, 0);
};

it.each(reconcilers.map(({ every }) => every))(
  'knows what the configuration says about %s by default',
  async (timer) => {
    const env = { POOLWRIGHT_CONFIG: cluster };
    const settings = await readSettings(env, '/nowhere');
    if (!settings.ok) throw new Error(settings.text);
    expect((await registered(env))(timer)).toEqual(tickOf(settings.settings.config, timer, 0));
  },
);

/** The field with a value, below the cluster or at the top, as deep as it is. */
const withField = (field: string, value: string) => {
  const [last = '', ...outer] = field.split('.').reverse();
  const written = outer.reduce((text, name) => `${name}: { ${text} }`, `${last}: ${value}`);
  return field.startsWith('offerings.')
    ? `${written}\n${cluster}`
    : `clusters: { a: { server: "https://a", ${written} } }`;
};

it.each(reconcilers)('hears what the field of $name says, in a text and in a variable', async (declared) => {
  const { every, field, usualSeconds } = declared;
  const slow = `${(usualSeconds * 4) / 60}h`;
  const text = (await registered({ POOLWRIGHT_CONFIG: withField(field, slow) }))(every);
  expect(text.seconds).toBeGreaterThan(usualSeconds);
  const path = field.replaceAll(/[A-Z]/g, '_$&').replaceAll('.', '_').toUpperCase();
  const variable = `POOLWRIGHT_${field.startsWith('offerings.') ? '' : 'CLUSTERS_A_'}${path}`;
  expect((await registered({ POOLWRIGHT_CONFIG: cluster, [variable]: slow }))(every)).toEqual(text);
});

it('reads the intervals where there are any, and ticks for the cluster that wants it most often', async () => {
  const two =
    'clusters: { a: { server: "https://a", resyncSeconds: 5m }, b: { server: "https://b", resyncSeconds: 90 } }';
  expect((await registered({ POOLWRIGHT_CONFIG: two }))('resync').seconds).toBe(60);
  const one = { POOLWRIGHT_CONFIG: cluster, POOLWRIGHT_CLUSTERS_A_LEASE_SECONDS: '20m' };
  expect((await registered(one))('ownership').seconds).toBe(300);
});

it('ticks slowly when the configuration can not be used', async () => {
  const wrong = { POOLWRIGHT_CONFIG: 'clusters: { a: { server: 1, resyncSeconds: 1 } }' };
  expect((await registered(wrong))('resync')).toEqual({ schedule: '0 */5 * * * *', seconds: 300 });
});

it.each(reconcilers)('has $name as it is declared', async ({ name, every, load }) => {
  expect(await load()).toMatchObject({ name, trigger: { type: 'timer', every } });
});

it('has every activity of the lifecycle', () => {
  const declared = lifecycleActivities({} as LifecycleServices);
  expect([...claimActivityNames].sort()).toEqual(Object.keys(declared).sort());
});
