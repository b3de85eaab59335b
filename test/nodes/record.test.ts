/** The attempt record on the claim: restored, unreadable, copied, raced; and the story that is kept for people. */
import { describe, expect, it } from 'vitest';
import { launch } from '../../shared/nodes/launch/launch.ts';
import { logLines, only, soldOut, useWorld } from './use-world.ts';
import { conditionOf, conditionStatus, type TestWorld } from './world.ts';

const open = useWorld();
const attempt = 'poolwright.dev/attempt';
const twoTypes = { requirements: only(['general-small', 'general-medium']) };

const recordOf = async ({ claim }: TestWorld, name = 'one') =>
  JSON.parse((await claim(name))?.metadata.annotations?.[attempt] ?? 'null');

/** The claim as an older backup has it: nothing of what was bought since stands on it. */
async function restore(world: TestWorld, record: object | null): Promise<void> {
  const annotations = { [attempt]: record === null ? null : JSON.stringify(record) };
  await world.patchClaim('one', { metadata: { annotations } });
  await world.patchClaim('one', { status: { conditions: [], providerID: null, nodeName: null } }, 'status');
}

describe('a claim that was put back to an older record', () => {
  it.each(['token', 'name', 'claim-name', 'none'] as const)(
    'adopts the machine of the later attempt, with idempotency by %s',
    async (idempotency) => {
      const world = await open({
        cloud: { idempotency: idempotency === 'claim-name' ? 'name' : idempotency, faults: [soldOut('general-small')] },
        traits: { idempotency },
        settings: { restoreHorizonSeconds: 0 },
      });
      await world.createClaim('one', twoTypes);
      await world.settle();
      const providerID = (await world.claim('one'))?.status?.providerID;
      const later = await recordOf(world);
      expect(later.attempt).toBe(2);
      const { closer: _, ...open1 } = later;
      const offering = { instanceType: 'general-small', zone: 'zone-a', capacityType: 'on-demand' };
      await restore(world, { ...open1, attempt: 1, offering, state: 'open', rights: 1 });
      await world.settle();
      const one = await world.claim('one');
      expect(conditionStatus(one, 'Ready')).toBe('True');
      expect(one?.status?.providerID).toBe(providerID);
      expect((await recordOf(world)).attempt).toBe(2);
      expect(world.cloud.ledger()).toHaveLength(1);
    },
  );

  it('adopts its machine when the record is gone altogether, and still lets it go when it is deleted', async () => {
    const world = await open({ settings: { restoreHorizonSeconds: 0 } });
    await world.createClaim('one', twoTypes);
    await world.settle();
    const providerID = (await world.claim('one'))?.status?.providerID;
    await restore(world, null);
    await world.patchClaim('one', { metadata: { finalizers: [] } });
    await world.settle();
    expect((await world.claim('one'))?.status?.providerID).toBe(providerID);
    expect((await world.claim('one'))?.metadata.finalizers).toContain('karpenter.sh/termination');
    expect(world.cloud.ledger()).toHaveLength(1);
    await world.deleteClaim('one');
    await world.settle();
    expect(await world.claim('one')).toBeUndefined();
    expect(world.cloud.living).toBe(0);
  });

  it('waits for a machine of its own that is being deleted', async () => {
    const world = await open({ settings: { restoreHorizonSeconds: 0 }, cloud: { deleteSeconds: 50 } });
    await world.createClaim('one', twoTypes);
    await world.settle();
    const id = world.cloud.ledger()[0]!.id;
    const record = await recordOf(world);
    const owner = {
      deployment: 'test',
      cluster: world.cluster.kubeSystemUid,
      claimUid: record.uid as string,
      attempt: 1,
    };
    await world.provider.beginDelete({ id, owner }, new AbortController().signal);
    await restore(world, null);
    await world.settle();
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
    expect(world.cloud.overlaps()).toEqual([]);
    expect(world.cloud.living).toBe(1);
  });
});

