/** What the platform hears of a batch: the messages that it is to leave on the queue. */
import type { MiddlewareObj } from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { WorkerContext } from '../frame.ts';
import type { QueueName } from '../queues.ts';
import { awsLog } from '../services.ts';

export const batchAnswer = (
  { Records: records }: SQSEvent,
  outcomes: readonly PromiseSettledResult<void>[],
): SQSBatchResponse => ({
  batchItemFailures: records
    .filter((_, index) => outcomes[index]?.status !== 'fulfilled')
    .map(({ messageId }) => ({ itemIdentifier: messageId })),
});

/** An error of the whole call leaves every message on the queue. */
export const wholeBatchFails = (queue: QueueName): MiddlewareObj<SQSEvent, SQSBatchResponse, Error, WorkerContext> => ({
  onError: (request) => {
    const { event, error } = request;
    awsLog('info').write('queue.failed', { queue, messages: event.Records.length, error });
    request.response = batchAnswer(event, []);
  },
});
