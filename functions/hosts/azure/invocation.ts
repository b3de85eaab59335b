/**
 * Who is being served right now. Services are built once per worker and shared by all invocations; what belongs to one
 * invocation alone, its log and its way to the workflow engine, is found here by whoever runs on its behalf.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { InvocationContext } from '@azure/functions';

export type InvocationLog = Pick<InvocationContext, 'debug' | 'info' | 'warn' | 'error'>;

export interface Invocation {
  readonly log: InvocationLog;
  /** What the host hands to a function that has a `durableClient` among its inputs. */
  readonly durableClient: unknown;
  /** The host takes no more lines for an invocation that is over; work may go on behind it for a while. */
  over: boolean;
}

const storage = new AsyncLocalStorage<Invocation>();

export const currentInvocation = (): Invocation | undefined => storage.getStore();

export async function onBehalfOf<T>(
  { log, durableClient }: { log: InvocationLog; durableClient: unknown },
  work: () => Promise<T>,
): Promise<T> {
  const invocation: Invocation = { log, durableClient, over: false };
  try {
    return await storage.run(invocation, work);
  } finally {
    invocation.over = true;
  }
}
