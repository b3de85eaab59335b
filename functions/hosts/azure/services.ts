/** What every function of a worker works with: built once, from the app settings. */
import type { Environment } from '../../../shared/base/environment.ts';
import { failed, ok, type Result } from '../../../shared/base/result.ts';
import { systemClock, systemIds, systemRandom } from '../../../shared/base/runtime.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { IntakeKeys, MemberKeys } from '../../../shared/identity/callers.ts';
import { createLog, type Log } from '../../../shared/observe/log/log.ts';
import { createMetrics } from '../../../shared/observe/metrics.ts';
import type { ServiceBusQueue } from '../../../shared/queue/service-bus/queue.ts';
import { openTablesState, type TablesState } from '../../../shared/state/tables/state.ts';
import type { FunctionServices } from '../../declaration.ts';
import { assembleServices } from '../common/assemble-services.ts';
import { connectClusters } from '../common/cluster-services.ts';
import { intakeKeys } from '../common/intake-keys.ts';
import { openMachinesIfAny } from '../common/machines/open-machines.ts';
import { membersOf } from '../common/members.ts';
import { version } from '../common/package-folder.ts';
import { hasNewRecords, withRegistered } from '../common/registered-clusters.ts';
import { openRequestsIfAny } from '../common/requests/open-requests.ts';
import { stateConnection } from './connection-names.ts';
import { connectionFrom } from './connections.ts';
import { azureSink } from './log-sink.ts';
import type { AzureSettings } from './settings.ts';
import { type AzureWorkflows, workflowClients } from './workflows.ts';

export interface AzureServices {
  readonly functions: FunctionServices;
  /** With the clusters that requests have made. */
  readonly config: Config;
  /** Whether there are others of those by now. */
  clustersChanged(): Promise<boolean>;
  close(): void;
  readonly events: ServiceBusQueue;
  readonly state: TablesState;
  /** What this host can do with workflows beyond the port. */
  readonly workflows: () => AzureWorkflows;
  readonly intake: (cluster: string) => IntakeKeys;
  readonly members: () => readonly MemberKeys[];
}

export const azureLog = (level: Parameters<typeof createLog>[0]['level']): Log =>
  createLog({ level, pretty: false, sink: azureSink });

export interface ServiceParts {
  settings: AzureSettings;
  env: Environment;
  log: Log;
  events: ServiceBusQueue;
}

export async function buildServices({ settings, env, log, events }: ServiceParts): Promise<Result<AzureServices>> {
  const tables = connectionFrom(env, stateConnection, 'endpoint', 'tableServiceUri');
  if (!tables.ok) return failed('invalid', tables.problem);
  const intake = intakeKeys(settings.config, log);
  if (!intake.ok) return intake;
  const members = membersOf(settings.config, log);
  if (!members.ok) return members;
  const metrics = createMetrics({ version });
  const parts = { clock: systemClock, ids: systemIds, random: systemRandom, log, metrics };
  const state = openTablesState({ connection: tables.connection, table: 'poolwright', ...parts });
  const workflows = workflowClients(state, systemClock);
  const served = await withRegistered(settings.config, state, log);
  if (!served.ok) return served;
  const { config } = served.value;
  const connected = await connectClusters({ ...served.value, state, env, ...parts });
  if (!connected.ok) return connected;
  const { clusters } = connected.value;
  const requests = await openRequestsIfAny({
    ...parts,
    config: settings.config,
    state,
    env,
    apiOf: (name) => clusters.find((one) => one.name === name)?.api,
  });
  if (!requests.ok) {
    connected.value.close();
    return requests;
  }
  const machines = await openMachinesIfAny({
    ...parts,
    config,
    state,
    apiOf: (name) => clusters.find((one) => one.name === name)?.api,
  });
  const functions = assembleServices({
    ...parts,
    config,
    clusters,
    state,
    requests: requests.value,
    machines,
    events: () => events,
    // Each invocation brings its own way to the engine.
    workflows: () => workflows().client,
  });
  return ok({
    functions,
    config,
    clustersChanged: async () => hasNewRecords(settings.config, state, served.value),
    close: () => {
      requests.value?.close();
      machines?.close();
      connected.value.close();
    },
    events,
    state,
    workflows,
    intake: intake.value,
    members: () => members.value,
  });
}
