/** How many machines of one policy are where: read from their records, so that one that is only begun counts too. */
import { ok, type Result } from '../../base/result.ts';
import { listAll } from '../../kube/list-all.ts';
import { machineKinds } from '../api/kinds.ts';
import type { VirtualMachine, VMPlacementPolicy } from '../core/objects.ts';
import type { UsedPlaces } from '../core/placement.ts';
import { recordOf } from '../core/record.ts';
import type { Life } from './life.ts';

export async function usedPlaces({ place, ref, signal }: Life, policy: VMPlacementPolicy): Promise<Result<UsedPlaces>> {
  const used = { cluster: new Map(), datastore: new Map(), host: new Map() } as const;
  const count = (machine: VirtualMachine): void => {
    if (machine.metadata.uid === ref.uid || machine.spec.placementRef?.name !== policy.metadata.name) return;
    const at = recordOf(machine)?.placement;
    for (const where of ['cluster', 'datastore', 'host'] as const) {
      const name = at?.[where];
      if (name !== undefined) used[where].set(name, (used[where].get(name) ?? 0) + 1);
    }
  };
  let counted: VirtualMachine[] = [];
  const listed = await listAll<VirtualMachine>(
    place.api,
    machineKinds.virtualMachine,
    { namespace: ref.namespace },
    {
      onStart: () => {
        counted = [];
      },
      onItem: (machine) => void counted.push(machine),
    },
    signal,
  );
  if (!listed.ok) return listed;
  counted.forEach(count);
  return ok(used);
}
