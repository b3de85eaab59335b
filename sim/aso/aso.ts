/**
 * A stand-in for Azure Service Operator, with an Azure behind it: it works on any API server that serves the kinds, simulated or real.
 * Expressions in `operatorSpec` are not evaluated, and a resync only asks Azure again with the same words.
 *
 * @example
 * const aso = await startAso({ api, settings: instantly, faults: [{ on: 'put', objects: 'ManagedCluster', do: { kind: 'stuck' } }] });
 * // … apply objects, wait for their Ready …
 * doubled(aso.azure.ledger()); // was anything there twice?
 * await aso.close();
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../shared/base/runtime.ts';
import type { ClusterApi } from '../../shared/kube/contract.ts';
import type { SeenRequest } from '../cluster/server.ts';
import { AzureStore } from './azure/store.ts';
import { AzureWorld } from './azure/world.ts';
import { Controller } from './controller.ts';
import { type AsoFaultRule, AsoFaults } from './faults.ts';
import { NewClusters } from './new-clusters/new-clusters.ts';
import { type AsoSettingsInput, asoSettings } from './settings.ts';

export interface AsoOptions {
  /** The management cluster; its field manager is the operator's. */
  api: ClusterApi;
  /** Where Azure and the new clusters are kept; without one, nowhere. */
  directory?: string;
  settings?: AsoSettingsInput;
  faults?: readonly AsoFaultRule[];
  /** The same seed, clock and objects give the same faults. */
  seed?: number;
  clock?: Clock;
  /** False where a test moves the clock: things then happen at `settle()` alone, and nothing is watched. */
  wakeByItself?: boolean;
  /** Each request to the API of a new cluster. */
  onRequest?: ((request: SeenRequest) => void) | undefined;
  log?: (message: string, fields: Record<string, unknown>) => void;
}

export interface Aso {
  readonly azure: AzureWorld;
  readonly clusters: NewClusters;
  /** Replaces all rules. */
  setFaults(rules: unknown): void;
  /** Reads everything, and lets happen what is due by the clock. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export async function startAso(options: AsoOptions): Promise<Aso> {
  const { api, directory, clock = systemClock, seed = 1, log = () => {}, wakeByItself = true } = options;
  const settings = asoSettings(options.settings);
  if (directory !== undefined) mkdirSync(directory, { recursive: true, mode: 0o700 });
  const azure = new AzureWorld({
    store: new AzureStore(directory === undefined ? ':memory:' : join(directory, 'azure.db')),
    clock,
    tenant: settings.tenant,
    rules: { versions: settings.versions, locations: settings.locations },
  });
  const clusters = new NewClusters({
    azure,
    directory,
    clock,
    changed: (id) => controller.lookAtCluster(id),
    onRequest: options.onRequest,
  });
  const faults = new AsoFaults(seed, options.faults);
  const controller = new Controller({ api, azure, clusters, faults, settings, clock, seed, log }, wakeByItself);
  await clusters.startAll();
  const watches = wakeByItself ? controller.watch() : [];
  return {
    azure,
    clusters,
    setFaults: (rules) => faults.replace(rules),
    settle: () => controller.settle(),
    close: async () => {
      await controller.close();
      await Promise.allSettled(watches);
      await clusters.close();
      azure.close();
    },
  };
}
