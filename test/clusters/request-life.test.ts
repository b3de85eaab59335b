/** Whole lives of requests for clusters, on a management cluster with the stand-in for Azure Service Operator. */
import { afterEach, describe, expect, it } from 'vitest';
import { requestFinalizer } from '../../shared/clusters/request/marks.ts';
import { doubled } from '../../sim/aso/azure/ledger.ts';
import { mustBe } from '../cli/cluster-world.ts';
import { type RequestWorld, type RequestWorldOptions, requestWorld } from './request-world.ts';

let world: RequestWorld;
afterEach(() => world.close());

const start = async (options?: RequestWorldOptions): Promise<RequestWorld> => {
  world = await requestWorld(options);
  return world;
};
const isReady = async (): Promise<boolean> => (await world.ready()) === 'True Ready';
const isGone = async (): Promise<boolean> => (await world.get()) === undefined;
const living = (): string[] => world.aso.aso.azure.living().map(({ id }) => id.split('/').slice(-2).join('/'));
const stagesOf = async (): Promise<string[]> =>
  ((await world.get())?.status?.stages ?? []).map(({ name, state }) => `${name} ${state}`);

describe('a request', () => {
  it.each(['nap', 'poolwright', 'agentPools'] as const)(
    'becomes a cluster with nodes by %s, and nothing',
    async (nodes) => {
      await start();
      const ref = await world.create({ nodes, gitOps: { url: 'https://example.com/fleet', public: true } });
      await world.until(isReady);
      expect((await stagesOf()).filter((stage) => !stage.endsWith(' Succeeded'))).toEqual([]);
      const request = (await world.get())!;
      expect(request.metadata.finalizers).toEqual([requestFinalizer]);
      expect(request.status?.cluster).toMatchObject({ kubernetesVersion: expect.stringMatching(/^1\.35/) });
      expect(world.notices.map(({ type }) => type)).toEqual(['ready']);
      const registered = mustBe(await world.services.register.list());
      expect(registered.map((one) => one.request.uid)).toEqual(nodes === 'poolwright' ? [ref.uid] : []);
      if (nodes === 'poolwright') {
        expect(registered[0]).toMatchObject({ place: { id: request.status?.cluster?.id, location: 'westeurope' } });
      }

      await world.delete();
      await world.until(isGone);
      expect(living()).toEqual([]);
      expect(doubled(world.aso.aso.azure.ledger())).toEqual([]);
      expect(mustBe(await world.services.register.list())).toEqual([]);
      expect(world.notices.map(({ type }) => type)).toEqual(['ready', 'deleted']);
      expect(mustBe(await world.place.driver.find())).toEqual([]);
    },
  );

  it('waits while its cluster is paused, at the start and between two stages, and is deleted all the same', async () => {
    let why: string | undefined = 'cluster management is paused: maintenance';
    await start({ aso: { settings: {} }, place: { paused: async () => why } });
    await world.create();
    await world.pass(60);
    expect(await world.ready()).toBe('False Paused');
    expect(living()).toEqual([]);

    why = undefined;
    await world.until(async () => (await world.get())?.status?.stage === 'ManagedCluster');
    why = 'cluster management is paused';
    const before = living();
    await world.pass(300);
    const stage = (await world.get())?.status?.stages?.find(({ name }) => name === 'ManagedCluster');
    expect(stage).toMatchObject({ state: 'Waiting', code: 'Paused', message: why });
    expect(living()).toEqual(before);
    await world.delete();
    await world.until(isGone);
    expect(living()).toEqual([]);
  });

  it('takes as long as Azure takes, and says what it waits for', async () => {
    await start({ aso: { settings: {} } });
    await world.create();
    await world.until(async () => (await world.get())?.status?.stage === 'ManagedCluster');
    await world.pass(30);
    const stage = (await world.get())?.status?.stages?.find(({ name }) => name === 'ManagedCluster');
    expect(stage).toMatchObject({ state: 'Running', waitingFor: expect.stringContaining('ManagedCluster') });
    await world.until(isReady);
    const [cluster] = (await world.get())?.status?.stages?.filter(({ name }) => name === 'ManagedCluster') ?? [];
    expect(cluster?.seconds).toBeGreaterThanOrEqual(300);
  });

  it('changes its cluster when it changes, and keeps what it was', async () => {
    await start();
    await world.create();
    await world.until(isReady);
    const before = (await world.get())!.status!;
    await world.change({ kubernetesVersion: '1.36' });
    await world.pass(1, 1);
    await world.until(isReady);
    const { status } = (await world.get())!;
    expect(status?.cluster).toMatchObject({
      kubernetesVersion: expect.stringMatching(/^1\.36/),
      id: before.cluster?.id,
    });
    expect(status?.readyAt).toBe(before.readyAt);
    expect(status?.attempt).toBe(2);
    expect(doubled(world.aso.aso.azure.ledger())).toEqual([]);
  });

  it('changes its cluster also when its version has lost its support meanwhile, and warns', async () => {
    await start({ now: Date.UTC(2026, 10, 1) });
    await world.create({ kubernetesVersion: '1.34' });
    await world.until(isReady);
    world.clock.advance(60 * 24 * 3_600_000);
    await world.change({ tags: { costs: '42' } });
    await world.pass(1, 1);
    await world.until(isReady);
    const request = await world.get();
    expect(request?.status?.warnings?.join()).toMatch(/support of 1\.34 by AKS ended/);
    expect(JSON.stringify(world.aso.aso.azure.living())).toContain('"costs":"42"');

    await world.change({ kubernetesVersion: '1.33' });
    await world.until(async () => (await world.ready()) === 'False KubernetesVersionUnsupported');
  });

  it('says which change cannot be made, and changes nothing', async () => {
    await start();
    await world.create();
    await world.until(isReady);
    await world.change({ location: 'northeurope' });
    await world.pass(5);
    expect(await world.ready()).toBe('False ChangeNotPossible');
    expect(world.aso.aso.azure.living().every(({ body }) => body.location !== 'northeurope')).toBe(true);
    await world.change({ location: 'westeurope' });
    await world.until(isReady);
  });

  it('names the cause of a failure, and succeeds once that is gone', async () => {
    const refused = { kind: 'refused', status: 409, code: 'QuotaExceeded', message: 'no cores are left' } as const;
    const fault = { on: 'put', objects: 'ManagedCluster', probability: 1, skip: 0, do: refused } as const;
    await start({ aso: { faults: [fault] } });
    await world.create();
    await world.until(async () => (await world.ready()).startsWith('False Q'), 7200);
    const { status } = (await world.get())!;
    expect(status?.stages?.find(({ name }) => name === 'ManagedCluster')).toMatchObject({ state: 'Failed' });
    expect(status?.retryAt).toBeDefined();
    expect(world.notices.at(-1)).toMatchObject({ type: 'failed', code: 'QuotaExceeded' });
    world.aso.aso.setFaults([]);
    await world.until(isReady, 14_400);
    expect(doubled(world.aso.aso.azure.ledger())).toEqual([]);
  });

  it('that makes no sense says so, and is carried out once it is corrected', async () => {
    await start();
    await world.create({ kubernetesVersion: '1.2' });
    await world.pass(5);
    expect(await world.ready()).toBe('False KubernetesVersionUnsupported');
    expect((await world.get())?.metadata.finalizers ?? []).toEqual([]);
    expect(world.notices.map(({ type }) => type)).toEqual(['failed']);
    await world.change({ kubernetesVersion: '1.35' });
    await world.until(isReady);
  });

  it('for a cluster that is not ours touches nothing of it', async () => {
    await start();
    const group = '/subscriptions/11111111-1111-4111-8111-111111111111/resourceGroups/rg-web';
    world.aso.aso.azure.makeForeign(group, 'Microsoft.Resources/resourceGroups', { location: 'westeurope', tags: {} });
    await world.create();
    await world.until(async () => (await world.ready()) === 'False ClusterNotOurs');
    await world.delete();
    await world.until(isGone);
    expect(living()).toEqual(['resourceGroups/rg-web']);
  });

  it('that is a dry run makes nothing, and shows its plan', async () => {
    await start();
    await world.create({ dryRun: true });
    await world.pass(30);
    expect(await world.ready()).toBe('False DryRun');
    expect((await world.get())?.status?.plan?.map(({ stage }) => stage)).toContain('ManagedCluster');
    expect(living()).toEqual([]);
  });

  it('that is cancelled goes no further, and goes on when it is not', async () => {
    await start({ aso: { settings: {} } });
    await world.create();
    await world.until(async () => (await world.get())?.status?.stage === 'ManagedCluster');
    await world.annotate({ annotations: { 'poolwright.dev/cancel': 'true' } });
    await world.pass(600, 20);
    expect(await world.ready()).toBe('False Cancelled');
    expect((await stagesOf()).at(-1)).toContain('Pending');
    await world.annotate({ annotations: { 'poolwright.dev/cancel': null } });
    await world.until(isReady);
  });

  it('with a delete guard leaves its cluster where it is', async () => {
    await start();
    await world.create({ deleteGuard: true });
    await world.until(isReady);
    const before = living();
    await world.delete();
    await world.until(isGone);
    expect(living()).toEqual(before);
  });

  it('ends with its lifetime', async () => {
    await start();
    await world.create({ lifetime: '2h' });
    await world.until(isReady);
    await world.pass(3600, 600);
    expect(await isReady()).toBe(true);
    await world.until(isGone);
    expect(living()).toEqual([]);
    expect(world.notices.map(({ type }) => type)).toEqual(['ready', 'expired', 'deleted']);
    expect(world.log.lines.map(({ event }) => event)).toContain('cluster-request.expired');
  });
});
