/**
 * A batch of messages of a queue. Each is handled by itself: what is through is deleted by the platform, what is to be tried again is
 * named in the answer and stays, and what can't be understood is put apart with its reason. One bad message fails no other.
 */

import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { errorText } from '../../../../shared/base/error-text.ts';
import type { Result } from '../../../../shared/base/result.ts';
import type { Handled, Message, Queue } from '../../../../shared/queue/contract.ts';
import { fromSqsRecord } from '../../../../shared/queue/sqs/message.ts';
import type { FunctionServices, QueueFunction } from '../../../declaration.ts';
import { type Later, laterOn } from '../../common/later.ts';
import { framed } from '../frame.ts';
import { longestPauseSeconds } from '../queues.ts';
import { deadline, timeLeftMs } from '../time-left.ts';
import { type AwsWorker, isOutdated, MisconfiguredError, type WorkerResult } from '../worker.ts';
import { batchAnswer, wholeBatchFails } from './batch-answer.ts';

const firstPauseSeconds = 1;
/** A configuration is not mended within a second; until it is, a message waits. */
const misconfiguredPauseSeconds = 30;

/** It is reported as failed, which is how the platform is told to leave it on the queue. */
class TriedLater extends Error {
  override readonly name = 'TriedLater';
}

export type BatchHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

export const batchHandler = (watcher: QueueFunction): BatchHandler =>
  framed(
    'all',
    async (event: SQSEvent, context) =>
      batchAnswer(event, await handleBatch(context.opened, watcher, event, timeLeftMs(context))),
    [wholeBatchFails(watcher.trigger.queue)],
  );

async function handleBatch(
  opened: WorkerResult,
  watcher: QueueFunction,
  { Records: records }: SQSEvent,
  leftMs: number,
): Promise<PromiseSettledResult<void>[]> {
  const { queue: queueName } = watcher.trigger;
  const queue = (opened.ok ? opened.worker.queues : opened.queues)?.of(queueName);
  const messages = records.map(fromSqsRecord);
  const later = laterOn(longestPauseSeconds[queueName]);
  if (!opened.ok) return Promise.allSettled(messages.map((message) => putOff(queue, message, opened.text, later)));
  if (!queue?.ok) throw new MisconfiguredError(queue?.error.message ?? `there is no queue ${queueName}`);
  const { worker } = opened;
  const { functions } = worker;
  const late = deadline(leftMs);
  const outcomes = await Promise.allSettled(
    messages.map(async (message) => {
      const first = await handle(functions, watcher, message, late.signal, later);
      const handled = await byNewSettings(worker, message, first, later);
      try {
        await settle(functions, queue.value, message, handled);
      } catch (error) {
        if (error instanceof TriedLater) throw error;
        // It comes back when its time of being out of sight is over, and is handled once more.
        functions.log.write('queue.failed', { id: message.id, receiveCount: message.receiveCount, error });
        throw error;
      }
    }),
  );
  late.cancel();
  return outcomes;
}

/** What throws, and what has not ended when the time is over, is tried again later. */
async function handle(
  services: FunctionServices,
  watcher: QueueFunction,
  message: Message,
  late: AbortSignal,
  later: Later,
): Promise<Handled> {
  try {
    return await Promise.race([watcher.handle(services, message, late), over(late)]);
  } catch (error) {
    services.log.write('queue.failed', { id: message.id, receiveCount: message.receiveCount, error });
    return later(message, firstPauseSeconds, errorText(error));
  }
}

/** A cluster that is not in the configuration may have come into it since this process has read it. */
async function byNewSettings(worker: AwsWorker, message: Message, handled: Handled, later: Later): Promise<Handled> {
  if (handled === 'done' || !('dead' in handled) || !(await isOutdated(worker))) return handled;
  return later(message, firstPauseSeconds, `the configuration has changed; with the old one: ${handled.dead}`);
}

async function settle(services: FunctionServices, queue: Queue, message: Message, handled: Handled): Promise<void> {
  if (handled === 'done') return;
  if ('dead' in handled) {
    await queue.deadLetter(message, handled.dead);
    services.log.write('event.dead-lettered', { id: message.id, reason: handled.dead });
    return;
  }
  const { retryAfterSeconds, reason } = handled;
  services.log.write('event.put-off', {
    id: message.id,
    receiveCount: message.receiveCount,
    retryAfterSeconds,
    reason,
  });
  await queue.abandon(message, { delaySeconds: retryAfterSeconds, reason });
  throw new TriedLater(reason);
}

/** Without its queue it comes back when its time of being out of sight is over. */
async function putOff(
  queue: Result<Queue> | undefined,
  message: Message,
  reason: string,
  later: Later,
): Promise<never> {
  const { retryAfterSeconds } = later(message, misconfiguredPauseSeconds, reason);
  if (queue?.ok) await queue.value.abandon(message, { delaySeconds: retryAfterSeconds, reason });
  throw new TriedLater(reason);
}

const over = (late: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(new Error('the function ran out of time before it was processed'));
    if (late.aborted) stop();
    else late.addEventListener('abort', stop, { once: true });
  });
