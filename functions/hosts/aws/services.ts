/** What every function works with: built once per environment, from its settings. */
import type { Environment } from '../../../shared/base/environment.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { systemClock, systemIds, systemRandom } from '../../../shared/base/runtime.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { IntakeKeys, MemberKeys } from '../../../shared/identity/callers.ts';
import { createLog, type Log } from '../../../shared/observe/log/log.ts';
import { createMetrics } from '../../../shared/observe/metrics.ts';
import { openDynamoDbState } from '../../../shared/state/dynamodb/state.ts';
import type { FunctionServices } from '../../declaration.ts';
import { assembleServices } from '../common/assemble-services.ts';
import { connectClusters } from '../common/cluster-services.ts';
import { intakeKeys } from '../common/intake-keys.ts';
import { openMachinesIfAny } from '../common/machines/open-machines.ts';
import { membersOf } from '../common/members.ts';
import { version } from '../common/package-folder.ts';
import { hasNewRecords, withRegistered } from '../common/registered-clusters.ts';
import { openRequestsIfAny } from '../common/requests/open-requests.ts';
import { type FunctionResources, resourcesFrom } from './function-resources.ts';
import type { Queues } from './queues.ts';
import type { AwsSettings } from './settings.ts';
import type { Scope } from './worker.ts';
import { type AwsWorkflows, openWorkflows } from './workflows.ts';

export interface AwsServices {
  readonly functions: FunctionServices;
  /** With the clusters that requests have made. */
  readonly config: Config;
  /** Whether there are others of those by now. */
  clustersChanged(): Promise<boolean>;
  readonly queues: Queues;
  readonly resources: FunctionResources;
  /** What this host can do with workflows beyond the port. */
  readonly workflows: AwsWorkflows;
  readonly intake: (cluster: string) => IntakeKeys;
  readonly members: () => readonly MemberKeys[];
  close(): void;
}

/** CloudWatch takes every line of standard output as it is: with JSON, its fields can be asked for. */
export const awsLog = (level: Parameters<typeof createLog>[0]['level']): Log => createLog({ level, pretty: false });

export interface ServiceParts {
  settings: AwsSettings;
  env: Environment;
  log: Log;
  queues: Queues;
  scope: Scope;
}

export async function buildServices(given: ServiceParts): Promise<Result<AwsServices>> {
  const { settings, env, log, queues, scope } = given;
  const resources = resourcesFrom(env);
  if (!resources.ok) return resources;
  const table = resources.value.of('stateTable');
  if (!table.ok) return table;
  const intake = intakeKeys(settings.config, log);
  if (!intake.ok) return intake;
  const members = membersOf(settings.config, log);
  if (!members.ok) return members;
  const metrics = createMetrics({ version });
  const parts = { clock: systemClock, ids: systemIds, random: systemRandom, log, metrics };
  const connection = { region: resources.value.region };
  const state = openDynamoDbState({ connection, table: table.value, ...parts });
  const workflows = openWorkflows({ resources: resources.value, env, state, clock: systemClock });
  if (!workflows.ok) return workflows;
  const only = scope === 'all' ? {} : { onlyType: scope.only };
  const served = await withRegistered(settings.config, state, log);
  if (!served.ok) return served;
  const { config } = served.value;
  const connected = await connectClusters({ ...served.value, state, env, ...parts, ...only });
  if (!connected.ok) return connected;
  const { clusters } = connected.value;
  // Whoever acts for providers of one type makes no clusters.
  const requests =
    scope === 'all'
      ? await openRequestsIfAny({
          ...parts,
          config: settings.config,
          state,
          env,
          apiOf: (name) => clusters.find((one) => one.name === name)?.api,
        })
      : ok(undefined);
  if (!requests.ok) {
    connected.value.close();
    return requests;
  }
  const machines =
    scope === 'all'
      ? await openMachinesIfAny({
          ...parts,
          config,
          state,
          apiOf: (name) => clusters.find((one) => one.name === name)?.api,
        })
      : undefined;
  const functions = assembleServices({
    ...parts,
    config,
    clusters,
    state,
    requests: requests.value,
    machines,
    // Only those that put events on a queue, or read it, have one.
    events: () => {
      const events = queues.of('events');
      if (!events.ok) throw new Error(events.error.message);
      return events.value;
    },
    workflows: () => workflows.value.client,
  });
  return ok({
    functions,
    config,
    clustersChanged: async () => hasNewRecords(settings.config, state, served.value),
    queues,
    resources: resources.value,
    workflows: workflows.value,
    intake: intake.value,
    members: () => members.value,
    close: () => {
      requests.value?.close();
      machines?.close();
      workflows.value.close();
      connected.value.close();
    },
  });
}
