/** The drivers of Providers, each opened once: one that the configuration runs in this process, or the server that the Provider stands for. */
import { defined } from '../../../../shared/base/defined.ts';
import { failed, ok, type Result } from '../../../../shared/base/result.ts';
import type { Clock, Random } from '../../../../shared/base/runtime.ts';
import { systemTimers } from '../../../../shared/base/timers.ts';
import type { MachineDriver } from '../../../../shared/drivers/contract.ts';
import { mockDriver } from '../../../../shared/drivers/mock/driver.ts';
import { mockDefaults } from '../../../../shared/drivers/mock/options.ts';
import type { ClusterApi } from '../../../../shared/kube/contract.ts';
import type { ProviderObject } from '../../../../shared/machines/core/objects.ts';

interface Place {
  api: ClusterApi;
  inProcess: Readonly<Record<string, { type: 'mock'; stateFile?: string | undefined }>>;
}

export function openDrivers({ clock, random }: { clock: Clock; random: Random }) {
  const open = new Map<string, MachineDriver>();
  return {
    async driverFor(place: Place, { metadata, spec }: ProviderObject, _signal?: AbortSignal): Promise<Result<MachineDriver>> {
      const key = `${metadata.namespace}/${metadata.name}`;
      const configured = place.inProcess[key];
      if (configured === undefined) {
        const message = `Provider ${key} of type ${spec.type} runs in no process that this host can reach; add it to machines.inProcess of the cluster`;
        return failed('not-ready', message);
      }
      const id = `${place.api.name}/${key}`;
      const known = open.get(id);
      if (known !== undefined) return ok(known);
      const options = { ...mockDefaults, ...defined({ file: configured.stateFile }) };
      const driver = mockDriver(options, { clock, random, timers: systemTimers });
      open.set(id, driver);
      return ok(driver);
    },
    close(): void {
      for (const driver of open.values()) void driver.close();
    },
  };
}
