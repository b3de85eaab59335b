/** VMSets keep their number of machines. Each round may run twice, or beside another: names are ordinals, and a deletion names the uid. */
import { inParallel } from '../../base/in-parallel.ts';
import type { Json } from '../../base/json.ts';
import { isTrue } from '../../kube/conditions.ts';
import { machineApiVersion, machineKinds } from '../api/kinds.ts';
import { machineConditions, machineReasons } from '../core/marks.ts';
import type { VirtualMachine, VMSet } from '../core/objects.ts';
import { ownedBySet, planSet, setOf } from '../core/set.ts';
import { statusPatch } from '../core/status.ts';
import type { MachinePlace, MachineServices } from '../services.ts';

const width = 8;

export async function keepSets(
  services: MachineServices,
  place: MachinePlace,
  sets: readonly VMSet[],
  machines: readonly VirtualMachine[],
  signal: AbortSignal,
): Promise<void> {
  const paused = await place.paused?.();
  for (const set of sets) {
    if (signal.aborted) return;
    if (set.metadata.deletionTimestamp !== undefined) continue;
    const nearby = machines.filter(({ metadata }) => metadata.namespace === set.metadata.namespace);
    await keepSet(services, place, set, nearby, paused !== undefined, signal);
  }
  await removeOrphans(services, place, sets, machines, signal);
}

async function keepSet(
  services: MachineServices,
  place: MachinePlace,
  set: VMSet,
  nearby: readonly VirtualMachine[],
  paused: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace } = set.metadata;
  const log = services.log.child({ cluster: place.name, machine: `${namespace}/${name}` });
  const { create, remove } = planSet(set, nearby);
  let problem: string | undefined;
  const fails = (what: string): void => {
    problem ??= what;
    log.write('machines.undecided', { problem: what });
  };
  const make = async (machine: string): Promise<void> => {
    const made = await place.api.create(machineKinds.virtualMachine, memberOf(set, machine), signal);
    // Another round was faster.
    if (!made.ok && made.error.kind !== 'conflict') fails(made.error.message);
  };
  if (!paused) await inParallel(create, width, make, () => signal.aborted);
  const drop = async (machine: VirtualMachine): Promise<void> => {
    const gone = await deleteMachine(place, machine, signal);
    if (gone !== undefined) fails(gone);
  };
  await inParallel(remove, width, drop, () => signal.aborted);
  await report(services, place, set, nearby, problem, signal);
}

const memberOf = ({ metadata, spec }: VMSet, name: string): Json => {
  const { labels, annotations } = (spec.template.metadata ?? {}) as { labels?: Json; annotations?: Json };
  const { uid, namespace } = metadata;
  const owner = {
    apiVersion: machineApiVersion,
    kind: machineKinds.set.kind,
    name: metadata.name,
    uid,
    controller: true,
  };
  return {
    apiVersion: machineApiVersion,
    kind: machineKinds.virtualMachine.kind,
    metadata: {
      name,
      namespace,
      ownerReferences: [owner],
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: JSON.parse(JSON.stringify(spec.template.spec)) as Json,
  };
};

/** Undefined: it is being deleted, or gone. */
async function deleteMachine({ api }: MachinePlace, { metadata }: VirtualMachine, signal: AbortSignal) {
  const { namespace, name, uid } = metadata;
  const deleted = await api.delete(machineKinds.virtualMachine, { namespace, name }, { uid }, signal);
  if (deleted.ok || deleted.error.kind === 'not-found' || deleted.error.kind === 'conflict') return undefined;
  return deleted.error.message;
}

/** Machines whose VMSet is gone. Kubernetes collects them too, where its controllers run; the list alone is not believed. */
async function removeOrphans(
  services: MachineServices,
  place: MachinePlace,
  sets: readonly VMSet[],
  machines: readonly VirtualMachine[],
  signal: AbortSignal,
): Promise<void> {
  const known = new Set(sets.map(({ metadata }) => metadata.uid));
  for (const machine of machines) {
    const owner = setOf(machine);
    if (owner === undefined || known.has(owner.uid) || machine.metadata.deletionTimestamp !== undefined) continue;
    const ref = { namespace: machine.metadata.namespace, name: owner.name };
    const read = await place.api.get<VMSet>(machineKinds.set, ref, signal);
    const gone = read.ok ? read.value.metadata.uid !== owner.uid : read.error.kind === 'not-found';
    if (!gone) continue;
    const problem = await deleteMachine(place, machine, signal);
    if (problem !== undefined) services.log.write('machines.undecided', { problem });
  }
}

async function report(
  { clock }: MachineServices,
  { api }: MachinePlace,
  set: VMSet,
  nearby: readonly VirtualMachine[],
  problem: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const own = nearby.filter((one) => ownedBySet(one, set) && one.metadata.deletionTimestamp === undefined);
  const readyReplicas = own.filter(({ status }) => isTrue(status?.conditions, machineConditions.ready)).length;
  const { replicas = 1 } = set.spec;
  const isReady = problem === undefined && own.length === replicas && readyReplicas === replicas;
  const counts = { replicas: own.length, readyReplicas, availableReplicas: readyReplicas, currentReplicas: own.length };
  const message = problem ?? `${readyReplicas} of ${replicas} machines are Ready.`;
  const patch = statusPatch(
    set,
    { ...counts, observedGeneration: set.metadata.generation ?? 1 },
    [
      {
        type: machineConditions.ready,
        status: isReady ? 'True' : 'False',
        reason: isReady
          ? machineReasons.success
          : problem === undefined
            ? machineReasons.creating
            : machineReasons.error,
        message,
      },
    ],
    clock.now(),
  );
  if (patch === undefined) return;
  const { namespace, name, resourceVersion } = set.metadata;
  const body = { metadata: { resourceVersion }, status: patch };
  // The next round says it, if somebody was faster.
  await api.mergePatch(machineKinds.set, { namespace, name }, body, { subresource: 'status' }, signal);
}
