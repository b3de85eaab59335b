/** The watcher of the queue of events. */
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';

export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const { watchEvents } = await import('../handlers/watch-events.ts');
  return watchEvents(event, context);
}
