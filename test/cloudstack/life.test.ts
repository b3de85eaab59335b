/** Lives of claims on CloudStack: which offering is tried after which, and what becomes of VMs that somebody touches. */
import { describe, expect, it } from 'vitest';
import { annotations, labels } from '../../shared/nodes/claims/spec/well-known.ts';
import { useWorld } from '../nodes/use-world.ts';
import { conditionOf, conditionStatus, type TestWorld } from '../nodes/world.ts';
import { joinedWorld, makeClaim, makeClass } from './joined-world.ts';

const open = useWorld();
const graceMs = 200_000;

const requirements = [{ key: labels.capacityType, operator: 'In', values: ['spot', 'on-demand'] }];
const priceTable = {
  perVcpu: 0.02,
  perGib: 0.004,
  perGpu: 0.5,
  offerings: { 'GPU T4 Spot Instance': 0.28 },
  zones: { 'zone-02': { perVcpu: 0.01, perGib: 0.004, perGpu: 0.5 } },
};

async function readyClaim(world: TestWorld, name = 'default'): Promise<void> {
  await makeClass(world, name);
  await makeClaim(world, name);
  await world.pass(60, 2);
  expect(conditionStatus(await world.claim(name), 'Ready')).toBe('True');
}

async function collectTwice(world: TestWorld): Promise<void> {
  await world.collectGarbage();
  world.clock.advance(graceMs);
  await world.collectGarbage();
  await world.pass(60, 2);
}

describe('a class with three zones, GPUs and preemptible offerings', () => {
  it('falls back from spot to on-demand, cheapest first, and tells it', async () => {
    const standIn = { settings: { bootSeconds: 1, capacity: { '*/spot': 0, 'zone-02/gpu': 0 } } };
    const { world, cloudstack } = await joinedWorld(open, { standIn, options: { priceTable } });
    await makeClass(world, 'gpu', {
      zone: undefined,
      zones: ['zone-01', 'zone-02', 'zone-03'],
      spotOfferingSelectorTerms: [{ tags: { 'capacity-type': 'spot' } }],
    });
    await makeClaim(world, 'gpu', { requirements, resources: { requests: { 'nvidia.com/gpu': '1' } } });
    await world.pass(30, 1);

    const claim = await world.claim('gpu');
    expect(conditionStatus(claim, 'Ready')).toBe('True');
    expect(claim?.metadata.labels).toMatchObject({
      [labels.instanceType]: 'GPU-T4-Instance',
      [labels.zone]: 'zone-01',
      [labels.capacityType]: 'on-demand',
    });
    expect(Number(claim?.metadata.annotations?.[annotations.pricePerHour])).toBeCloseTo(4 * 0.02 + 16 * 0.004 + 0.5);
    const decisions = await world.decisionsOf(claim!);
    const tried = decisions.filter(({ code }) => code === 'offering-chosen');
    expect(tried.map(({ fields }) => (fields as { offering: object }).offering)).toMatchObject([
      { instanceType: 'GPU-T4-Spot-Instance', zone: 'zone-01', capacityType: 'spot' },
      { instanceType: 'GPU-T4-Spot-Instance', zone: 'zone-02', capacityType: 'spot' },
      { instanceType: 'GPU-T4-Spot-Instance', zone: 'zone-03', capacityType: 'spot' },
      { instanceType: 'GPU-T4-Instance', zone: 'zone-02', capacityType: 'on-demand' },
      { instanceType: 'GPU-T4-Instance', zone: 'zone-01', capacityType: 'on-demand' },
    ]);
    const failed = decisions.filter(({ code }) => code === 'create-failed');
    expect(failed.map(({ fields }) => (fields as { kind: string }).kind)).toEqual(
      Array(4).fill('insufficient-capacity'),
    );
    // What failed left an object, and nobody wants those.
    expect(cloudstack.vms()).toHaveLength(1);
  });
});

