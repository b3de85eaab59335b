/** From a message on SQS to a drained node: the queue is fauxqs, all the rest is as the local host has it. */

import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { receiveInterruptions } from '../../functions/hosts/local/interruption-queues.ts';
import { interruptionWatcher } from '../../functions/watchers/interruption-watcher.ts';
import { instanceIdOf } from '../../shared/providers/instance-id.ts';
import { rebalanceRecommendation, spotWarning, stateChange } from '../../sim/aws/event-messages.ts';
import { addPod, podNames, readyWorld } from '../nodes/drain-world.ts';
import { useWorld } from '../nodes/use-world.ts';
import { type Fauxqs, startSqs } from '../peers/fauxqs.ts';
import { anSqsQueue } from './an-sqs-queue.ts';

const open = useWorld();
let sqs: Fauxqs;
beforeAll(async () => {
  sqs = await startSqs();
});
afterAll(() => sqs.close());

it('a spot warning drains the node and takes its machine down; whatever else lies on the queue is dropped', async () => {
  const world = await readyWorld(open);
  await addPod(world, 'work');
  const instance = instanceIdOf(world.provider, (await world.claim('one'))?.status?.providerID ?? '') ?? '';
  const queue = await anSqsQueue(sqs.connection);
  const facts = { id: 'm', at: world.clock.now() };
  await queue.send([
    'not json',
    stateChange(facts, 'i-0aaaaaaaaaaaaaaaa', 'terminated'),
    rebalanceRecommendation(facts, instance),
    spotWarning(facts, instance),
    spotWarning(facts, instance),
  ]);
  const receivers = receiveInterruptions(
    [{ queue: queue.name, connection: sqs.connection }],
    interruptionWatcher,
    world.services,
  );
  await vi.waitFor(async () => expect(await queue.left()).toEqual({ visible: 0, inFlight: 0 }), { timeout: 60_000 });
  expect(receivers.checks()).toEqual({ [`interruption queue ${queue.name}`]: { ok: true } });
  await receivers.stop();
  queue.close();
  expect((await world.claim('one'))?.metadata.deletionTimestamp).toBeDefined();

  await world.settle();
  expect(await podNames(world)).toEqual([]);
  expect(await world.claim('one')).toBeUndefined();
  expect(await world.nodes()).toEqual([]);
  expect(world.cloud.living).toBe(0);
  const samples = await world.services.metrics.samples();
  expect(samples.get('karpenter_pods_eviction_requests_total{code="201"}')).toBe(1);
  expect(samples.get('karpenter_nodes_drained_total{nodepool="none"}')).toBe(1);
});

it('a queue that does not exist is told to whoever asks how the host is, and stops nothing', async () => {
  const world = await readyWorld(open);
  const receivers = receiveInterruptions(
    [{ queue: 'nowhere', connection: sqs.connection }],
    interruptionWatcher,
    world.services,
  );
  await vi.waitFor(
    () =>
      expect(receivers.checks()['interruption queue nowhere']).toEqual({
        ok: false,
        message: expect.stringContaining('does not exist'),
      }),
    { timeout: 60_000 },
  );
  await receivers.stop();
  await world.deleteClaim('one');
  await world.settle();
  expect(await world.claim('one')).toBeUndefined();
});
