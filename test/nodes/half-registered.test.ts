/** A launch that dies right after its Node was registered, before the claim knows the Node's name. On a virtual clock. */
import { expect, it } from 'vitest';
import { type ClusterApi, nodeClaims } from '../../shared/kube/contract.ts';
import { ensureWorkflow } from '../../shared/nodes/ensure.ts';
import { addPod, interpose, podNames } from './drain-world.ts';
import { only, useWorld } from './use-world.ts';
import { clusterName } from './world.ts';

const open = useWorld();

it('leaves a Node that is drained all the same, though no event ever told of it', async () => {
  const world = await open();
  const { api } = world.clusterServices;
  await world.createClaim('one', { requirements: only(['general-small']) });
  const isRegistered = async (): Promise<boolean> =>
    (await world.nodes()).some(({ metadata }) => metadata.labels?.['karpenter.sh/registered'] === 'true');
  interpose(world, {
    mergePatch: (async (kind, ...rest) =>
      kind === nodeClaims && (await isRegistered())
        ? { ok: false, error: { kind: 'unavailable', message: 'the network is down' } }
        : api.mergePatch(kind, ...rest)) as ClusterApi['mergePatch'],
  });
  await world.resync();
  await world.engine.runUntil(world.clock.now() + 60_000);
  expect(await isRegistered()).toBe(true);
  expect((await world.claim('one'))?.status?.nodeName).toBeUndefined();

  const [node] = await world.nodes();
  await addPod({ ...world, node: node!.metadata.name }, 'web', { spec: { terminationGracePeriodSeconds: 0 } });
  await world.deleteClaim('one');
  Object.assign(world.clusterServices, { api });
  // Not the resync, which would find the Node by listing.
  await ensureWorkflow(world.services, clusterName, (await world.claim('one'))!);
  await world.engine.runUntil(world.clock.now() + 60_000);
  expect(await podNames(world)).toEqual([]);
  expect(await world.claim('one')).toBeUndefined();
  expect(await world.nodes()).toEqual([]);
});