describe('a record that can not be read', () => {
  it.each([
    ['no JSON', 'attempt one'],
    ['a newer shape', '{"attempt":1,"wings":2}'],
    ['far too long', `"${'x'.repeat(5000)}"`],
  ])('(%s) means that nobody spends, and the claim, an Event and the log say so', async (_, text) => {
    const { lines, logTo } = logLines();
    const world = await open({ logTo });
    const created = await world.createClaim('one', { ...twoTypes, metadata: { annotations: { [attempt]: text } } });
    await world.pass(600, 60);
    const launched = conditionOf(await world.claim('one'), 'Launched');
    expect(launched).toMatchObject({ status: 'Unknown', reason: 'AttemptUnreadable' });
    expect(launched?.message).toContain(attempt);
    expect(launched?.message).toContain('restore the annotation, or delete the claim');
    expect(await world.eventsOf('one')).toMatchObject([{ type: 'Warning', reason: 'AttemptUnreadable', count: 1 }]);
    expect(lines.filter(({ event }) => event === 'claim.unreadable')).toHaveLength(1);
    expect((await world.decisionsOf(created)).at(-1)?.text).toContain('is unreadable');
    expect(world.cloud.calls.create).toBe(0);
    await world.deleteClaim('one');
    expect(await world.claim('one')).toBeUndefined();
  });

  it('under a Ready claim changes nothing of it, and deleting takes its machine along', async () => {
    const world = await open();
    await world.createClaim('one', twoTypes);
    await world.settle();
    await world.patchClaim('one', { metadata: { annotations: { [attempt]: '{' } } });
    const before = await world.claim('one');
    await world.pass(300, 60);
    for (let reading = 0; reading < 3; reading++) {
      await world.collectGarbage();
      world.clock.advance(61_000);
    }
    expect(await world.claim('one')).toEqual(before);
    expect((await world.eventsOf('one')).map(({ reason }) => reason).toSorted()).toEqual([
      'AttemptUnreadable',
      'Ready',
    ]);
    expect(world.cloud.living).toBe(1);
    await world.deleteClaim('one');
    await world.settle();
    expect(await world.claim('one')).toBeUndefined();
    expect(world.cloud.living).toBe(0);
    expect(await world.nodes()).toEqual([]);
  });

  it('is forgotten when somebody has repaired it', async () => {
    const world = await open();
    await world.createClaim('one', { ...twoTypes, metadata: { annotations: { [attempt]: '{' } } });
    await world.pass(60);
    await world.patchClaim('one', { metadata: { annotations: { [attempt]: null } } });
    await world.pass(120);
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  });
});

it('a record that came with a copied manifest means nothing to the copy', async () => {
  const world = await open();
  await world.createClaim('one', twoTypes);
  await world.settle();
  const copied = (await world.claim('one'))?.metadata.annotations?.[attempt] ?? '';
  await world.createClaim('two', { ...twoTypes, metadata: { annotations: { [attempt]: copied } } });
  await world.settle();
  const two = await world.claim('two');
  expect(conditionStatus(two, 'Ready')).toBe('True');
  expect((await recordOf(world, 'two')).uid).toBe(two?.metadata.uid);
  expect(two?.status?.providerID).not.toBe((await world.claim('one'))?.status?.providerID);
  expect(world.cloud.living).toBe(2);
});

/** Another launch of the same claim beside the running one, under a later epoch. */
async function startSecond({ engine }: TestWorld, { name, uid }: { name: string; uid: string }): Promise<void> {
  const key = `second/${uid}/launch`;
  for (let epoch = 1; epoch <= 2; epoch++) {
    engine.loseHistory(key);
    await engine.ensure({ workflow: launch, key, input: { cluster: 'test', name, uid }, group: 'test' });
  }
}

describe.each(['token', 'name', 'claim-name', 'none'] as const)('two launches at once, by %s', (idempotency) => {
  it('make one machine, whichever step they meet at', async () => {
    for (let at = 0; at < 6; at++) {
      const world = await open({
        cloud: { idempotency: idempotency === 'claim-name' ? 'name' : idempotency },
        traits: { idempotency },
      });
      const { engine, cloud, createClaim } = world;
      const { metadata } = await createClaim('one', twoTypes);
      let step = 0;
      engine.beforeStep = async () => {
        await cloud.settle();
        // The first launch was thought lost and goes on all the same, as on a host that was cut off from its store.
        if (step++ === at) await startSecond(world, metadata);
      };
      await world.settle();
      expect(conditionStatus(await world.claim('one'), 'Ready'), `fork at ${at}`).toBe('True');
      expect(cloud.overlaps(), `fork at ${at}`).toEqual([]);
      expect(cloud.living, `fork at ${at}`).toBe(1);
    }
  });
});

it('the story of a claim is bounded and can be read', async () => {
  const world = await open({
    cloud: { faults: [soldOut()] },
    settings: {
      firstPauseSeconds: 1,
      maxPauseSeconds: 2,
      unavailableSeconds: 1,
      decisions: { keepSeconds: 3600, maxPerClaim: 10 },
    },
  });
  const claim = await world.createClaim('one', twoTypes);
  await world.pass(200, 5);
  const story = await world.decisionsOf(claim);
  expect(story).toHaveLength(10);
  expect(JSON.stringify(story).length).toBeLessThan(45_000);
  expect(story.map(({ at }) => at)).toEqual(story.map(({ at }) => at).toSorted());
  expect(new Set(story.map(({ step }) => step))).toEqual(new Set(['choose', 'create', 'close', 'fail']));
  for (const { text } of story) expect(text).toMatch(/\S+ \S+/);
  world.clock.advance(3601_000);
  expect(await world.decisionsOf(claim)).toEqual([]);
});
