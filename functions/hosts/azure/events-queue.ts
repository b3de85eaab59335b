/** The queue of events: the sources send to it, and the trigger of the watcher reads it. */

import { maxEventBytes } from '../../../events/envelope.ts';
import type { Environment } from '../../../shared/base/environment.ts';
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import { systemClock, systemIds } from '../../../shared/base/runtime.ts';
import type { Config } from '../../../shared/config/load.ts';
import { openServiceBus } from '../../../shared/queue/service-bus/client.ts';
import { openServiceBusQueue, type ServiceBusQueue } from '../../../shared/queue/service-bus/queue.ts';
import { cached } from '../common/cached.ts';
import { eventsQueueName, serviceBusConnection } from './connection-names.ts';
import { connectionFrom } from './connections.ts';

const statsMs = 5000;

type QueueConfig = Pick<Config['queue'], 'visibilitySeconds' | 'maxReceives'>;

/** While there is no usable configuration. */
const defaults: QueueConfig = { visibilitySeconds: 60, maxReceives: 10 };

export function openEventsQueue(env: Environment, config: QueueConfig = defaults): Result<ServiceBusQueue> {
  const found = connectionFrom(env, serviceBusConnection, 'namespace', 'fullyQualifiedNamespace');
  if (!found.ok) return failed('invalid', found.problem);
  const { visibilitySeconds, maxReceives } = config;
  const queue = openServiceBusQueue({
    namespace: openServiceBus(found.connection),
    name: eventsQueueName,
    clock: systemClock,
    ids: systemIds,
    options: { visibilitySeconds, maxReceives, maxBodyBytes: maxEventBytes },
  });
  // The broker counts by walking through the messages, and the intake asks before every event that it takes.
  return ok({ ...queue, stats: cached(() => queue.stats(), systemClock, statsMs) });
}
