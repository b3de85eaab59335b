import { afterAll, beforeAll } from 'vitest';
import { manualClock, systemIds } from '../../../shared/base/runtime.ts';
import { openServiceBus, type ServiceBusNamespace } from '../../../shared/queue/service-bus/client.ts';
import { openServiceBusQueue } from '../../../shared/queue/service-bus/queue.ts';
import { type Broker, startServiceBus } from '../../stand-ins/service-bus/broker.ts';
import { type QueueHarness, queueConformance } from './conformance.ts';

const clock = manualClock();
let broker: Broker;
let worlds = 0;
beforeAll(async () => {
  broker = await startServiceBus({ clock, queues: {} });
});
afterAll(() => broker.close());

/** Every harness has queues of its own in the one broker, which lives on when our process dies. */
async function serviceBusHarness(): Promise<QueueHarness> {
  const world = `world-${++worlds}`;
  const connect = () => openServiceBus({ connectionString: broker.connectionString });
  const opened: ServiceBusNamespace[] = [connect()];
  return {
    open: async (name, options) => {
      const entity = `${world}-${name}`;
      broker.ensureQueue(entity, { lockSeconds: options.visibilitySeconds, maxDeliveryCount: 100 });
      const namespace = opened.at(-1) ?? connect();
      return openServiceBusQueue({ namespace, name: entity, clock, ids: systemIds, options, waitMs: 2 });
    },
    pass: async (seconds) => clock.advance(seconds * 1000),
    crash: async () => void opened.push(connect()),
    close: async () => {
      for (const namespace of opened) await namespace.close();
    },
  };
}

queueConformance('Service Bus (stand-in)', serviceBusHarness, {
  exact: false,
  modelRuns: 0,
  tellsInFlight: false,
  // One queue in one order, and bounds that are set where it is made.
  takesTurns: false,
  hasBounds: false,
});
