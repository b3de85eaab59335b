/** The workflows. Launch and terminate are one function here: which of them an instance is, is in its start payload. */
import { app, trigger } from '@azure/functions';
import { stepFunction, workflowFunction } from '../../../../shared/workflow/durable-functions/names.ts';

for (const name of [workflowFunction, stepFunction]) {
  app.generic(name, {
    trigger: trigger.generic({ type: 'orchestrationTrigger' }),
    handler: async (input, context) => {
      const { handleTurn } = await import('../handlers/orchestrate.ts');
      return handleTurn(name, input, context);
    },
  });
}
