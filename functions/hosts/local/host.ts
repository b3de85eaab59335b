/**
 * The host on one machine: binds every declared function to SQLite, in-process timers and a local HTTP server. One
 * process; kill -9 at any instruction is safe, because everything that matters is in the journal, on the queue or on
 * the claim before it is acted upon.
 */

import { failed, ok, type Result } from '../../../shared/base/result.ts';
import { systemClock, systemIds, systemRandom } from '../../../shared/base/runtime.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import { createMetrics, type Metrics } from '../../../shared/observe/metrics.ts';
import { forgetStandings } from '../../../shared/ownership/ownership.ts';
import type { StorageError } from '../../../shared/platforms/sqlite/sqlite.ts';
import type { SqliteEngine } from '../../../shared/workflow/sqlite/engine.ts';
import type { FunctionServices } from '../../declaration.ts';
import type { Logs } from '../../http/routes/logs/log-page.ts';
import { connectClusters } from '../common/cluster-services.ts';
import { intakeKeys } from '../common/intake-keys.ts';
import { openMachinesIfAny } from '../common/machines/open-machines.ts';
import { membersOf } from '../common/members.ts';
import { openRequestsIfAny } from '../common/requests/open-requests.ts';
import type { DataDirectory } from './data-directory.ts';
import { hostToken, serveHost } from './host-http.ts';
import { inProcessDriver } from './in-process-drivers.ts';
import { followRegistered } from './registered-clusters.ts';
import { openServices } from './services.ts';
import { openState, openWork } from './stores.ts';
import { type RunningWork, startWork } from './work.ts';

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

/** Opens from the ground up: stores, clusters, services, HTTP, and at last the work. A failure closes what was opened before it. */
export async function startLocalHost(options: LocalHostOptions): Promise<Result<LocalHost>> {
  const { config, directory, log, version, logs } = options;
  const metrics = createMetrics({ version });
  const intake = intakeKeys(config, log);
  if (!intake.ok) return intake;
  const members = membersOf(config, log);
  if (!members.ok) return members;
  // Read before anything is asked, so that it is known to the redaction when the first answer comes.
  hostToken(config, directory);

  const abort = new AbortController();
  const { signal } = abort;
  const { promise: broken, resolve: reportBroken } = Promise.withResolvers<StorageError>();
  const onFatal = (error: StorageError): void => {
    log.write('host.failed', { error });
    abort.abort();
    reportBroken(error);
  };

  const { state, close: closeState } = openState(directory, onFatal);
  const outside = { clock: systemClock, random: systemRandom, env: process.env };
  // Both lists grow and shrink while the host runs, with clusters that requests make.
  const names = Object.keys(config.clusters);
  const connected = await connectClusters({ ...outside, config, log, metrics, state, identityNames: names });
  if (!connected.ok) {
    closeState();
    return connected;
  }
  const clusters = [...connected.value.clusters];
  const requests = await openRequestsIfAny({
    ...outside,
    config,
    state,
    log,
    ids: systemIds,
    apiOf: (name) => clusters.find((one) => one.name === name)?.api,
  });
  if (!requests.ok) {
    connected.value.close();
    closeState();
    return requests;
  }
  const machines = await openMachinesIfAny({
    ...outside,
    inProcess: inProcessDriver,
    config,
    state,
    log,
    apiOf: (name) => clusters.find((one) => one.name === name)?.api,
  });
  const {
    events,
    journal,
    close: closeWork,
  } = openWork({
    directory,
    queue: config.queue,
    log,
    metrics,
    onFatal,
  });
  const close = (): void => {
    requests.value?.close();
    machines?.close();
    connected.value.close();
    closeState();
    closeWork();
  };

  await forgetStandings(state, names);
  const { services, engine } = openServices({
    config,
    clusters,
    state,
    events,
    journal,
    log,
    metrics,
    onFatal,
    requests: requests.value,
    machines,
  });

  let work: RunningWork | undefined;
  const interruptionChecks = () => work?.interruptions.checks();
  const functions = { services, workflows: engine, intake: intake.value, members: () => members.value, version, logs };
  const http = await serveHost({ ...functions, config, directory, signal, interruptionChecks });
  if (!http.ok) {
    await engine.stop();
    close();
    return failed('unavailable', http.error.message);
  }
  const { url } = http.value;

  work = await startWork({ config, services, engine, version, signal });
  const following = followRegistered({ config, services, clusters, names, env: outside.env, signal });
  log.write('host.started', { clusters: Object.keys(config.clusters), http: url });

  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    log.write('host.stopping');
    abort.abort();
    await http.value.close();
    await Promise.all([following, work.stop()]);
    close();
    log.write('host.stopped');
  };
  return ok({
    url,
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
