/**
 * The host on one machine: binds every declared function to SQLite, in-process timers and a local HTTP server. One
 * process; kill -9 at any instruction is safe, because everything that matters is in the journal, on the queue or on
 * the claim before it is acted upon.
 */

import { maxEventBytes } from '../../../events/envelope.ts';
import { defined } from '../../../shared/base/defined.ts';
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import { systemClock, systemIds, systemRandom } from '../../../shared/base/runtime.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import { createMetrics, type Metrics } from '../../../shared/observe/metrics.ts';
import { forgetStandings } from '../../../shared/ownership/ownership.ts';
import type { StorageError } from '../../../shared/platforms/sqlite/sqlite.ts';
import { kindsOf } from '../../../shared/providers/serving.ts';
import { startConsumer } from '../../../shared/queue/consumer.ts';
import { openSqliteQueue } from '../../../shared/queue/sqlite/queue.ts';
import { openQueueDatabase } from '../../../shared/queue/sqlite/schema.ts';
import { openSqliteState, openStateDatabase } from '../../../shared/state/sqlite/state.ts';
import { openSqliteEngine, type SqliteEngine } from '../../../shared/workflow/sqlite/engine.ts';
import { openJournal } from '../../../shared/workflow/sqlite/schema.ts';
import { type CatalogedReconciler, reconcilers, watcherOf } from '../../catalog.ts';
import type { FunctionServices } from '../../declaration.ts';
import { createHttpApp } from '../../http/app.ts';
import type { Logs } from '../../http/routes/logs/log-page.ts';
import { workflows } from '../../orchestrators/workflows.ts';
import { provisioningActivities } from '../../provisioners/provisioner.ts';
import { functionFor } from '../../provisioners/step-fields.ts';
import { watchCluster } from '../../sources/cluster-watch.ts';
import { assembleServices } from '../common/assemble-services.ts';
import { connectClusters, lookAtClusters } from '../common/cluster-services.ts';
import { intakeKeys } from '../common/intake-keys.ts';
import { openPush } from '../common/metrics-out.ts';
import { readiness } from '../common/ready-checks.ts';
import { withHeartbeat } from '../common/with-heartbeat.ts';
import { type DataDirectory, readToken } from './data-directory.ts';
import { engineLog } from './engine-log.ts';
import { serveHttp } from './http-server.ts';
import { type InterruptionReceivers, interruptionQueues, receiveInterruptions } from './interruption-queues.ts';
import { pushUntil } from './metrics-push.ts';
import { runTimers, type TimerPlan } from './timers.ts';

export interface LocalHost {
  readonly url: string;
  readonly services: FunctionServices;
  readonly engine: SqliteEngine;
  readonly metrics: Metrics;
  /** Finishes the running steps and closes everything. */
  stop(): Promise<void>;
  /** Resolves when the store can't be used any more; the host has stopped by then. */
  readonly broken: Promise<StorageError>;
}

export interface LocalHostOptions {
  config: Config;
  directory: DataDirectory;
  log: Log;
  version: string;
  /** Where the last lines of the log are kept, if they are. */
  logs?: Logs;
}

const finishWithinMs = 20_000;
/** Messages handled at once; each mostly waits for the API server. */
const watcherConcurrency = 64;
/** An activity makes a few calls with limits of their own; this is for one that hangs all the same. */
const activityDeadlineSeconds = 120;
const minuteMs = 60_000;

