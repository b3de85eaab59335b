/**
 * The ten commonest failures, each made in the simulation with real parts: the first three lines of `explain` name what, cause and
 * cure. What they say word for word stands in the snapshots.
 */
import { expect, test } from 'vitest';
import { makeEvent } from '../../events/make.ts';
import { ok } from '../../shared/base/result.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { nodeClaims } from '../../shared/kube/contract.ts';
import { pause } from '../../shared/nodes/pauses/pauses.ts';
import { silentLog } from '../../shared/observe/log/log.ts';
import { createOwnership } from '../../shared/ownership/ownership.ts';
import { type ClusterLeadership, soleOwner } from '../../shared/ownership/standing.ts';
import { addPod, labeled, readyWorld, setBudget } from '../nodes/drain-world.ts';
import { only, soldOut, useWorld } from '../nodes/use-world.ts';
import { clusterName, type TestWorld } from '../nodes/world.ts';
import { type Asked, steady, useAsking } from './asked-world.ts';

const open = useWorld();
const asking = useAsking();
const oneType = { requirements: only(['general-small']) };

async function explained(world: TestWorld, name: string, failure: string): Promise<Asked> {
  const { ask } = await asking(world);
  const asked = await ask('explain', `claim/${name}`);
  expect(asked.err).toBe('');
  expect(asked.code).toBe(0);
  await expect(steady(asked.out)).toMatchFileSnapshot(`__snapshots__/${failure}.txt`);
  return asked;
}

test('sold out: until when, and what can be had instead', async () => {
  const world = await open({ cloud: { faults: [soldOut('general-small', 'zone-a')] } });
  await world.createClaim('one', oneType);
  await world.pass(10, 5);

  const { head } = await explained(world, 'one', 'sold-out');

  expect(head[0]).toMatch(/^claim\/one in cluster test: not launched/);
  expect(head[1]).toMatch(/^cause {2}InsufficientCapacity: .*general-small in zone-a.* out of capacity until /);
  expect(head[2]).toMatch(/^fix {4}wait, or allow "zone-[bc]" for topology.kubernetes.io\/zone.*per hour fits/);
  expect(head[2]).toMatch(/The host retries automatically at \d\d:\d\d:\d\dZ\.$/);
});

test('over quota: which quota, and to ask for more', async () => {
  const world = await open({ cloud: { faults: [{ on: 'create', do: { kind: 'quota', limit: 0 } }] } });
  await world.createClaim('one', oneType);
  await world.pass(30, 5);

  const { head } = await explained(world, 'one', 'over-quota');

  expect(head[1]).toMatch(/^cause {2}QuotaExceeded: .*quota/);
  expect(head[2]).toMatch(/^fix {4}request a higher quota from the cloud, or allow /);
});

