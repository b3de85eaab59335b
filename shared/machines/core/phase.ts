/** Whether a VirtualMachine needs its workflow. Pure; whoever starts workflows asks. */
import { findCondition } from '../../kube/conditions.ts';
import { machineConditions, machineFinalizer } from './marks.ts';
import type { VirtualMachine } from './objects.ts';

export const isDeleting = ({ metadata }: VirtualMachine): boolean => metadata.deletionTimestamp !== undefined;
export const isHeld = ({ metadata }: VirtualMachine): boolean =>
  metadata.finalizers?.includes(machineFinalizer) ?? false;

/** One that nothing was begun for has no finalizer of ours, and is gone by itself. */
export function needsWork(machine: VirtualMachine): boolean {
  if (isDeleting(machine)) return isHeld(machine);
  const { metadata, status } = machine;
  const ready = findCondition(status?.conditions, machineConditions.ready);
  return ready?.status !== 'True' || status?.observedGeneration !== metadata.generation;
}
