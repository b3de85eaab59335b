/** One queue of SQS, by its raw requests. */

import type { Message as SqsMessage } from '@aws-sdk/client-sqs';
import { defined } from '../../base/defined.ts';
import type { AwsConnection } from '../../platforms/aws/client-options.ts';
import { SendError } from '../contract.ts';
import { explanationOf, isQueueUrl, isTooLate, type OpenedSqs, once, queueNameOf, regionOfUrl } from './client.ts';
import { type SqsBody, sizeOf, wantedSystemAttributes } from './message.ts';

export interface SqsCounts {
  visible: number;
  inFlight: number;
  delayed: number;
  /** Of the queue that SQS moves messages to by itself. */
  deadLetterArn: string | undefined;
}

/** Both are SQS's own limits; a queue may allow more bytes today, and every queue allows these. */
const entriesAtOnce = 10;
const bytesAtOnce = 256 * 1024;
const sendTries = 3;

export class SqsPlace {
  readonly #open: () => Promise<OpenedSqs>;
  readonly #queue: string;
  readonly #connection: AwsConnection;
  readonly #url: () => Promise<string>;

  /** @param queue Its name, URL or ARN. */
  constructor(open: () => Promise<OpenedSqs>, queue: string, connection: AwsConnection) {
    this.#open = open;
    this.#queue = queue;
    this.#connection = connection;
    this.#url = once(() => this.#findUrl());
  }

  /** In batches; entries that SQS could not take are tried again. Throws `SendError`. */
  async send(bodies: readonly SqsBody[], delaySeconds = 0): Promise<void> {
    try {
      for (const batch of inBatches(bodies)) await this.#sendBatch(batch, delaySeconds);
    } catch (error) {
      if (error instanceof SendError || error instanceof RangeError) throw error;
      throw new SendError(explanationOf(error, this.#queue, this.#connection.region));
    }
  }

  receive(most: number, visibilitySeconds: number, waitSeconds: number): Promise<SqsMessage[]> {
    return this.#ask(async ({ client, commands }, QueueUrl) => {
      const answer = await client.send(
        new commands.ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: Math.min(most, entriesAtOnce),
          VisibilityTimeout: visibilitySeconds,
          WaitTimeSeconds: waitSeconds,
          MessageSystemAttributeNames: [...wantedSystemAttributes],
          MessageAttributeNames: ['All'],
        }),
      );
      return answer.Messages ?? [];
    });
  }

  /** False when the receipt is known not to hold any more. */
  delete(ReceiptHandle: string): Promise<boolean> {
    return this.#settle(({ client, commands }, QueueUrl) =>
      client.send(new commands.DeleteMessageCommand({ QueueUrl, ReceiptHandle })),
    );
  }

  /** Out of sight for so many seconds from now. False when the receipt does not hold any more. */
  hide(ReceiptHandle: string, seconds: number): Promise<boolean> {
    return this.#settle(({ client, commands }, QueueUrl) =>
      client.send(new commands.ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: seconds })),
    );
  }

  /** Gives them back at once. One that can't be given back is there again when its time is over. */
  async release(messages: readonly SqsMessage[]): Promise<void> {
    const handles = messages.flatMap(({ ReceiptHandle }) => (ReceiptHandle === undefined ? [] : [ReceiptHandle]));
    for (let start = 0; start < handles.length; start += entriesAtOnce) {
      const Entries = handles
        .slice(start, start + entriesAtOnce)
        .map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle, VisibilityTimeout: 0 }));
      await this.#ask(({ client, commands }, QueueUrl) =>
        client.send(new commands.ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries })),
      );
    }
  }

  counts(): Promise<SqsCounts> {
    return this.#ask(async ({ client, commands }, QueueUrl) => {
      const { Attributes: found = {} } = await client.send(
        new commands.GetQueueAttributesCommand({
          QueueUrl,
          AttributeNames: [
            'ApproximateNumberOfMessages',
            'ApproximateNumberOfMessagesNotVisible',
            'ApproximateNumberOfMessagesDelayed',
            'RedrivePolicy',
          ],
        }),
      );
      return {
        visible: Number(found.ApproximateNumberOfMessages ?? 0),
        inFlight: Number(found.ApproximateNumberOfMessagesNotVisible ?? 0),
        delayed: Number(found.ApproximateNumberOfMessagesDelayed ?? 0),
        deadLetterArn: /"deadLetterTargetArn"\s*:\s*"([^"]+)"/.exec(found.RedrivePolicy ?? '')?.[1],
      };
    });
  }

  async #sendBatch(batch: readonly SqsBody[], DelaySeconds: number): Promise<void> {
    const { client, commands } = await this.#open();
    const QueueUrl = await this.#url();
    let left = batch.map((body, index) => ({ ...body, Id: String(index), DelaySeconds }));
    for (let attempt = 1; ; attempt++) {
      const { Failed: failed = [] } = await client.send(
        new commands.SendMessageBatchCommand({ QueueUrl, Entries: left }),
      );
      if (failed.length === 0) return;
      const fault = failed.find(({ SenderFault }) => SenderFault) ?? (attempt === sendTries ? failed[0] : undefined);
      if (fault) {
        const problem = `${failed.length} of ${left.length} messages were not accepted: ${fault.Message ?? fault.Code}`;
        throw new SendError(explanationOf(new Error(problem), this.#queue, this.#connection.region));
      }
      left = left.filter(({ Id }) => failed.some((one) => one.Id === Id));
    }
  }

  async #settle(request: (opened: OpenedSqs, url: string) => Promise<unknown>): Promise<boolean> {
    return this.#ask(async (opened, url) => {
      try {
        await request(opened, url);
        return true;
      } catch (error) {
        if (isTooLate(error)) return false;
        throw error;
      }
    });
  }

  async #ask<T>(request: (opened: OpenedSqs, url: string) => Promise<T>): Promise<T> {
    try {
      return await request(await this.#open(), await this.#url());
    } catch (error) {
      throw new Error(explanationOf(error, this.#queue, this.#connection.region), { cause: error });
    }
  }

  async #findUrl(): Promise<string> {
    if (isQueueUrl(this.#queue)) {
      const region = regionOfUrl(this.#queue);
      if (region === undefined || region === this.#connection.region) return this.#queue;
      throw new Error(`its URL is in ${region} (configure that region, or a queue of this one)`);
    }
    const { client, commands } = await this.#open();
    const account = /^arn:[^:]+:sqs:[^:]*:(\d+):/.exec(this.#queue)?.[1];
    const { QueueUrl } = await client.send(
      new commands.GetQueueUrlCommand({
        QueueName: queueNameOf(this.#queue),
        ...defined({ QueueOwnerAWSAccountId: account }),
      }),
    );
    if (QueueUrl === undefined) throw new Error('SQS returned no URL for it');
    return QueueUrl;
  }
}

function* inBatches(bodies: readonly SqsBody[]): Generator<SqsBody[]> {
  let batch: SqsBody[] = [];
  let bytes = 0;
  for (const body of bodies) {
    const size = sizeOf(body);
    if (size > bytesAtOnce) {
      throw new RangeError(`a message is ${size} bytes with its attributes; SQS allows ${bytesAtOnce}`);
    }
    if (batch.length === entriesAtOnce || (batch.length > 0 && bytes + size > bytesAtOnce)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(body);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
