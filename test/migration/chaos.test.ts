/**
 * Whatever people and Azure do to claims, pools, Nodes and settings, in whatever order: no claim ever has two pools at once,
 * and when it is over nothing is left that nobody asked for. `CHAOS_RUNS=100` looks longer.
 */
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { nodes } from '../../shared/kube/contract.ts';
import { useWorld } from '../nodes/use-world.ts';
import { type AzureTestWorld, openAzureWorld, recordOf } from './azure-world.ts';

const open = useWorld();
const numRuns = Number(process.env.CHAOS_RUNS ?? 6);
const names = ['one', 'two', 'gpu-three'] as const;

const name = fc.constantFrom(...names);
const kind = fc.constantFrom('aks' as const, 'arc' as const);
const deed = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('create' as const), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), name }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(1, 8, 25, 60, 200) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('collect' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('prefer' as const), kind }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('call' as const), cluster: fc.constantFrom('', 'elsewhere') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('vanish' as const), index: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete-node' as const), index: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('faults' as const), which: fc.nat(8) }) },
);
type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never;

const faults: Parameters<AzureTestWorld['azure']['setFaults']>[0][] = [
  [],
  [{ on: 'create', do: { kind: 'operation-fails', code: 'ZonalAllocationFailed', message: 'Allocation failed.' } }],
  [{ on: 'create', do: { kind: 'error', status: 502, effect: 'done' } }],
  [{ on: ['create', 'delete'], do: { kind: 'conflict' } }],
  [{ on: ['get', 'list'], do: { kind: 'refused', status: 404, code: 'ResourceNotFound', message: 'Not found.' } }],
  [{ on: 'delete', do: { kind: 'operation-fails', code: 'InternalError', message: 'Try again.' } }],
  [{ on: 'create', do: { kind: 'interrupt', afterSeconds: 90, noticeSeconds: 5 } }],
  [{ on: 'create', do: { kind: 'never-registers' } }],
  [{ on: ['create', 'delete', 'get'], do: { kind: 'throttle', retryAfterSeconds: 7 } }],
];

const isElsewhere = async (world: AzureTestWorld, of: string): Promise<boolean> =>
  JSON.stringify(recordOf(await world.claim(of))).includes('/elsewhere"');

async function perform(world: AzureTestWorld, one: Deed): Promise<void> {
  switch (one.do) {
    case 'create':
      if ((await world.claim(one.name)) === undefined) await world.kaitoClaim(one.name);
      return world.resync();
    case 'delete':
      return world.deleteClaim(one.name);
    case 'wait':
      return world.pass(one.seconds, Math.min(one.seconds, 10));
    case 'collect':
      return world.collectGarbage();
    case 'prefer':
      return world.prefer(one.kind);
    case 'call':
      return world.callCluster(one.cluster);
    case 'vanish': {
      const living = world.azure.ledger().filter(({ goneAt }) => goneAt === null);
      const pool = living[one.index % Math.max(1, living.length)];
      if (pool) world.azure.vanish(pool.name, { cluster: pool.cluster });
      return;
    }
    case 'delete-node': {
      const all = await world.nodes();
      const node = all[one.index % Math.max(1, all.length)];
      if (node) await world.api.delete(nodes, { name: node.metadata.name }, {});
      return;
    }
    case 'faults':
      return world.azure.setFaults(faults[one.which]!);
  }
}

async function passAndCollect(world: AzureTestWorld, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 400) {
    await world.pass(400, 40);
    await world.collectGarbage();
  }
}

describe('whatever happens', () => {
  test.prop([fc.array(deed, { minLength: 3, maxLength: 25 })], { numRuns })(
    'no claim has two pools, and none is left at the end',
    async (deeds) => {
      const world = await openAzureWorld(open, {
        // A Node without a machine is first found NotReady, and then taken away.
        settings: { registerSeconds: 5, machineLeadSeconds: 20, nodeLostSeconds: 40, cloudControllerSeconds: 120 },
      });
      try {
        for (const one of deeds) await perform(world, one);
        world.azure.setFaults([]);
        world.callCluster();
        // A size that was sold out is passed over for an hour.
        await passAndCollect(world, 5200);
        let atHome = 0;
        for (const { metadata, status } of await world.claims()) {
          if (await isElsewhere(world, metadata.name)) continue;
          atHome++;
          const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
          expect([metadata.name, ready]).toEqual([metadata.name, 'True']);
        }
        const living = world.azure.ledger().filter(({ goneAt }) => goneAt === null);
        expect(living.filter(({ cluster }) => cluster.includes('with-hyphens'))).toHaveLength(atHome);

        for (const one of names) await world.deleteClaim(one);
        await passAndCollect(world, 1200);
        // What was made elsewhere ends there.
        world.callCluster('elsewhere');
        await passAndCollect(world, 4000);
        expect(await world.claims()).toEqual([]);
        expect(world.azure.living).toBe(0);
        expect(world.azure.overlaps()).toEqual([]);
      } finally {
        await world.close();
      }
    },
    numRuns * 20_000,
  );
});
