import { expect, it } from 'vitest';
import { pods, type Resource } from '../../shared/kube/contract.ts';
import { only, useWorld } from '../nodes/use-world.ts';
import { conditionStatus } from '../nodes/world.ts';

const open = useWorld();
const budgets: Resource = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
};

it('a budget does not hold the claim of a machine that is gone', async () => {
  const world = await open({
    cloud: { faults: [{ on: 'create', count: 1, do: { kind: 'vanish', afterSeconds: 60 } }] },
  });
  await world.createClaim('one', { requirements: only(['general-small']) });
  await world.settle();
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  const [node] = await world.nodes();
  await world.api.create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
    spec: { nodeName: node!.metadata.name, containers: [{ name: 'c', image: 'i' }] },
  });
  const ref = { name: 'web', namespace: 'default' };
  await world.api.mergePatch(pods, ref, { status: { phase: 'Running' } }, { subresource: 'status' });
  await world.api.create(budgets, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'default' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
  });
  await world.pass(90);
  expect(world.cloud.living).toBe(0);
  await world.deleteClaim('one');
  await world.pass(60);
  expect(await world.claim('one')).toBeUndefined();
  expect(await world.nodes()).toEqual([]);
});
