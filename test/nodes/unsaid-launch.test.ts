/**
 * The seconds in which a machine is there and its claim does not say so yet, because its Node is about to join and both can be said at
 * once: whatever happens in them, nothing is lost. On a virtual clock.
 */
import { expect, it } from 'vitest';
import { makeEvent } from '../../events/make.ts';
import { ensureWorkflow } from '../../shared/nodes/ensure.ts';
import { type ClaimRef, workflowKey } from '../../shared/nodes/steps/services.ts';
import { interruptInstance } from '../../shared/nodes/upkeep/interruption/interrupt.ts';
import { addPod, podNames } from './drain-world.ts';
import { only, takeBack, useWorld } from './use-world.ts';
import { clusterName, conditionOf, conditionStatus, type TestWorld, type TestWorldOptions } from './world.ts';

const open = useWorld();
const { signal } = new AbortController();
const bootSeconds = 20;
const neverJoins: TestWorldOptions = { cloud: { faults: [{ on: 'create', do: { kind: 'never-registers' } }] } };
const wireTime = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');

/** The machine is there since a second, and its Node is not. */
async function unsaidWorld(options: TestWorldOptions = {}) {
  const world = await open({ ...options, cloud: { bootSeconds, readySeconds: 0, ...options.cloud } });
  const claim = await world.createClaim('one', { requirements: only(['general-small']) });
  await ensureWorkflow(world.services, clusterName, claim);
  const madeAt = world.clock.now() + bootSeconds * 1000;
  await world.engine.runUntil(madeAt + 1000);
  const [machine] = world.cloud.ledger();
  expect(conditionStatus(await world.claim('one'), 'Launched')).not.toBe('True');
  expect(world.cloud.living).toBe(1);
  const { name, uid } = claim.metadata;
  return { world, madeAt, ref: { cluster: clusterName, name, uid }, id: machine!.id };
}

async function join(world: TestWorld): Promise<string> {
  await world.cloud.settle();
  const [node] = await world.nodes();
  await world.deliver(world.nodeEvent(node!));
  return node!.metadata.name;
}

const pass = ({ engine, clock }: TestWorld, seconds: number) => engine.runUntil(clock.now() + seconds * 1000);

async function wake(world: TestWorld, ref: ClaimRef): Promise<void> {
  await world.services.workflows.signal(workflowKey(ref, 'launch'), 'look');
  await pass(world, 0.02);
}

async function expectNothingLeft(world: TestWorld): Promise<void> {
  expect(await world.claim('one')).toBeUndefined();
  expect(await world.nodes()).toEqual([]);
  expect(world.cloud.living).toBe(0);
  expect(world.cloud.overlaps()).toEqual([]);
}

it('end when the Node joins: everything is said at once, and Launched since the machine was there', async () => {
  const { world, madeAt } = await unsaidWorld();
  await join(world);
  await pass(world, 0.1);
  const claim = await world.claim('one');
  expect(conditionStatus(claim, 'Ready')).toBe('True');
  expect(conditionOf(claim, 'Launched')?.lastTransitionTime).toBe(wireTime(madeAt));
  expect(conditionOf(claim, 'Registered')?.lastTransitionTime).toBe(wireTime(madeAt + 1000));
});

it('end by themselves when it does not, and the deadline is the same', async () => {
  const { world, madeAt, ref } = await unsaidWorld({
    ...neverJoins,
    traits: { deadlines: { launchSeconds: 300, registrationSeconds: 60, initializationSeconds: 60 } },
  });
  const awaited = async () => {
    const decisions = await world.decisionsOf((await world.claim('one'))!);
    return decisions.findLast(({ code }) => code === 'node-awaited')?.fields?.until;
  };
  expect(await awaited()).toBe(madeAt + 60_000);
  await wake(world, ref);
  expect(conditionStatus(await world.claim('one'), 'Launched')).not.toBe('True');
  expect(await awaited()).toBe(madeAt + 60_000);
  await pass(world, 3.5);
  const claim = await world.claim('one');
  expect(conditionOf(claim, 'Launched')).toMatchObject({ status: 'True', lastTransitionTime: wireTime(madeAt) });
  expect(conditionOf(claim, 'Registered')).toMatchObject({ status: 'Unknown', reason: 'NodeNotFound' });
  expect(await awaited()).toBe(madeAt + 60_000);
  await world.engine.runUntil(madeAt + 59_000);
  expect(conditionStatus(await world.claim('one'), 'Launched')).toBe('True');
  await world.engine.runUntil(madeAt + 63_000);
  expect(conditionStatus(await world.claim('one'), 'Launched')).not.toBe('True');
});

