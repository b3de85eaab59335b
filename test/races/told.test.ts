/** What the error table promises to a person who runs `kubectl describe`: the condition and the Event of each failure. */
import { expect, it } from 'vitest';
import { pods } from '../../shared/kube/contract.ts';
import { only, useWorld } from '../nodes/use-world.ts';
import { conditionOf, conditionStatus } from '../nodes/world.ts';

const open = useWorld();
const oneType = { requirements: only(['general-small']) };

it('a machine that may not be deleted holds its claim, which says so, and goes when it may', async () => {
  const world = await open();
  await world.createClaim('one', oneType);
  await world.settle();
  await world.cloud.setFaults([{ on: 'delete', do: { kind: 'unauthorised' } }]);
  await world.deleteClaim('one');
  await world.pass(600);
  expect(conditionOf(await world.claim('one'), 'InstanceTerminating')).toMatchObject({
    status: 'Unknown',
    reason: 'Unauthorized',
    message: expect.stringContaining('cannot be deleted'),
  });
  expect((await world.eventsOf('one')).map(({ reason }) => reason)).toContain('Unauthorized');
  expect(world.cloud.calls.delete).toBeLessThan(20);
  await world.cloud.setFaults([]);
  await world.pass(600);
  expect(await world.claim('one')).toBeUndefined();
  expect(world.cloud.living).toBe(0);
});

it('a claim waits in words when its provider will not say what is left of it', async () => {
  const world = await open();
  await world.createClaim('one', oneType);
  await world.settle();
  await world.deleteClaim('one');
  await world.cloud.setFaults([{ on: 'list', do: { kind: 'unauthorised' } }]);
  await world.pass(300);
  expect(conditionOf(await world.claim('one'), 'InstanceTerminating')).toMatchObject({
    status: 'Unknown',
    reason: 'Unauthorized',
    message: expect.stringContaining('cannot list'),
  });
  expect((await world.eventsOf('one')).map(({ reason }) => reason)).toContain('Unauthorized');
  await world.cloud.setFaults([]);
  await world.pass(300);
  expect(await world.claim('one')).toBeUndefined();
});

it('a machine that may not be looked at while it is made is told of as well', async () => {
  const world = await open({ cloud: { faults: [{ on: 'get', do: { kind: 'unauthorised' } }] } });
  await world.createClaim('one', oneType);
  await world.pass(60);
  const told = (await world.eventsOf('one')).filter(({ reason }) => reason === 'Unauthorized');
  expect(told).toMatchObject([{ type: 'Warning', count: 1 }]);
  await world.cloud.setFaults([]);
  await world.settle();
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
});

it('the end of a node is measured under the names that dashboards know', async () => {
  const world = await open();
  await world.createClaim('one', oneType);
  await world.settle();
  const [node] = await world.nodes();
  await world.api.create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default' },
    spec: { nodeName: node!.metadata.name, containers: [{ name: 'c', image: 'i' }] },
  });
  await world.deleteClaim('one');
  await world.settle();
  const { text } = await world.services.metrics.expose();
  expect(text).toMatch(/^karpenter_nodes_termination_duration_seconds_count\{.*\} 1$/m);
  expect(text).toContain('karpenter_pods_drained_total{reason="terminated"} 1');
});
