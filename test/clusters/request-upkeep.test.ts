/** What the timer does for requests: it compares clusters with them, registers again, and deals with what has lost its request. */
import { afterEach, describe, expect, it } from 'vitest';
import { failed, ok } from '../../shared/base/result.ts';
import { checkPolicy } from '../../shared/clusters/policy/check-policy.ts';
import { workflowKey } from '../../shared/clusters/steps/workflow-key.ts';
import { mustBe } from '../cli/cluster-world.ts';
import { resourceOf, team } from '../sim/aso/world.ts';
import { type RequestWorld, type RequestWorldOptions, requestWorld } from './request-world.ts';

let world: RequestWorld;
afterEach(() => world.close());

async function aCluster(spec: Parameters<RequestWorld['create']>[0] = {}, options?: RequestWorldOptions) {
  world = await requestWorld(options);
  const ref = await world.create(spec);
  await world.until(async () => (await world.ready()) === 'True Ready');
  return ref;
}
const condition = async (type: string) => (await world.get())?.status?.conditions?.find((one) => one.type === type);
const events = (): string[] => world.log.lines.map(({ event }) => event ?? '');
const living = (): number => world.aso.aso.azure.living().length;

/** Somebody takes the request out of the store by force. */
async function forceAway(): Promise<void> {
  await world.delete();
  await world.annotate({ finalizers: [] });
}

describe('a ready cluster', () => {
  it('that is as its request says is in sync', async () => {
    await aCluster({ nodes: 'agentPools' });
    await world.pass(7200, 600);
    expect((await world.get())?.status?.drift).toBeUndefined();
    expect(await condition('Drifted')).toMatchObject({ status: 'False', reason: 'InSync' });
    expect(Date.parse((await world.get())?.status?.driftCheckedAt ?? '')).toBeGreaterThan(
      world.clock.now() - 3_700_000,
    );
    expect(events()).not.toContain('cluster-request.drifted');
  });

  it('that somebody has changed says which fields differ, once', async () => {
    await aCluster();
    const wanted = { spec: { kubernetesVersion: '1.36' } };
    const resource = resourceOf('ManagedCluster');
    mustBe(await world.aso.api.mergePatch(resource, { name: 'web', namespace: team }, wanted));
    await world.pass(7200, 600);
    const { status, message } = (await condition('Drifted'))!;
    expect(status).toBe('True');
    expect(message).toContain('ManagedCluster/web: spec.kubernetesVersion is 1.36');
    expect((await world.get())?.status?.drift).toEqual([
      { object: 'ManagedCluster/web', field: 'spec.kubernetesVersion', wanted: '1.35', found: '1.36' },
    ]);
    expect(await world.ready()).toBe('True Ready');
    expect(world.notices.filter(({ type }) => type === 'drifted')).toHaveLength(1);
    expect(events().filter((event) => event === 'cluster-request.drifted')).toHaveLength(1);

    mustBe(
      await world.aso.api.mergePatch(
        resource,
        { name: 'web', namespace: team },
        { spec: { kubernetesVersion: '1.35' } },
      ),
    );
    await world.pass(4000, 500);
    expect(await condition('Drifted')).toMatchObject({ status: 'False' });
    expect((await world.get())?.status?.drift).toBeUndefined();
  });

  it('whose NodePool somebody has deleted says so', async () => {
    await aCluster();
    const [cluster] = world.aso.aso.clusters.all();
    const pools = { apiVersion: 'karpenter.sh/v1', plural: 'nodepools' };
    for (const { metadata } of (await cluster!.server.store.list(pools)).items) {
      await cluster!.server.store.delete({ ...pools, name: metadata.name });
    }
    await world.pass(4000, 500);
    expect((await world.get())?.status?.drift).toMatchObject([{ field: 'metadata', found: 'absent' }]);
  });

  it('is registered again after the state was lost', async () => {
    const ref = await aCluster({ nodes: 'poolwright' });
    const before = mustBe(await world.services.register.list());
    world.loseState();
    expect(mustBe(await world.services.register.list())).toEqual([]);
    await world.round();
    expect(mustBe(await world.services.register.list())).toEqual(before);
    expect(before.map((one) => one.request.uid)).toEqual([ref.uid]);
  });

  it('whose request is gone is not served for ever', async () => {
    const ref = await aCluster({ nodes: 'poolwright' });
    const [record] = mustBe(await world.services.register.list());
    await world.delete();
    await world.until(async () => (await world.get()) === undefined);
    // A step that was under way when the request was deleted, and comes late.
    mustBe(await world.services.register.registerCluster(record!));
    await world.round();
    expect(mustBe(await world.services.register.list()).map(({ request }) => request.uid)).toEqual([ref.uid]);
    await world.pass(300, 60);
    expect(mustBe(await world.services.register.list())).toEqual([]);
  });
});

