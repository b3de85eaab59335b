/** What every driver of cluster requests does, whoever makes things in Azure for it. */
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../shared/base/json.ts';
import type { Manifest, PlannedStage } from '../../../shared/clusters/manifests/manifest.ts';
import { advanceManagement } from '../../../shared/clusters/steps/management-stage.ts';
import { doubled } from '../../../sim/aso/azure/ledger.ts';
import { mustBe } from '../../cli/cluster-world.ts';
import {
  bring,
  bringAll,
  bringBefore,
  type DriverUnderTest,
  type DriverWorld,
  manifestIn,
  stageOf,
  stagesFor,
} from './harness.ts';

const signal = new AbortController().signal;

const removalOrder = [
  'FluxConfiguration',
  'Extension',
  'FederatedIdentityCredential',
  'RoleAssignment',
  'ManagedCluster',
  'ManagedClustersAgentPool',
  'UserAssignedIdentity',
  'ResourceGroup',
];

export function describeClusterDriver(test: DriverUnderTest): void {
  describe(`the driver ${test.name}`, () => {
    const open: DriverWorld[] = [];
    const start = async (): Promise<DriverWorld> => {
      const world = await test.start();
      open.push(world);
      return world;
    };
    afterEach(async () => {
      for (const world of open.splice(0)) await world.close();
    });
    const groupId = ({ subscription }: DriverWorld, name = 'rg-web'): string =>
      `/subscriptions/${subscription}/resourceGroups/${name}`;
    const clusterId = (world: DriverWorld): string =>
      `${groupId(world)}/providers/Microsoft.ContainerService/managedClusters/web`;
    const foreign = (world: DriverWorld, id: string, type: string, tags: JsonObject = {}): void => {
      world.azure.makeForeign(id, type, { location: 'westeurope', tags, dnsPrefix: 'theirs' });
    };
    const living = ({ azure }: DriverWorld): string[] =>
      azure
        .living()
        .map(({ type, name }) => `${type.split('/').at(-1)}/${name}`)
        .sort();
    /** Removes as a workflow does; the rounds that it took are not told. */
    const removeAll = async (world: DriverWorld, manifests: readonly Manifest[]): Promise<void> => {
      for (const kind of removalOrder) {
        for (const manifest of manifests.filter((one) => one.kind === kind)) {
          for (let round = 0; round < 40; round++) {
            if (mustBe(await world.driver.lookRemoved(manifest)).state === 'gone') break;
            await world.driver.remove(manifest);
            await world.pass(60);
          }
        }
      }
    };
    const inAzure = (stages: readonly PlannedStage[]): Manifest[] =>
      stages.filter(({ cluster }) => cluster === 'management').flatMap(({ manifests }) => [...manifests]);
    const probed = async (world: DriverWorld, manifest: Manifest) => {
      for (let round = 0; ; round++) {
        const result = mustBe(await world.driver.probe(manifest));
        if (result.state !== 'pending' || round > 5) return result;
        await world.pass(5);
      }
    };

    describe('making', () => {
      it('brings up a cluster with all that belongs to it, and tells what Azure has given it', async () => {
        const world = await start();
        const stages = stagesFor({
          nodes: 'agentPools',
          identity: { type: 'UserAssigned', federatedCredentials: [{ name: 'App_One', serviceAccount: 'shop/web' }] },
          gitOps: {
            url: 'https://git.example/fleet.git',
            branch: 'main',
            public: true,
            kustomizations: [{ name: 'infra', path: './infra' }],
          },
        });
        await bringAll(world, world.driver, stages);
        expect(living(world)).toEqual([
          expect.stringMatching(/^agentPools\/standard/),
          'extensions/flux',
          'federatedIdentityCredentials/App_One',
          'fluxConfigurations/web-gitops',
          'managedClusters/web',
          'resourceGroups/rg-web',
          'userAssignedIdentities/web-identity',
        ]);
        expect(doubled(world.azure.ledger())).toEqual([]);
        const cluster = mustBe(await world.driver.look(manifestIn(stages, 'ManagedCluster')));
        expect(cluster).toMatchObject({
          state: 'ready',
          outputs: {
            id: clusterId(world),
            fqdn: expect.stringContaining('.hcp.westeurope.azmk8s.io'),
            kubernetesVersion: '1.35.4',
            nodeResourceGroup: 'MC_rg-web_web_westeurope',
            oidcIssuer: expect.stringContaining('https://westeurope.oic.prod-aks.azure.com/'),
            powerState: 'Running',
          },
        });
        const identity = mustBe(await world.driver.look(manifestIn(stages, 'UserAssignedIdentity')));
        expect(identity).toMatchObject({
          state: 'ready',
          outputs: { principalId: expect.any(String), clientId: expect.any(String) },
        });
        const credential = world.azure.living().find(({ name }) => name === 'App_One');
        expect(credential?.body).toMatchObject({
          issuer: cluster.state === 'ready' ? cluster.outputs.oidcIssuer : '',
          subject: 'system:serviceaccount:shop:web',
          audiences: ['api://AzureADTokenExchange'],
        });
      });

      it('gives the identity of a cluster its role on a subnet, under a name that stays the same', async () => {
        const world = await start();
        const subnetID = `${groupId(world, 'net')}/providers/Microsoft.Network/virtualNetworks/v/subnets/s`;
        const stages = stagesFor({ identity: { type: 'UserAssigned' }, network: { subnetID } });
        await bring(world, world.driver, stageOf(stages, 'ResourceGroup'));
        expect(await bring(world, world.driver, stageOf(stages, 'Identity'))).toMatchObject({ state: 'ready' });
        const [role] = world.azure.living().filter(({ type }) => type.endsWith('/roleAssignments'));
        const identity = mustBe(await world.driver.look(manifestIn(stages, 'UserAssignedIdentity')));
        expect(role?.id.startsWith(`${subnetID}/providers/Microsoft.Authorization/roleAssignments/`)).toBe(true);
        expect(role?.body).toMatchObject({
          principalId: identity.state === 'ready' ? identity.outputs.principalId : '',
          principalType: 'ServicePrincipal',
        });
      });

      it('does nothing more when all is there', async () => {
        const world = await start();
        const stages = stagesFor({ nodes: 'agentPools', identity: { type: 'UserAssigned' } });
        await bringAll(world, world.driver, stages);
        const before = world.azure.ledger().map(({ id, puts }) => [id, puts]);
        const other = world.anotherDriver();
        for (const manifest of inAzure(stages)) {
          mustBe(await other.apply(manifest));
          mustBe(await world.driver.apply(manifest));
          await world.pass(1);
        }
        expect(world.azure.ledger().map(({ id, puts }) => [id, puts])).toEqual(before);
      });

      it('waits for nothing inside of a call: what is begun is seen by looking', async () => {
        const world = await start();
        const stages = stagesFor();
        await bringBefore(world, stages, 'ManagedCluster');
        const cluster = manifestIn(stages, 'ManagedCluster');
        for (let round = 0; round < 3; round++) {
          await advanceManagement(world.driver, stageOf(stages, 'ManagedCluster'), () => {}, signal);
          await world.pass(2);
        }
        expect(mustBe(await world.driver.look(cluster))).toMatchObject({ state: 'pending' });
        expect(await world.driver.access(cluster)).toMatchObject({ ok: false, error: { kind: 'not-ready' } });
      });

      it('brings a cluster up to a changed manifest', async () => {
        const world = await start();
        await bringAll(world, world.driver, stagesFor());
        const changed = stagesFor({ tags: { team: 'shop' }, upgradeChannel: 'patch' });
        await bringAll(world, world.driver, changed);
        expect(world.azure.get(clusterId(world))?.body).toMatchObject({
          tags: { team: 'shop' },
          autoUpgradeProfile: { upgradeChannel: 'patch' },
        });
        expect(world.azure.get(clusterId(world))?.takenOver).toEqual([]);
      });

      it('leaves pools alone that somebody has added, when the cluster changes', async () => {
        const world = await start();
        const before = stagesFor({ nodes: 'agentPools' });
        await bringAll(world, world.driver, before);
        world.azure.makeForeign(
          `${clusterId(world)}/agentPools/theirs`,
          'Microsoft.ContainerService/managedClusters/agentPools',
          { mode: 'User', vmSize: 'Standard_D4s_v5', count: 1 },
        );
        await bringAll(world, world.driver, stagesFor({ nodes: 'agentPools', upgradeChannel: 'patch' }));
        expect(living(world)).toContain('agentPools/theirs');
        const profiles = world.azure.get(clusterId(world))?.body.agentPoolProfiles as { name: string }[];
        expect(profiles.map(({ name }) => name)).toEqual(['systempool']);
      });
    });

    describe('what is not ours', () => {
      it.each([
        ['without any mark', {}, 'somebody else'],
        [
          'of another request',
          {
            'poolwright-cluster-request-uid': 'u-2',
            'poolwright-cluster-request': 'team-b/shop',
            'poolwright-deployment': 'other',
          },
          'request team-b/shop of deployment other',
        ],
      ])('a group %s is told apart, and never touched', async (_, tags, owner) => {
        const world = await start();
        foreign(world, groupId(world), 'Microsoft.Resources/resourceGroups', tags);
        const group = manifestIn(stagesFor(), 'ResourceGroup');
        const found = await probed(world, group);
        expect(found).toMatchObject({ state: 'foreign', whose: expect.stringContaining(owner) });
        expect(await world.driver.apply(group)).toMatchObject({ ok: false, error: { kind: 'not-ready' } });
        mustBe(await world.driver.remove(group));
        await world.pass(600);
        expect(mustBe(await world.driver.lookRemoved(group))).toEqual({ state: 'gone' });
        expect(world.azure.get(groupId(world))).toMatchObject({ puts: 0, takenOver: [], body: { tags } });
      });

      it('a cluster in our group is not taken over, and stays when we go', async () => {
        const world = await start();
        const stages = stagesFor();
        await bringBefore(world, stages, 'ManagedCluster');
        foreign(world, clusterId(world), 'Microsoft.ContainerService/managedClusters');
        expect(await bring(world, world.driver, stageOf(stages, 'ManagedCluster'), 5)).toMatchObject({
          state: 'foreign',
        });
        mustBe(await world.driver.remove(manifestIn(stages, 'ManagedCluster')));
        await world.pass(600);
        expect(world.azure.get(clusterId(world))).toMatchObject({ puts: 0, takenOver: [] });
      });

      it.runIf(test.seesAllOfAzure)('a group stays for what somebody has put into it', async () => {
        const world = await start();
        const stages = stagesFor();
        await bringAll(world, world.driver, stages);
        const theirs = `${groupId(world)}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/theirs`;
        foreign(world, theirs, 'Microsoft.ManagedIdentity/userAssignedIdentities');
        await removeAll(world, inAzure(stages));
        expect(living(world)).toEqual(['resourceGroups/rg-web', 'userAssignedIdentities/theirs']);
        // And nobody takes it for ours any more.
        expect(mustBe(await world.driver.find())).toEqual([]);
      });
    });

    describe('what Azure refuses', () => {
      it.each([
        ['SkuNotAvailable', 'The size is not available.', { kind: 'invalid', final: true }],
        ['K8sVersionNotSupported', 'Not supported.', { kind: 'invalid', final: true }],
        ['QuotaExceeded', 'No cores.', { kind: 'quota-exceeded', final: false }],
        ['AksCapacityHeavyUsage', 'Full.', { kind: 'insufficient-capacity', final: false }],
        ['RequestDisallowedByPolicy', 'A policy.', { kind: 'unauthorised', final: false }],
        ['AuthorizationFailed', 'No right.', { kind: 'unauthorised', final: false }],
        ['SomethingNew', 'Never heard of.', { kind: 'unavailable', final: false }],
      ])('%s says what it is, at once and when it comes late', async (code, message, expected) => {
        for (const how of ['refuse', 'failLater'] as const) {
          const world = await start();
          const stages = stagesFor();
          await bringBefore(world, stages, 'ManagedCluster');
          world[how]('ManagedCluster', { code, message });
          const progress = await bring(world, world.driver, stageOf(stages, 'ManagedCluster'), 25);
          const { final, kind } = expected;
          expect(progress).toMatchObject({ state: final ? 'failed' : 'pending', fault: { kind, code } });
          expect('fault' in progress ? progress.fault?.message : '').toContain(message);
        }
      });

      it('says that a text about a size means a size', async () => {
        const world = await start();
        const stages = stagesFor();
        await bringBefore(world, stages, 'ManagedCluster');
        const message = 'The VM size of Standard_X is not allowed in your subscription in location westeurope.';
        world.refuse('ManagedCluster', { code: 'BadRequest', message });
        expect(await bring(world, world.driver, stageOf(stages, 'ManagedCluster'), 5)).toMatchObject({
          state: 'failed',
          fault: { code: 'SkuNotAvailable', kind: 'invalid' },
        });
      });

      it('tries again when it is woken, and not by itself', async () => {
        const world = await start();
        const stages = stagesFor();
        await bringBefore(world, stages, 'ManagedCluster');
        world.makeSleepy('ManagedCluster');
        const stage = stageOf(stages, 'ManagedCluster');
        expect(await bring(world, world.driver, stage, 20)).toMatchObject({ fault: { code: 'QuotaExceeded' } });
        mustBe((await world.driver.wake?.(manifestIn(stages, 'ManagedCluster'))) ?? { ok: true, value: undefined });
        expect(await bring(world, world.driver, stage)).toMatchObject({ state: 'ready' });
        expect(doubled(world.azure.ledger())).toEqual([]);
      });

      it('does not wake what is not there, not ours, or well', async () => {
        const world = await start();
        const stages = stagesFor();
        const group = manifestIn(stages, 'ResourceGroup');
        mustBe((await world.driver.wake?.(group)) ?? { ok: true, value: undefined });
        await world.pass(10);
        expect(world.azure.living()).toEqual([]);
        foreign(world, groupId(world), 'Microsoft.Resources/resourceGroups');
        mustBe((await world.driver.wake?.(group)) ?? { ok: true, value: undefined });
        await world.pass(10);
        expect(world.azure.get(groupId(world))?.puts).toBe(0);
      });
    });

    describe('removing', () => {
      it('removes everything in order, and twice is once', async () => {
        const world = await start();
        const stages = stagesFor({
          nodes: 'agentPools',
          identity: { type: 'UserAssigned', federatedCredentials: [{ name: 'app', serviceAccount: 'shop/web' }] },
          addOns: { flux: true },
        });
        await bringAll(world, world.driver, stages);
        await removeAll(world, inAzure(stages));
        expect(living(world)).toEqual([]);
        expect(mustBe(await world.driver.find('uid-of-web'))).toEqual([]);
        for (const manifest of inAzure(stages)) {
          mustBe(await world.driver.remove(manifest));
          expect(mustBe(await world.driver.lookRemoved(manifest))).toEqual({ state: 'gone' });
        }
      });

      it('removes what is still being made', async () => {
        const world = await start();
        const stages = stagesFor();
        await bringBefore(world, stages, 'ManagedCluster');
        for (let round = 0; round < 3; round++) {
          await advanceManagement(world.driver, stageOf(stages, 'ManagedCluster'), () => {}, signal);
          await world.pass(2);
        }
        expect(world.azure.get(clusterId(world))?.state).toBe('Creating');
        await removeAll(world, inAzure(stages));
        expect(living(world)).toEqual([]);
      });

      it('is not made again while it is being deleted, and is free afterwards', async () => {
        const world = await start();
        const stages = stagesFor();
        const group = manifestIn(stages, 'ResourceGroup');
        await bring(world, world.driver, stageOf(stages, 'ResourceGroup'));
        mustBe(await world.driver.remove(group));
        await world.pass(2);
        expect(await world.driver.apply(group)).toMatchObject({ ok: false, error: { kind: 'not-ready' } });
        expect(mustBe(await world.driver.probe(group))).toMatchObject({ state: 'pending' });
        await world.pass(600);
        expect(mustBe(await world.driver.lookRemoved(group))).toEqual({ state: 'gone' });
        expect(await bring(world, world.driver, stageOf(stages, 'ResourceGroup'))).toMatchObject({ state: 'ready' });
      });

      it('with a delete guard everything in Azure stays', async () => {
        const world = await start();
        const stages = stagesFor({ deleteGuard: true, nodes: 'agentPools', identity: { type: 'UserAssigned' } });
        await bringAll(world, world.driver, stages);
        const before = living(world);
        await removeAll(world, inAzure(stages));
        expect(living(world)).toEqual(before);
        expect(mustBe(await world.driver.find('uid-of-web'))).toEqual([]);
      });

      it('says why something does not go', async () => {
        const world = await start();
        const stages = stagesFor();
        await bring(world, world.driver, stageOf(stages, 'ResourceGroup'));
        const group = manifestIn(stages, 'ResourceGroup');
        world.refuseDelete('ResourceGroup', { code: 'ScopeLocked', message: 'There is a lock.' });
        const removed = await world.driver.remove(group);
        await world.pass(5);
        const seen = mustBe(await world.driver.lookRemoved(group));
        const told = removed.ok ? (seen.state === 'pending' ? seen.fault : undefined) : removed.error;
        expect(seen.state).toBe('pending');
        expect(told).toMatchObject({
          kind: 'unauthorised',
          code: 'ScopeLocked',
          message: expect.stringContaining('There is a lock.'),
        });
        world.noFaults();
        await removeAll(world, [group]);
        expect(living(world)).toEqual([]);
      });
    });

    describe('finding', () => {
      it('finds by its marks what one request has, and what all have, over pages', async () => {
        const world = await start();
        const specs = { identity: { type: 'UserAssigned' as const } };
        for (const name of ['web', 'shop', 'mail']) {
          const stages = stagesFor(specs, name);
          await bring(world, world.driver, stageOf(stages, 'ResourceGroup'));
          await bring(world, world.driver, stageOf(stages, 'Identity'));
        }
        foreign(world, groupId(world, 'theirs'), 'Microsoft.Resources/resourceGroups');
        const namesOf = (found: readonly { manifest: Manifest }[]): string[] =>
          found.map(({ manifest }) => `${manifest.kind}/${manifest.metadata.name}`).sort();
        expect(namesOf(mustBe(await world.driver.find('uid-of-shop')))).toEqual([
          'ResourceGroup/rg-shop',
          'UserAssignedIdentity/shop-identity',
        ]);
        const all = mustBe(await world.driver.find());
        expect(namesOf(all)).toHaveLength(6);
        expect(new Set(all.map(({ owner }) => owner.uid))).toEqual(
          new Set(['uid-of-web', 'uid-of-shop', 'uid-of-mail']),
        );
        expect(all.every(({ everMade }) => everMade)).toBe(true);
      });

      it('finds all parts of a cluster, and each can be removed by what was found alone', async () => {
        const world = await start();
        const subnetID = `${groupId(world, 'net')}/providers/Microsoft.Network/virtualNetworks/v/subnets/s`;
        const stages = stagesFor({
          nodes: 'agentPools',
          identity: { type: 'UserAssigned', federatedCredentials: [{ name: 'App_One', serviceAccount: 'shop/web' }] },
          network: { subnetID },
          gitOps: {
            url: 'https://git.example/fleet.git',
            branch: 'main',
            public: true,
            kustomizations: [{ name: 'infra', path: './infra' }],
          },
        });
        await bringAll(world, world.driver, stages);
        const found = mustBe(await world.anotherDriver().find('uid-of-web'));
        const keyOf = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.name}`;
        expect(found.map(({ manifest }) => keyOf(manifest)).sort()).toEqual(inAzure(stages).map(keyOf).sort());
        await removeAll(
          world,
          found.map(({ manifest }) => ({
            ...manifest,
            metadata: {
              ...manifest.metadata,
              annotations: { ...manifest.metadata.annotations, 'serviceoperator.azure.com/reconcile-policy': 'manage' },
            },
          })),
        );
        expect(living(world)).toEqual([]);
      });
    });

    describe('reading', () => {
      it('shows what is there in Azure', async () => {
        const world = await start();
        const stages = stagesFor();
        await bringAll(world, world.driver, stages);
        const seen = mustBe(await world.driver.observe(manifestIn(stages, 'ManagedCluster')));
        expect(seen?.status).toMatchObject({
          location: 'westeurope',
          dnsPrefix: 'web',
          currentKubernetesVersion: '1.35.4',
          provisioningState: 'Succeeded',
          tags: { 'poolwright-cluster-request-uid': 'uid-of-web' },
        });
        expect(mustBe(await world.driver.observe(manifestIn(stagesFor({}, 'none'), 'ResourceGroup')))).toBeUndefined();
      });

      it('leads into the new cluster: by a kubeconfig, or by a token where there are no local accounts', async () => {
        const world = await start();
        const stages = stagesFor();
        await bringAll(world, world.driver, stages);
        const access = mustBe(await world.driver.access(manifestIn(stages, 'ManagedCluster')));
        expect(access).toMatchObject({ kind: 'kubeconfig', text: expect.stringContaining('server: http') });
        const other = await start();
        const closed = stagesFor({
          access: { disableLocalAccounts: true, adminGroupObjectIDs: ['55555555-5555-4555-8555-555555555555'] },
        });
        await bringAll(other, other.driver, closed);
        expect(mustBe(await other.driver.access(manifestIn(closed, 'ManagedCluster')))).toEqual({
          kind: 'aks',
          id: clusterId(other),
        });
      });

      it('sees that somebody has deleted it', async () => {
        const world = await start();
        const stages = stagesFor();
        await bring(world, world.driver, stageOf(stages, 'ResourceGroup'));
        world.azure.vanish(groupId(world));
        await world.pass(7200);
        await bring(world, world.driver, stageOf(stages, 'ResourceGroup'));
        expect(living(world)).toEqual(['resourceGroups/rg-web']);
      });
    });

    describe('a process that dies', () => {
      it('before or after any of its calls leaves nothing doubled, lost or foreign', async () => {
        const stages = stagesFor({ identity: { type: 'UserAssigned' } });
        const wanted = ['ResourceGroup', 'Identity'] as const;
        const counting = await start();
        counting.gate.calls = 0;
        for (const stage of wanted) await bring(counting, counting.driver, stageOf(stages, stage));
        const calls = counting.gate.calls;
        expect(calls).toBeGreaterThan(4);
        const complete = living(counting);
        for (let at = 0; at < calls; at++) {
          for (const when of ['before', 'after'] as const) {
            const world = await start();
            world.gate.die(at, when);
            for (const stage of wanted) await bring(world, world.driver, stageOf(stages, stage), 4);
            world.gate.live();
            const next = world.anotherDriver();
            for (const stage of wanted) {
              const progress = await bring(world, next, stageOf(stages, stage));
              expect([at, when, stage, progress]).toMatchObject([at, when, stage, { state: 'ready' }]);
            }
            expect(living(world)).toEqual(complete);
            expect(doubled(world.azure.ledger())).toEqual([]);
            expect(world.azure.ledger().flatMap(({ takenOver }) => takenOver)).toEqual([]);
            await world.close();
            open.splice(open.indexOf(world), 1);
          }
        }
      });

      it('while it removes leaves nothing behind', async () => {
        const stages = stagesFor();
        const group = manifestIn(stages, 'ResourceGroup');
        for (let at = 0; at < 6; at++) {
          for (const when of ['before', 'after'] as const) {
            const world = await start();
            await bring(world, world.driver, stageOf(stages, 'ResourceGroup'));
            world.gate.die(at, when);
            await world.driver.remove(group);
            await world.pass(30);
            world.gate.live();
            await removeAll(world, [group]);
            expect([at, when, living(world)]).toEqual([at, when, []]);
            await world.close();
            open.splice(open.indexOf(world), 1);
          }
        }
      });
    });
  });
}
