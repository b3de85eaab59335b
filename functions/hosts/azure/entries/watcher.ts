/** The watcher of the queue of events. */
import { app, input } from '@azure/functions';
import { watcherOf } from '../../../catalog.ts';
import { eventsQueueName, serviceBusConnection } from '../connection-names.ts';

const durableClient = input.generic({ type: 'durableClient' });

app.serviceBusQueue(watcherOf('events').name, {
  connection: serviceBusConnection,
  queueName: eventsQueueName,
  extraInputs: [durableClient],
  handler: async (message, context) => {
    const { handleEvent } = await import('../handlers/watch.ts');
    await handleEvent(message, context, context.extraInputs.get(durableClient));
  },
});
