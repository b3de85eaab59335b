/** The client of a table, loaded when it is first used, and what its errors mean to the driver. */

import type { TokenCredential } from '@azure/core-auth';
import type { TableClient } from '@azure/data-tables';
import { errorText } from '../../base/error-text.ts';

/** A connection string (an emulator, a developer), or the endpoint of the account and an identity. */
export type TablesConnection = { connectionString: string } | { endpoint: string; credential: TokenCredential };

export interface RetryOptions {
  maxRetries: number;
  retryDelayInMs: number;
  maxRetryDelayInMs: number;
}

/**
 * A busy table (503, 429) or one that moves to another server is asked again for a few seconds, by the client itself. Longer
 * than that belongs to the caller, who knows what waiting costs.
 */
const defaultRetry: RetryOptions = { maxRetries: 5, retryDelayInMs: 100, maxRetryDelayInMs: 2000 };

export async function openTable(
  connection: TablesConnection,
  table: string,
  retryOptions: RetryOptions = defaultRetry,
): Promise<TableClient> {
  // Only the function that reads or writes state pays for the library.
  const { TableClient } = await import('@azure/data-tables');
  if ('connectionString' in connection) {
    // An emulator on this machine speaks plain HTTP; the connection string of an account never says so.
    const allowInsecureConnection = /http:\/\/(127\.0\.0\.1|localhost)[:/]/.test(connection.connectionString);
    return TableClient.fromConnectionString(connection.connectionString, table, {
      allowInsecureConnection,
      retryOptions,
    });
  }
  return new TableClient(connection.endpoint, table, connection.credential, { retryOptions });
}

export type TableFailure = 'not-found' | 'no-table' | 'exists' | 'changed' | 'other';

/** The status decides; the code in the body tells a missing table from a missing entity. */
export function failureOf(error: unknown): TableFailure {
  if (!(error instanceof Error) || !('statusCode' in error)) return 'other';
  const text = `${codeOf(error)} ${error.message}`;
  if (error.statusCode === 404) return /TableNotFound/.test(text) ? 'no-table' : 'not-found';
  if (error.statusCode === 409) return /EntityAlreadyExists/.test(text) ? 'exists' : 'other';
  return error.statusCode === 412 ? 'changed' : 'other';
}

function codeOf(error: Error): string {
  const details = 'details' in error ? (error.details as { odataError?: { code?: unknown } } | undefined) : undefined;
  return String(details?.odataError?.code ?? ('code' in error ? error.code : ''));
}

/** What a caller sees of a failure: what is wrong, where, and what to do. */
export class TableError extends Error {
  readonly status: number | undefined;

  constructor(message: string, status: number | undefined, cause: unknown) {
    super(message, { cause });
    this.name = 'TableError';
    this.status = status;
  }
}

export function explained(error: unknown, table: string): TableError {
  if (error instanceof TableError) return error;
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) || undefined : undefined;
  const where = `the state in table ${JSON.stringify(table)}`;
  if (status === 401 || status === 403) {
    const advice = 'the identity needs the role "Storage Table Data Contributor" on the storage account';
    return new TableError(`${where} can't be reached: the storage answered ${status} (${advice})`, status, error);
  }
  if (status !== undefined) {
    const code = codeOf(error as Error);
    return new TableError(`${where}: the storage answered ${status}${code ? ` (${code})` : ''}`, status, error);
  }
  return new TableError(`${where}: ${errorText(error)}`, undefined, error);
}
