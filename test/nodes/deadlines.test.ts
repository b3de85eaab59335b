/** Every stage has a deadline: what was waited for stands on the claim afterwards, and nothing is left behind. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import type { FaultRules } from '../../sim/kit/faults.ts';
import { only, pooled, useWorld } from './use-world.ts';
import { conditionOf, conditionStatus } from './world.ts';

const open = useWorld();

const stages = [
  ['launch', 'never-running', 'LaunchTimeout', 300, /no instance after \d+ s/],
  ['registration', 'never-registers', 'RegistrationTimeout', 900, /no node with providerID sim:\/\/\//],
  ['initialization', 'never-ready', 'InitializationTimeout', 900, /is not Ready/],
] as const;

describe.each(stages)('the %s deadline', (stage, fault, reason, usual, says) => {
  const faults: FaultRules = [{ on: 'create', count: 1, do: { kind: fault } }];
  const claimWith = (more: { [key: string]: Json } = {}) => ({ requirements: only(['general-small']), ...more });
  // Booting and joining come before the clock of the later stages starts.
  const before = stage === 'launch' ? 0 : 25;

  it('ends the attempt with a reason, and the next one gets Ready', async () => {
    const { createClaim, pass, claim, cloud, nodes, eventsOf } = await open({
      cloud: { faults, bootSeconds: 5 },
      settings: { firstPauseSeconds: 120 },
    });
    await createClaim('one', claimWith());
    await pass(usual - 10);
    expect(conditionStatus(await claim('one'), 'Ready')).not.toBe('True');
    expect(cloud.living).toBe(1);
    await pass(before + 60);
    const launched = conditionOf(await claim('one'), 'Launched');
    expect(launched).toMatchObject({ status: 'False', reason });
    expect(launched?.message).toMatch(says);
    expect((await claim('one'))?.status?.providerID).toBeUndefined();
    expect(await nodes()).toEqual([]);
    expect(cloud.living).toBe(0);
    expect((await eventsOf('one'))[0]).toMatchObject({ type: 'Warning', reason });
    await pass(300);
    expect(conditionStatus(await claim('one'), 'Ready')).toBe('True');
    expect(cloud.overlaps()).toEqual([]);
  });

  it.each([
    ['the node class', { deadlines: { [stage]: '40s' } }, {}, 40],
    [
      'the claim, over the node class',
      { deadlines: { [stage]: '2s' } },
      { [`poolwright.dev/${stage}-deadline`]: '80s' },
      80,
    ],
  ])('can be set by %s', async (_, spec, annotations, limit) => {
    const { createClaim, createNodeClass, pass, claim, cloud } = await open({
      cloud: { faults, bootSeconds: 5 },
      settings: { firstPauseSeconds: 120, lookAgainSeconds: 5 },
    });
    await createNodeClass('hasty', spec);
    const nodeClassRef = { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'hasty' };
    await createClaim('one', claimWith({ metadata: { annotations }, nodeClassRef }));
    await pass(limit - 5, 5);
    expect(cloud.living).toBe(1);
    await pass(before + 35, 5);
    expect(conditionOf(await claim('one'), 'Launched')).toMatchObject({ status: 'False', reason });
    expect(cloud.living).toBe(0);
  });

  it("gives a NodePool's claim back", async () => {
    const { createClaim, pass, claim, cloud, nodes, eventsOf } = await open({ cloud: { faults, bootSeconds: 5 } });
    await createClaim('pooled', claimWith({ metadata: pooled }));
    await pass(usual + before + 120);
    expect(await claim('pooled')).toBeUndefined();
    expect(await nodes()).toEqual([]);
    expect(cloud.living).toBe(0);
    expect((await eventsOf('pooled'))[0]).toMatchObject({ reason });
  });
});

it('an attempt takes its Node along although the answer to the delete was lost and the machine is gone', async () => {
  const faults: FaultRules = [
    { on: 'create', count: 1, do: { kind: 'never-ready' } },
    { on: 'delete', count: 1, do: { kind: 'garbled', effect: 'done' } },
  ];
  const world = await open({
    cloud: { faults, bootSeconds: 5, deleteSeconds: 0 },
    settings: { firstPauseSeconds: 120 },
  });
  await world.createClaim('one', { requirements: only(['general-small']) });
  await world.pass(985);
  expect(conditionOf(await world.claim('one'), 'Launched')).toMatchObject({ reason: 'InitializationTimeout' });
  expect(world.cloud.living).toBe(0);
  expect(await world.nodes()).toEqual([]);
});
