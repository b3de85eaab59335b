/** advanceSnapshot: reads a VMSnapshot and does the one thing that is next. It keeps nothing in mind, so it may die or be repeated anywhere. */
import { defined } from '../../base/defined.ts';
import type { MachineDriver } from '../../drivers/contract.ts';
import { toWireTime } from '../../kube/conditions.ts';
import { machineKinds } from '../api/kinds.ts';
import { machineAnnotations, machineConditions, machineReasons, snapshotFinalizer } from '../core/marks.ts';
import { nameIn, type ObjectName, type VirtualMachine, type VMSnapshot } from '../core/objects.ts';
import { recordOf } from '../core/record.ts';
import {
  isSnapshotHeld,
  type SnapshotRecord,
  snapshotAnnotation,
  snapshotName,
  snapshotRecord,
} from '../core/snapshot.ts';
import { statusPatch } from '../core/status.ts';
import type { MachinePlace, MachineRef, MachineServices } from '../services.ts';
import { snapshotAccess } from '../steps/access.ts';
import type { AdvanceResult } from '../steps/answers.ts';
import { capabilitiesOf } from '../steps/capabilities.ts';
import { readProvider } from '../steps/dependencies.ts';
import { afterConflict } from '../steps/life.ts';
import { again, againAfter, findPlace, isAgain, logFor } from '../steps/place.ts';

interface Taking {
  services: MachineServices;
  place: MachinePlace;
  ref: MachineRef;
  signal: AbortSignal;
}

const waitingSeconds = 5;
const troubleSeconds = 15;
const taskSeconds = 1;

export const advanceSnapshot =
  (services: MachineServices) =>
  async ({ ref }: { ref: MachineRef }, { signal }: { signal: AbortSignal }): Promise<AdvanceResult> => {
    const place = await findPlace(services, ref);
    if (isAgain(place)) return place;
    const read = await snapshotAccess.read(place.api, ref, signal);
    if (!read.ok) return againAfter(read.error);
    if (read.value === undefined) return { do: 'end', why: 'the object is gone' };
    const taking: Taking = { services, place, ref, signal };
    return read.value.metadata.deletionTimestamp === undefined
      ? await take(taking, read.value)
      : await remove(taking, read.value);
  };

async function take(taking: Taking, snapshot: VMSnapshot): Promise<AdvanceResult> {
  const { services, place, signal } = taking;
  const paused = await place.paused?.();
  if (paused !== undefined) return again(troubleSeconds, paused);
  const { namespace } = snapshot.metadata;
  const record = snapshotRecord(snapshot);
  const vmName = { namespace, name: snapshot.spec.vmRef.name };
  const vm = await place.api.get<VirtualMachine>(machineKinds.virtualMachine, vmName, signal);
  if (!vm.ok && vm.error.kind !== 'not-found') return againAfter(vm.error);
  const id = vm.ok && vm.value.status?.phase !== 'Provisioning' ? vm.value.status?.id : undefined;
  if (!vm.ok || id === undefined) {
    const what = vm.ok ? 'is not there yet' : 'does not exist; create it, or name another one';
    return await hold(taking, snapshot, machineReasons.waiting, `spec.vmRef: machine ${vmName.name} ${what}`);
  }
  const at = record?.provider ?? recordOf(vm.value)?.provider ?? nameIn(namespace, vm.value.spec.providerRef);
  const opened = await open(taking, at);
  if (!opened.ok)
    return await hold(taking, snapshot, opened.error.reason ?? machineReasons.provider, opened.error.message);
  const driver = opened.value;
  const can = await capabilitiesOf(driver, services.clock, signal);
  if (!can.ok) return await hold(taking, snapshot, machineReasons.provider, can.error.message);
  const memory = snapshot.spec.snapshotConfig?.includeMemory === true;
  const lacks = !can.value.snapshots
    ? 'supports_snapshots'
    : memory && !can.value.memorySnapshots
      ? 'supports_memory_snapshots'
      : undefined;
  if (lacks !== undefined) {
    const message = `spec: the provider does not have the capability ${lacks}`;
    return await hold(taking, snapshot, 'MachineCapabilityMissing', message);
  }
  const { snapshotID, taskRef } = snapshot.status ?? {};
  if (record !== undefined && snapshotID !== undefined) return await finish(taking, snapshot, driver, taskRef);
  const asked: SnapshotRecord = {
    uid: snapshot.metadata.uid,
    provider: at,
    machine: id,
    name: snapshotName(snapshot),
    at: services.clock.now(),
    ...defined({ applied: recordOf(vm.value)?.applied }),
  };
  return await ask(taking, snapshot, driver, asked, memory);
}

