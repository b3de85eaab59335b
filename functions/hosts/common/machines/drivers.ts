/**
 * The driver of a Provider: one that the configuration runs in this process, a server at an address of the configuration, or the pods of the
 * Provider. Each is opened once, and again when what it is reached by has changed.
 */
import { defined } from '../../../../shared/base/defined.ts';
import { fingerprint } from '../../../../shared/base/fingerprint.ts';
import { failed, ok, type Result } from '../../../../shared/base/result.ts';
import type { Clock, Random } from '../../../../shared/base/runtime.ts';
import { systemTimers } from '../../../../shared/base/timers.ts';
import type { InProcessConfig, MachinePlaceConfig } from '../../../../shared/config/machine-places.ts';
import type { MachineDriver } from '../../../../shared/drivers/contract.ts';
import {
  type ConnectionOptions,
  type ConnectionReports,
  connectDriver,
} from '../../../../shared/drivers/grpc/connect.ts';
import type { ClusterApi } from '../../../../shared/kube/contract.ts';
import type { ProviderObject } from '../../../../shared/machines/core/objects.ts';
import type { Log } from '../../../../shared/observe/log/log.ts';
import { configuredServer } from './configured-server.ts';
import { podsOf } from './pods.ts';

export interface DriverPlace {
  api: ClusterApi;
  config: MachinePlaceConfig;
  /** Where our certificates are kept in the cluster. */
  namespace: string;
}

export interface DriverParts {
  clock: Clock;
  random: Random;
  log: Log;
  /** Opens a driver in this process; absent where a host keeps no files. */
  inProcess?: ((config: InProcessConfig) => MachineDriver) | undefined;
}

interface Open {
  what: string;
  at: number;
  driver: MachineDriver;
  /** Calls that began before the change end on it. */
  before?: MachineDriver | undefined;
}

/** Certificates and addresses are looked up again after this long. */
const freshMs = 60_000;

export function openDrivers(parts: DriverParts) {
  const { clock, random } = parts;
  const open = new Map<string, Open>();
  let reports: ConnectionReports | undefined;
  const pods = podsOf(parts);

  const connectionOf = async (
    place: DriverPlace,
    provider: ProviderObject,
    key: string,
    signal?: AbortSignal,
  ): Promise<Result<ConnectionOptions>> => {
    const server = place.config.servers[key];
    const reached = server === undefined ? await pods(place, provider, signal) : configuredServer(server);
    if (!reached.ok) return reached;
    const { qps, burst } = provider.spec.rateLimit ?? {};
    const rate = qps === undefined && burst === undefined ? undefined : { perSecond: qps ?? 10, burst: burst ?? 20 };
    return ok({ name: key, type: provider.spec.type, ...reached.value, ...defined({ rate }) });
  };

  return {
    /** The metrics come with the functions, which are put together later. */
    reportTo(to: ConnectionReports): void {
      reports = to;
    },
    async driverFor(
      place: DriverPlace,
      provider: ProviderObject,
      signal?: AbortSignal,
    ): Promise<Result<MachineDriver>> {
      const key = `${provider.metadata.namespace}/${provider.metadata.name}`;
      const id = `${place.api.name}/${key}/${provider.metadata.uid}`;
      const known = open.get(id);
      const now = clock.now();
      const inProcess = place.config.inProcess[key];
      if (known !== undefined && (inProcess !== undefined || now - known.at < freshMs)) return ok(known.driver);
      if (inProcess !== undefined) {
        if (parts.inProcess === undefined) {
          const message = `machines.inProcess: Provider ${key} cannot run within functions, which keep no files; name its address in machines.servers`;
          return failed('not-ready', message);
        }
        const driver = parts.inProcess(inProcess);
        open.set(id, { what: 'in-process', at: now, driver });
        return ok(driver);
      }
      const connection = await connectionOf(place, provider, key, signal);
      // As long as it cannot be looked up, the way that was good is taken.
      if (!connection.ok) return known === undefined ? connection : ok(known.driver);
      const what = fingerprint(connection.value);
      // Another caller may have opened it meanwhile.
      const latest = open.get(id);
      if (latest?.what === what) {
        latest.at = now;
        return ok(latest.driver);
      }
      const driver = connectDriver(connection.value, { clock, random, timers: systemTimers, reports });
      await latest?.before?.close();
      open.set(id, { what, at: now, driver, before: latest?.driver });
      return ok(driver);
    },
    close(): void {
      for (const { driver, before } of open.values()) {
        void driver.close();
        void before?.close();
      }
    },
  };
}
