/** Garbage collection: a careful backstop for instances, Nodes and claims that nobody else takes care of. */

import { describe, expect, it } from 'vitest';
import { failed } from '../../shared/base/result.ts';
import { nodeClaims, nodes } from '../../shared/kube/contract.ts';
import { terminationFinalizer } from '../../shared/nodes/claims/spec/well-known.ts';
import { soleOwner } from '../../shared/ownership/standing.ts';
import type { InstanceTags } from '../../shared/providers/contract.ts';
import { aCreateRequest } from '../stand-ins/provider-context.ts';
import { logLines, only, pooled, useWorld } from './use-world.ts';
import { conditionOf, conditionStatus, type TestWorld } from './world.ts';

const open = useWorld();
const oneType = { requirements: only(['general-small']) };
const graceMs = 61_000;

async function removeByForce({ deleteClaim, patchClaim }: TestWorld, name: string): Promise<void> {
  await deleteClaim(name);
  await patchClaim(name, { metadata: { finalizers: [] } });
}

async function ready(world: TestWorld, name = 'one', more = {}): Promise<void> {
  await world.createClaim(name, { ...oneType, ...more });
  await world.settle();
  expect(conditionStatus(await world.claim(name), 'Ready')).toBe('True');
}

/** An instance that no launch of ours has made. */
async function makeInstance(
  { provider, services, cluster }: TestWorld,
  tags: Partial<InstanceTags>,
  name: string,
): Promise<void> {
  const { deployment } = services;
  const made = await provider.beginCreate(
    aCreateRequest({
      owner: { deployment, cluster: cluster.kubeSystemUid, claimUid: 'unknown-uid', attempt: 1, ...tags },
      claimName: name,
      name: `${name}-stray`,
      token: `${name}-stray`,
    }),
    new AbortController().signal,
  );
  expect(made.ok).toBe(true);
}

describe('an instance whose claim is gone', () => {
  it('is deleted with its Node after two readings, a grace apart, and never after one', async () => {
    const { lines, logTo } = logLines();
    const world = await open({ logTo });
    await ready(world);
    await removeByForce(world, 'one');
    await world.collectGarbage();
    await world.collectGarbage();
    world.clock.advance(30_000);
    await world.collectGarbage();
    expect(world.cloud.living).toBe(1);
    expect(await world.nodes()).toHaveLength(1);
    world.clock.advance(graceMs);
    await world.collectGarbage();
    world.clock.advance(graceMs);
    await world.cloud.settle();
    expect(world.cloud.living).toBe(0);
    await world.collectGarbage();
    world.clock.advance(graceMs);
    await world.collectGarbage();
    expect(await world.nodes()).toEqual([]);
    expect(lines.filter(({ event }) => event === 'garbage.collected')).toMatchObject([{ reason: 'no-claim' }]);
    expect((await world.services.metrics.expose()).text).toMatch(
      /poolwright_garbage_collected_total{reason="no-claim"} 1/,
    );
  });

  it('is deleted when another claim of the same name has taken its place, and that one keeps its own', async () => {
    const world = await open();
    await ready(world);
    const [old] = world.cloud.ledger();
    await removeByForce(world, 'one');
    await ready(world);
    // Two for the machine, and, once it is gone, two more for its Node.
    for (let reading = 0; reading < 5; reading++) {
      await world.collectGarbage();
      world.clock.advance(graceMs);
      await world.cloud.settle();
    }
    expect(world.cloud.living).toBe(1);
    expect(world.cloud.ledger().find(({ id }) => id === old?.id)?.goneAt).toBeTruthy();
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
    expect(await world.nodes()).toHaveLength(1);
  });

  it('is kept when the claim is back at the second reading', async () => {
    const world = await open();
    await ready(world);
    const kept = await world.claim('one');
    await removeByForce(world, 'one');
    await world.collectGarbage();
    world.clock.advance(graceMs);
    // A restore brings claims back with their uid.
    await world.createClaim('one', oneType);
    await world.writePast(nodeClaims, 'one', (object) => {
      Object.assign(object, JSON.parse(JSON.stringify(kept)));
    });
    await world.collectGarbage();
    world.clock.advance(graceMs);
    await world.collectGarbage();
    await world.cloud.settle();
    expect(world.cloud.living).toBe(1);
  });
});

