/** Everything on a timer that only reads the cloud. Its schedules say which of them is meant: `{ "timer": "resync" }`. */
import type { Context } from 'aws-lambda';

export async function handler(event: unknown, context: Context): Promise<void> {
  const { reconcile } = await import('../handlers/timer.ts');
  await reconcile(event, context);
}
