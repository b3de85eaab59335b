/**
 * Messages of ours as messages of SQS. A message there can't be changed: what must not be forgotten when it is put apart or
 * back (who it is, since when it waits, how often it was received, why it failed) is in the attributes of its copy.
 */
import type { MessageAttributeValue, Message as SqsMessage } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { defined } from '../../base/defined.ts';
import type { DeadLetter, Message } from '../contract.ts';
import { receivedTooOften } from '../reasons.ts';

export const attributes = {
  id: 'poolwright-id',
  enqueuedAt: 'poolwright-enqueued-at',
  /** For us; `MessageGroupId` is for SQS, which takes fewer texts. */
  group: 'poolwright-group',
  /** All deliveries of a dead letter. */
  received: 'poolwright-received',
  reason: 'poolwright-reason',
  encoding: 'poolwright-encoding',
} as const;

/** What every receive must ask for. */
export const wantedSystemAttributes = ['ApproximateReceiveCount', 'SentTimestamp'] as const;

export interface Draft {
  body: string;
  id?: string;
  group?: string | undefined;
  enqueuedAt?: number;
  received?: number;
  reason?: string;
}

export interface SqsBody {
  MessageBody: string;
  /** On a standard queue: SQS gives the messages of a group that has many of them less room (fair queues). */
  MessageGroupId?: string;
  MessageAttributes?: Record<string, MessageAttributeValue>;
}

export function toBroker({ body, id, group, enqueuedAt, received, reason }: Draft): SqsBody {
  const encoded = isPlain(body) ? undefined : `base64 ${Buffer.from(body).toString('base64')}`;
  const named = {
    [attributes.id]: id,
    [attributes.group]: group,
    [attributes.enqueuedAt]: enqueuedAt?.toString(),
    [attributes.received]: received?.toString(),
    [attributes.reason]: reason && withoutForbidden(reason),
    [attributes.encoding]: encoded && 'base64',
  };
  const given = Object.entries(named).filter((one): one is [string, string] => Boolean(one[1]));
  return {
    MessageBody: encoded ?? body,
    ...(group !== undefined && usableGroup.test(group) ? { MessageGroupId: group } : {}),
    ...(given.length === 0
      ? {}
      : {
          MessageAttributes: Object.fromEntries(
            given.map(([name, value]) => [name, { DataType: 'String', StringValue: value }]),
          ),
        }),
  };
}

/** SQS counts bodies and attributes together. */
export const sizeOf = ({ MessageBody, MessageAttributes = {} }: SqsBody): number =>
  Object.entries(MessageAttributes).reduce(
    (sum, [name, { StringValue = '' }]) => sum + name.length + 'String'.length + Buffer.byteLength(StringValue),
    Buffer.byteLength(MessageBody),
  );

export function fromBroker(raw: SqsMessage, queue: string): Message {
  const given = raw.MessageAttributes ?? {};
  return {
    id: textIn(given, attributes.id) ?? raw.MessageId ?? '',
    body: bodyOf(raw.Body ?? '', textIn(given, attributes.encoding)),
    receiveCount: Number(raw.Attributes?.ApproximateReceiveCount ?? 1),
    enqueuedAt: Number(raw.Attributes?.SentTimestamp ?? 0),
    ...defined({ group: textIn(given, attributes.group) }),
    receipt: toReceipt(queue, raw.ReceiptHandle ?? ''),
  };
}

/** A message that came to a Lambda function. */
export function fromSqsRecord(record: SQSRecord): Message {
  const given = record.messageAttributes;
  return {
    id: given[attributes.id]?.stringValue ?? record.messageId,
    body: bodyOf(record.body, given[attributes.encoding]?.stringValue),
    receiveCount: Number(record.attributes.ApproximateReceiveCount),
    enqueuedAt: Number(record.attributes.SentTimestamp),
    ...defined({ group: given[attributes.group]?.stringValue }),
    receipt: toReceipt(record.eventSourceARN.split(':').at(-1) ?? '', record.receiptHandle),
  };
}

export interface DeadLetterRules {
  maxReceives: number;
  visibilitySeconds: number;
}

/** One without our attributes was moved here by SQS itself, which knows no reason but that it was received too often. */
export function deadFromBroker(raw: SqsMessage, { maxReceives, visibilitySeconds }: DeadLetterRules): DeadLetter {
  const given = raw.MessageAttributes ?? {};
  const { id, body, group, enqueuedAt: deadAt } = fromBroker(raw, '');
  return {
    id,
    body,
    ...defined({ group }),
    reason: textIn(given, attributes.reason) ?? receivedTooOften(maxReceives, undefined, visibilitySeconds),
    receiveCount: Number(textIn(given, attributes.received) ?? maxReceives),
    enqueuedAt: Number(textIn(given, attributes.enqueuedAt) ?? deadAt),
    deadAt,
  };
}

/** The queue's name too: a receipt settles nothing elsewhere. */
const toReceipt = (queue: string, handle: string): string => `${queue} ${handle}`;

export function fromReceipt(receipt: string): { queue: string; handle: string } {
  const space = receipt.indexOf(' ');
  return { queue: receipt.slice(0, Math.max(space, 0)), handle: receipt.slice(space + 1) };
}

const bodyOf = (body: string, encoding: string | undefined): string =>
  encoding === 'base64' ? Buffer.from(body.slice(body.indexOf(' ') + 1), 'base64').toString() : body;

/** What SQS takes as a group. */
const usableGroup = /^[\x21-\x7e]{1,128}$/;

/** SQS takes the characters of XML 1.0 alone, and no empty body. */
const forbidden = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;
const isPlain = (body: string): boolean => body !== '' && !forbidden.test(body);
const withoutForbidden = (text: string): string => text.replaceAll(new RegExp(forbidden, 'gu'), '\ufffd');

const textIn = (given: Readonly<Record<string, MessageAttributeValue>>, name: string): string | undefined =>
  given[name]?.StringValue || undefined;
