/** How many machines refer to each Provider. */
import { ok, type Result } from '../../base/result.ts';
import type { KubeObject } from '../../kube/contract.ts';
import { listAll } from '../../kube/list-all.ts';
import { machineKinds } from '../api/kinds.ts';
import type { VirtualMachineSpec } from '../api/virtual-machine.ts';
import type { ProviderPlace } from './services.ts';

interface MachineObject extends KubeObject {
  spec?: Partial<VirtualMachineSpec>;
}

export const providerKey = (namespace: string, name: string): string => `${namespace}/${name}`;

export async function usersOf({ api }: ProviderPlace, signal?: AbortSignal): Promise<Result<Map<string, number>>> {
  const counts = new Map<string, number>();
  const listed = await listAll<MachineObject>(
    api,
    machineKinds.virtualMachine,
    {},
    {
      onStart: () => counts.clear(),
      onItem: ({ metadata, spec }) => {
        const ref = spec?.providerRef;
        if (ref === undefined) return;
        const key = providerKey(ref.namespace ?? metadata.namespace ?? '', ref.name);
        counts.set(key, (counts.get(key) ?? 0) + 1);
      },
    },
    signal,
  );
  return listed.ok ? ok(counts) : listed;
}
