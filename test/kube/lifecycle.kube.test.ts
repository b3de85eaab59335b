/** From a claim to a node and back, by the local host on a real API server. */
import { describe, expect, it } from 'vitest';
import { nodeClaims } from '../../shared/kube/contract.ts';
import { isTrue, startHostWorld } from './host-world.ts';
import { useOwnKube } from './own-kube.ts';

const kube = useOwnKube();

describe('the local host on a real API server', () => {
  it('takes a claim to Ready, and its deletion to nothing', async () => {
    const world = await startHostWorld(kube());
    await world.startHost();
    const { metadata } = await world.createClaim('one');
    await world.until(async () => isTrue(await world.claim('one'), 'Ready'));

    const claim = await world.claim('one');
    const [node, ...others] = await world.nodes();
    expect(others).toEqual([]);
    expect(claim?.status).toMatchObject({ providerID: node?.spec?.providerID, nodeName: node?.metadata.name });
    expect(node?.metadata.ownerReferences).toMatchObject([{ kind: 'NodeClaim', name: 'one', uid: metadata.uid }]);
    expect(node?.metadata.labels).toMatchObject({
      'karpenter.sh/registered': 'true',
      'karpenter.sh/initialized': 'true',
    });
    expect(node?.spec?.taints ?? []).toEqual([]);

    await world.api.delete(nodeClaims, { name: 'one' }, {});
    await world.until(async () => (await world.claim('one')) === undefined);
    expect(world.cloud.living).toBe(0);
    expect(await world.nodes()).toEqual([]);
    expect(world.cloud.overlaps()).toEqual([]);
  });

  it('takes up what happened while it was away', async () => {
    const world = await startHostWorld(kube());
    const host = await world.startHost();
    await world.createClaim('goes');
    await world.until(async () => isTrue(await world.claim('goes'), 'Ready'));
    await host.stop();

    await world.api.delete(nodeClaims, { name: 'goes' }, {});
    await world.createClaim('comes');
    await world.startHost();
    await world.until(async () => (await world.claim('goes')) === undefined);
    await world.until(async () => isTrue(await world.claim('comes'), 'Ready'));
    expect(world.cloud.living).toBe(1);
    expect(world.cloud.overlaps()).toEqual([]);

    await world.api.delete(nodeClaims, { name: 'comes' }, {});
    await world.until(async () => (await world.claim('comes')) === undefined);
  });

  it('collects the machine and the Node of a claim that was removed by force', async () => {
    const world = await startHostWorld(kube());
    const host = await world.startHost();
    await world.createClaim('forced');
    await world.until(async () => isTrue(await world.claim('forced'), 'Ready'));
    // While the host is away nobody sees the deletion, and afterwards there is no claim that could tell of it.
    await host.stop();
    await world.api.delete(nodeClaims, { name: 'forced' }, {});
    await world.api.mergePatch(nodeClaims, { name: 'forced' }, { metadata: { finalizers: null } });
    expect(await world.claim('forced')).toBeUndefined();
    expect(world.cloud.living).toBe(1);

    await world.startHost();
    await world.until(() => world.cloud.living === 0);
    await world.until(async () => (await world.nodes()).length === 0);
    expect(world.log.lines.some(({ event }) => event === 'garbage.collected')).toBe(true);
  });
});
