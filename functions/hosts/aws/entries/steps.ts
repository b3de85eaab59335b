/** The steps of workflows that belong to no provider. */
import type { Context } from 'aws-lambda';

export async function handler(event: unknown, context: Context): Promise<unknown> {
  const { handleStep } = await import('../handlers/activity.ts');
  return handleStep(event, context);
}
