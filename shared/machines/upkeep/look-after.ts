/**
 * One round for one cluster: events may all be lost; this is the truth. It starts the workflows that are missing, and compares machines at
 * rest with what their hypervisor lists. A provider that does not answer holds up no other.
 */
import { inParallel } from '../../base/in-parallel.ts';
import type { Result } from '../../base/result.ts';
import type { ListedMachine } from '../../drivers/contract.ts';
import type { KubeObject, Resource } from '../../kube/contract.ts';
import { listAll } from '../../kube/list-all.ts';
import { machineKinds } from '../api/kinds.ts';
import { resolveClass } from '../core/class.ts';
import { providerAnnotations } from '../core/marks.ts';
import {
  nameIn,
  type ProviderObject,
  type VirtualMachine,
  type VMClass,
  type VMSet,
  type VMSnapshot,
} from '../core/objects.ts';
import { needsWork } from '../core/phase.ts';
import { recordOf } from '../core/record.ts';
import { ensureMachineWorkflow, ensureSnapshotWorkflow } from '../ensure.ts';
import type { MachinePlace, MachineServices } from '../services.ts';
import { listMachines } from '../steps/listed.ts';
import { adoptMachines } from './adopt.ts';
import { keepSets } from './sets.ts';

const width = 8;

export async function lookAfterMachines(
  services: MachineServices,
  place: MachinePlace,
  signal: AbortSignal,
): Promise<void> {
  const log = services.log.child({ cluster: place.name, function: 'virtual-machines' });
  const machines = await all<VirtualMachine>(place, machineKinds.virtualMachine, signal);
  if (!machines.ok) return log.write('machines.undecided', { problem: machines.error.message });
  const resting = machines.value.filter((one) => !needsWork(one));
  const start = async (machine: VirtualMachine, differs: boolean): Promise<void> => {
    try {
      await ensureMachineWorkflow(services, place.name, machine, differs);
    } catch (error) {
      log.write('machines.undecided', { machine: machine.metadata.name, error });
    }
  };
  const working = machines.value.filter((one) => needsWork(one));
  await inParallel(
    working,
    width,
    (one) => start(one, false),
    () => signal.aborted,
  );

  const snapshots = await all<VMSnapshot>(place, machineKinds.snapshot, signal);
  const begin = async (snapshot: VMSnapshot): Promise<void> => {
    await ensureSnapshotWorkflow(services, place.name, snapshot);
  };
  if (snapshots.ok) await inParallel(snapshots.value, width, begin, () => signal.aborted);
  else log.write('machines.undecided', { problem: snapshots.error.message });

  const sets = await all<VMSet>(place, machineKinds.set, signal);
  if (sets.ok) await keepSets(services, place, sets.value, machines.value, signal);
  else log.write('machines.undecided', { problem: sets.error.message });

  const [offered, classes] = [
    await all<ProviderObject>(place, machineKinds.provider, signal),
    await all<VMClass>(place, machineKinds.class, signal),
  ];
  if (!offered.ok) return log.write('machines.undecided', { problem: offered.error.message });
  const byClass = new Map(classes.ok ? classes.value.map((one) => [keyOf(one.metadata), one]) : []);
  const compare = async (provider: ProviderObject): Promise<void> => {
    const own = resting.filter((one) => providerOf(one) === keyOf(provider.metadata));
    const adopts = adoptionOf(provider);
    if (own.length === 0 && !adopts) return;
    const driver = await place.driverFor(provider, signal);
    const listed = driver.ok ? await listMachines(driver.value, signal) : driver;
    if (!listed.ok) {
      return log.write('machines.undecided', { provider: provider.metadata.name, problem: listed.error.message });
    }
    const byId = new Map(listed.value.map((one) => [one.id, one]));
    for (const machine of own) {
      if (differs(machine, byId.get(machine.status?.id ?? ''), byClass)) await start(machine, true);
    }
    if (adopts) await adoptMachines(services, place, provider, listed.value, machines.value, signal);
  };
  await inParallel(offered.value, width, compare, () => signal.aborted);
}

const keyOf = ({ namespace, name }: { namespace: string; name: string }): string => `${namespace}/${name}`;

const providerOf = (machine: VirtualMachine): string =>
  keyOf(recordOf(machine)?.provider ?? nameIn(machine.metadata.namespace, machine.spec.providerRef));

const adoptionOf = ({ metadata }: ProviderObject): boolean =>
  metadata.annotations?.[providerAnnotations.adopt] === 'true';

/** From what its status says, or from what its class asks for by now. */
function differs(
  machine: VirtualMachine,
  listed: ListedMachine | undefined,
  classes: ReadonlyMap<string, VMClass>,
): boolean {
  if (listed === undefined) return true;
  const { status, spec, metadata } = machine;
  if (status?.powerState !== listed.power) return true;
  if ((status?.ips ?? []).join() !== listed.addresses.join()) return true;
  const vmClass = classes.get(keyOf(nameIn(metadata.namespace, spec.classRef)));
  const asked = vmClass && resolveClass(vmClass, spec.resources);
  const applied = recordOf(machine)?.applied;
  if (asked === undefined || applied === undefined) return false;
  return asked.cpu !== applied.cpu || asked.memoryMiB !== applied.memoryMiB;
}

async function all<T extends KubeObject>(
  { api }: MachinePlace,
  resource: Resource,
  signal: AbortSignal,
): Promise<Result<T[]>> {
  let items: T[] = [];
  const onStart = (): void => {
    items = [];
  };
  const listed = await listAll<T>(api, resource, {}, { onStart, onItem: (item) => void items.push(item) }, signal);
  return listed.ok ? { ok: true, value: items } : listed;
}
