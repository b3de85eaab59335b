/**
 * From EventBridge to a drained node, on moto: its rules decide which messages reach its queue, so that we don't only agree with
 * our own idea of what EventBridge sends.
 */

import { expect, it, vi } from 'vitest';
import { receiveInterruptions } from '../../functions/hosts/local/interruption-queues.ts';
import { interruptionWatcher } from '../../functions/watchers/interruption-watcher.ts';
import { notices } from '../../infra/aws/provider-stacks.ts';
import type { Json } from '../../shared/base/json.ts';
import { instanceIdOf } from '../../shared/providers/instance-id.ts';
import { type EventMessage, spotWarning, stateChange } from '../../sim/aws/event-messages.ts';
import { useMoto } from '../aws/use-stand-ins.ts';
import { addPod, podNames, readyWorld } from '../nodes/drain-world.ts';
import { useWorld } from '../nodes/use-world.ts';
import { anSqsQueue } from './an-sqs-queue.ts';

const moto = useMoto();
const open = useWorld();

/** EventBridge's own protocol; its client is not among our dependencies, because nothing of ours calls it. */
async function eventBridge(action: string, input: Json): Promise<void> {
  const { endpoint, region } = moto.connection();
  const answer = await fetch(String(endpoint), {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `AWSEvents.${action}`,
      authorization: `AWS4-HMAC-SHA256 Credential=any/20260101/${region}/events/aws4_request, SignedHeaders=host, Signature=0`,
    },
    body: JSON.stringify(input),
  });
  if (!answer.ok) throw new Error(`${action}: ${answer.status} ${await answer.text()}`);
  const { FailedEntryCount = 0 } = (await answer.json().catch(() => ({}))) as { FailedEntryCount?: number };
  expect(FailedEntryCount).toBe(0);
}

const happen = (message: EventMessage): Promise<void> =>
  eventBridge('PutEvents', {
    Entries: [
      {
        Source: message.source,
        DetailType: message['detail-type'],
        Resources: message.resources,
        Detail: JSON.stringify(message.detail),
      },
    ],
  });

it('a spot warning goes by its rule to the queue, and from there to a drained node and a machine that is gone', async () => {
  const { region } = moto.connection();
  const queue = await anSqsQueue(moto.connection());
  for (const [name, pattern] of Object.entries(notices)) {
    await eventBridge('PutRule', { Name: name, EventPattern: JSON.stringify(pattern) });
    const Arn = `arn:aws:sqs:${region}:123456789012:${queue.name}`;
    await eventBridge('PutTargets', { Rule: name, Targets: [{ Id: 'queue', Arn }] });
  }
  const world = await readyWorld(open);
  await addPod(world, 'work');
  const instance = instanceIdOf(world.provider, (await world.claim('one'))?.status?.providerID ?? '') ?? '';
  const facts = { id: 'm', at: Date.now(), region };
  await happen({ ...stateChange(facts, instance, 'terminated'), source: 'not.of.aws' });
  await happen(stateChange(facts, 'i-0aaaaaaaaaaaaaaaa', 'terminated'));
  expect(await queue.left()).toMatchObject({ visible: 1 });
  await happen(spotWarning(facts, instance));
  expect(await queue.left()).toMatchObject({ visible: 2 });

  const receivers = receiveInterruptions(
    [{ queue: queue.url, connection: moto.connection() }],
    interruptionWatcher,
    world.services,
  );
  await vi.waitFor(async () => expect(await queue.left()).toEqual({ visible: 0, inFlight: 0 }), { timeout: 60_000 });
  await receivers.stop();
  queue.close();
  expect((await world.claim('one'))?.metadata.deletionTimestamp).toBeDefined();
  expect((await world.eventsOf('one')).map(({ reason }) => reason)).toContain('SpotInterrupted');
  await world.settle();
  expect(await podNames(world)).toEqual([]);
  expect(await world.claim('one')).toBeUndefined();
  expect(await world.nodes()).toEqual([]);
  expect(world.cloud.living).toBe(0);
});
