/** The steps of workflows that act for the simulated cloud: deployed nowhere, and built like the others. */
import type { Context } from 'aws-lambda';

export async function handler(event: unknown, context: Context): Promise<unknown> {
  const { handleActivity } = await import('../../../../functions/hosts/aws/handlers/activity.ts');
  return handleActivity('sim', event, context);
}
