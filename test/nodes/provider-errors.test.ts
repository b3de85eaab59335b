/** What each kind of failure at the provider comes to: which condition, how long it holds things up, nothing left behind. */
import { describe, expect, it } from 'vitest';
import type { FaultRules } from '../../sim/kit/faults.ts';
import { only, pooled, soldOut, useWorld } from './use-world.ts';
import { conditionOf, conditionStatus } from './world.ts';

const open = useWorld();
const oneType = { requirements: only(['general-small']) };

describe('a cloud that throttles', () => {
  it('is waited for with growing pauses, the claim says so, and no attempt is used up', async () => {
    const { createClaim, pass, claim, cloud } = await open({
      cloud: { faults: [{ on: 'create', do: { kind: 'throttle' } }] },
    });
    await createClaim('one', oneType);
    await pass(600);
    expect(conditionOf(await claim('one'), 'Launched')).toMatchObject({ status: 'Unknown', reason: 'Throttled' });
    // Ten minutes at one call a second would be 600.
    expect(cloud.calls.create).toBeLessThan(40);
    await cloud.setFaults([]);
    await pass(120);
    const one = await claim('one');
    expect(conditionStatus(one, 'Ready')).toBe('True');
    expect(JSON.parse(one?.metadata.annotations?.['poolwright.dev/attempt'] ?? '{}').attempt).toBe(1);
    expect(cloud.overlaps()).toEqual([]);
  });

  it('keeps to Retry-After', async () => {
    const { createClaim, pass, cloud } = await open({
      cloud: { faults: [{ on: 'create', count: 1, do: { kind: 'throttle', retryAfterSeconds: 50 } }] },
    });
    await createClaim('one', oneType);
    await pass(49, 49);
    expect(cloud.calls.create).toBe(1);
    await pass(2, 2);
    expect(cloud.calls.create).toBe(2);
  });

  it('while the machine is being made does not use up the launch deadline', async () => {
    const { createClaim, pass, claim, cloud } = await open({
      cloud: { bootSeconds: 100, faults: [{ on: 'get', do: { kind: 'throttle', retryAfterSeconds: 30 } }] },
      traits: { deadlines: { launchSeconds: 120, registrationSeconds: 900, initializationSeconds: 900 } },
    });
    await createClaim('one', oneType);
    await pass(600);
    await cloud.setFaults([]);
    await pass(120);
    expect(conditionStatus(await claim('one'), 'Ready')).toBe('True');
    expect(cloud.ledger()).toHaveLength(1);
  });
});

it('a conflict is waited out', async () => {
  const { createClaim, settle, claim, cloud } = await open({
    cloud: { faults: [{ on: 'create', count: 3, do: { kind: 'conflict' } }] },
  });
  await createClaim('one', oneType);
  await settle();
  expect(conditionStatus(await claim('one'), 'Ready')).toBe('True');
  expect(cloud.ledger()).toHaveLength(1);
});

describe('a cloud that does not let us in', () => {
  it('fails the claim under that name, and the claim is tried again later', async () => {
    const { createClaim, settle, pass, claim, cloud, eventsOf } = await open({
      cloud: { faults: [{ on: 'create', do: { kind: 'unauthorised' } }] },
    });
    await createClaim('one', oneType);
    await settle(2);
    expect(conditionOf(await claim('one'), 'Launched')).toMatchObject({ status: 'False', reason: 'Unauthorized' });
    expect((await eventsOf('one'))[0]?.reason).toBe('Unauthorized');
    await cloud.setFaults([]);
    await pass(200);
    expect(conditionStatus(await claim('one'), 'Ready')).toBe('True');
  });
});

it('a node class that the provider refuses fails the claim and names the field', async () => {
  const { createClaim, settle, claim, createNodeClass, nodeClasses, writePast } = await open();
  const { group, kind } = nodeClasses;
  await createNodeClass('odd');
  await writePast(nodeClasses, 'odd', (stored) => {
    stored.spec = { bootSecond: 4 };
  });
  await createClaim('one', { nodeClassRef: { group, kind, name: 'odd' } });
  await settle(2);
  const launched = conditionOf(await claim('one'), 'Launched');
  expect(launched).toMatchObject({ status: 'False', reason: 'InvalidNodeClass' });
  expect(launched?.message).toMatch(/bootSecond.*bootSeconds/);
});

const modes = ['token', 'name', 'claim-name', 'none'] as const;

describe.each(modes)('when nobody knows whether a create took effect, with idempotency by %s', (mode) => {
  const faults: [string, FaultRules[number]['do']][] = [
    ['it did, and the answer was lost', { kind: 'reset', effect: 'done' }],
    ['it did not', { kind: 'reset', effect: 'none' }],
    ['it did a little later', { kind: 'reset', effect: 'late', lateSeconds: 1.5 }],
    ['a proxy garbled the answer of a create that was done', { kind: 'garbled', effect: 'done' }],
    ['the cloud answered 500 and had done nothing', { kind: 'error', status: 500 }],
    ['the cloud answered 502 and had done it', { kind: 'error', status: 502, effect: 'done' }],
    ['the connection was cut without a word', { kind: 'timeout', effect: 'done', holdMs: 1 }],
  ];
  it.each(faults)('%s: one machine, Ready, and never two at once', async (_, fault) => {
    const { createClaim, settle, claim, cloud, deleteClaim } = await open({
      cloud: {
        idempotency: mode === 'claim-name' ? 'name' : mode,
        bootSeconds: 3,
        faults: [{ on: 'create', count: 1, do: fault }],
      },
      traits: { idempotency: mode },
    });
    await createClaim('one', oneType);
    await settle();
    expect(conditionStatus(await claim('one'), 'Ready')).toBe('True');
    expect(cloud.living).toBe(1);
    expect(cloud.overlaps()).toEqual([]);
    await deleteClaim('one');
    await settle();
    expect(cloud.living).toBe(0);
  });

  it('again and again: the attempt is closed, waited out and discarded before the next', async () => {
    const { createClaim, settle, claim, cloud } = await open({
      cloud: {
        idempotency: mode === 'claim-name' ? 'name' : mode,
        faults: [{ on: 'create', count: 5, do: { kind: 'reset', effect: 'late', lateSeconds: 1.9 } }],
      },
      traits: { idempotency: mode },
    });
    await createClaim('one', oneType);
    await settle();
    expect(conditionStatus(await claim('one'), 'Ready')).toBe('True');
    expect(cloud.living).toBe(1);
    expect(cloud.overlaps()).toEqual([]);
  });
});

it('a cloud that is down does not cost a NodePool its claim', async () => {
  const { createClaim, pass, claim, cloud } = await open({
    cloud: { faults: [{ on: ['create', 'list'], do: { kind: 'error', status: 503, saysNothingDone: true } }] },
  });
  await createClaim('pooled', { metadata: pooled, ...oneType });
  await pass(300);
  const launched = conditionOf(await claim('pooled'), 'Launched');
  expect(launched?.status).toBe('Unknown');
  expect(launched?.message).not.toBe('');
  await cloud.setFaults([soldOut('general-medium')]);
  await pass(180);
  expect(conditionStatus(await claim('pooled'), 'Ready')).toBe('True');
  expect(cloud.overlaps()).toEqual([]);
});