describe('a cluster that does not answer', () => {
  it('is asked again after a while, and not in every round', async () => {
    await aCluster();
    const { openNewCluster } = world.services;
    let asked = 0;
    const away: typeof openNewCluster = async () => {
      asked++;
      return failed('unavailable', 'away');
    };
    Object.assign(world.services, { openNewCluster: away });
    await world.pass(3600, 600);
    await world.pass(1800, 60);
    expect(asked).toBeGreaterThan(1);
    expect(asked).toBeLessThan(5);
    Object.assign(world.services, { openNewCluster });
    await world.pass(660, 60);
    expect(await condition('Drifted')).toMatchObject({ status: 'False' });
  });

  it('holds up no other request of the round', async () => {
    world = await requestWorld();
    const names = Array.from({ length: 8 }, (_, index) => `a-${index}`);
    for (const name of names) await world.create({ nodes: 'agentPools' }, name);
    const ready = async () => (await Promise.all(names.map(world.ready))).every((one) => one === 'True Ready');
    await world.until(ready);
    world.clock.advance(3_700_000);
    const ref = await world.create({}, 'zzz');
    const { driver } = world.place;
    const begun: boolean[] = [];
    const observe: typeof driver.observe = async () => {
      begun.push((await world.engine.latest(workflowKey(ref, 'provision-cluster'))) !== undefined);
      return failed('unavailable', 'away');
    };
    Object.assign(world.place, { driver: { ...driver, observe } });
    await world.round();
    expect(begun[0]).toBe(true);
  });
});

describe('what has lost its request', () => {
  it('is left alone and reported when there is a cluster', async () => {
    await aCluster();
    const before = living();
    await forceAway();
    await world.pass(600, 60);
    expect(living()).toBe(before);
    expect(mustBe(await world.place.driver.find()).length).toBeGreaterThan(0);
    expect(events().filter((event) => event === 'cluster-request.orphan')).toHaveLength(1);
    expect(events()).not.toContain('cluster-request.orphan.removed');
    expect(await world.services.metrics.families()).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'poolwright_cluster_orphans' })]),
    );
  });

  it('is removed after two readings when nothing of it ever existed', async () => {
    const refused = { kind: 'refused', status: 400, code: 'InvalidParameter', message: 'no' } as const;
    const fault = { on: 'put', objects: 'ResourceGroup', probability: 1, skip: 0, do: refused } as const;
    world = await requestWorld({ aso: { faults: [fault] } });
    await world.create();
    await world.until(async () => mustBe(await world.place.driver.find()).length > 0);
    await forceAway();
    await world.round();
    expect(mustBe(await world.place.driver.find())).toHaveLength(1);
    await world.pass(1800, 60);
    expect(mustBe(await world.place.driver.find())).toEqual([]);
    expect(events()).toContain('cluster-request.orphan.removed');
  });

  it('is not judged by a list that could not be read', async () => {
    await aCluster();
    const { store } = world.place;
    await forceAway();
    const list = store.list;
    store.list = async () => failed('unavailable', 'away');
    await world.pass(600, 60);
    expect(events()).toContain('cluster-requests.undecided');
    expect(events()).not.toContain('cluster-request.orphan');
    store.list = list;
  });
});

describe('a team', () => {
  it('gets no more clusters than its policy says, and one more when another goes', async () => {
    const policy = { everyTeam: { clusters: 1 }, teams: {}, onlyNamedTeams: false };
    await aCluster({}, { settings: { retrySeconds: 60 } });
    const others = async () => ((await world.get('web')) === undefined ? [] : [`${team}/web`]);
    const check = async ({ resolved }: { resolved: never }) =>
      ok(checkPolicy(policy, resolved, { others: await others() }));
    Object.assign(world.place, { policy: { check } });
    await world.create({}, 'second');
    await world.pass(5);
    expect(await world.ready('second')).toBe('False TeamQuotaReached');
    await world.delete('web');
    await world.until(async () => (await world.ready('second')) === 'True Ready');
  });
});
