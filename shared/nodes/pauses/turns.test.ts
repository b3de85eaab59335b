import { describe, expect, it } from 'vitest';
import { defined } from '../../base/defined.ts';
import { manualClock } from '../../base/runtime.ts';
import { openSqliteState, openStateDatabase } from '../../state/sqlite/state.ts';
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';
import { giveBackTurn, takeTurn, turnHolders } from './turns.ts';

function setUp(maxInstances: number | undefined) {
  const state = openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock: manualClock() });
  const services = { state } as Partial<LifecycleServices> as LifecycleServices;
  const cluster = (cap: number | undefined): ClusterServices =>
    ({ name: 'a', ...defined({ maxInstances: cap }) }) as ClusterServices;
  return { services, cluster: cluster(maxInstances), withCap: cluster };
}

const uids = (count: number): string[] => Array.from({ length: count }, (_, index) => `uid-${index}`);

describe('turns', () => {
  it.each([1, 50, 70, 130])(
    'are never more than the cap of %i, however many ask at once, and none is wasted',
    async (cap) => {
      const { services, cluster } = setUp(cap);
      const asked = uids(cap * 2);
      const got = await Promise.all(asked.map((uid) => takeTurn(services, cluster, uid)));
      expect(got.filter(Boolean)).toHaveLength(cap);
      expect((await turnHolders(services, cluster)).size).toBe(cap);
    },
  );

  it('are held by uid: taking twice takes one, giving back twice gives one', async () => {
    const { services, cluster } = setUp(2);
    for (let time = 0; time < 3; time++) expect(await takeTurn(services, cluster, 'x')).toBe(true);
    expect(await takeTurn(services, cluster, 'y')).toBe(true);
    expect(await takeTurn(services, cluster, 'z')).toBe(false);
    await giveBackTurn(services, cluster, 'x');
    await giveBackTurn(services, cluster, 'x');
    expect(await takeTurn(services, cluster, 'z')).toBe(true);
    expect(await turnHolders(services, cluster)).toEqual(new Set(['y', 'z']));
  });

  it('given out under a larger cap come back, and only then are there new ones', async () => {
    const { services, cluster, withCap } = setUp(120);
    const all = uids(120);
    for (const uid of all) await takeTurn(services, cluster, uid);
    const smaller = withCap(60);
    expect((await turnHolders(services, smaller)).size).toBe(120);
    for (const uid of all) await giveBackTurn(services, smaller, uid);
    expect((await turnHolders(services, smaller)).size).toBe(0);
    const got = await Promise.all(all.map((uid) => takeTurn(services, smaller, uid)));
    expect(got.filter(Boolean)).toHaveLength(60);
  });

  it('are free without a cap, and cost nothing', async () => {
    const { services, cluster } = setUp(undefined);
    expect(await takeTurn(services, cluster, 'x')).toBe(true);
    await giveBackTurn(services, cluster, 'x');
    expect((await turnHolders(services, cluster)).size).toBe(0);
  });
});