test('unauthorised: what the cloud refused, and to repair the credentials', async () => {
  const world = await open({ cloud: { faults: [{ on: 'create', do: { kind: 'unauthorised', status: 403 } }] } });
  await world.createClaim('one', oneType);
  await world.pass(10, 5);

  const { head } = await explained(world, 'one', 'unauthorised');

  expect(head[1]).toMatch(/^cause {2}Unauthorized: /);
  expect(head[2]).toMatch(/^fix {4}Fix the provider's credentials, or grant the permission/);
});

test('a wrong name of a provider: the right one, in an annotation that can be changed', async () => {
  const world = await open();
  const metadata = { annotations: { 'poolwright.dev/provider': 'simm' } };
  await world.createClaim('one', { metadata, requirements: only(['general-small']) });
  await world.pass(10, 5);

  const { head } = await explained(world, 'one', 'wrong-provider-name');

  expect(head[1]).toMatch(/^cause {2}InvalidClaim: .*there is no provider "simm".*did you mean "sim"/);
  expect(head[2]).toMatch(/^fix {4}write "sim"\. The host retries automatically at /);
});

test('a wrong name of a size: the nearest real one', async () => {
  const world = await open();
  await world.createClaim('one', { requirements: only(['general-smal']) });
  await world.pass(10, 5);

  const { head } = await explained(world, 'one', 'wrong-size-name');

  expect(head[1]).toMatch(/^cause {2}NoInstanceTypeFits: .*general-smal/);
  expect(head[2]).toMatch(/^fix {4}write "general-small" instead of "general-smal"/);
  expect(head[2]).toContain('delete the claim and create a new one');
});

test('a misspelled capacity type is told too', async () => {
  const world = await open();
  await world.createClaim('one', {
    requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on_demand'] }],
  });
  await world.pass(10, 5);

  const { head } = await explained(world, 'one', 'wrong-capacity-type');

  expect(head[1]).toMatch(/^cause {2}(NoInstanceTypeFits|InvalidClaim): .*on_demand/);
  expect(head[2]).toContain('"on-demand"');
});

test('a node that never registers: that the machine runs, and where to look', async () => {
  const world = await open({ cloud: { faults: [{ on: 'create', do: { kind: 'never-registers' } }] } });
  await world.createClaim('one', oneType);
  await world.pass(120, 20);
  const early = await (await asking(world)).ask('explain', 'one');
  expect(early.head[1]).toMatch(/^cause {2}NodeNotFound: /);
  expect(early.head[2]).toMatch(/check the instance: network, image, join token/);
  expect(early.head[2]).toMatch(/The host deletes the instance at \d\d:\d\d:\d\dZ/);

  for (let round = 0; round < 200; round++) {
    await world.pass(10, 10);
    const launched = (await world.claim('one'))?.status?.conditions?.find(({ type }) => type === 'Launched');
    if (launched?.reason === 'RegistrationTimeout') break;
  }
  const { head } = await explained(world, 'one', 'never-registers');

  expect(head[1]).toMatch(/^cause {2}RegistrationTimeout: not registered within \d+ s/);
  expect(head[2]).toMatch(/^fix {4}Check the instance: network, image, join token/);
});

test('a PodDisruptionBudget that blocks: its name, the pod, and to relax it', async () => {
  const world = await readyWorld(open);
  await addPod(world, 'web', { metadata: labeled('web'), spec: { terminationGracePeriodSeconds: 0 } });
  await setBudget(world, 'guard', 'web', 0);
  await world.deleteClaim('one');
  await world.pass(60, 10);

  const { head } = await explained(world, 'one', 'budget-blocks');

  expect(head[0]).toContain('being deleted');
  expect(head[1]).toMatch(
    /^cause {2}EvictionRefused: .*default\/web is protected by PodDisruptionBudget default\/guard/,
  );
  expect(head[2]).toMatch(/^fix {4}relax PodDisruptionBudget default\/guard/);
});

test('a cloud that throttles: that it goes on by itself, and when', async () => {
  const world = await open({
    cloud: { faults: [{ on: 'create', do: { kind: 'throttle', retryAfterSeconds: 45 } }] },
  });
  await world.createClaim('one', oneType);
  await world.pass(10, 5);

  const { head } = await explained(world, 'one', 'throttled');

  expect(head[1]).toMatch(/^cause {2}Throttled: /);
  expect(head[2]).toMatch(
    /^fix {4}None needed: the host retries automatically.*The host retries automatically at \d\d:\d\d:\d\dZ/,
  );
});

test('a dead letter: why the event could not be used, and how to use it after all', async () => {
  const world = await open();
  const { metadata } = await world.createClaim('one', oneType);
  const data = { cluster: 'tset', name: 'one', uid: metadata.uid, deleting: false, observedBy: 'bridge' } as const;
  const attributes = { id: 'e-17', time: world.clock.now(), source: '/test', subject: 'tset/one' };
  const event = makeEvent('dev.poolwright.claim.changed.v1', data, attributes);
  await world.services.events.send([JSON.stringify(event)]);
  const [message] = await world.services.events.receive(1);
  const handled = await world.deliver(message!.body);
  if (typeof handled !== 'object' || !('dead' in handled)) throw new Error('it was understood');
  await world.services.events.deadLetter(message!, handled.dead);

  const { head } = await explained(world, 'one', 'dead-letter');

  expect(head[1]).toMatch(/^cause {2}DeadLettered: .*cluster tset is not in the configuration/);
  expect(head[2]).toMatch(/^fix {4}fix the sender, then run: poolwright deadletters replay \S+; the resync also/);
  const asked = await (await asking(world)).ask('explain', 'event/e-17');
  expect(asked.head[0]).toMatch(/^event\/e-17: a dead letter since /);
});

test('a paused cluster: who pulled the brake, and how to release it', async () => {
  const world = await open();
  await pause(world.services, { kind: 'cluster', name: clusterName }, 'the budget is spent');
  await world.createClaim('one', oneType);
  await world.pass(30, 10);

  const { head } = await explained(world, 'one', 'paused');

  expect(head[1]).toBe('cause  Paused: cluster test is paused: the budget is spent; no new instances are created');
  expect(head[2]).toBe('fix    to resume: poolwright resume cluster test');
});

test('another provisioner: which one, and to stop one of the two', async () => {
  let real: ClusterLeadership = soleOwner;
  const ownership: ClusterLeadership = {
    standing: (cluster) => real.standing(cluster),
    renew: (cluster, signal) => real.renew(cluster, signal),
  };
  const world = await open({ ownership });
  const { services, clusterServices, clock, provider } = world;
  real = createOwnership({
    ...services,
    clusters: [
      {
        api: clusterServices.api,
        lease: { namespace: 'kube-system', name: 'poolwright', seconds: 120 },
        serves: provider.nodeClasses,
        check: async () => ok([]),
      },
    ],
  });
  const other = connectCluster({
    name: clusterName,
    url: world.cluster.url,
    clock,
    log: silentLog,
    requestTimeoutMs: 10_000,
    fieldManager: 'karpenter',
  });
  await world.createClaim('theirs', oneType);
  const kind = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata: { name: 'theirs' } };
  const status = { nodeName: 'somewhere' };
  const written = await other.apply(nodeClaims, { ...kind, status }, { subresource: 'status' });
  expect(written.ok).toBe(true);
  other.close();
  await world.resync();
  clock.advance(61_000);
  await real.renew(clusterName);
  await world.createClaim('one', oneType);
  await world.pass(180, 20);

  const { head } = await explained(world, 'one', 'another-provisioner');

  expect(head[1]).toMatch(/^cause {2}RivalProvisioner: .*karpenter/);
  expect(head[2]).toMatch(/^fix {4}Stop one of the two\./);
});