it('an instance of an attempt that the claim has moved past is deleted, the recorded one is not', async () => {
  const world = await open({ cloud: { faults: [{ on: 'create', count: 1, do: { kind: 'sold-out' } }] } });
  await ready(world, 'one', { requirements: only(['general-small', 'general-medium']) });
  const one = await world.claim('one');
  const recorded = world.cloud.ledger().find(({ goneAt }) => !goneAt);
  // The create of attempt 1 lands now, later than any provider promised.
  await makeInstance(world, { claimUid: one!.metadata.uid, attempt: 1 }, 'one');
  expect(world.cloud.living).toBe(2);
  for (let reading = 0; reading < 2; reading++) {
    await world.collectGarbage();
    world.clock.advance(graceMs);
    await world.cloud.settle();
  }
  expect(
    world.cloud
      .ledger()
      .filter(({ goneAt }) => !goneAt)
      .map(({ id }) => id),
  ).toEqual([recorded?.id]);
  expect(await world.claim('one')).toEqual(one);
});

it('the Node of an attempt that the claim has moved past goes once its machine is gone, and the recorded one stays', async () => {
  const world = await open();
  await ready(world);
  const [node] = await world.nodes();
  const { name, uid } = (await world.claim('one'))!.metadata;
  const ownerReferences = [{ apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name, uid, blockOwnerDeletion: true }];
  const { labels } = node!.metadata;
  const metadata = { name: 'old', labels, ownerReferences, finalizers: [terminationFinalizer] };
  const old = { ...node!, metadata, spec: { providerID: 'sim:///zone-a/i-0123456789abcdef0' } };
  const made = await world.clusterServices.api.create(nodes, JSON.parse(JSON.stringify(old)));
  expect(made.ok).toBe(true);
  await world.collectGarbage();
  expect(await world.nodes()).toHaveLength(2);
  world.clock.advance(graceMs);
  await world.collectGarbage();
  expect((await world.nodes()).map((one) => one.metadata.name)).toEqual([node!.metadata.name]);
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
});

describe('what is never touched', () => {
  it.each([
    ['another deployment', { deployment: 'somebody-else' }],
    ['another cluster', { cluster: 'uid-of-another-kube-system' }],
  ])('an instance of %s', async (_, tags) => {
    const world = await open();
    const { collectGarbage, clock, cloud } = world;
    await makeInstance(world, tags, 'theirs');
    for (let reading = 0; reading < 4; reading++) {
      await collectGarbage();
      clock.advance(graceMs);
      await cloud.settle();
    }
    expect(cloud.living).toBe(1);
    expect(cloud.calls.delete).toBe(0);
  });
});

describe('an API server that gives no clear answer', () => {
  it.each([
    ['does not serve the kind any more', () => failed('unavailable', 'the server does not serve nodeclaims')],
    ['answers 500', () => failed('unavailable', 'internal error')],
    ['does not let us read', () => failed('unauthorised', 'forbidden')],
  ])('that %s leads to no decision', async (_, answer) => {
    const { lines, logTo } = logLines();
    const world = await open({ logTo });
    await ready(world);
    await removeByForce(world, 'one');
    await world.collectGarbage();
    world.clock.advance(graceMs);
    const { api } = world;
    const { get } = api;
    // The list still works, the second reading does not.
    Object.assign(api, {
      get: async (resource: { plural: string }, ...rest: unknown[]) =>
        resource.plural === 'nodeclaims' ? answer() : Reflect.apply(get, api, [resource, ...rest]),
    });
    await world.collectGarbage();
    Object.assign(api, { list: async () => answer() });
    await world.collectGarbage();
    await world.cloud.settle();
    expect(world.cloud.living).toBe(1);
    expect(world.cloud.calls.delete).toBe(0);
    expect(lines.filter(({ event }) => event === 'garbage.undecided').length).toBeGreaterThanOrEqual(2);
  });

  it('nor does a deployment that only reads, which says why apart from what is wrong', async () => {
    const { lines, logTo } = logLines();
    const readOnly = { acts: false, reason: 'NotOwner', why: 'deployment east acts' } as const;
    const world = await open({ logTo, ownership: { ...soleOwner, standing: async () => readOnly } });
    await world.collectGarbage();
    expect(lines.find(({ event }) => event === 'garbage.undecided')).toMatchObject({ reason: 'NotOwner' });
  });

  it('nor does a provider that can not be listed', async () => {
    const { lines, logTo } = logLines();
    const world = await open({ logTo });
    await ready(world);
    await removeByForce(world, 'one');
    await world.collectGarbage();
    world.clock.advance(graceMs);
    await world.cloud.setFaults([{ on: 'list', do: { kind: 'error', status: 503 } }]);
    await world.collectGarbage();
    expect(world.cloud.calls.delete).toBe(0);
    expect(lines).toContainEqual(expect.objectContaining({ event: 'provider.failed', level: 'warn', provider: 'sim' }));
  });
});

