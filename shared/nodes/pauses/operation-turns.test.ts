import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../../base/runtime.ts';
import type { Provider } from '../../providers/contract.ts';
import type { State } from '../../state/contract.ts';
import { openSqliteState, openStateDatabase } from '../../state/sqlite/state.ts';
import type { WorkflowClient } from '../../workflow/contract.ts';
import type { ClusterServices, LifecycleServices } from '../steps/services.ts';
import { endOperationTurn, keepOperationTurn, takeOperationTurn } from './operation-turns.ts';

const refOf = (uid: string) => ({ cluster: 'c', name: uid, uid });
const uids = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `u${String(index).padStart(5, '0')}`);

/** State and clock as they are; of the workflows only who runs, and who was woken. */
function lineWorld(operationsAtOnce = 1) {
  const clock = manualClock();
  const inner = openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock });
  const writes = { count: 0, largest: 0 };
  const state: State = {
    ...inner,
    get: (key) => inner.get(key),
    list: (prefix, page) => inner.list(prefix, page),
    delete: (key, options) => inner.delete(key, options),
    put: (key, value, options) => {
      writes.count++;
      writes.largest = Math.max(writes.largest, JSON.stringify(value).length);
      return inner.put(key, value, options);
    },
  };
  const dead = new Set<string>();
  const woken: string[] = [];
  const workflows: Partial<WorkflowClient> = {
    signal: async (key) => void woken.push(key.split('/')[1]!),
    latest: async (key) => ({
      ...{ id: `${key}/1`, key, epoch: 1, workflow: 'launch', version: 1, startedAt: 0 },
      status: dead.has(key.split('/')[1]!) ? 'failed' : 'running',
    }),
  };
  const services = {
    ...{ state, clock, random: () => 0.5 },
    workflows: workflows as WorkflowClient,
  } as Partial<LifecycleServices> as LifecycleServices;
  const place = {
    cluster: { name: 'c' } as Partial<ClusterServices> as ClusterServices,
    provider: { name: 'p', traits: { operationsAtOnce } } as Partial<Provider> as Provider,
  };
  return {
    ...{ clock, state, dead, woken, writes },
    take: async (uid: string, kind: 'launch' | 'terminate' = 'launch') =>
      (await takeOperationTurn(services, place, refOf(uid), kind)) === undefined,
    takeFirst: async (uid: string) =>
      (await takeOperationTurn(services, place, refOf(uid), 'launch', { first: true })) === undefined,
    ask: (uid: string) => takeOperationTurn(services, place, refOf(uid), 'launch'),
    keep: (uid: string, seconds?: number) => keepOperationTurn(services, place, uid, seconds),
    end: (uid: string) => endOperationTurn(services, place, uid),
  };
}

