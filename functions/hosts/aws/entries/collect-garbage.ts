/** The one timer that may delete machines, which is why it is a function of its own. */
import type { Context } from 'aws-lambda';

export async function handler(event: unknown, context: Context): Promise<void> {
  const { collectGarbage } = await import('../handlers/timer.ts');
  await collectGarbage(event, context);
}
