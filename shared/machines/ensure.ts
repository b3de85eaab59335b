/** Starting what a virtual machine needs, once, however many sources ask for it. */
import { ok, type Result } from '../base/result.ts';
import { keyFor } from '../workflow/keys.ts';
import type { VirtualMachine, VMSnapshot } from './core/objects.ts';
import { needsWork } from './core/phase.ts';
import { snapshotNeedsWork } from './core/snapshot.ts';
import type { MachineRef, MachineServices } from './services.ts';
import { readMachine, snapshotAccess } from './steps/access.ts';
import { keepMachine } from './workflow/keep-machine.ts';
import { keepSnapshot } from './workflow/keep-snapshot.ts';
import { lookSignal } from './workflow/rounds.ts';

export const machineRef = (
  cluster: string,
  { metadata: { namespace, name, uid } }: Pick<VirtualMachine, 'metadata'>,
): MachineRef => ({
  cluster,
  namespace,
  name,
  uid,
});

export const machineKey = (ref: MachineRef): string => keyFor(ref, keepMachine.name);

/** @param differs Although it says that it is at rest. */
export async function ensureMachineWorkflow(
  { workflows }: Pick<MachineServices, 'workflows'>,
  cluster: string,
  machine: VirtualMachine,
  differs = false,
): Promise<boolean> {
  if (!differs && !needsWork(machine)) return false;
  const ref = machineRef(cluster, machine);
  const { started } = await workflows.ensure({
    workflow: keepMachine,
    key: machineKey(ref),
    input: ref,
    group: cluster,
  });
  return started;
}

/** For whoever was told that the object has changed. */
export async function wakeMachine(
  services: MachineServices,
  ref: MachineRef,
  signal?: AbortSignal,
): Promise<Result<void>> {
  const place = services.place(ref.cluster);
  if (place === undefined) return ok(undefined);
  const read = await readMachine(place.api, ref, signal);
  if (!read.ok) return read;
  const started = read.value !== undefined && (await ensureMachineWorkflow(services, ref.cluster, read.value));
  if (!started) await services.workflows.signal(machineKey(ref), lookSignal);
  return ok(undefined);
}

export async function ensureSnapshotWorkflow(
  { workflows }: Pick<MachineServices, 'workflows'>,
  cluster: string,
  snapshot: VMSnapshot,
): Promise<boolean> {
  if (!snapshotNeedsWork(snapshot)) return false;
  const ref = machineRef(cluster, snapshot);
  const key = keyFor(ref, keepSnapshot.name);
  const { started } = await workflows.ensure({ workflow: keepSnapshot, key, input: ref, group: cluster });
  return started;
}

/** The same for a VMSnapshot. */
export async function wakeSnapshot(
  services: MachineServices,
  ref: MachineRef,
  signal?: AbortSignal,
): Promise<Result<void>> {
  const place = services.place(ref.cluster);
  if (place === undefined) return ok(undefined);
  const read = await snapshotAccess.read(place.api, ref, signal);
  if (!read.ok) return read;
  const started = read.value !== undefined && (await ensureSnapshotWorkflow(services, ref.cluster, read.value));
  if (!started) await services.workflows.signal(keyFor(ref, keepSnapshot.name), lookSignal);
  return ok(undefined);
}
