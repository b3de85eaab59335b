/** The watcher of interruptions as it is deployed: what SQS brings to it, and what becomes of a notice. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noticeReceives } from '../../../functions/hosts/aws/queues.ts';
import { buildAwsEntries } from '../../../scripts/package/build.ts';
import { spotWarning } from '../../../sim/aws/event-messages.ts';
import { conditionStatus } from '../../nodes/world.ts';
import { claimsOf } from '../azure/claims.ts';
import { neededEntries } from './entries.ts';
import { startEventSource, toRecord } from './event-source.ts';
import { type AwsHostWorld, startAwsHostWorld } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'poolwright-aws-interruptions-'));
beforeAll(() => buildAwsEntries(folder, neededEntries), 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const warning = (instance: string): string => JSON.stringify(spotWarning({ id: instance, at: Date.now() }, instance));

async function send({ queues: { sqs, interruptions } }: AwsHostWorld, ...bodies: string[]): Promise<void> {
  for (const MessageBody of bodies) {
    await sqs.client.send(new SendMessageCommand({ QueueUrl: interruptions, MessageBody }));
  }
}

/** How many are in a queue, out of sight or not. */
async function countOf({ queues: { sqs } }: AwsHostWorld, QueueUrl: string): Promise<number> {
  const { Attributes: found = {} } = await sqs.client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
  );
  return Number(found.ApproximateNumberOfMessages) + Number(found.ApproximateNumberOfMessagesNotVisible);
}

it('takes a machine that is taken back from its notice to nothing, and drops what is no notice', async () => {
  const world = await startAwsHostWorld({ folder });
  const { sqs, interruptions, interruptionsDead } = world.queues;
  const claims = claimsOf(world.world.cluster.url, world.said);
  const source = startEventSource({
    client: sqs.client,
    queueUrl: interruptions,
    invoke: (event) => world.functions.call('watch-interruptions', event),
  });
  try {
    await claims.create('taken');
    await claims.create('other');
    await world.functions.call('reconcile', { timer: 'resync' });
    const taken = await claims.look('taken', (claim) => conditionStatus(claim, 'Ready') === 'True');
    await claims.look('other', (claim) => conditionStatus(claim, 'Ready') === 'True');

    await send(
      world,
      'no JSON',
      warning('i-0000000000somebody'),
      warning(taken?.status?.providerID?.split('/').at(-1) ?? ''),
    );
    await claims.look('taken', (claim) => claim === undefined || claim.metadata.deletionTimestamp !== undefined);
    await world.functions.call('reconcile', { timer: 'resync' });
    await claims.look('taken', (claim) => claim === undefined);

    expect(world.world.cloud.living).toBe(1);
    await expect.poll(() => countOf(world, interruptions), { timeout: 20_000 }).toBe(0);
    expect(await countOf(world, interruptionsDead)).toBe(0);
  } finally {
    await source.close();
    claims.close();
    await world.close();
  }
}, 120_000);

it('tries a notice for longer than the two minutes while its cluster is away, and then keeps it with the reason', async () => {
  const world = await startAwsHostWorld({ folder, cluster: { server: 'http://127.0.0.1:9' } });
  const { sqs, interruptions, interruptionsDead } = world.queues;
  try {
    const deliver = async (receiveCount: number): Promise<SQSBatchResponse> => {
      await send(world, warning('i-00000000000000001'));
      const { Messages: [message] = [] } = await sqs.client.send(
        new ReceiveMessageCommand({ QueueUrl: interruptions, MessageSystemAttributeNames: ['All'] }),
      );
      const record = toRecord(message ?? {}, interruptions);
      const attributes: SQSRecord['attributes'] = {
        ...record.attributes,
        ApproximateReceiveCount: String(receiveCount),
      };
      const answer = await world.functions.call('watch-interruptions', { Records: [{ ...record, attributes }] });
      return answer as SQSBatchResponse;
    };
    // One before the last: at its earliest 131 seconds after the first.
    expect((await deliver(noticeReceives - 1)).batchItemFailures).toHaveLength(1);
    expect(await countOf(world, interruptionsDead)).toBe(0);

    await deliver(noticeReceives);
    const { Messages: letters = [] } = await sqs.client.send(
      new ReceiveMessageCommand({ QueueUrl: interruptionsDead, MessageAttributeNames: ['All'] }),
    );
    expect(letters.map(({ MessageAttributes: given }) => given?.['poolwright-reason']?.StringValue)).toEqual([
      expect.stringMatching(/^received 12 times, last failure: .+/),
    ]);
  } finally {
    await world.close();
  }
}, 60_000);
