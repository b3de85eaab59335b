/** Everything on a timer. */
import { app, input } from '@azure/functions';
import { reconcilers } from '../../../catalog.ts';
import { packageFolder } from '../../common/package-folder.ts';
import { readSchedules } from '../schedules.ts';

const durableClient = input.generic({ type: 'durableClient' });
const scheduleOf = await readSchedules(process.env, packageFolder);

for (const { name, every, offset } of reconcilers) {
  app.timer(name, {
    schedule: scheduleOf(every, offset).schedule,
    // A start is no reason: on a platform that starts workers all the time, every one of them would resync at once.
    runOnStartup: false,
    extraInputs: [durableClient],
    handler: async (timer, context) => {
      const { handleTimer } = await import('../handlers/timer.ts');
      await handleTimer(name, timer, context, context.extraInputs.get(durableClient));
    },
  });
}

app.timer('tidy', {
  schedule: '55 17 * * * *',
  runOnStartup: false,
  extraInputs: [durableClient],
  handler: async (_, context) => {
    const { handleTidy } = await import('../handlers/timer.ts');
    await handleTidy(context, context.extraInputs.get(durableClient));
  },
});
