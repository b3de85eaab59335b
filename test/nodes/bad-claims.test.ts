/** Claims that can't be satisfied, are wrong, or are not ours. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { nodeClaims } from '../../shared/kube/contract.ts';
import { pooled, useWorld } from './use-world.ts';
import { conditionOf, conditionStatus } from './world.ts';

const open = useWorld();

describe('a claim that no instance type fits', () => {
  it('says which requirement excludes how many types and what is nearest, and costs nothing', async () => {
    const { createClaim, settle, claim, eventsOf, deleteClaim, cloud } = await open();
    await createClaim('one', {
      requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['general-smal'] }],
    });
    await settle(2);
    const one = await claim('one');
    const launched = conditionOf(one, 'Launched');
    expect(launched).toMatchObject({ status: 'False', reason: 'NoInstanceTypeFits' });
    expect(launched?.message).toMatch(/node\.kubernetes\.io\/instance-type/);
    expect(launched?.message).toMatch(/24/);
    expect(launched?.message).toMatch(/general-small/);
    expect((await eventsOf('one'))[0]).toMatchObject({ reason: 'NoInstanceTypeFits' });
    expect(one?.metadata.finalizers ?? []).toEqual([]);
    expect(cloud.calls.create).toBe(0);

    await deleteClaim('one');
    expect(await claim('one')).toBeUndefined();
    await settle();
    expect(cloud.calls.create + cloud.calls.delete).toBe(0);
  });

  it('that asks for more than any type has says so', async () => {
    const { createClaim, settle, claim } = await open();
    await createClaim('huge', { resources: { requests: { cpu: '10k' } } });
    await settle(2);
    expect(conditionOf(await claim('huge'), 'Launched')).toMatchObject({ status: 'False' });
    expect(conditionOf(await claim('huge'), 'Launched')?.message).toMatch(/cpu/);
  });

  it('is deleted at once when it belongs to a NodePool', async () => {
    const { createClaim, settle, claim } = await open();
    await createClaim('pooled', { metadata: pooled, resources: { requests: { cpu: '10k' } } });
    await settle(2);
    expect(await claim('pooled')).toBeUndefined();
  });
});

describe('an invalid claim', () => {
  it.each([
    ['a deadline that is no duration', { annotations: { 'poolwright.dev/launch-deadline': 'soon' } }, 'soon'],
    ['a negative deadline', { annotations: { 'poolwright.dev/registration-deadline': '-5m' } }, '-5m'],
  ])('with %s says which field is wrong', async (_, metadata, quoted) => {
    const { createClaim, settle, claim, cloud } = await open();
    await createClaim('one', { metadata });
    await settle(2);
    const launched = conditionOf(await claim('one'), 'Launched');
    expect(launched).toMatchObject({ status: 'False', reason: 'InvalidClaim' });
    expect(launched?.message).toContain(quoted);
    expect(launched?.message).toContain(Object.keys(metadata.annotations)[0]);
    expect(cloud.calls.create).toBe(0);
  });

  it('whose requirements contradict each other says which', async () => {
    const { createClaim, settle, claim, cloud } = await open();
    await createClaim('one', {
      requirements: [
        { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
        { key: 'kubernetes.io/arch', operator: 'NotIn', values: ['amd64'] },
      ],
    });
    await settle(2);
    const launched = conditionOf(await claim('one'), 'Launched');
    expect(launched).toMatchObject({ status: 'False', reason: 'InvalidClaim' });
    expect(launched?.message).toContain('spec.requirements[1]: leaves no value for kubernetes.io/arch');
    expect(cloud.calls.create).toBe(0);
  });

  it('whose spec is wrong, and cannot change, is written twice and then left alone for minutes', async () => {
    const world = await open();
    await world.createClaim('one', {
      requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['no-such-type'] }],
    });
    await world.settle(1);
    const before = await world.claim('one');
    expect(conditionOf(before, 'Launched')).toMatchObject({ reason: 'InvalidClaim' });
    // A minute has passed already.
    await world.pass(world.services.settings.maxPauseSeconds / 2 - 65);
    expect((await world.claim('one'))?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
  });

  it.each([
    [
      'an operator that does not exist',
      { requirements: [{ key: 'topology.kubernetes.io/zone', operator: 'Inn', values: ['zone-a'] }] },
      /requirements.*Inn/s,
    ],
    ['a quantity that is none', { resources: { requests: { cpu: 'four' } } }, /cpu.*four/s],
  ])('that got past the schema with %s says so', async (_, spec, expected) => {
    const world = await open();
    const claim = await world.createClaim('one');
    await world.writePast(nodeClaims, 'one', (claim) => {
      claim.spec = { ...(claim.spec as object), ...spec };
    });
    await world.settle(2);
    // The server refuses every write to such an object, so that Events are all that is left to tell it by.
    const told = await world.eventsOf('one');
    expect(told.find(({ reason }) => reason === 'InvalidClaim')?.message).toMatch(expected);
    expect(told.map(({ reason }) => reason)).toContain('ClaimNotWritable');
    expect((await world.decisionsOf(claim)).at(-1)?.text).toContain('the API server rejects writes to this claim');
    expect(world.cloud.calls.create).toBe(0);
  });
});

describe('a claim of a node class that is not ours', () => {
  it('is left untouched, byte for byte, also when it is deleted', async () => {
    const { createClaim, deliver, settle, collectGarbage, claim, clock, api } = await open();
    const foreign = await createClaim('foreign', {
      metadata: { finalizers: ['example.com/theirs'] },
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    });
    await settle(2);
    await collectGarbage();
    clock.advance(120_000);
    await collectGarbage();
    const { name, uid, resourceVersion } = foreign.metadata;
    const data = { cluster: 'test', name, uid, resourceVersion, deleting: false, observedBy: 'bridge' as const };
    const event = { specversion: '1.0', id: '1', source: '/t', type: 'dev.poolwright.claim.changed.v1', data };
    expect(await deliver(JSON.stringify(event))).toBe('done');
    await settle(2);
    expect(await claim('foreign')).toEqual(foreign);

    await api.delete(nodeClaims, { name }, {});
    const deleting = await claim('foreign');
    expect(deleting?.metadata.deletionTimestamp).toBeDefined();
    await settle(2);
    expect(await claim('foreign')).toEqual(deleting);
  });
});

describe('a node class', () => {
  it('that does not exist is waited for, and the claim says so', async () => {
    const { createClaim, createNodeClass, pass, claim, nodeClasses } = await open();
    const { group, kind } = nodeClasses;
    await createClaim('one', { nodeClassRef: { group, kind, name: 'later' } });
    await pass(60);
    expect(conditionOf(await claim('one'), 'Launched')).toMatchObject({
      status: 'Unknown',
      reason: 'NodeClassNotFound',
      message: expect.stringContaining('later'),
    });
    await createNodeClass('later');
    await pass(120);
    expect(conditionStatus(await claim('one'), 'Ready')).toBe('True');
  });

  it('that is not ready is waited for, and the claim repeats its reason', async () => {
    const { createClaim, createNodeClass, pass, claim, nodeClasses, api } = await open();
    const { group, kind } = nodeClasses;
    await createNodeClass('odd');
    const ready = (status: string) => ({
      status: {
        conditions: [
          { type: 'Ready', status, reason: 'X', message: 'no subnet', lastTransitionTime: '2026-01-01T00:00:00Z' },
        ],
      },
    });
    const said = await api.mergePatch(nodeClasses, { name: 'odd' }, ready('False'), { subresource: 'status' });
    expect(said.ok).toBe(true);
    await createClaim('one', { nodeClassRef: { group, kind, name: 'odd' } });
    await pass(40);
    expect(conditionOf(await claim('one'), 'Launched')).toMatchObject({
      reason: 'NodeClassNotReady',
      message: expect.stringContaining('no subnet'),
    });
    await api.mergePatch(nodeClasses, { name: 'odd' }, ready('True'), { subresource: 'status' });
    await pass(120);
    expect(conditionStatus(await claim('one'), 'Ready')).toBe('True');
  });
});

describe('a claim that was stored under a laxer definition', () => {
  it.each<[string, Json]>([
    ['its requirements', null],
    ['a field of one', [{ key: 'kubernetes.io/os', operator: 'Exists', values: null, minValues: null }]],
  ])('with null for %s is told that the API server refuses it, and no workflow breaks', async (_name, requirements) => {
    const { createClaim, writePast, pass, eventsOf, engine, cloud } = await open();
    await createClaim('one');
    await writePast(nodeClaims, 'one', (stored) => {
      stored.spec = { ...(stored.spec as object), requirements };
    });
    await pass(90);
    expect(engine.all().filter(({ status }) => status === 'failed')).toEqual([]);
    expect(await eventsOf('one')).toMatchObject([{ reason: 'ClaimNotWritable' }]);
    expect(cloud.calls.create).toBe(0);
  });
});