describe('a VM of a claim', () => {
  it('that ended by itself leaves no data volumes behind', async () => {
    const standIn = { settings: { expungeDelaySeconds: 60 } };
    const { world, cloudstack } = await joinedWorld(open, { standIn });
    await makeClass(world, 'default', { dataVolumes: [{ diskOffering: 'Small' }] });
    await makeClaim(world, 'default');
    await world.pass(60, 2);
    const disks = () => cloudstack.volumes().filter(({ type }) => type === 'DATADISK');
    expect(disks()).toHaveLength(1);

    cloudstack.hands.destroy(cloudstack.vms()[0]!.id);
    for (let time = 0; time < 5 && disks().length > 0; time++) {
      world.clock.advance(400_000);
      await collectTwice(world);
    }

    expect(disks()).toEqual([]);
  });

  it('that somebody stops ends its claim when it is seen twice, and the claim says so before', async () => {
    const { world, cloudstack } = await joinedWorld(open);
    await readyClaim(world);
    const [vm] = cloudstack.vms();
    world.clock.advance(120_000);
    cloudstack.hands.stop(vm!.id);

    await world.collectGarbage();
    expect(conditionOf(await world.claim('default'), 'InstanceChanged')).toMatchObject({
      status: 'True',
      reason: 'InstanceEnding',
      message: `VM ${vm!.id} is Stopped in CloudStack`,
    });
    world.clock.advance(graceMs);
    await world.collectGarbage();
    await world.pass(120, 2);

    expect(await world.claim('default')).toBeUndefined();
    expect(cloudstack.living).toBe(0);
  });

  it('that comes back in time keeps its claim, and nothing is said any more', async () => {
    const { world, cloudstack } = await joinedWorld(open);
    await readyClaim(world);
    const [vm] = cloudstack.vms();
    world.clock.advance(120_000);
    vm!.states.push({ at: world.clock.now(), state: 'Stopped' });
    await world.collectGarbage();
    vm!.states.push({ at: world.clock.now(), state: 'Running' });

    await collectTwice(world);

    const claim = await world.claim('default');
    expect(conditionOf(claim, 'InstanceChanged')).toBeUndefined();
    expect(conditionStatus(claim, 'Ready')).toBe('True');
  });

  it('that somebody scales is shown as changed, and only a pool replaces it', async () => {
    const { world, cloudstack } = await joinedWorld(open);
    await readyClaim(world);
    const [vm] = cloudstack.vms();
    vm!.offering = [...cloudstack.site.offerings.values()].find(({ name }) => name === 'Extra Large Instance')!;

    await collectTwice(world);

    const claim = await world.claim('default');
    expect(conditionOf(claim, 'InstanceChanged')).toMatchObject({
      reason: 'ChangedByHand',
      message: 'the instance was changed in the cloud: service offering (Extra Large Instance)',
    });
    expect(conditionStatus(claim, 'Ready')).toBe('True');
  });

  it('whose user data somebody changes has drifted, and says so', async () => {
    const { world, cloudstack } = await joinedWorld(open);
    await readyClaim(world);
    const [vm] = cloudstack.vms();
    world.clock.advance(3_700_000);
    vm!.userData = Buffer.from('#!/bin/sh\n').toString('base64');

    await collectTwice(world);

    expect(conditionOf(await world.claim('default'), 'InstanceChanged')).toMatchObject({
      reason: 'ChangedByHand',
      message: 'the instance was changed in the cloud: user data',
    });
  });

  it('whose lease is about to end is drained and gone before CloudStack ends it', async () => {
    const { world, cloudstack } = await joinedWorld(open);
    await makeClass(world, 'default', { lease: { days: 1 } });
    await makeClaim(world, 'default');
    await world.pass(60, 2);
    const [vm] = cloudstack.vms();
    const endsAt = vm!.lease!.expiresAt;
    world.clock.advance(22.5 * 3_600_000);
    await collectTwice(world);
    expect(conditionStatus(await world.claim('default'), 'Ready')).toBe('True');

    world.clock.advance(0.5 * 3_600_000);
    await world.collectGarbage();
    expect(conditionOf(await world.claim('default'), 'InstanceChanged')).toMatchObject({ reason: 'InstanceEnding' });
    world.clock.advance(graceMs);
    await world.collectGarbage();
    await world.pass(120, 2);

    expect(await world.claim('default')).toBeUndefined();
    expect(cloudstack.living).toBe(0);
    expect(await world.nodes()).toEqual([]);
    // Its own end, not that of its lease.
    expect(world.clock.now()).toBeLessThan(endsAt);
  });

  it('that the account may not expunge is gone for the claim, and the claim and explain say that CloudStack keeps it', async () => {
    const { world, cloudstack } = await joinedWorld(open, { standIn: { settings: { userMayExpunge: false } } });
    await readyClaim(world);
    const claim = await world.claim('default');
    const [vm] = cloudstack.vms();
    await world.deleteClaim('default');
    await world.pass(120, 2);

    expect(await world.claim('default')).toBeUndefined();
    const decisions = await world.decisionsOf(claim!);
    expect(decisions.filter(({ code }) => code === 'instance-kept').map(({ fields }) => fields)).toEqual([
      { instance: vm!.id, state: 'Destroyed' },
    ]);
  });
});