/** Under the same name each time: a server of ours answers with the one that there is. */
async function ask(
  taking: Taking,
  snapshot: VMSnapshot,
  driver: MachineDriver,
  record: SnapshotRecord,
  memory: boolean,
): Promise<AdvanceResult> {
  const { place, signal } = taking;
  const finalizers = [...new Set([...(snapshot.metadata.finalizers ?? []), snapshotFinalizer])];
  const patch = { finalizers, annotations: snapshotAnnotation(record) };
  const patched = await snapshotAccess.patchMetadata(place.api, snapshot, patch, signal);
  if (!patched.ok) return afterConflict(patched.error);
  const { description } = snapshot.spec.snapshotConfig ?? {};
  const request = { machine: record.machine, name: record.name, memory, ...defined({ description }) };
  const made = await driver.createSnapshot(request, signal);
  if (!made.ok) return await hold(taking, patched.value, machineReasons.provider, made.error.message);
  const { id, task } = made.value;
  const message = 'The snapshot is being made.';
  const fields = { snapshotID: id, taskRef: task ?? null, phase: 'Creating', message } as const;
  const changes = [
    { type: machineConditions.ready, status: 'False' as const, reason: machineReasons.creating, message },
  ];
  const written = await write(taking, patched.value, fields, changes);
  if (!written.ok) return afterConflict(written.error);
  return again(task === undefined ? 0 : taskSeconds, message);
}

async function finish(
  taking: Taking,
  snapshot: VMSnapshot,
  driver: MachineDriver,
  task: string | undefined,
): Promise<AdvanceResult> {
  const { services, signal } = taking;
  const state = task === undefined ? undefined : await driver.task(task, signal);
  if (state !== undefined && !state.ok && state.error.kind !== 'not-found') return againAfter(state.error);
  if (state?.ok && state.value.error !== undefined) {
    // It is asked for again.
    const cleared = await write(taking, snapshot, { taskRef: null, snapshotID: null, phase: 'Failed' }, []);
    if (!cleared.ok) return afterConflict(cleared.error);
    return await hold(taking, cleared.value, machineReasons.provider, `The snapshot failed: ${state.value.error}`);
  }
  if (state?.ok && !state.value.done) return again(taskSeconds, `task ${task}`);
  const at = toWireTime(services.clock.now());
  const fields = { phase: 'Ready', taskRef: null, message: null, creationTime: at, completionTime: at } as const;
  const message = 'The snapshot is there.';
  const { ready } = machineConditions;
  const written = await write(taking, snapshot, { ...fields, observedGeneration: snapshot.metadata.generation ?? 1 }, [
    { type: ready, status: 'True', reason: machineReasons.success, message },
  ]);
  return written.ok ? { do: 'end', why: 'ready' } : afterConflict(written.error);
}