it('more deletes than allowed stop the run and raise an alarm', async () => {
  const { lines, logTo } = logLines();
  const world = await open({ logTo });
  for (let index = 0; index < 7; index++) await world.createClaim(`c${index}`, oneType);
  await world.settle();
  for (let index = 0; index < 6; index++) await removeByForce(world, `c${index}`);
  await world.collectGarbage();
  world.clock.advance(graceMs);
  await world.collectGarbage();
  await world.cloud.settle();
  expect(world.cloud.living).toBe(7);
  expect(lines.find(({ event }) => event === 'garbage.stopped')).toMatchObject({
    level: 'error',
    wanted: 6,
    allowed: 5,
  });
  expect((await world.services.metrics.expose()).text).toMatch(
    /poolwright_garbage_collected_total{reason="stopped"} 1/,
  );
});

describe('a machine that vanishes under a Ready claim', () => {
  const vanishing = {
    faults: [{ on: 'create' as const, count: 1, do: { kind: 'vanish' as const, afterSeconds: 100 } }],
  };

  it("is replaced for a person's claim, after two readings", async () => {
    const world = await open({ cloud: { ...vanishing, nodeLostSeconds: 10 } });
    await ready(world);
    const before = (await world.claim('one'))?.status?.providerID;
    world.clock.advance(200_000);
    await world.cloud.settle();
    await world.collectGarbage();
    await world.settle(2);
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
    world.clock.advance(graceMs);
    await world.collectGarbage();
    expect(conditionOf(await world.claim('one'), 'Launched')?.reason).toBe('InstanceVanished');
    await world.settle();
    const after = await world.claim('one');
    expect(conditionStatus(after, 'Ready')).toBe('True');
    expect(after?.status?.providerID).not.toBe(before);
    expect(await world.nodes()).toHaveLength(1);
    expect(world.cloud.overlaps()).toEqual([]);
    expect((await world.eventsOf('one')).map(({ reason }) => reason)).toContain('InstanceVanished');
  });

  it("sends a NodePool's claim back", async () => {
    const world = await open({ cloud: { ...vanishing, nodeLostSeconds: 10 } });
    await ready(world, 'pooled', { metadata: pooled });
    world.clock.advance(200_000);
    await world.cloud.settle();
    for (let reading = 0; reading < 2; reading++) {
      await world.collectGarbage();
      world.clock.advance(graceMs);
    }
    await world.settle();
    expect(await world.claim('pooled')).toBeUndefined();
    expect(await world.nodes()).toEqual([]);
  });

  it('is not believed while its Node is Ready', async () => {
    const world = await open({ cloud: { ...vanishing, nodeLostSeconds: null } });
    await ready(world);
    const before = await world.claim('one');
    world.clock.advance(200_000);
    for (let reading = 0; reading < 4; reading++) {
      await world.cloud.settle();
      await world.collectGarbage();
      world.clock.advance(graceMs);
    }
    expect(await world.claim('one')).toEqual(before);
  });
});
