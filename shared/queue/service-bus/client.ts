/** The client of a Service Bus namespace, loaded when it is first used, and what its errors mean to the driver. */

import type { TokenCredential } from '@azure/core-auth';
import type { ServiceBusClient, ServiceBusReceivedMessage } from '@azure/service-bus';
import { errorText } from '../../base/error-text.ts';

/** A connection string (an emulator, a developer), or the name of the namespace and an identity. */
export type ServiceBusConnection =
  | { connectionString: string }
  /** `name.servicebus.windows.net` */
  | { namespace: string; credential: TokenCredential };

export interface ServiceBusNamespace {
  /** One connection for all queues. */
  client(): Promise<ServiceBusClient>;
  close(): Promise<void>;
}

/** Long enough for a namespace that moves, short enough for a function that is paid by the second. */
const retryOptions = { maxRetries: 2, retryDelayInMs: 500, maxRetryDelayInMs: 4000, timeoutInMs: 15_000 };

export function openServiceBus(connection: ServiceBusConnection): ServiceBusNamespace {
  let opening: Promise<ServiceBusClient> | undefined;
  const open = async (): Promise<ServiceBusClient> => {
    // Only what sends or settles pays for the library.
    const { ServiceBusClient } = await import('@azure/service-bus');
    return 'connectionString' in connection
      ? new ServiceBusClient(connection.connectionString, { retryOptions })
      : new ServiceBusClient(connection.namespace, connection.credential, { retryOptions });
  };
  return {
    client: () => {
      opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    close: async () => {
      const opened = opening;
      opening = undefined;
      await (await opened)?.close();
    },
  };
}

/**
 * A message as far as a settlement needs it: its lock. The client settles a message that came by no link of its own on the
 * management link, by its lock token alone. So a delivery can be settled by another process than the one that received it,
 * which is how a function settles what its host received.
 */
export function lockedMessage(lockToken: string): ServiceBusReceivedMessage {
  const message: ServiceBusReceivedMessage & { delivery: object } = {
    lockToken,
    body: undefined,
    state: 'active',
    _rawAmqpMessage: { body: undefined },
    delivery: {},
  };
  return message;
}

type Long = NonNullable<ServiceBusReceivedMessage['sequenceNumber']>;

/** A sequence number as the client takes it: it asks for the bytes of its own number class and for nothing else. */
export function toSequenceNumber(value: bigint): Long {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return { __isLong__: true, toBytesBE: () => [...bytes] } as object as Long;
}

/** Somebody else has the message now, or nobody: the settlement came too late. */
export function isLockLost(error: unknown): boolean {
  return ['MessageLockLost', 'MessageNotFound'].includes(codeOf(error));
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** What is wrong, where, and what to do. */
export function explanationOf(error: unknown, queue: string): string {
  const where = `the Service Bus queue ${JSON.stringify(queue)}`;
  switch (codeOf(error)) {
    case 'UnauthorizedAccess':
      return `${where} refuses access (the identity needs the roles "Azure Service Bus Data Sender" and "Azure Service Bus Data Receiver" on it)`;
    case 'MessagingEntityNotFound':
      return `${where} does not exist in this namespace (infra/azure creates it; check the names of the queue and the namespace)`;
    case 'MessagingEntityDisabled':
      return `${where} is disabled (enable it in the namespace)`;
    case 'QuotaExceeded':
      return `${where} is full (find out what fills it: its dead letters count too)`;
    default:
      return `${where}: ${errorText(error)}`;
  }
}
