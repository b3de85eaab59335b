/** A static pool whose claims fail says so itself: the claims are deleted, so nothing else could. */
import { describe, expect, it } from 'vitest';
import { conditionOfPool, usePoolWorld } from './pool-world.ts';

const open = usePoolWorld();

const unknownType = {
  requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['no-such'] }],
};

describe('a static pool whose instance types do not exist', () => {
  const failing = async () => {
    const world = await open();
    const { group, kind } = world.nodeClasses;
    const spec = { nodeClassRef: { group, kind, name: 'default' }, expireAfter: 'Never', ...unknownType };
    await world.createPool('workers', { template: { spec } });
    return world;
  };

  it('is not Ready after its first claims failed, and names the reason', async () => {
    const world = await failing();
    await world.reconcilePools();
    await world.pass(5, 1);
    await world.reconcilePools();

    const pool = await world.pool('workers');
    expect(pool.status).toMatchObject({ nodes: 0 });
    expect(conditionOfPool(pool, 'NodeRegistrationHealthy')).toMatchObject({
      status: 'Unknown',
      reason: 'NoInstanceTypeFits',
    });
    expect(conditionOfPool(pool, 'Ready')).toMatchObject({
      status: 'Unknown',
      message: 'NodeRegistrationHealthy=Unknown',
    });
  });

  it('is not Ready for as long as they fail, and Ready once they become nodes', async () => {
    const world = await failing();
    await world.live(600);
    expect(conditionOfPool(await world.pool('workers'), 'Ready')).toMatchObject({
      status: 'False',
      reason: 'UnhealthyDependents',
      message: 'NodeRegistrationHealthy=False',
    });

    const requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['general-small'] }];
    await world.patchPool('workers', { spec: { template: { spec: { requirements } } } });
    await world.reconcilePools();
    // The failure was that of the spec before.
    expect(conditionOfPool(await world.pool('workers'), 'NodeRegistrationHealthy')).toMatchObject({
      status: 'Unknown',
      observedGeneration: 2,
    });
    await world.live(120);
    for (const type of ['Ready', 'NodeRegistrationHealthy']) {
      expect(conditionOfPool(await world.pool('workers'), type)).toMatchObject({ status: 'True' });
    }
  });

  it('is Ready again when no node is required of it', async () => {
    const world = await failing();
    await world.live(600);
    await world.scale('workers', 0);
    await world.live(60);
    expect(conditionOfPool(await world.pool('workers'), 'Ready')).toMatchObject({ status: 'True' });
  });
});
