import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countingIds, manualClock } from '../../shared/base/runtime.ts';
import { findOverlaps } from '../cloud/overlaps.ts';
import type { MachineFault } from '../kit/faults.ts';
import { Timeline } from '../kit/timeline.ts';
import { clusterFrom } from './clusters.ts';
import { ownerTags, type PoolRequest, toLedger } from './pool.ts';
import { type AzureSettings, defaultSettings } from './settings.ts';
import { AzureWorld } from './world.ts';

const request = (name: string): PoolRequest => ({
  properties: {},
  tags: { [ownerTags.claimUid]: name },
  vmSize: 'Standard_D2s_v5',
  count: 1,
  labels: {},
  taints: [],
  zone: '',
  capacityType: 'on-demand',
});

const name = fc.constantFrom('a', 'b', 'c');
const fault = fc.constantFrom<MachineFault[]>(
  [],
  [],
  [],
  [{ kind: 'never-running' }],
  [{ kind: 'operation-fails', code: 'x', message: 'y' }],
  [{ kind: 'vanish', afterSeconds: 3 }],
);
const step = fc.oneof(
  fc.record({ do: fc.constant('put' as const), name, fault }),
  fc.record({ do: fc.constant('delete' as const), name, fault }),
  fc.record({ do: fc.constant('vanish' as const), name }),
  fc.record({ do: fc.constant('foreign' as const), seconds: fc.nat(5) }),
  fc.record({ do: fc.constant('advance' as const), seconds: fc.nat(12) }),
);
const choices = fc.record({
  operationsAtOnce: fc.constantFrom(1, 2, null),
  deleteDuringCreate: fc.constantFrom('cancels' as const, 'conflicts' as const),
  deleteDuringDelete: fc.constantFrom('accepted' as const, 'conflicts' as const),
  machineLeadSeconds: fc.constantFrom(0, 1),
});

test('whatever is asked for in whatever order, names stay unique, operations stay in bounds and end, and machines have a pool', () => {
  fc.assert(
    fc.property(choices, fc.array(step, { maxLength: 40 }), ({ operationsAtOnce, ...more }, steps) => {
      const settings: AzureSettings = {
        ...defaultSettings,
        createSeconds: 4,
        updateSeconds: 2,
        deleteSeconds: 3,
        ...more,
      };
      const clock = manualClock();
      const cluster = clusterFrom({ kind: 'aks', name: 'one', operationsAtOnce });
      const world = new AzureWorld({
        settings,
        clock,
        ids: countingIds(),
        priceOf: () => null,
        onNodeDue: () => {},
        onPreemption: () => {},
        timeline: new Timeline(clock, false),
      });
      for (const one of steps) {
        world.settle();
        const pool = 'name' in one ? world.find(cluster, one.name) : undefined;
        if (one.do === 'put') world.put(cluster, one.name, request(one.name), one.fault);
        if (one.do === 'delete' && pool !== undefined) world.delete(pool, one.fault);
        if (one.do === 'vanish' && pool !== undefined) world.vanish(pool);
        // Others don't ask whether they may.
        if (one.do === 'foreign') world.beginForeign(cluster, 'Upgrading', one.seconds);
        if (one.do === 'advance') clock.advance(one.seconds * 1000);
        world.settle();

        const running = world.operations.inProgress(cluster);
        expect(running.filter(({ kind }) => kind !== 'foreign').length).toBeLessThanOrEqual(cluster.operationsAtOnce);
        expect(new Set(running.flatMap(({ pool: of }) => of ?? [])).size).toBe(
          running.filter(({ pool: of }) => of).length,
        );
        for (const { state, seq } of world.pools) {
          const own = running.some(({ pool: of }) => of?.seq === seq);
          expect(own).toBe(state === 'Creating' || state === 'Updating' || state === 'Deleting');
        }
        for (const { goneAt, machines } of world.ledger) {
          if (goneAt !== null) expect(machines.every((machine) => machine.goneAt !== null)).toBe(true);
        }
      }
      expect(findOverlaps(world.ledger.map(toLedger))).toEqual([]);
      // What is not stuck is over at last, and the cluster is free for the next.
      clock.advance(3_600_000);
      world.settle();
      expect(world.operations.inProgress(cluster).filter(({ dueAt }) => dueAt !== null)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
