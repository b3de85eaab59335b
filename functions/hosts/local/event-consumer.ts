/** Hands the events on the queue to their watcher. */
import { systemClock } from '../../../shared/base/runtime.ts';
import type { Config } from '../../../shared/config/load.ts';
import { type Consumer, startConsumer } from '../../../shared/queue/consumer.ts';
import type { FunctionServices, QueueFunction } from '../../declaration.ts';

/** Messages handled at once; each mostly waits for the API server. */
const watcherConcurrency = 64;

export function consumeEvents(config: Config, services: FunctionServices, watcher: QueueFunction): Consumer {
  const { events, log } = services;
  return startConsumer({
    queue: events,
    handle: (message, signal) => watcher.handle(services, message, signal),
    clock: systemClock,
    log: {
      warn: (fields, message, event) =>
        event === 'dead-lettered'
          ? log.write('event.dead-lettered', { ...fields })
          : log.write('queue.failed', { ...fields, message }),
    },
    visibilitySeconds: config.queue.visibilitySeconds,
    batch: watcherConcurrency,
    concurrency: watcherConcurrency,
    // A cluster that is slow to answer keeps a part of the handlers busy, never all of them.
    groupOf: ({ body }) => clusterIn(body),
    perGroup: watcherConcurrency / 4,
    // A bridge on this machine puts events on the queue from another process, which can't call us.
    ...(Object.values(config.clusters).every(({ watch }) => watch) ? {} : { idleSeconds: 1 }),
  });
}

/** Good enough for fairness, and much cheaper than to read the whole event. */
const clusterIn = (body: string): string => /"cluster":"([^"]*)"/.exec(body)?.[1] ?? '';
