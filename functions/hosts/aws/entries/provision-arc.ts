/** The steps of workflows that act for Arc. It holds no other provider's code, and its role has no other provider's rights. */
import type { Context } from 'aws-lambda';

export async function handler(event: unknown, context: Context): Promise<unknown> {
  const { handleActivity } = await import('../handlers/activity.ts');
  return handleActivity('arc', event, context);
}
