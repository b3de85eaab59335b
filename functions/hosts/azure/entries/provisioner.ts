/** The steps of workflows. */
import { app, input, trigger } from '@azure/functions';
import { activityFunction, mailboxFunction } from '../../../../shared/workflow/durable-functions/names.ts';
import { activityNames } from '../../common/activity-names.ts';

const durableClient = input.generic({ type: 'durableClient' });

for (const name of activityNames) {
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
