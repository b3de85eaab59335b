/** Machines that exist get an object each, where their Provider asks for it. None is changed by that, and none gets two. */
import type { Json } from '../../base/json.ts';
import type { ListedMachine } from '../../drivers/contract.ts';
import { toWireTime } from '../../kube/conditions.ts';
import { machineApiVersion, machineKinds } from '../api/kinds.ts';
import { objectName, passes, readFilter } from '../core/adoption.ts';
import { adoptedLabel, machineAnnotations, providerAnnotations } from '../core/marks.ts';
import { machineName } from '../core/name.ts';
import type { ProviderObject, VirtualMachine } from '../core/objects.ts';
import { recordOf } from '../core/record.ts';
import type { MachinePlace, MachineServices } from '../services.ts';

/** An object under the name of each, even where several have the same. */
const mostNames = 20;

export async function adoptMachines(
  services: MachineServices,
  place: MachinePlace,
  provider: ProviderObject,
  listed: readonly ListedMachine[],
  machines: readonly VirtualMachine[],
  signal: AbortSignal,
): Promise<void> {
  const { metadata } = provider;
  const log = services.log.child({ cluster: place.name, provider: `${metadata.namespace}/${metadata.name}` });
  const filter = readFilter(metadata.annotations?.[providerAnnotations.filter]);
  if (!filter.ok) {
    log.write('machines.adoption.failed', { problem: filter.error.message });
    return await tell(services, place, provider, { message: filter.error.message, failedAdoptions: 0 }, signal);
  }
  // Also those that somebody has asked for, and whose id nobody has written down yet.
  const names = new Set(machines.map((one) => recordOf(one)?.name ?? machineName(one.metadata)));
  const ids = new Set(
    machines.flatMap(({ status, metadata: { annotations } }) => [status?.id, annotations?.[machineAnnotations.adopts]]),
  );
  const foreign = listed.filter((one) => !ids.has(one.id) && !names.has(one.name) && passes(one, filter.value));
  let failures = 0;
  let adopted = 0;
  for (const machine of foreign) {
    if (signal.aborted) return;
    const problem = await adopt(place, provider, machine, signal);
    if (problem === undefined) adopted += 1;
    else {
      failures += 1;
      log.write('machines.adoption.failed', { id: machine.id, problem });
    }
  }
  if (adopted > 0) log.write('machines.adopted', { count: adopted });
  const before = machines.filter(({ metadata: { labels } }) => labels?.[adoptedLabel] === 'true').length;
  const status = { discoveredVMs: listed.length, adoptedVMs: before + adopted, failedAdoptions: failures, message: '' };
  await tell(services, place, provider, status, signal);
}

/** Undefined: there is an object for it. */
async function adopt(
  { api }: MachinePlace,
  { metadata: { namespace, name: provider } }: ProviderObject,
  machine: ListedMachine,
  signal: AbortSignal,
): Promise<string | undefined> {
  const className = `adopted-${machine.cpu ?? 1}-${machine.memoryMiB ?? 1024}`;
  const made = await api.create(
    machineKinds.class,
    {
      apiVersion: machineApiVersion,
      kind: machineKinds.class.kind,
      metadata: { name: className, namespace, labels: { [adoptedLabel]: 'true' } },
      spec: { cpu: machine.cpu ?? 1, memory: `${machine.memoryMiB ?? 1024}Mi` },
    },
    signal,
  );
  if (!made.ok && made.error.kind !== 'conflict') return made.error.message;
  const base = objectName(machine);
  for (let number = 1; number <= mostNames; number++) {
    const name = number === 1 ? base : `${base.slice(0, 240)}-${number}`;
    const created = await api.create(
      machineKinds.virtualMachine,
      adoptedObject(namespace, name, provider, className, machine),
      signal,
    );
    if (created.ok) return undefined;
    if (created.error.kind !== 'conflict') return created.error.message;
  }
  return `${mostNames} objects have the name ${base} already`;
}

const adoptedObject = (
  namespace: string,
  name: string,
  provider: string,
  vmClass: string,
  { id, power, disks }: ListedMachine,
): Json => ({
  apiVersion: machineApiVersion,
  kind: machineKinds.virtualMachine.kind,
  metadata: {
    name,
    namespace,
    labels: { [adoptedLabel]: 'true' },
    // At once, and not in the status that is written later: nothing may be made for it in between.
    annotations: { [machineAnnotations.adopts]: id },
  },
  spec: {
    providerRef: { name: provider },
    classRef: { name: vmClass },
    importedDisk: { diskID: disks[0]?.id || id, source: 'manual' },
    powerState: power === 'On' ? 'On' : 'Off',
  },
});

async function tell(
  { clock }: MachineServices,
  { api }: MachinePlace,
  { metadata: { namespace, name } }: ProviderObject,
  adoption: Record<string, Json>,
  signal: AbortSignal,
): Promise<void> {
  const status = { adoption: { ...adoption, lastDiscoveryTime: toWireTime(clock.now()) } };
  await api.mergePatch(machineKinds.provider, { namespace, name }, { status }, { subresource: 'status' }, signal);
}
