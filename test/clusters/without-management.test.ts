/** Whole lives of requests without a management cluster: kept in the state, carried out by the driver `arm` against the stand-in for ARM. */
import { afterEach, describe, expect, it } from 'vitest';
import { requestAnnotations } from '../../shared/clusters/request/marks.ts';
import { recordOf } from '../../shared/clusters/steps/record.ts';
import { doubled } from '../../sim/aso/azure/ledger.ts';
import type { AsoSettingsInput } from '../../sim/aso/settings.ts';
import { mustBe } from '../cli/cluster-world.ts';
import type { ArmWorld } from '../conformance/cluster-drivers/arm-harness.ts';
import { armRequestWorld } from './arm-request-world.ts';
import type { RequestWorld } from './request-world.ts';

let world: RequestWorld;
let arm: ArmWorld;
const start = async (settings?: AsoSettingsInput): Promise<void> => {
  ({ world, arm } = await armRequestWorld(settings));
};
afterEach(async () => {
  await arm.close();
  await world.close();
});
const isReady = async (): Promise<boolean> => (await world.ready()) === 'True Ready';
const isGone = async (): Promise<boolean> => (await world.get()) === undefined;
const living = (): string[] => arm.azure.living().map(({ id }) => id.split('/').slice(-2).join('/'));

describe('a request without a management cluster', () => {
  it.each([
    ['node auto-provisioning', { nodes: 'nap' as const, gitOps: { url: 'https://example.com/fleet', public: true } }],
    ['agent pools', { nodes: 'agentPools' as const, identity: { type: 'SystemAssigned' as const } }],
  ])('becomes a cluster with nodes by %s, and nothing', async (_, spec) => {
    await start();
    await world.create(spec);
    await world.until(isReady);
    const request = (await world.get())!;
    expect(request.status?.cluster).toMatchObject({
      fqdn: expect.any(String),
      id: expect.stringContaining('/managedClusters/web'),
    });
    expect(request.status?.stages?.every(({ state }) => state === 'Succeeded')).toBe(true);
    await world.delete();
    await world.until(isGone);
    expect(living()).toEqual([]);
    expect(doubled(arm.azure.ledger())).toEqual([]);
    expect(world.notices.map(({ type }) => type)).toEqual(['ready', 'deleted']);
  });

  it('takes as long as Azure takes', async () => {
    await start({});
    await world.create();
    await world.until(async () => (await world.get())?.status?.stage === 'ManagedCluster');
    await world.pass(30);
    const stage = (await world.get())?.status?.stages?.find(({ name }) => name === 'ManagedCluster');
    expect(stage).toMatchObject({
      state: 'Running',
      waitingFor: expect.stringContaining('Azure to finish (Creating)'),
    });
    await world.until(isReady);
  });

  it('says what Azure refuses, and succeeds when the reason has gone', async () => {
    await start();
    arm.failLater('ManagedCluster', { code: 'QuotaExceeded', message: 'No cores are left.' });
    await world.create();
    await world.until(async () => {
      const stages = (await world.get())?.status?.stages ?? [];
      return stages.some(({ code }) => code === 'QuotaExceeded');
    });
    arm.noFaults();
    await world.until(isReady);
    expect(doubled(arm.azure.ledger())).toEqual([]);
  });

  it('tries again what an earlier attempt has left as failed, when somebody wants that', async () => {
    await start();
    arm.failLater('ManagedCluster', { code: 'SkuNotAvailable', message: 'Not for you.' });
    await world.create();
    await world.until(async () => (await world.ready()) === 'False SkuNotAvailable');
    arm.noFaults();
    await world.pass(60);
    expect(await world.ready()).toBe('False SkuNotAvailable');
    await world.annotate({ annotations: { [requestAnnotations.retry]: 'now' } });
    await world.until(isReady);
  });

  it('outlives the loss of the state, and is deleted afterwards like any other', async () => {
    await start();
    const before = await world.create({ nodes: 'agentPools', tags: { team: 'shop' } });
    await world.until(isReady);
    const made = arm.azure.ledger().map(({ id, goneAt }) => [id, goneAt]);
    const puts = arm.azure.living().map(({ puts: count }) => count);
    world.loseState();
    expect(await world.get()).toBeUndefined();
    await world.until(async () => (await world.get()) !== undefined && (await isReady()));
    const after = (await world.get())!;
    expect(after.metadata.uid).not.toBe(before.uid);
    expect(after.spec).toMatchObject({ nodes: 'agentPools', tags: { team: 'shop' } });
    expect(recordOf(after)?.seed).toBe(before.uid);
    expect(arm.azure.ledger().map(({ id, goneAt }) => [id, goneAt])).toEqual(made);
    expect(arm.azure.living()).toHaveLength(puts.length);
    await world.delete();
    await world.until(isGone);
    expect(living()).toEqual([]);
    expect(mustBe(await arm.driver.find())).toEqual([]);
  });

  it('ends with its lifetime, which the loss of the state does not lengthen', async () => {
    await start();
    await world.create({ lifetime: '2h' });
    await world.until(isReady);
    await world.pass(3600, 300);
    world.loseState();
    await world.until(async () => (await world.get()) !== undefined && (await isReady()), 900);
    const end = Date.parse((await world.get())?.status?.expiresAt ?? '');
    expect(end - world.clock.now()).toBeLessThan(3600_000);
    await world.until(isGone, 4500);
    expect(living()).toEqual([]);
  });

  it('keeps a cluster with a delete guard, which nobody takes for lost then', async () => {
    await start();
    await world.create({ deleteGuard: true });
    await world.until(isReady);
    const before = living();
    await world.delete();
    await world.until(isGone);
    await world.pass(300, 60);
    expect(living()).toEqual(before);
    expect(await world.get()).toBeUndefined();
  });
});
