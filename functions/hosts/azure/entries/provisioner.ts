/** The steps of workflows: one function for each provider, and one for what belongs to none. */
import { app, input, trigger } from '@azure/functions';
import { activityFunction, mailboxFunction } from '../../../../shared/workflow/durable-functions/names.ts';
import { claimActivityNames, provisioners } from '../../../catalog.ts';

const durableClient = input.generic({ type: 'durableClient' });

for (const name of provisioners) {
  app.generic(name, {
    trigger: trigger.generic({ type: 'activityTrigger' }),
    extraInputs: [durableClient],
    handler: async (call, context) => {
      const { handleStep } = await import('../handlers/activity.ts');
      return handleStep(name, call, context, context.extraInputs.get(durableClient));
    },
  });
}

// Orchestrations that began when each step was a function of its own name these in their histories: they continue under these names until they end.
for (const name of claimActivityNames) {
  app.generic(activityFunction(name), {
    trigger: trigger.generic({ type: 'activityTrigger' }),
    extraInputs: [durableClient],
    handler: async (payload, context) => {
      const { handleActivity } = await import('../handlers/activity.ts');
      return handleActivity(name, payload, context, context.extraInputs.get(durableClient));
    },
  });
}

app.generic(mailboxFunction, {
  trigger: trigger.generic({ type: 'activityTrigger' }),
  handler: async (payload, context) => {
    const { handleMailbox } = await import('../handlers/activity.ts');
    return handleMailbox(payload, context);
  },
});
