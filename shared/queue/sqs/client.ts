/** The client of SQS, loaded when it is first used, where a queue is, and what errors mean to the driver. */

import type { SQSClient } from '@aws-sdk/client-sqs';
import { errorText } from '../../base/error-text.ts';
import { type AwsConnection, clientOptions } from '../../platforms/aws/client-options.ts';

export type SqsModule = typeof import('./commands.ts');

export interface OpenedSqs {
  client: SQSClient;
  commands: SqsModule;
}

/** A doubled send or a repeated settlement does no harm, so the client may try again by itself. */
const maxAttempts = 3;

export async function openSqs(connection: AwsConnection): Promise<OpenedSqs> {
  // Only what sends or settles pays for the library.
  const commands = await import('./commands.ts');
  const client = new commands.SQSClient({
    ...clientOptions(connection, { maxAttempts }),
    // The address in a queue's URL is AWS's own, or a stand-in's idea of it: where to ask is for the configuration to say.
    useQueueUrlAsEndpoint: false,
  });
  return { client, commands };
}

/** Opens it once; a failure is not kept. */
export function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
}

/** The name of a queue that is given by name, URL or ARN. */
export const queueNameOf = (queue: string): string => queue.split(/[/:]/).at(-1) ?? queue;

export const isQueueUrl = (queue: string): boolean => /^https?:\/\//.test(queue);

/** Of the URL of a queue at AWS; a stand-in's says nothing. */
export const regionOfUrl = (url: string): string | undefined =>
  /^https:\/\/sqs\.([a-z0-9-]+)\.amazonaws\.com/.exec(url)?.[1];

/** Somebody else has the message now, or nobody: the settlement came too late. */
export function isTooLate(error: unknown): boolean {
  const code = codeOf(error);
  if (['MessageNotInflight', 'AWS.SimpleQueueService.MessageNotInflight', 'ReceiptHandleIsInvalid'].includes(code)) {
    return true;
  }
  // What SQS says of a message that is gone, or of a receipt that has expired.
  return code === 'InvalidParameterValue' && /does not exist|not available|receipt handle|expired/i.test(String(error));
}

export const codeOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** What is wrong, where, and what to do. */
export function explanationOf(error: unknown, queue: string, region: string): string {
  const where = `the SQS queue ${JSON.stringify(queueNameOf(queue))} in ${region}`;
  switch (codeOf(error)) {
    case 'QueueDoesNotExist':
    case 'AWS.SimpleQueueService.NonExistentQueue':
      return `${where} does not exist (check the name, the region and the account; a deleted queue can be created again after 60 s)`;
    case 'AccessDenied':
    case 'AccessDeniedException':
      return `${where} refuses access: not authorized (the role needs ${rights} on it)`;
    default:
      return `${where}: ${errorText(error)}`;
  }
}

const rights =
  'sqs:GetQueueUrl, GetQueueAttributes, SendMessage, ReceiveMessage, DeleteMessage and ChangeMessageVisibility';
