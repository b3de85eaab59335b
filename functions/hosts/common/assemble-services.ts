/** What every function works with, put together the same way on every host. */
import type { Clock, Ids, Random } from '../../../shared/base/runtime.ts';
import type { Config } from '../../../shared/config/load.ts';
import type { MachineProviders } from '../../../shared/machines/runtime/services.ts';
import type { ClusterServices } from '../../../shared/nodes/steps/services.ts';
import type { Log } from '../../../shared/observe/log/log.ts';
import type { Metrics } from '../../../shared/observe/metrics.ts';
import type { Queue } from '../../../shared/queue/contract.ts';
import type { State } from '../../../shared/state/contract.ts';
import type { WorkflowClient } from '../../../shared/workflow/contract.ts';
import type { FunctionServices } from '../../declaration.ts';
import { ownClusters } from './cluster-ownership.ts';
import { settingsOf } from './lifecycle-settings.ts';
import type { OpenMachines } from './machines/machine-services.ts';
import { type Leaderships, leaderships } from './requests/leaderships.ts';
import type { OpenRequests } from './requests/request-services.ts';

export interface ServiceParts {
  config: Config;
  clusters: readonly ClusterServices[];
  state: State;
  clock: Clock;
  ids: Ids;
  random: Random;
  log: Log;
  metrics: Metrics;
  /** Asked for when it is needed: not every function has a queue. */
  events(): Queue;
  /** Asked for when it is needed: the engine needs the activities, which need the engine; or each invocation has its own way to it. */
  workflows(): WorkflowClient;
  /** For requests for clusters, where they are carried out. */
  requests?: OpenRequests | undefined;
  /** For virtual machines, where there are any. */
  machines?: OpenMachines | undefined;
}

export function assembleServices(parts: ServiceParts): FunctionServices & { readonly ownership: Leaderships } {
  const { config, clusters, state, clock, ids, random, log, metrics } = parts;
  const functions: FunctionServices & { readonly ownership: Leaderships } = {
    deployment: config.deployment,
    clusters,
    cluster: (name) => clusters.find((one) => one.name === name),
    ownership: leaderships(ownClusters({ config, clusters, state, log, metrics })),
    state,
    get events() {
      return parts.events();
    },
    get workflows() {
      return parts.workflows();
    },
    clock,
    ids,
    random,
    log,
    metrics,
    settings: settingsOf(config),
    runsProviders: (name) => config.clusters[name]?.machineProviders !== undefined,
    machineProviders: async () => {
      machineProviders ??= import('./machines/machine-providers.ts').then((room) =>
        room.machineProvidersOf(config, functions),
      );
      return machineProviders;
    },
    get requests() {
      return requests;
    },
    get machines() {
      return machines;
    },
  };
  let machineProviders: Promise<MachineProviders> | undefined;
  const requests = parts.requests?.servicesFor(functions);
  const machines = parts.machines?.servicesFor(functions);
  return functions;
}
