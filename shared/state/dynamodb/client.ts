/** The client of a DynamoDB table, loaded when it is first used, and what its errors mean to the driver. */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { errorText } from '../../base/error-text.ts';
import { type AwsConnection, clientOptions } from '../../platforms/aws/client-options.ts';

export interface DynamoDbRequests {
  /** So often is a request tried that was throttled, or whose answer was lost (default 5: some seconds of waiting). */
  maxAttempts?: number;
}

export type DynamoDbModule = typeof import('./commands.ts');

export interface OpenedDynamoDb {
  client: DynamoDBClient;
  commands: DynamoDbModule;
}

/** An operation with all its tries. */
export const longestMs = 15_000;
/** One request. A function must not hang on a store that holds only what may be lost. */
const answerMs = 5_000;

export async function openDynamoDb(
  connection: AwsConnection,
  { maxAttempts = 5 }: DynamoDbRequests = {},
): Promise<OpenedDynamoDb> {
  // Only the function that reads or writes state pays for the library.
  const commands = await import('./commands.ts');
  const client = new commands.DynamoDBClient(clientOptions(connection, { maxAttempts, timeoutMs: answerMs }));
  return { client, commands };
}

/** What a caller sees of a failure: what is wrong, where, and what to do. */
export class DynamoDbStateError extends Error {
  readonly code: string;

  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause });
    this.name = 'DynamoDbStateError';
    this.code = code;
  }
}

export function explained(error: unknown, table: string, region: string): DynamoDbStateError {
  if (error instanceof DynamoDbStateError) return error;
  const code = error instanceof Error ? error.name : '';
  const where = `the state in DynamoDB table ${JSON.stringify(table)} (${region})`;
  return new DynamoDbStateError(`${where} ${problemOf(code, error)}`, code, error);
}

function problemOf(code: string, error: unknown): string {
  switch (code) {
    case 'ResourceNotFoundException':
      return 'does not exist (the deployment makes it; check the name of the table and the region)';
    case 'AccessDeniedException':
      return "can't be reached: not authorized (the role needs dynamodb:GetItem, PutItem, DeleteItem and Query on the table)";
    case 'ProvisionedThroughputExceededException':
    case 'ThrottlingException':
    case 'RequestLimitExceeded':
      return `is throttled (${code}): it was tried again for a while, and is to be tried later`;
    default:
      return `failed: ${errorText(error)}`;
  }
}