async function remove(taking: Taking, snapshot: VMSnapshot): Promise<AdvanceResult> {
  const { signal } = taking;
  if (!isSnapshotHeld(snapshot)) return { do: 'end', why: 'nothing of ours holds the object' };
  const record = snapshotRecord(snapshot);
  if (record === undefined) return await release(taking, snapshot);
  const opened = await open(taking, record.provider);
  if (!opened.ok) return await trouble(taking, snapshot, opened.error.message);
  const driver = opened.value;
  const machine = await driver.describe(record.machine, signal);
  if (!machine.ok) return await trouble(taking, snapshot, machine.error.message);
  // Snapshots go with their machine.
  if (machine.value === undefined) return await release(taking, snapshot);
  const { snapshotID, taskRef, phase } = snapshot.status ?? {};
  if (snapshotID === undefined) {
    // The answer was lost. Its id is learned by asking for it again, under the same name.
    const asked = await driver.createSnapshot({ machine: record.machine, name: record.name, memory: false }, signal);
    if (!asked.ok) return await trouble(taking, snapshot, asked.error.message);
    const { id, task } = asked.value;
    const learned = await write(taking, snapshot, { snapshotID: id, taskRef: task ?? null }, []);
    return learned.ok ? again(taskSeconds, 'the snapshot') : afterConflict(learned.error);
  }
  if (taskRef !== undefined) {
    const state = await driver.task(taskRef, signal);
    if (!state.ok && state.error.kind !== 'not-found') return await trouble(taking, snapshot, state.error.message);
    if (state.ok && !state.value.done && state.value.error === undefined) return again(taskSeconds, `task ${taskRef}`);
    const cleared = await write(taking, snapshot, { taskRef: null }, []);
    if (!cleared.ok) return afterConflict(cleared.error);
    const error = state.ok ? state.value.error : undefined;
    if (error !== undefined && phase === 'Deleting') return await trouble(taking, cleared.value, error);
    return again(0, 'the snapshot to be gone');
  }
  const begun = await driver.deleteSnapshot(record.machine, snapshotID, signal);
  if (!begun.ok && begun.error.kind === 'not-found') return await release(taking, snapshot);
  if (!begun.ok) return await trouble(taking, snapshot, begun.error.message);
  const { task } = begun.value;
  if (task === undefined) return await release(taking, snapshot);
  const written = await write(taking, snapshot, { phase: 'Deleting', taskRef: task }, []);
  return written.ok ? again(taskSeconds, `task ${task}`) : afterConflict(written.error);
}

async function open({ place, signal, services }: Taking, at: ObjectName) {
  const provider = await readProvider({ place, signal, services }, at);
  return provider.ok ? await place.driverFor(provider.value, signal) : provider;
}

async function trouble(taking: Taking, snapshot: VMSnapshot, problem: string): Promise<AdvanceResult> {
  if (snapshot.metadata.annotations?.[machineAnnotations.forceDelete] === 'true')
    return await release(taking, snapshot);
  const message = `The snapshot cannot be deleted now: ${problem}. The annotation ${machineAnnotations.forceDelete}: "true" lets the object go without it.`;
  return await hold(taking, snapshot, machineReasons.provider, message, troubleSeconds);
}

async function release({ place, signal, ...rest }: Taking, snapshot: VMSnapshot): Promise<AdvanceResult> {
  const finalizers = (snapshot.metadata.finalizers ?? []).filter((one) => one !== snapshotFinalizer);
  const patched = await snapshotAccess.patchMetadata(place.api, snapshot, { finalizers }, signal);
  if (!patched.ok && patched.error.kind !== 'not-found') return afterConflict(patched.error);
  logFor(rest.services, rest.ref).write('machine.snapshot.gone');
  return { do: 'end', why: 'the snapshot is gone' };
}

async function hold(
  taking: Taking,
  snapshot: VMSnapshot,
  reason: string,
  message: string,
  seconds = waitingSeconds,
): Promise<AdvanceResult> {
  const { ready } = machineConditions;
  const phase = snapshot.status?.phase ?? 'Pending';
  const written = await write(taking, snapshot, { message, phase }, [
    { type: ready, status: 'False', reason, message },
  ]);
  return written.ok ? again(seconds, message) : afterConflict(written.error);
}

function write(
  { services, place, signal }: Taking,
  snapshot: VMSnapshot,
  fields: Parameters<typeof statusPatch<VMSnapshot>>[1],
  changes: Parameters<typeof statusPatch<VMSnapshot>>[2],
) {
  const patch = statusPatch(snapshot, fields, changes, services.clock.now());
  return snapshotAccess.patchStatus(place.api, snapshot, patch, signal);
}
