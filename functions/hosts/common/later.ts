/** A message that is looked at again later: each time it comes it waits twice as long. */
import { doubled } from '../../../shared/base/backoff.ts';
import type { Message } from '../../../shared/queue/contract.ts';

export const laterOn =
  (longestSeconds: number) =>
  ({ receiveCount }: Message, seconds: number, reason: string) => ({
    retryAfterSeconds: doubled(receiveCount, seconds, longestSeconds),
    reason,
  });

export type Later = ReturnType<typeof laterOn>;
