/** Hands the events on the queue to their watcher. */
import { systemClock } from '../../../shared/base/runtime.ts';
import type { Config } from '../../../shared/config/load.ts';
import { type Consumer, startConsumer } from '../../../shared/queue/consumer.ts';
import type { FunctionServices, QueueFunction } from '../../declaration.ts';

/** Messages of one cluster handled at once; each mostly waits for the API server. */
const perCluster = 16;
const leastConcurrency = 64;

export function consumeEvents(config: Config, services: FunctionServices, watcher: QueueFunction): Consumer {
  const { events, log } = services;
  // Each cluster has handlers of its own: however many clusters are slow to answer, they leave those of others alone.
  const concurrency = Math.max(leastConcurrency, perCluster * services.clusters.length);
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
    batch: leastConcurrency,
    concurrency,
    perGroup: perCluster,
    // A bridge on this machine puts events on the queue from another process, which can't call us.
    ...(Object.values(config.clusters).every(({ watch }) => watch) ? {} : { idleSeconds: 1 }),
  });
}
