/** What only the driver `arm` meets: limits, pages, races and lost answers of Azure Resource Manager. */
import { afterEach, describe, expect, it } from 'vitest';
import { createArmDriver } from '../../shared/clusters/drivers/arm/driver.ts';
import type { Manifest } from '../../shared/clusters/manifests/manifest.ts';
import { doubled } from '../../sim/aso/azure/ledger.ts';
import { mustBe } from '../cli/cluster-world.ts';
import { type ArmWorld, startArmWorld } from '../conformance/cluster-drivers/arm-harness.ts';
import {
  bring,
  bringAll,
  bringBefore,
  manifestIn,
  stageOf,
  stagesFor,
} from '../conformance/cluster-drivers/harness.ts';

let world: ArmWorld;
const start = async (...given: Parameters<typeof startArmWorld>): Promise<ArmWorld> => {
  world = await startArmWorld(...given);
  return world;
};
afterEach(() => world.close());
const group = manifestIn(stagesFor(), 'ResourceGroup');
const puts = (type = 'resourceGroups'): number =>
  Object.entries(world.arm.calls()).find(([call]) => call.startsWith('PUT') && call.endsWith(`/${type}`))?.[1] ?? 0;

describe('the driver arm', () => {
  it('leaves Azure alone for as long as Azure wants, and no longer', async () => {
    await start();
    world.arm.setFaults([
      { on: 'PUT', type: 'resourceGroups', count: 1, do: { kind: 'throttle', retryAfterSeconds: 30 } },
    ]);
    expect(await world.driver.apply(group)).toMatchObject({
      ok: false,
      error: { kind: 'throttled', retryAfterSeconds: 30 },
    });
    world.clock.advance(10_000);
    expect(await world.driver.apply(group)).toMatchObject({
      ok: false,
      error: { kind: 'throttled', retryAfterSeconds: 20 },
    });
    expect(puts()).toBe(1);
    world.clock.advance(20_001);
    mustBe(await world.driver.apply(group));
    expect(puts()).toBe(2);
  });

  it('tells of each call how long it took, by type, and what came of it', async () => {
    await start();
    world.arm.setFaults([
      { on: 'PUT', type: 'resourceGroups', count: 1, do: { kind: 'throttle', retryAfterSeconds: 30 } },
    ]);
    const calls: unknown[] = [];
    const measured = createArmDriver({
      connection: world.connection,
      subscriptionId: world.arm.subscription,
      onCall: (call) => calls.push(call),
    });
    await measured.apply(group);
    // Azure was left alone by the second: that is no call.
    await measured.apply(group);
    const of = (verb: string, status: number) => ({
      verb,
      resource: 'Microsoft.Resources/resourceGroups',
      status,
      seconds: expect.any(Number),
    });
    expect(calls).toEqual([of('GET', 404), of('PUT', 429), of('GET', 404)]);
  });

  it('does not know what became of a write whose answer is lost, and finds it by looking', async () => {
    await start();
    world.arm.setFaults([{ on: 'PUT', type: 'resourceGroups', count: 1, do: { kind: 'reset', effect: 'done' } }]);
    expect(await world.driver.apply(group)).toMatchObject({ ok: false, error: { kind: 'outcome-unknown' } });
    await world.pass(10);
    mustBe(await world.driver.apply(group));
    expect(mustBe(await world.driver.look(group))).toMatchObject({ state: 'ready' });
    expect([puts(), doubled(world.azure.ledger())]).toEqual([1, []]);
  });

  it.each([
    ['cut off', { kind: 'reset' as const }],
    ['answered by a page of a proxy', { kind: 'garbled' as const }],
  ])('a question that is %s is no answer: nothing counts as free or gone', async (_, fault) => {
    await start();
    mustBe(await world.driver.apply(group));
    world.arm.setFaults([{ on: 'GET', do: fault }]);
    for (const answer of [
      await world.driver.probe(group),
      await world.driver.look(group),
      await world.driver.lookRemoved(group),
      await world.driver.find(),
    ]) {
      expect(answer).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
    }
  });

  it('a cluster that somebody makes between its question and its write stays theirs', async () => {
    await start();
    const stages = stagesFor();
    await bringBefore(world, stages, 'ManagedCluster');
    const cluster = manifestIn(stages, 'ManagedCluster');
    const id = `/subscriptions/${world.subscription}/resourceGroups/rg-web/providers/Microsoft.ContainerService/managedClusters/web`;
    const { connection } = world;
    let made = false;
    const raced = createArmDriver({
      connection: {
        ...connection,
        exchange: (write, call) => {
          if (write && !made) {
            made = true;
            world.azure.makeForeign(id, 'Microsoft.ContainerService/managedClusters', { location: 'westeurope' });
          }
          return connection.exchange(write, call);
        },
      },
      subscriptionId: world.subscription,
    });
    expect(await raced.apply(cluster)).toMatchObject({ ok: false, error: { kind: 'not-ready' } });
    expect(mustBe(await raced.probe(cluster))).toMatchObject({ state: 'foreign' });
    expect(world.azure.get(id)).toMatchObject({ puts: 0, takenOver: [] });
  });

  it('a change of somebody else between its question and its write is not written over', async () => {
    await start();
    const before = stagesFor();
    await bringAll(world, world.driver, before);
    const cluster = manifestIn(stagesFor({ upgradeChannel: 'patch' }), 'ManagedCluster');
    const id = `/subscriptions/${world.subscription}/resourceGroups/rg-web/providers/Microsoft.ContainerService/managedClusters/web`;
    const { connection } = world;
    let changed = false;
    const raced = createArmDriver({
      connection: {
        ...connection,
        exchange: (write, call) => {
          if (write && !changed) {
            changed = true;
            world.azure.setTags(id, { ...(world.azure.get(id)?.body.tags as object), theirs: 'x' });
          }
          return connection.exchange(write, call);
        },
      },
      subscriptionId: world.subscription,
    });
    expect(await raced.apply(cluster)).toMatchObject({ ok: false, error: { kind: 'not-ready' } });
    expect(world.azure.get(id)?.body.tags).toMatchObject({ theirs: 'x' });
    mustBe(await raced.apply(cluster));
  });

  it('takes nothing for its own that AKS has made, although it has the tags of the cluster', async () => {
    await start();
    await bringAll(world, world.driver, stagesFor());
    const found = mustBe(await world.driver.find());
    expect(found.map(({ manifest }) => `${manifest.kind}/${String(manifest.spec.azureName)}`).sort()).toEqual([
      'ManagedCluster/web',
      'ResourceGroup/rg-web',
      'UserAssignedIdentity/web-identity',
    ]);
  });

  it('takes no credential for its own that people have made for another cluster', async () => {
    await start();
    const stages = stagesFor({ identity: { federatedCredentials: [{ name: 'app', serviceAccount: 'shop/web' }] } });
    await bringAll(world, world.driver, stages);
    const identity = `/subscriptions/${world.subscription}/resourceGroups/rg-web/providers/Microsoft.ManagedIdentity/userAssignedIdentities/web-identity`;
    world.azure.makeForeign(
      `${identity}/federatedIdentityCredentials/github`,
      'Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials',
      { issuer: 'https://token.actions.example', subject: 'repo:x', audiences: ['api://AzureADTokenExchange'] },
    );
    const credentials = mustBe(await world.driver.find('uid-of-web')).filter(
      ({ manifest }) => manifest.kind === 'FederatedIdentityCredential',
    );
    expect(credentials.map(({ manifest }) => manifest.spec.azureName)).toEqual(['app']);
  });

  it('a page of a list that is somewhere else is not read', async () => {
    await start();
    const { connection } = world;
    const odd = createArmDriver({
      connection: {
        ...connection,
        exchange: async () => ({
          ok: true,
          value: {
            status: 200,
            headers: {},
            body: { value: [], nextLink: 'https://elsewhere.example/subscriptions/x?page=2' },
          },
        }),
      },
      subscriptionId: world.subscription,
    });
    expect(await odd.find()).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
  });

  it('what it may not read is said, with the code of Azure', async () => {
    await start();
    world.arm.setFaults([
      { on: 'GET', do: { kind: 'refused', status: 403, code: 'AuthorizationFailed', message: 'No right to read.' } },
    ]);
    expect(mustBe(await world.driver.probe(group))).toMatchObject({
      state: 'failed',
      failure: { kind: 'unauthorised', code: 'AuthorizationFailed', final: false },
    });
    expect(await world.driver.lookRemoved(group)).toMatchObject({ ok: false, error: { kind: 'unauthorised' } });
  });

  it('a subscription that is not found is no proof that something is gone', async () => {
    await start();
    mustBe(await world.driver.apply(group));
    world.arm.setFaults([
      {
        on: 'GET',
        do: { kind: 'refused', status: 404, code: 'SubscriptionNotFound', message: 'No such subscription.' },
      },
    ]);
    expect(mustBe(await world.driver.probe(group))).toMatchObject({
      state: 'failed',
      failure: { code: 'SubscriptionNotFound' },
    });
    expect(await world.driver.lookRemoved(group)).toMatchObject({ ok: false });
    expect(await world.driver.find()).toMatchObject({ ok: false });
  });

  it('leaves the number of nodes to the autoscaler of a pool that exists', async () => {
    await start();
    const stages = stagesFor({ nodes: 'agentPools' });
    await bringAll(world, world.driver, stages);
    const pool = manifestIn(stages, 'ManagedClustersAgentPool');
    const live = world.azure.living().find(({ type }) => type.endsWith('/agentPools'))!;
    live.body.count = 3;
    const { count: _, ...spec } = pool.spec;
    mustBe(await world.driver.apply({ ...pool, spec: { ...spec, maxCount: 9 } }));
    expect(world.azure.get(live.id)?.body).toMatchObject({ count: 3, maxCount: 9 });
  });

  it.each([
    ['Extension', { addOns: { flux: true } }, 'Flux'],
    ['FluxConfiguration', { gitOps: { url: 'https://git.example/fleet', public: true } }, 'GitOps'],
    ['ManagedClustersAgentPool', { nodes: 'agentPools' as const }, 'AgentPools'],
  ] as const)('says why a %s has failed', async (kind, spec, stage) => {
    await start();
    const stages = stagesFor(spec as never);
    await bringBefore(world, stages, stage);
    world.failLater(kind, { code: 'InvalidParameter', message: 'This will never do.' });
    const progress = await bring(world, world.driver, stageOf(stages, stage), 15);
    expect('fault' in progress ? progress.fault?.message : '').toContain('This will never do.');
  });

  it('has nothing to do with objects of a management cluster', async () => {
    await start();
    const [source] = stagesFor({ gitOps: { url: 'https://git.example/fleet', public: true, mode: 'remote' } })
      .flatMap(({ manifests }) => manifests)
      .filter(({ kind }) => kind === 'GitRepository') as [Manifest];
    for (const answer of [await world.driver.probe(source), await world.driver.apply(source)]) {
      expect(answer).toMatchObject({ ok: false, error: { kind: 'invalid', code: 'ManagementClusterNeeded' } });
    }
    mustBe(await world.driver.remove(source));
    expect(mustBe(await world.driver.lookRemoved(source))).toEqual({ state: 'gone' });
  });
});
