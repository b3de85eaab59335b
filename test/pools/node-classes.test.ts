/** Node classes: what they resolve to stands in their status, and claims wait for one that is not ready. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import type { WithStatus } from '../../shared/nodes/pools/object-status.ts';
import { conditionOf, conditionStatus, type TestWorld } from '../nodes/world.ts';
import { usePoolWorld } from './pool-world.ts';

const open = usePoolWorld();

type ClassOfTest = WithStatus & { status?: { zones?: string[]; instanceTypes?: number; image?: string } };

async function nodeClass(world: TestWorld, name = 'default'): Promise<ClassOfTest> {
  const got = await world.api.get<ClassOfTest>(world.nodeClasses, { name });
  if (!got.ok) throw new Error(got.error.message);
  return got.value;
}
const readyOf = ({ status }: WithStatus) => status?.conditions?.find(({ type }) => type === 'Ready');
const change = async (world: TestWorld, spec: Json): Promise<void> => {
  const patched = await world.api.mergePatch(world.nodeClasses, { name: 'default' }, { spec });
  if (!patched.ok) throw new Error(patched.error.message);
};

describe('a node class', () => {
  it('says what it resolves to, and for which generation', async () => {
    const world = await open();
    await change(world, { zones: ['zone-b'], instanceTypes: ['general-*'], image: 'mine' });
    await world.reconcileNodeClasses();
    const stored = await nodeClass(world);
    expect(stored.status).toMatchObject({ zones: ['zone-b'], instanceTypes: 5, image: 'mine' });
    expect(readyOf(stored)).toMatchObject({ status: 'True', observedGeneration: stored.metadata.generation });
  });

  it('that names what does not exist is not ready, with the reason, an Event, and no machine for its claims', async () => {
    const world = await open();
    await change(world, { zones: ['zone-q'] });
    await world.reconcileNodeClasses();
    expect(readyOf(await nodeClass(world))).toMatchObject({ status: 'False', reason: 'ZonesNotFound' });
    expect(await world.eventsOf('default')).toMatchObject([{ reason: 'NodeClassNotReady', type: 'Warning' }]);

    await world.createClaim('one');
    await world.pass(60);
    expect(conditionOf(await world.claim('one'), 'Launched')).toMatchObject({
      reason: 'NodeClassNotReady',
      message: expect.stringMatching(/SimNodeClass default is not ready: ZonesNotFound: .*zone-q/),
    });
    expect(world.cloud.living).toBe(0);

    await change(world, { zones: ['zone-a'] });
    await world.reconcileNodeClasses();
    await world.pass(120);
    expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
    expect((await world.eventsOf('default')).map(({ reason }) => reason)).toContain('NodeClassReady');
  });

  it('is written only when something is different', async () => {
    const world = await open();
    await world.reconcileNodeClasses();
    const { resourceVersion } = (await nodeClass(world)).metadata;
    world.clock.advance(600_000);
    await world.reconcileNodeClasses();
    expect((await nodeClass(world)).metadata.resourceVersion).toBe(resourceVersion);
  });

  it('keeps what was known while the cloud does not answer, and does not claim to know about a new spec', async () => {
    let away = false;
    const world = await open({
      decorate: (provider) => {
        const resolve = provider.resolveNodeClass?.bind(provider);
        if (resolve) {
          provider.resolveNodeClass = async (...args) =>
            away ? { ok: false, error: { kind: 'unavailable', message: 'no answer' } } : resolve(...args);
        }
        return provider;
      },
    });
    await world.reconcileNodeClasses();
    const before = await nodeClass(world);
    away = true;
    await world.reconcileNodeClasses();
    expect(await nodeClass(world)).toEqual(before);
    await change(world, { image: 'other' });
    await world.reconcileNodeClasses();
    expect(readyOf(await nodeClass(world))).toMatchObject({ status: 'Unknown', reason: 'ProviderUnavailable' });
  });

  it('that is being deleted is not ready', async () => {
    const world = await open();
    await world.api.mergePatch(
      world.nodeClasses,
      { name: 'default' },
      { metadata: { finalizers: ['example.com/hold'] } },
    );
    await world.api.delete(world.nodeClasses, { name: 'default' }, {});
    await world.reconcileNodeClasses();
    expect(readyOf(await nodeClass(world))).toMatchObject({ status: 'False', reason: 'Deleting' });
  });

  it('that is gone leaves its nodes alone, and its pool says that it is missing', async () => {
    const world = await open();
    await world.createPool('workers', { replicas: 1 });
    await world.live(60);
    await world.api.delete(world.nodeClasses, { name: 'default' }, {});
    await world.live(60);
    expect(await world.alive('workers')).toHaveLength(1);
    expect((await world.pool('workers')).status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'NodeClassReady', status: 'False', reason: 'NodeClassNotFound' }),
    );
    expect(await world.eventsOf('workers')).toContainEqual(expect.objectContaining({ reason: 'NodeClassNotFound' }));
    await world.scale('workers', 0);
    await world.live(60);
    expect(await world.claims()).toEqual([]);
  });
});
