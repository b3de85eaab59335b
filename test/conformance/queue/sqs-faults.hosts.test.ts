/** What SQS does to us beyond the suite: entries that it refuses, queues that are not there, copies that a crash leaves. */
import { createHash } from 'node:crypto';
import { CreateQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { manualClock } from '../../../shared/base/runtime.ts';
import { type AwsConnection, clientOptions } from '../../../shared/platforms/aws/client-options.ts';
import { type QueueOptions, SendError } from '../../../shared/queue/contract.ts';
import { fromSqsRecord } from '../../../shared/queue/sqs/message.ts';
import { openSqsQueue } from '../../../shared/queue/sqs/queue.ts';
import { type Answer, type Asked, awsError, startScriptedAws } from '../../aws/scripted-aws.ts';
import { type Fauxqs, startSqs } from '../../peers/fauxqs.ts';
import { createQueues } from './sqs-harness.ts';

const options: QueueOptions = { visibilitySeconds: 30, maxReceives: 3, maxBodyBytes: 200 * 1024 };
const url = 'https://sqs.eu-west-1.amazonaws.com/111122223333/events';

describe('a queue whose answers a test decides', () => {
  async function scripted(answer: (asked: Asked) => Answer, queue = url) {
    const aws = await startScriptedAws(answer);
    onTestFinished(() => aws.close());
    const opened = openSqsQueue({ connection: aws.connection, queue, clock: manualClock(), options, waitSeconds: 0 });
    return { aws, queue: opened };
  }

  type Entry = { Id: string; MessageBody: string };
  const entriesOf = ({ body }: Asked): Entry[] => body.Entries as Entry[];
  /** The client checks that SQS has read what it sent. */
  const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
  const takenOf = (entries: readonly Entry[]) =>
    entries.map(({ Id, MessageBody }) => ({ Id, MessageId: Id, MD5OfMessageBody: md5(MessageBody) }));
  const taken = (entries: readonly Entry[]): Answer => ({ body: { Successful: takenOf(entries), Failed: [] } });

  it('sends ten at once, and no more than 256 KB', async () => {
    const { aws, queue } = await scripted((asked) => taken(entriesOf(asked)));
    await queue.send(Array.from({ length: 23 }, (_, index) => String(index)));
    expect(aws.asked.map((asked) => entriesOf(asked).length)).toEqual([10, 10, 3]);
    aws.asked.length = 0;
    await queue.send(['x'.repeat(150_000), 'y'.repeat(150_000), 'z']);
    expect(aws.asked.map((asked) => entriesOf(asked).length)).toEqual([1, 2]);
  });

  it('names the group of each message, by which SQS shares between groups', async () => {
    const { aws, queue } = await scripted((asked) => taken(entriesOf(asked)));
    await queue.send(['a', 'b'], { group: 'production' });
    await queue.send(['c'], { group: 'not for SQS: ä' });
    await queue.send(['d']);
    const groups = aws.asked.flatMap(({ body }) => body.Entries as { MessageGroupId?: string }[]);
    expect(groups.map(({ MessageGroupId }) => MessageGroupId)).toEqual([
      'production',
      'production',
      undefined,
      undefined,
    ]);
  });

  it('sends again exactly the entries that were not taken', async () => {
    let refused = false;
    const { aws, queue } = await scripted((asked) => {
      if (refused) return taken(entriesOf(asked));
      refused = true;
      const Failed = [{ Id: '1', Code: 'InternalError', SenderFault: false }];
      return { body: { Successful: takenOf(entriesOf(asked).filter(({ Id }) => Id !== '1')), Failed } };
    });
    await queue.send(['a', 'b', 'c']);
    expect(aws.asked.map((asked) => entriesOf(asked).map(({ MessageBody }) => MessageBody))).toEqual([
      ['a', 'b', 'c'],
      ['b'],
    ]);
  });

  it('gives up on entries that are never taken, or are our fault, and says which queue', async () => {
    let tries = 0;
    const failing = (SenderFault: boolean) => (): Answer => {
      tries += 1;
      return { body: { Failed: [{ Id: '0', Code: 'InternalError', Message: 'not today', SenderFault }] } };
    };
    const busy = await scripted(failing(false));
    await expect(busy.queue.send(['a'])).rejects.toThrow(SendError);
    expect(tries).toBe(3);
    const wrong = await scripted(failing(true));
    await expect(wrong.queue.send(['a'])).rejects.toThrow(
      'the SQS queue "events" in eu-west-1: 1 of 1 messages were not accepted: not today',
    );
    expect(tries).toBe(4);
  });

  it.each([
    [
      'QueueDoesNotExist',
      /the SQS queue "events" in eu-west-1 does not exist \(check the name, the region and the account/,
    ],
    ['AccessDenied', /refuses access: not authorized \(the role needs sqs:GetQueueUrl/],
  ])('says what %s means', async (code, text) => {
    const { queue } = await scripted(() => awsError(code));
    await expect(queue.send(['a'])).rejects.toThrow(text);
    await expect(queue.receive(1)).rejects.toThrow(text);
    await expect(queue.stats()).rejects.toThrow(text);
  });

  it('refuses a URL of another region before it asks anybody', async () => {
    const { aws, queue } = await scripted(() => awsError('AnyError'), url.replace('eu-west-1', 'us-east-1'));
    await expect(queue.receive(1)).rejects.toThrow(/"events" in eu-west-1: its URL is in us-east-1/);
    expect(aws.asked).toEqual([]);
  });

  it('keeps a message whose dead letter could not be sent', async () => {
    const { aws, queue } = await scripted(({ action }) => {
      if (action === 'GetQueueAttributes') return { body: { Attributes: {} } };
      const message = { MessageId: 'm', ReceiptHandle: 'h', Body: 'b', MD5OfBody: md5('b') };
      return action === 'ReceiveMessage' ? { body: { Messages: [message] } } : awsError('AnyError');
    });
    const [message] = await queue.receive(1);
    if (!message) throw new Error('nothing was received');
    await expect(queue.deadLetter(message, 'bad')).rejects.toThrow(/"events" has no dead-letter queue/);
    expect(aws.asked.map(({ action }) => action)).not.toContain('DeleteMessage');
    expect(await queue.deadLetters()).toEqual({ items: [] });
    expect(await queue.replay()).toBe(0);
  });
});

describe('a queue on fauxqs', () => {
  let sqs: Fauxqs;
  let client: SQSClient;
  beforeAll(async () => {
    sqs = await startSqs();
    client = new SQSClient(clientOptions(sqs.connection));
  });
  afterAll(async () => {
    client.destroy();
    await sqs.close();
  });

  let count = 0;
  async function fresh(policy = options.maxReceives) {
    const name = `faults-${++count}`;
    await createQueues(sqs.connection, name, { ...options, maxReceives: policy });
    const open = (connection: AwsConnection = sqs.connection) =>
      openSqsQueue({ connection, queue: name, clock: sqs.clock, options, waitSeconds: 0 });
    return { name, open, queue: open() };
  }

  it('names a queue that does not exist, and the region', async () => {
    const queue = openSqsQueue({ connection: sqs.connection, queue: 'nothing', clock: sqs.clock, options });
    await expect(queue.receive(1)).rejects.toThrow('the SQS queue "nothing" in eu-west-1 does not exist');
    await client.send(new CreateQueueCommand({ QueueName: 'nothing' }));
    // What failed is not kept: it works once the queue is there.
    await queue.send(['a']);
    expect(await queue.receive(1)).toHaveLength(1);
  });

  it('buries by itself what a looser redrive policy would deliver', async () => {
    const { queue } = await fresh(10);
    await queue.send(['killer']);
    for (let round = 1; round <= options.maxReceives; round++) {
      expect(await queue.receive(1)).toHaveLength(1);
      await sqs.pass(options.visibilitySeconds + 1);
    }
    expect(await queue.receive(1)).toEqual([]);
    expect((await queue.deadLetters()).items).toMatchObject([{ body: 'killer', receiveCount: 3 }]);
  });

  it('asks SQS whether a delivery is still ours when its time is over', async () => {
    const { queue, open } = await fresh();
    await queue.send(['a']);
    const [old] = await queue.receive(1);
    await sqs.pass(options.visibilitySeconds + 1);
    const [current] = await open().receive(1);
    if (!old || !current) throw new Error('nothing was received');
    expect(await queue.complete(old)).toBe(false);
    expect(await queue.deadLetter(old, 'late')).toBe(false);
    expect(await open().complete(current)).toBe(true);
  });

  it('takes messages that others sent, and gives their dead letters their own reason', async () => {
    const { queue, name } = await fresh();
    const QueueUrl = `${sqs.connection.endpoint}/000000000000/${name}`;
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: '{"detail-type":"EC2 Spot"}' }));
    const [message] = await queue.receive(1);
    if (!message) throw new Error('nothing was received');
    expect(message.body).toBe('{"detail-type":"EC2 Spot"}');
    await queue.deadLetter(message, 'odd \u0000 reason');
    expect((await queue.deadLetters()).items).toMatchObject([{ id: message.id, reason: 'odd \ufffd reason' }]);
  });

  it('refuses a delay that SQS does not have', async () => {
    const { queue } = await fresh();
    await expect(queue.send(['a'], { delaySeconds: 901 })).rejects.toThrow(/delays a message by at most 900 s/);
  });

  it('holds a message back for hours when it is given back, as far as SQS allows', async () => {
    const { queue } = await fresh();
    await queue.send(['a']);
    const [message] = await queue.receive(1);
    if (!message) throw new Error('nothing was received');
    expect(await queue.abandon(message, { delaySeconds: 48 * 3600 })).toBe(true);
    await sqs.pass(11 * 3600);
    expect(await queue.receive(1)).toEqual([]);
    await sqs.pass(3600);
    expect(await queue.receive(1)).toHaveLength(1);
  });
});

it('understands what Lambda hands over, and its receipt settles that queue alone', () => {
  const record: SQSRecord = {
    messageId: 'm-1',
    receiptHandle: 'handle',
    body: 'base64 AGE=',
    attributes: {
      ApproximateReceiveCount: '4',
      SentTimestamp: '1700000000000',
      SenderId: 'x',
      ApproximateFirstReceiveTimestamp: '1700000000001',
    },
    messageAttributes: {
      'poolwright-encoding': { stringValue: 'base64', dataType: 'String' },
      'poolwright-id': { stringValue: 'first-id', dataType: 'String' },
    },
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-west-1:111122223333:poolwright-events',
    awsRegion: 'eu-west-1',
  };
  expect(fromSqsRecord(record)).toEqual({
    id: 'first-id',
    body: '\u0000a',
    receiveCount: 4,
    enqueuedAt: 1_700_000_000_000,
    receipt: 'poolwright-events handle',
  });
});
