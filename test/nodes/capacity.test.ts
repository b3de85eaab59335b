/** What happens when an offering, or everything, is sold out. */
import { describe, expect, it } from 'vitest';
import { only, pooled, soldOut, useWorld } from './use-world.ts';
import { conditionOf, conditionStatus } from './world.ts';

const open = useWorld();
const twoTypes = { requirements: only(['general-small', 'general-medium']) };

describe('a sold-out offering', () => {
  it('is passed over for the next one, and other claims do not even ask for it', async () => {
    const { createClaim, settle, claim, cloud, decisionsOf } = await open({
      cloud: { faults: [soldOut('general-small')] },
    });
    await createClaim('one', twoTypes);
    await settle();
    const one = await claim('one');
    expect(conditionStatus(one, 'Ready')).toBe('True');
    expect(one?.metadata.labels?.['node.kubernetes.io/instance-type']).toBe('general-medium');
    expect(cloud.calls.create).toBe(2);

    const two = await createClaim('two', twoTypes);
    await settle();
    expect((await claim('two'))?.metadata.labels?.['node.kubernetes.io/instance-type']).toBe('general-medium');
    // One call, not two: the first claim's bad luck was remembered.
    expect(cloud.calls.create).toBe(3);
    const [choice] = await decisionsOf(two);
    expect(JSON.stringify(choice)).toContain('general-small');
    expect(cloud.overlaps()).toEqual([]);
  });

  it('is tried again when its mark has expired', async () => {
    const { createClaim, settle, claim, cloud, clock } = await open({ cloud: { faults: [soldOut('general-small')] } });
    await createClaim('one', twoTypes);
    await settle();
    await cloud.setFaults([]);
    clock.advance(181_000);
    await createClaim('two', twoTypes);
    await settle();
    expect((await claim('two'))?.metadata.labels?.['node.kubernetes.io/instance-type']).toBe('general-small');
  });
});

it('a sold-out offering is passed over even when the configuration says that marks last no time at all', async () => {
  const { createClaim, settle, claim, cloud, engine } = await open({
    cloud: { faults: [soldOut('general-small')] },
    settings: { unavailableSeconds: 0 },
  });
  await createClaim('one', twoTypes);
  await settle();
  expect((await claim('one'))?.metadata.labels?.['node.kubernetes.io/instance-type']).toBe('general-medium');
  expect(cloud.calls.create).toBe(2);
  expect(engine.all().map(({ status }) => status)).toEqual(['completed']);
});

describe('when everything that fits is sold out', () => {
  it("a person's claim says so, is tried again with growing pauses, and gets Ready when there is capacity", async () => {
    const { createClaim, settle, claim, cloud, clock, eventsOf, pass, services } = await open({
      cloud: { faults: [soldOut()] },
      settings: { unavailableSeconds: 1, firstPauseSeconds: 10, maxPauseSeconds: 80 },
    });
    await createClaim('one', { requirements: only(['general-small']) });
    await settle(2);
    const launched = conditionOf(await claim('one'), 'Launched');
    expect(launched).toMatchObject({ status: 'False', reason: 'InsufficientCapacity' });
    expect(launched?.message).toMatch(/out of capacity|unavailable/);
    expect(launched?.message).toMatch(/next retry at 2026-/);
    expect(conditionStatus(await claim('one'), 'Ready')).toBe('False');
    const [event] = await eventsOf('one');
    expect(event).toMatchObject({ type: 'Warning', reason: 'InsufficientCapacity' });
    expect(cloud.living).toBe(0);

    const pauses: number[] = [];
    let tries = cloud.calls.create;
    let last = clock.now();
    for (let second = 0; second < 400; second += 5) {
      await pass(5, 5);
      if (cloud.calls.create === tries) continue;
      tries = cloud.calls.create;
      pauses.push((clock.now() - last) / 1000);
      last = clock.now();
    }
    expect(pauses.length).toBeGreaterThanOrEqual(4);
    expect(pauses.at(-1)).toBeGreaterThan(2 * pauses[0]!);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(90);
    const { text } = await services.metrics.expose();
    const failures = /poolwright_launches_failed_total\{reason="InsufficientCapacity"[^}]*\} (\d+)/.exec(text)?.[1];
    expect(Number(failures)).toBeGreaterThanOrEqual(pauses.length);
    expect(text).not.toMatch(/^karpenter_nodeclaims_disrupted_total\{/m);

    await cloud.setFaults([]);
    await pass(120);
    expect(conditionStatus(await claim('one'), 'Ready')).toBe('True');
    expect(conditionStatus(await claim('one'), 'Launched')).toBe('True');
    expect(cloud.overlaps()).toEqual([]);
  });

  it("a NodePool's claim is given back: an Event says why, and the claim goes with its finalizer", async () => {
    const { createClaim, settle, claim, cloud, eventsOf, services } = await open({ cloud: { faults: [soldOut()] } });
    await createClaim('pooled', { metadata: pooled, requirements: only(['general-small']) });
    await settle();
    expect(await claim('pooled')).toBeUndefined();
    expect(cloud.living).toBe(0);
    expect(await eventsOf('pooled')).toMatchObject([{ type: 'Warning', reason: 'InsufficientCapacity' }]);
    const { text } = await services.metrics.expose();
    expect(text).toMatch(/^karpenter_nodeclaims_disrupted_total\{reason="insufficient_capacity",.*\} 1$/m);
    expect(text).toMatch(/^poolwright_launches_failed_total\{reason="InsufficientCapacity",.*\} 1$/m);
  });
});

it('a quota that is used up passes the offering over and says so', async () => {
  const { createClaim, settle, claim, cloud, decisionsOf } = await open({
    cloud: { faults: [{ on: 'create', offering: { instanceType: 'general-small' }, do: { kind: 'quota' } }] },
  });
  const created = await createClaim('one', twoTypes);
  await settle();
  expect((await claim('one'))?.metadata.labels?.['node.kubernetes.io/instance-type']).toBe('general-medium');
  expect((await decisionsOf(created)).map(({ text }) => text).join('\n')).toContain('quota-exceeded');
  expect(cloud.living).toBe(1);
});
