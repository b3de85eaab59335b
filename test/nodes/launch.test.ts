/** A claim's life on a virtual clock: from claim to Ready node, and back to nothing. */
import { afterEach, describe, expect, it } from 'vitest';
import { conditionStatus, type TestWorld, type TestWorldOptions, testWorld } from './world.ts';

let world: TestWorld | undefined;
const open = async (options?: TestWorldOptions): Promise<TestWorld> => {
  world = await testWorld(options);
  return world;
};
afterEach(async () => {
  await world?.close();
  world = undefined;
});

describe('a claim without trouble', () => {
  it('becomes a Ready node and leaves nothing behind when it is deleted', async () => {
    const { createClaim, settle, claim, nodes, deleteClaim, cloud, engine } = await open();

    await createClaim('one');
    await settle();
    const ready = await claim('one');
    expect(conditionStatus(ready, 'Ready')).toBe('True');
    const [node] = await nodes();
    expect(node?.spec?.providerID).toBe(ready?.status?.providerID);
    expect(node?.metadata.labels).toMatchObject({
      'karpenter.sh/registered': 'true',
      'karpenter.sh/initialized': 'true',
    });
    expect(node?.spec?.taints ?? []).toEqual([]);
    expect(node?.metadata.ownerReferences?.[0]?.uid).toBe(ready?.metadata.uid);

    await deleteClaim('one');
    await settle();
    expect(await claim('one')).toBeUndefined();
    expect(await nodes()).toEqual([]);
    expect(cloud.living).toBe(0);

    const calls = cloud.calls.create + cloud.calls.get + cloud.calls.list + cloud.calls.delete;
    expect(calls).toBeLessThanOrEqual(6);
    const rows = engine.all().reduce((sum, { id }) => sum + engine.commandsOf(id).length, 0);
    expect(rows).toBeLessThanOrEqual(25);
  });

  it('says which offering it got after the first was sold out', async () => {
    const { createClaim, settle, claim, cloud, nodes } = await open({
      cloud: { faults: [{ on: 'create', count: 1, do: { kind: 'sold-out' } }] },
    });

    await createClaim('one');
    await settle();

    const [instance] = cloud.ledger();
    const where = {
      'node.kubernetes.io/instance-type': instance?.instanceType,
      'topology.kubernetes.io/zone': instance?.zone,
    };
    expect((await claim('one'))?.metadata.labels).toMatchObject(where);
    expect((await nodes())[0]?.metadata.labels).toMatchObject(where);
  });
});
