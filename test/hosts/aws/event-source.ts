/**
 * What Lambda does between a queue and a function: takes up to ten messages, calls the function with them, and deletes all that it does not
 * name as failed. When the call fails, all of them come back after their time of being out of sight.
 */

import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { defined } from '../../../shared/base/defined.ts';

export interface EventSourceOptions {
  client: SQSClient;
  queueUrl: string;
  invoke(event: SQSEvent): Promise<unknown>;
  /** Batches at once. */
  concurrency?: number;
}

export function startEventSource({ client, queueUrl, invoke, concurrency = 2 }: EventSourceOptions) {
  const abort = new AbortController();

  const take = async (): Promise<void> => {
    const { Messages: messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 1,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
      { abortSignal: abort.signal },
    );
    if (messages.length === 0) return;
    const answer = (await invoke({ Records: messages.map((message) => toRecord(message, queueUrl)) })) as
      | SQSBatchResponse
      | undefined;
    const failed = new Set(answer?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    const done = messages.filter(({ MessageId }) => !failed.has(MessageId ?? ''));
    if (done.length === 0) return;
    const entries = done.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries }));
  };
  const loop = async (): Promise<void> => {
    while (!abort.signal.aborted) await take().catch(() => undefined);
  };
  const loops = Array.from({ length: concurrency }, loop);
  return {
    async close() {
      abort.abort();
      await Promise.all(loops);
    },
  };
}

/** A message as the function gets it. */
export function toRecord(message: Message, queueUrl: string): SQSRecord {
  const { Attributes: attributes = {}, MessageAttributes: given = {} } = message;
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:eu-west-1:000000000000:${queueUrl.split('/').at(-1)}`,
    awsRegion: 'eu-west-1',
    attributes: {
      ApproximateReceiveCount: attributes.ApproximateReceiveCount ?? '1',
      SentTimestamp: attributes.SentTimestamp ?? '0',
      SenderId: attributes.SenderId ?? '',
      ApproximateFirstReceiveTimestamp: attributes.ApproximateFirstReceiveTimestamp ?? '0',
    },
    messageAttributes: Object.fromEntries(
      Object.entries(given).map(([name, { StringValue: stringValue, DataType: dataType = 'String' }]) => [
        name,
        { dataType, ...defined({ stringValue }) },
      ]),
    ),
  };
}
