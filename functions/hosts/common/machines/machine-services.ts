/** What virtual machines are carried out with, put together the same way on every host. */
import type { Config } from '../../../../shared/config/load.ts';
import { machinePlacesOf } from '../../../../shared/config/machine-places.ts';
import type { ClusterApi } from '../../../../shared/kube/contract.ts';
import type { MachinePlace, MachineServices } from '../../../../shared/machines/services.ts';
import { clusterPausedBy } from '../../../../shared/nodes/pauses/pauses.ts';
import type { LifecycleServices } from '../../../../shared/nodes/steps/services.ts';
import type { State } from '../../../../shared/state/contract.ts';
import { callReports } from '../call-reports.ts';
import { type DriverParts, openDrivers } from './drivers.ts';

export interface MachineParts extends DriverParts {
  config: Config;
  /** Of the clusters that are connected. */
  apiOf(cluster: string): ClusterApi | undefined;
  state: State;
}

export interface OpenMachines {
  /** For the functions of a host, once those are put together. */
  servicesFor(functions: LifecycleServices): MachineServices;
  close(): void;
}

export function openMachines(parts: MachineParts): OpenMachines {
  const { config, apiOf, state, clock, random, log } = parts;
  const drivers = openDrivers(parts);
  const places = machinePlacesOf(config).flatMap((place): MachinePlace[] => {
    const { name, createAtMost, lateness, pollAtMost, retryAfter, grace } = place;
    const api = apiOf(name);
    // A cluster that this process does not know is no place of its.
    const namespace = config.clusters[name]?.settings.namespace;
    if (api === undefined || namespace === undefined) return [];
    return [
      {
        name,
        api,
        settings: {
          createSeconds: createAtMost,
          latenessSeconds: lateness,
          pollSeconds: pollAtMost,
          retrySeconds: retryAfter,
          graceSeconds: grace,
        },
        driverFor: (provider, signal) => drivers.driverFor({ api, config: place, namespace }, provider, signal),
        paused: () => clusterPausedBy({ name, paused: config.clusters[name]?.paused ?? false }, state),
      },
    ];
  });
  return {
    close: drivers.close,
    servicesFor: (functions) => {
      drivers.reportTo(callReports(functions.metrics));
      return {
        place: (name) => places.find((one) => one.name === name),
        places,
        ownership: functions.ownership,
        // A host may have another way to its engine for each call.
        get workflows() {
          return functions.workflows;
        },
        clock,
        random,
        log,
      };
    },
  };
}
