/** A claim that one step hands to the next may have changed meanwhile: nobody refuses, waits or buys on a stale one. */
import { expect, it } from 'vitest';
import { handOver } from '../../shared/nodes/steps/claim-handover.ts';
import { countRequests } from '../nodes/counting-api.ts';
import { only, useWorld } from '../nodes/use-world.ts';
import { conditionOf, conditionStatus } from '../nodes/world.ts';

const open = useWorld();
const oneType = { requirements: only(['general-small']) };

it('a claim that somebody changes before every step becomes Ready all the same, and its node has what was added', async () => {
  const world = await open();
  await world.createClaim('one', oneType);
  let changes = 0;
  world.engine.beforeStep = async () => {
    await world.cloud.settle();
    await world.patchClaim('one', { metadata: { labels: { 'example.com/count': `${++changes}` } } });
  };
  await world.pass(60);
  expect(changes).toBeGreaterThan(3);
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  const [node] = await world.nodes();
  expect(node?.metadata.labels?.['example.com/count']).toBe(`${changes}`);
});

it('a label that somebody changes right before the attempt is opened is not put back, on the claim or on the node', async () => {
  const world = await open();
  const label = 'example.com/team';
  await world.createClaim('one', { ...oneType, metadata: { labels: { [label]: 'old' } } });
  let steps = 0;
  world.engine.beforeStep = async () => {
    await world.cloud.settle();
    // The first step chooses, the second one opens the attempt.
    if (++steps === 2) await world.patchClaim('one', { metadata: { labels: { [label]: 'new' } } });
  };
  await world.pass(60);
  expect((await world.claim('one'))?.metadata.labels?.[label]).toBe('new');
  const [node] = await world.nodes();
  expect(node?.metadata.labels?.[label]).toBe('new');
});

it('a reading from before the attempt was opened, handed over late, neither opens a second nor holds up the first', async () => {
  const world = await open();
  const stale = await world.createClaim('one', oneType);
  world.engine.beforeStep = async () => {
    await world.cloud.settle();
    // As an event that was read long ago and handled now would.
    handOver(world.services, world.clusterServices, stale);
  };
  await world.pass(60);
  expect(conditionStatus(await world.claim('one'), 'Ready')).toBe('True');
  expect(world.cloud.ledger()).toHaveLength(1);
  expect(world.cloud.calls.create).toBe(1);
});

it('a claim that is deleted while a handed-over reading says otherwise is let go at the next look', async () => {
  const world = await open({ cloud: { readySeconds: null } });
  await world.createClaim('one', oneType);
  await world.pass(40);
  expect(conditionOf(await world.claim('one'), 'Registered')?.status).toBe('True');
  const living = await world.claim('one');
  await world.deleteClaim('one');
  handOver(world.services, world.clusterServices, living);
  const requests = countRequests(world.clusterServices);
  await world.pass(40, 5);
  expect(await world.claim('one')).toBeUndefined();
  expect(world.cloud.living).toBe(0);
  expect(requests.length).toBeLessThan(40);
});
