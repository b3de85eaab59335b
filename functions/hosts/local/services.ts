/** What every function of this host works with, and the engine that runs their workflows: each needs the other. */
import { systemClock, systemIds, systemRandom } from '../../../shared/base/runtime.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { ClusterServices } from '../../../shared/nodes/steps/services.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import type { Metrics } from '../../../shared/observe/metrics.ts';
import type { SqliteDatabase, StorageError } from '../../../shared/platforms/sqlite/sqlite.ts';
import type { Queue } from '../../../shared/queue/contract.ts';
import type { State } from '../../../shared/state/contract.ts';
import { openSqliteEngine, type SqliteEngine } from '../../../shared/workflow/sqlite/engine.ts';
import type { FunctionServices } from '../../declaration.ts';
import { workflows } from '../../orchestrators/workflows.ts';
import { provisioningActivities } from '../../provisioners/provisioner.ts';
import { functionFor } from '../../provisioners/step-fields.ts';
import { assembleServices } from '../common/assemble-services.ts';
import type { OpenMachines } from '../common/machines/machine-services.ts';
import type { OpenRequests } from '../common/requests/request-services.ts';
import { engineLog } from './engine-log.ts';

/** An activity makes a few calls with limits of their own; this is for one that hangs all the same. */
const activityDeadlineSeconds = 120;
const minuteMs = 60_000;

export interface LocalParts {
  config: Config;
  clusters: readonly ClusterServices[];
  state: State;
  events: Queue;
  journal: SqliteDatabase;
  log: Log;
  metrics: Metrics;
  onFatal: (error: StorageError) => void;
  requests: OpenRequests | undefined;
  machines: OpenMachines | undefined;
}

/** The engine is open, but runs nothing yet. */
export function openServices(parts: LocalParts): {
  services: ReturnType<typeof assembleServices>;
  engine: SqliteEngine;
} {
  const { config, clusters, state, events, log, metrics, requests, machines } = parts;
  let engine: SqliteEngine | undefined;
  const services = assembleServices({
    config,
    clusters,
    state,
    clock: systemClock,
    ids: systemIds,
    random: systemRandom,
    log,
    metrics,
    requests,
    machines,
    events: () => events,
    // The engine needs the activities, and the activities need the engine.
    workflows: () => {
      if (!engine) throw new Error('the workflow engine is not open yet');
      return engine;
    },
  });
  engine = openEngine(parts, services);
  const running = engine.stats().byWorkflow;
  if (Object.values(running).some((counts) => (counts.running ?? 0) > 0)) metrics.restarts.inc();
  return { services, engine };
}

function openEngine({ config, journal, log, metrics, onFatal }: LocalParts, services: FunctionServices): SqliteEngine {
  const { workflow } = config;
  return openSqliteEngine({
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
}
