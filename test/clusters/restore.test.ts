/** The state is lost, and with it the requests: clusters keep what they are, and get their requests again. */
import { afterEach, describe, expect, it } from 'vitest';
import { countingIds } from '../../shared/base/runtime.ts';
import { restoreLost } from '../../shared/clusters/move/restore.ts';
import { builtInPoolTypes } from '../../shared/clusters/pool-types/built-in.ts';
import type { ClusterRequestServices, RequestPlace } from '../../shared/clusters/services.ts';
import { wantedWorkflow } from '../../shared/clusters/steps/phase.ts';
import { recordOf } from '../../shared/clusters/steps/record.ts';
import { stateRequestStore } from '../../shared/clusters/store/state.ts';
import { collectingLog } from '../../shared/observe/log/log.ts';
import { openSqliteState, openStateDatabase } from '../../shared/state/sqlite/state.ts';
import { requestOf } from '../../sim/aso/azure/ledger.ts';
import { mustBe } from '../cli/cluster-world.ts';
import { type ArmWorld, startArmWorld } from '../conformance/cluster-drivers/arm-harness.ts';
import { makeReady, StoreGate, usualSpec } from './move-world.ts';

const signal = new AbortController().signal;
const open: ArmWorld[] = [];
afterEach(async () => {
  for (const world of open.splice(0)) await world.close();
});

async function lostWorld({ keep = false } = {}) {
  const arm = await startArmWorld();
  open.push(arm);
  const { clock } = arm;
  const fresh = () => openSqliteState({ ...openStateDatabase({ file: ':memory:' }), clock });
  const first = stateRequestStore({ state: fresh(), clock, ids: countingIds() });
  const request = await makeReady(first, arm);
  const state = fresh();
  const gate = new StoreGate();
  const store = keep ? first : gate.wrap(stateRequestStore({ state, clock, ids: { next: () => 'another life' } }));
  const log = collectingLog();
  const place: RequestPlace = {
    name: 'state',
    store,
    driver: arm.driver,
    poolTypes: builtInPoolTypes,
    settings: { driftSeconds: 3600, pollSeconds: 15, retrySeconds: 60, graceSeconds: 60 },
  };
  const services = { deployment: 'test', places: [place], state, clock, log } as unknown as ClusterRequestServices;
  const round = async (known: readonly string[] = []) => {
    const found = mustBe(await arm.driver.find());
    const { items } = mustBe(await store.list());
    const uids = items.map(({ metadata }) => metadata.uid);
    return await restoreLost(services, place, found, items, new Set([...uids, ...known]), signal);
  };
  return { arm, request, store, gate, log, round, clock };
}
const uids = ({ azure }: ArmWorld) => new Set(azure.living().flatMap((one) => requestOf(one) ?? []));
const name = { namespace: 'team-a', name: 'web' };

describe('a request whose state was lost', () => {
  it('is made again from the tags of its cluster, after a second look', async () => {
    const { arm, request, store, round, clock, log } = await lostWorld();
    const before = arm.azure.ledger().map(({ id, goneAt }) => [id, goneAt]);
    expect(await round()).toEqual(new Set([request.metadata.uid]));
    expect(await store.get(name)).toMatchObject({ ok: false });
    clock.advance(61_000);
    await round();
    const again = mustBe(await store.get(name));
    expect(again.metadata.uid).not.toBe(request.metadata.uid);
    const { driver: _, ...spec } = usualSpec;
    expect(again.spec).toEqual(spec);
    const record = recordOf(again);
    expect(record).toMatchObject({ seed: request.metadata.uid, poolsExist: true, tagged: true });
    expect(record?.resolved).toEqual(recordOf(request)?.resolved);
    expect(uids(arm)).toEqual(new Set([again.metadata.uid]));
    expect(arm.azure.ledger().map(({ id, goneAt }) => [id, goneAt])).toEqual(before);
    expect(wantedWorkflow(again, clock.now())).toBe('provision-cluster');
    expect(log.lines.map(({ event }) => event)).toContain('cluster-request.restored');
    expect(await round()).toEqual(new Set());
  });

  it('is made again once, also when the process dies in between', async () => {
    for (let at = 0; at < 3; at++) {
      for (const when of ['before', 'after'] as const) {
        const { arm, store, round, clock, gate } = await lostWorld();
        await round();
        clock.advance(61_000);
        gate.writes = 0;
        gate.dies = { at, when };
        await round().catch(() => {});
        gate.dies = undefined;
        // What is half made is a request that is known; the next round goes on with the one that it continues.
        for (let more = 0; more < 3; more++) await round();
        const again = mustBe(await store.get(name));
        expect([at, when, uids(arm)]).toEqual([at, when, new Set([again.metadata.uid])]);
        expect([at, when, again.metadata.annotations?.['poolwright.dev/carried-out-by']]).toEqual([
          at,
          when,
          undefined,
        ]);
      }
    }
  });

  it.each([
    ['that is known', async () => {}, true],
    ['whose cluster is gone', async (arm: ArmWorld) => void arm.azure.vanish(clusterOf(arm)), false],
    ['whose cluster is being deleted', async (arm: ArmWorld) => void arm.azure.remove(clusterOf(arm), 600), false],
    ['of another deployment', async (arm: ArmWorld) => retag(arm, { 'poolwright-deployment': 'other' }), false],
    ['without a whole record', async (arm: ArmWorld) => retag(arm, { 'poolwright-record-1': 'x' }), false],
  ])('nothing is made for one %s', async (_, change, isKnown) => {
    const { arm, request, store, round, clock } = await lostWorld();
    await change(arm);
    const known = isKnown ? [request.metadata.uid] : [];
    expect(await round(known)).toEqual(new Set());
    clock.advance(61_000);
    expect(await round(known)).toEqual(new Set());
    expect(mustBe(await store.list()).items).toEqual([]);
  });
});

const clusterOf = ({ azure }: ArmWorld): string =>
  azure.living().find(({ type }) => type.endsWith('/managedClusters'))?.id ?? '';

function retag({ azure }: ArmWorld, tags: Record<string, string>): void {
  for (const { id, body } of azure.living()) {
    if (body.tags !== undefined) azure.setTags(id, { ...(body.tags as Record<string, string>), ...tags });
  }
}