it('are not made longer by events that are about something else', async () => {
  const { world, ref } = await unsaidWorld(neverJoins);
  for (let wakes = 0; wakes < 3; wakes++) {
    await wake(world, ref);
    await pass(world, 0.95);
  }
  expect(conditionStatus(await world.claim('one'), 'Launched')).not.toBe('True');
  await pass(world, 0.2);
  expect(conditionStatus(await world.claim('one'), 'Launched')).toBe('True');
});

it('a launch that is lost in them is followed by one that finds the same machine', async () => {
  const { world, ref, id } = await unsaidWorld();
  world.engine.loseHistory(workflowKey(ref, 'launch'));
  await join(world);
  await world.settle();
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  expect(world.cloud.ledger().map((machine) => machine.id)).toEqual([id]);
});

it('a claim that is deleted in them leaves nothing, whether its Node joins or not', async () => {
  for (const joins of [false, true]) {
    const { world } = await unsaidWorld();
    await world.deleteClaim('one');
    if (joins) await join(world);
    await world.settle();
    await expectNothingLeft(world);
  }
});

it('a Node that was registered before its launch was lost in them is drained, though the claim names no machine', async () => {
  const { world, ref } = await unsaidWorld({ cloud: { readySeconds: 2 } });
  const node = await join(world);
  await pass(world, 0.1);
  expect((await world.nodes())[0]?.metadata.labels).toMatchObject({ 'karpenter.sh/registered': 'true' });
  expect((await world.claim('one'))?.status?.providerID).toBeUndefined();
  world.engine.loseHistory(workflowKey(ref, 'launch'));
  await addPod({ ...world, node }, 'web', { spec: { terminationGracePeriodSeconds: 0 } });
  await world.deleteClaim('one');
  await ensureWorkflow(world.services, clusterName, (await world.claim('one'))!);
  await pass(world, 60);
  expect(await podNames(world)).toEqual([]);
  await expectNothingLeft(world);
});

it('a Node of a machine that no list shows yet is drained once the list must show it', async () => {
  let blind = true;
  const { world, ref } = await unsaidWorld({
    cloud: { readySeconds: 2 },
    decorate: (provider) => {
      const { find } = provider;
      return Object.assign(provider, {
        find: async (...asked: Parameters<typeof find>) =>
          blind ? { ok: true as const, value: [] } : find.apply(provider, asked),
      });
    },
  });
  const node = await join(world);
  await pass(world, 0.1);
  world.engine.loseHistory(workflowKey(ref, 'launch'));
  await addPod({ ...world, node }, 'web', { spec: { terminationGracePeriodSeconds: 0 } });
  await world.deleteClaim('one');
  await ensureWorkflow(world.services, clusterName, (await world.claim('one'))!);
  await pass(world, 1);
  blind = false;
  await pass(world, 60);
  expect(await podNames(world)).toEqual([]);
  await expectNothingLeft(world);
});

it('an interruption that comes in them ends the claim', async () => {
  const { world, id } = await unsaidWorld();
  const note = { kind: 'spot_interrupted', reason: 'the cloud needs it' } as const;
  const interrupt = () => interruptInstance(world.services, [world.clusterServices], id, note, signal);
  expect(await interrupt()).toEqual({ ok: true, value: 'not-recorded' });
  await join(world);
  await pass(world, 0.1);
  expect(await interrupt()).toEqual({ ok: true, value: 'ended' });
  await world.settle();
  await expectNothingLeft(world);
});

const interrupted = async (world: TestWorld, id: string) => {
  await takeBack(world, id);
  const data = { cluster: clusterName, provider: 'sim', providerID: `sim:///zone-a/${id}`, reason: 'taken back' };
  const attributes = { id: 'x', time: world.clock.now(), source: '/test', subject: 'one' };
  return world.deliver(makeEvent('dev.poolwright.instance.interrupted.v1', data, attributes));
};

it('so does an event that names the machine by its providerID', async () => {
  const { world, id } = await unsaidWorld();
  expect(await interrupted(world, id)).toBe('done');
  expect((await world.claim('one'))?.metadata.deletionTimestamp).toBeDefined();
  await world.settle();
  await expectNothingLeft(world);
});

it('but not an event about the machine of another attempt', async () => {
  const { world, id } = await unsaidWorld({
    decorate: (provider) => {
      const { get } = provider;
      return Object.assign(provider, {
        get: async (...asked: Parameters<typeof get>) => {
          const got = await get.apply(provider, asked);
          return got.ok
            ? { ok: true as const, value: { ...got.value, owner: { ...got.value.owner, attempt: 7 } } }
            : got;
        },
      });
    },
  });
  expect(await interrupted(world, id)).toBe('done');
  expect((await world.claim('one'))?.metadata.deletionTimestamp).toBeUndefined();
});
