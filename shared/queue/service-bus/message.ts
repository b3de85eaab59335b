/**
 * Messages of ours as messages of Service Bus. Service Bus can't hold back a message that is given back: a copy is scheduled
 * instead, and carries in its properties what must not be forgotten: who it is, since when it waits, how often it was
 * received, and why it failed.
 */
import type { ServiceBusMessage, ServiceBusReceivedMessage } from '@azure/service-bus';
import { defined } from '../../base/defined.ts';
import type { DeadLetter, Message } from '../contract.ts';
import { receivedTooOften } from '../reasons.ts';

export const properties = {
  id: 'poolwright-id',
  enqueuedAt: 'poolwright-enqueued-at',
  group: 'poolwright-group',
  /** Deliveries of the copies before this one. */
  receives: 'poolwright-receives',
  failure: 'poolwright-failure',
  deadAt: 'poolwright-dead-at',
  /** All deliveries of a dead letter. */
  received: 'poolwright-received',
} as const;

type Properties = Readonly<Record<string, unknown>>;

export interface Draft {
  id: string;
  body: string;
  enqueuedAt: number;
  group?: string | undefined;
  receives?: number;
  failure?: string | undefined;
}

export function toBroker({ id, body, enqueuedAt, group, receives = 0, failure }: Draft): ServiceBusMessage {
  return {
    // Bytes: text would be wrapped into JSON once more.
    body: Buffer.from(body),
    contentType: 'application/cloudevents+json; charset=utf-8',
    applicationProperties: {
      [properties.id]: id,
      [properties.enqueuedAt]: enqueuedAt,
      ...(group === undefined ? {} : { [properties.group]: group }),
      ...(receives === 0 ? {} : { [properties.receives]: receives }),
      ...(failure === undefined ? {} : { [properties.failure]: failure }),
    },
  };
}

export function fromBroker(raw: ServiceBusReceivedMessage): Message {
  const given = raw.applicationProperties ?? {};
  return {
    ...common(raw),
    // The client counts the deliveries before this one.
    receiveCount: numberIn(given, properties.receives) + (raw.deliveryCount ?? 0) + 1,
    receipt: toReceipt(raw.lockToken ?? '', textIn(given, properties.failure)),
  };
}

export function deadFromBroker(raw: ServiceBusReceivedMessage, visibilitySeconds: number): DeadLetter {
  const given = raw.applicationProperties ?? {};
  const receiveCount =
    numberIn(given, properties.received) || numberIn(given, properties.receives) + (raw.deliveryCount ?? 0);
  const letter = common(raw);
  return {
    ...letter,
    receiveCount,
    reason:
      raw.deadLetterReason === 'MaxDeliveryCountExceeded'
        ? receivedTooOften(receiveCount, textIn(given, properties.failure), visibilitySeconds)
        : raw.deadLetterErrorDescription || raw.deadLetterReason || 'no reason given',
    // What the broker buries by itself has no such time: it was enqueued before, that is all we know.
    deadAt: numberIn(given, properties.deadAt) || letter.enqueuedAt,
  };
}

/** What a function's host tells about the message that it received: see `fromTrigger`. */
export type TriggerMetadata = Readonly<Record<string, unknown>>;

/**
 * A message that the Functions host received. The host parses what looks like JSON, and counts this delivery already.
 */
export function fromTrigger(body: unknown, metadata: TriggerMetadata): Message {
  const given = recordIn(metadata, 'applicationProperties') ?? recordIn(metadata, 'userProperties') ?? {};
  const enqueued = metadata.enqueuedTimeUtc;
  return {
    id: textIn(given, properties.id) ?? String(metadata.messageId ?? metadata.sequenceNumber ?? ''),
    body: typeof body === 'string' ? body : Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body ?? null),
    enqueuedAt: numberIn(given, properties.enqueuedAt) || Date.parse(String(enqueued ?? '')) || 0,
    ...defined({ group: textIn(given, properties.group) }),
    receiveCount: numberIn(given, properties.receives) + Math.max(1, numberIn(metadata, 'deliveryCount')),
    receipt: toReceipt(String(metadata.lockToken ?? ''), textIn(given, properties.failure)),
  };
}

function common(raw: ServiceBusReceivedMessage): Pick<Message, 'id' | 'body' | 'enqueuedAt' | 'group'> {
  const given = raw.applicationProperties ?? {};
  const body: unknown = raw.body;
  return {
    // Whoever else sends here gives a message an id, or the broker does.
    id: textIn(given, properties.id) ?? String(raw.messageId ?? raw.sequenceNumber ?? ''),
    body: Buffer.isBuffer(body) ? body.toString() : typeof body === 'string' ? body : JSON.stringify(body ?? null),
    enqueuedAt: numberIn(given, properties.enqueuedAt) || (raw.enqueuedTimeUtc?.getTime() ?? 0),
    ...defined({ group: textIn(given, properties.group) }),
  };
}

/** The lock, and the last failure: whoever gives the message back without a reason keeps that one. */
const toReceipt = (lock: string, failure: string | undefined): string => `${lock} ${failure ?? ''}`;

export function fromReceipt(receipt: string): { lock: string; failure: string | undefined } {
  const space = receipt.indexOf(' ');
  const failure = receipt.slice(space + 1);
  return { lock: receipt.slice(0, Math.max(space, 0)), failure: failure === '' ? undefined : failure };
}

function recordIn(from: Properties, name: string): Properties | undefined {
  const value = from[name];
  return typeof value === 'object' && value !== null ? (value as Properties) : undefined;
}

function textIn(from: Properties, name: string): string | undefined {
  const value = from[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberIn(from: Properties, name: string): number {
  const value = Number(from[name] ?? 0);
  return Number.isFinite(value) ? value : 0;
}
