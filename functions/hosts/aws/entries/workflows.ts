/** The durable function: launch and terminate are one here, and which of them an execution is, is in its start payload. */
import type { Context } from 'aws-lambda';

export async function handler(event: unknown, context: Context): Promise<unknown> {
  const { runWorkflow } = await import('../handlers/workflows.ts');
  return runWorkflow(event, context);
}