describe('turns of operations', () => {
  it('are held by as many as the cloud takes, however many ask at once, and all get theirs', async () => {
    for (const atOnce of [1, 3]) {
      const world = lineWorld(atOnce);
      const all = uids(60);
      let holders: string[] = [];
      const got = await Promise.all(all.map((uid) => world.take(uid)));
      holders = all.filter((_, index) => got[index]);
      expect(holders).toHaveLength(atOnce);
      const served = new Set<string>();
      while (holders.length > 0) {
        const [ending, ...rest] = holders;
        served.add(ending!);
        const before = world.woken.length;
        await world.end(ending!);
        holders = [...rest, ...world.woken.slice(before)];
        expect(holders.length).toBeLessThanOrEqual(atOnce);
        for (const uid of holders) expect(await world.take(uid)).toBe(true);
      }
      expect(served.size).toBe(all.length);
    }
  });

  it('go to whoever has waited longest, and wake nobody else', async () => {
    const world = lineWorld();
    for (const uid of ['a', 'b', 'c']) {
      await world.take(uid);
      world.clock.advance(1000);
    }
    expect(await world.take('c')).toBe(false);
    await world.end('a');
    expect(world.woken).toEqual(['b']);
    expect(await world.take('c')).toBe(false);
    expect(await world.take('b')).toBe(true);
    await world.end('b');
    expect(world.woken).toEqual(['b', 'c']);
  });

  it('go first to what a failed attempt left behind: it may be why all others are refused', async () => {
    const world = lineWorld();
    for (const uid of ['a', 'b', 'c']) {
      await world.take(uid);
      world.clock.advance(1000);
    }
    expect(await world.takeFirst('leftover')).toBe(false);
    await world.end('a');
    expect(world.woken).toEqual(['leftover']);
    expect(await world.take('b')).toBe(false);
    expect(await world.takeFirst('leftover')).toBe(true);
    await world.end('leftover');
    expect(world.woken).toEqual(['leftover', 'b']);
  });

  it('cost each of many waiters two small writes, and nothing while they wait', async () => {
    const world = lineWorld();
    const all = uids(600);
    for (const uid of all) await world.ask(uid);
    expect(world.writes.count).toBeLessThanOrEqual(2 * all.length + 1);
    expect(world.writes.largest).toBeLessThan(500);
    const before = world.writes.count;
    for (const uid of all.slice(500)) expect((await world.ask(uid))?.why).toContain('more than 50 ahead');
    expect(world.writes.count).toBe(before);
    for (const uid of all.slice(0, 50)) await world.end(uid);
    expect(world.woken).toEqual(all.slice(1, 51));
    expect(world.writes.count - before).toBeLessThanOrEqual(100);
  });

  it('of a holder whose workflow is gone are given to the next that asks', async () => {
    const world = lineWorld();
    for (const uid of ['a', 'b', 'c']) await world.take(uid);
    world.dead.add('a');
    expect(await world.take('b')).toBe(true);
  });

  it('pass over a waiter whose workflow does not run, which keeps its place', async () => {
    const world = lineWorld();
    for (const uid of ['a', 'b', 'c']) {
      await world.take(uid);
      world.clock.advance(1);
    }
    world.dead.add('b');
    await world.end('a');
    expect(world.woken).toEqual(['c']);
    world.dead.delete('b');
    expect(await world.take('b')).toBe(false);
    await world.end('c');
    expect(world.woken).toEqual(['c', 'b']);
  });

  it('end by themselves when their holder is silent, and not while it says that it goes on', async () => {
    const world = lineWorld();
    await world.take('a');
    await world.take('b');
    for (let minute = 0; minute < 10; minute++) {
      world.clock.advance(60_000);
      await world.keep('a');
      expect(await world.take('b')).toBe(false);
    }
    await world.keep('a', 600);
    world.clock.advance(600_000);
    expect(await world.take('b')).toBe(false);
    world.clock.advance(121_000);
    expect(await world.take('b')).toBe(true);
  });

  it('are found again by the end of the same claim', async () => {
    const world = lineWorld();
    await world.take('a');
    await world.take('b');
    expect(await world.take('a', 'terminate')).toBe(true);
    await world.end('a');
    expect(world.woken).toEqual(['b']);
  });

  it('are never lost, whatever dies and whenever: everybody who goes on asking is served', async () => {
    const step = fc.record({ who: fc.nat(5), does: fc.constantFrom('ask', 'end', 'die', 'wake', 'time', 'forget') });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.constantFrom(1, 2), async (story, atOnce) => {
        const world = lineWorld(atOnce);
        const all = uids(6);
        for (const { who, does } of story) {
          const uid = all[who]!;
          if (does === 'ask') await world.take(uid);
          else if (does === 'end') await world.end(uid);
          else if (does === 'die') world.dead.add(uid);
          else if (does === 'wake') world.dead.delete(uid);
          else if (does === 'time') world.clock.advance(30_000 * (who + 1));
          else for (const { key } of (await world.state.list('operation-')).items) await world.state.delete(key);
        }
        world.dead.clear();
        const waiting = new Set(all);
        for (let round = 0; round < 40 && waiting.size > 0; round++) {
          for (const uid of [...waiting]) {
            if (!(await world.take(uid))) continue;
            waiting.delete(uid);
            await world.end(uid);
          }
          world.clock.advance(60_000);
        }
        expect([...waiting]).toEqual([]);
        expect((await world.state.list('operation-line/')).items).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
