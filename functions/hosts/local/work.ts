/** What a host does by itself until it is stopped: workflows, queues, watches, timers, and the pushes of its metrics. */
import { systemClock, systemIds, systemRandom } from '../../../shared/base/runtime.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { SqliteEngine } from '../../../shared/workflow/sqlite/engine.ts';
import { watcherOf } from '../../catalog.ts';
import type { FunctionServices } from '../../declaration.ts';
import { lookAtClusters } from '../common/cluster-services.ts';
import { openPush } from '../common/metrics-out.ts';
import { watchClusters } from './cluster-watches.ts';
import { consumeEvents } from './event-consumer.ts';
import { type InterruptionReceivers, interruptionQueues, receiveInterruptions } from './interruption-queues.ts';
import { pushUntil } from './metrics-push.ts';
import { timerPlans } from './timer-plans.ts';
import { runTimers } from './timers.ts';

const finishWithinMs = 20_000;

export interface WorkParts {
  config: Config;
  services: FunctionServices;
  engine: SqliteEngine;
  version: string;
  /** Ends the watches and the timers; `stop` waits for them. */
  signal: AbortSignal;
}

export interface RunningWork {
  readonly interruptions: InterruptionReceivers;
  /** After the signal has fired: finishes the running steps. */
  stop(): Promise<void>;
}

export async function startWork({ config, services, engine, version, signal }: WorkParts): Promise<RunningWork> {
  engine.run();
  void lookAtClusters(services.clusters, services.log);
  const eventWatcher = await watcherOf('events').load();
  const interruptionWatcher = await watcherOf('interruptions').load();
  const plans = await timerPlans(config);

  const consumer = consumeEvents(config, services, eventWatcher);
  const queues = interruptionQueues(config, process.env, systemClock);
  const interruptions = receiveInterruptions(queues, interruptionWatcher, services);
  const watches = watchClusters(config, services, signal);
  const timers = runTimers(plans, services, systemRandom, services.log, signal);
  const pushing = new AbortController();
  const who = { instance: systemIds.next(), version };
  const pushes = pushUntil(openPush(services, config, process.env, who), pushing.signal);

  return {
    interruptions,
    stop: async () => {
      await Promise.all([consumer.stop(), interruptions.stop(), timers, ...watches]);
      await engine.stop({ finishRunning: true, withinMs: finishWithinMs });
      // When nothing is counted any more, and while the stores can still be asked.
      pushing.abort();
      await pushes;
    },
  };
}
