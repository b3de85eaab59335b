/** App settings with these names, or this prefix, say how the app reaches its services; the triggers carry them, too. */
export const serviceBusConnection = 'ServiceBus';
export const stateConnection = 'State';

export const eventsQueueName = 'events';
