/** The watcher of the queue on which EventBridge tells that machines will be taken away. */
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';

export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const { watchInterruptions } = await import('../handlers/watch-interruptions.ts');
  return watchInterruptions(event, context);
}