export async function startLocalHost(options: LocalHostOptions): Promise<Result<LocalHost>> {
  const { config, directory, log, version } = options;
  const metrics = createMetrics({ version });
  const intake = intakeKeys(config, log);
  if (!intake.ok) return intake;

  const abort = new AbortController();
  let reportBroken: (error: StorageError) => void = () => {};
  const broken = new Promise<StorageError>((resolve) => {
    reportBroken = resolve;
  });
  const onFatal = (error: StorageError): void => {
    log.write('host.failed', { error });
    abort.abort();
    reportBroken(error);
  };

  const state = openStateDatabase({ file: directory.file('state.db'), onFatal });
  const stateStore = openSqliteState({ ...state, clock: systemClock });
  const connected = await connectClusters({
    config,
    clock: systemClock,
    random: systemRandom,
    log,
    metrics,
    state: stateStore,
    env: process.env,
  });
  if (!connected.ok) {
    state.database.close();
    return connected;
  }
  const { clusters } = connected.value;
  const queues = openQueueDatabase({ file: directory.file('queue.db'), onFatal });
  const journal = openJournal(directory.file('journal.db'));
  const { visibilitySeconds, maxReceives } = config.queue;
  const events = openSqliteQueue({
    ...queues,
    name: 'events',
    clock: systemClock,
    ids: systemIds,
    options: { visibilitySeconds, maxReceives, maxBodyBytes: maxEventBytes },
  });

  await forgetStandings(
    stateStore,
    clusters.map(({ name }) => name),
  );
  let engine: SqliteEngine | undefined;
  const services = assembleServices({
    config,
    clusters,
    state: stateStore,
    clock: systemClock,
    ids: systemIds,
    random: systemRandom,
    log,
    metrics,
    events: () => events,
    // The engine needs the activities, and the activities need the engine.
    workflows: () => {
      if (!engine) throw new Error('the workflow engine is not open yet');
      return engine;
    },
  });

  const { workflow } = config;
  engine = openSqliteEngine({
    database: journal,
    workflows,
    activities: provisioningActivities(services),
    clock: systemClock,
    log: engineLog(log),
    metrics: {
      stepFinished: (activity, milliseconds, outcome, input) =>
        metrics.stepDuration.observe({ activity, outcome, function: functionFor(input) }, milliseconds / 1000),
      mismatched: (name) => metrics.workflowMismatches.inc({ workflow: name }),
      setAside: (name) => metrics.workflowsSetAside.inc({ workflow: name }),
    },
    limits: {
      concurrency: workflow.concurrency,
      perGroup: workflow.perCluster,
      resumePerSecond: workflow.resumePerSecond,
      retentionSeconds: workflow.retention,
      maxKills: workflow.setAsideAfterKills,
      setAsideSeconds: workflow.retrySetAsideAfter,
    },
    activityDeadlineSeconds,
    onFatal,
    // Grows with time, so an id is never used twice even when the journal was lost.
    epochFloor: Math.floor(systemClock.now() / minuteMs),
  });
  const running = engine.stats().byWorkflow;
  if (Object.values(running).some((counts) => (counts.running ?? 0) > 0)) metrics.restarts.inc();

  let interruptions: InterruptionReceivers | undefined;
  const app = createHttpApp({
    services,
    token: () => (config.http.tokenFile === undefined ? directory.token() : readToken(config.http.tokenFile)),
    intake: intake.value,
    version,
    workflows: engine,
    ...defined({ logs: options.logs }),
    ready: () =>
      readiness(services, {
        host: abort.signal.aborted ? { ok: false, message: 'stopping' } : { ok: true },
        ...interruptions?.checks(),
      }),
  });
  // Before anybody can ask: who reads the file as soon as the host answers must find it.
  directory.token();
  const http = await serveHttp(app, config.http, log);
  if (!http.ok) {
    await engine.stop();
    connected.value.close();
    return failed('unavailable', http.error.message);
  }

  engine.run();
  void lookAtClusters(clusters, log);
  const eventWatcher = await watcherOf('events').load();
  const interruptionWatcher = await watcherOf('interruptions').load();
  const consumer = startConsumer({
    queue: events,
    handle: (message, signal) => eventWatcher.handle(services, message, signal),
    clock: systemClock,
    log: {
      warn: (fields, message, event) =>
        event === 'dead-lettered'
          ? log.write('event.dead-lettered', { ...fields })
          : log.write('queue.failed', { ...fields, message }),
    },
    visibilitySeconds,
    batch: watcherConcurrency,
    concurrency: watcherConcurrency,
    // A cluster that is slow to answer keeps a part of the handlers busy, never all of them.
    groupOf: ({ body }) => clusterIn(body),
    perGroup: watcherConcurrency / 4,
    // A bridge on this machine puts events on the queue from another process, which can't call us.
    ...(Object.values(config.clusters).every(({ watch }) => watch) ? {} : { idleSeconds: 1 }),
  });
  interruptions = receiveInterruptions(
    interruptionQueues(config, process.env, systemClock),
    interruptionWatcher,
    services,
  );
  const watched = clusters.filter(({ name }) => config.clusters[name]?.watch);
  const sources = watched.map(({ name, api, providers }) =>
    watchCluster({
      cluster: name,
      api,
      queue: events,
      nodeClasses: kindsOf(providers).map((kind) => ({ ...kind, namespaced: false })),
      clock: systemClock,
      ids: systemIds,
      random: systemRandom,
      log,
      signal: abort.signal,
    }),
  );
  const timersEnd = runTimers(await timerPlans(config), services, systemRandom, log, abort.signal);
  const pushing = new AbortController();
  const who = { instance: systemIds.next(), version };
  const pushesEnd = pushUntil(openPush(services, config, process.env, who), pushing.signal);
  log.write('host.started', { clusters: clusters.map(({ name }) => name), http: http.value.url });

  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    log.write('host.stopping');
    abort.abort();
    await http.value.close();
    await Promise.all([consumer.stop(), interruptions?.stop(), timersEnd, ...sources]);
    await engine.stop({ finishRunning: true, withinMs: finishWithinMs });
    // When nothing is counted any more, and while the stores can still be asked.
    pushing.abort();
    await pushesEnd;
    connected.value.close();
    for (const { database } of [state, queues]) database.close();
    journal.close();
    log.write('host.stopped');
  };
  return ok({
    url: http.value.url,
    services,
    engine,
    metrics,
    broken,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  });
}

/** Good enough for fairness, and much cheaper than to read the whole event. */
const clusterIn = (body: string): string => /"cluster":"([^"]*)"/.exec(body)?.[1] ?? '';

async function timerPlans(config: Config): Promise<TimerPlan[]> {
  const loaded = await Promise.all(
    (reconcilers as readonly CatalogedReconciler[]).map(async (entry) => ({ ...entry, timer: await entry.load() })),
  );
  return Object.entries(config.clusters).flatMap(([cluster, clusterConfig]) =>
    loaded.map(({ timer, seconds, afterSeconds = 0 }) => {
      const everySeconds = seconds(clusterConfig, config);
      return {
        timer: withHeartbeat(timer, () => everySeconds),
        cluster,
        everySeconds,
        afterSeconds: Math.min(afterSeconds, everySeconds),
      };
    }),
  );
}
