/** A machine whose object is deleted: the object goes when its machine is surely gone, which includes one that could still appear. */

import type { MachineDriver } from '../../drivers/contract.ts';
import { findCondition } from '../../kube/conditions.ts';
import { machineAnnotations, machineConditions, machineFinalizer, machineReasons } from '../core/marks.ts';
import { machineName } from '../core/name.ts';
import { nameIn, type VirtualMachine } from '../core/objects.ts';
import { isHeld } from '../core/phase.ts';
import { isGarbled, recordOf, settleSeconds } from '../core/record.ts';
import { patchMetadata } from '../steps/access.ts';
import type { AdvanceResult } from '../steps/answers.ts';
import { readProvider } from '../steps/dependencies.ts';
import { afterConflict, type Life, write } from '../steps/life.ts';
import { listMachines } from '../steps/listed.ts';
import { again, againAfter, logFor } from '../steps/place.ts';
import { pace } from './task.ts';

const troubleSeconds = 15;
const lookAgainSeconds = 1;

export async function remove(life: Life, machine: VirtualMachine): Promise<AdvanceResult> {
  const { place, services, signal } = life;
  if (!isHeld(machine)) return { do: 'end', why: 'nothing of ours holds the object' };
  const record = recordOf(machine);
  const { metadata, spec, status } = machine;
  const at = record?.provider ?? nameIn(metadata.namespace, spec.providerRef);
  const provider = await readProvider(life, at);
  if (!provider.ok)
    return await trouble(life, machine, `Provider ${at.namespace}/${at.name}: ${provider.error.message}`);
  const opened = await place.driverFor(provider.value, signal);
  if (!opened.ok) return await trouble(life, machine, opened.error.message, opened.error.reason);
  const driver = opened.value;
  const task = await awaitTask(life, machine, driver);
  if ('answer' in task) return task.answer;
  const { machine: now } = task;
  const listed = await listMachines(driver, signal);
  if (!listed.ok) return await trouble(life, now, listed.error.message, listed.error.reason);
  const name = record?.name ?? machineName(metadata);
  const ids = new Set(listed.value.filter((one) => one.name === name).map(({ id }) => id));
  if (status?.id !== undefined) {
    const described = await driver.describe(status.id, signal);
    if (!described.ok) return await trouble(life, now, described.error.message, described.error.reason);
    if (described.value !== undefined) ids.add(status.id);
  }
  if (ids.size > 0) return await deleteAll(life, now, driver, [...ids]);
  const bound = place.settings.createSeconds + place.settings.latenessSeconds;
  // Its create has answered, so nothing of it is still to come.
  const settle = status?.id === undefined ? settleSeconds(record, services.clock.now(), bound) : 0;
  if (settle > 0) {
    const said = await say(life, now, 'It waits until no machine can appear any more.');
    return said ?? again(Math.min(settle, 5), 'the outcome of the last create is not known yet');
  }
  if (isGarbled(machine) && status?.id === undefined && !isForced(machine)) {
    return await trouble(
      life,
      now,
      `the annotation ${machineAnnotations.record} cannot be read`,
      'MachineRecordUnreadable',
    );
  }
  return await release(life, now, 'the machine is gone');
}

const isForced = ({ metadata }: VirtualMachine): boolean =>
  metadata.annotations?.[machineAnnotations.forceDelete] === 'true';

/** Only a task of ours that deletes: another one makes no difference to what is deleted next. */
async function awaitTask(
  life: Life,
  machine: VirtualMachine,
  driver: MachineDriver,
): Promise<{ machine: VirtualMachine } | { answer: AdvanceResult }> {
  const { lastTaskRef: task, phase } = machine.status ?? {};
  if (task === undefined || phase !== 'Deleting') return { machine };
  const state = await driver.task(task, life.signal);
  if (!state.ok && state.error.kind !== 'not-found') {
    return { answer: await trouble(life, machine, state.error.message, state.error.reason) };
  }
  if (state.ok && !state.value.done && state.value.error === undefined) {
    return { answer: again(pace(life, machine, machineConditions.deleting), `task ${task}`) };
  }
  const error = state.ok ? state.value.error : undefined;
  const cleared = await write(life, machine, { lastTaskRef: null }, []);
  if (!cleared.ok) return { answer: afterConflict(cleared.error) };
  return error === undefined ? { machine: cleared.value } : { answer: await trouble(life, cleared.value, error) };
}

async function deleteAll(
  life: Life,
  machine: VirtualMachine,
  driver: MachineDriver,
  ids: readonly string[],
): Promise<AdvanceResult> {
  let task: string | undefined;
  for (const id of ids) {
    const begun = await driver.delete(id, life.signal);
    if (!begun.ok && begun.error.kind === 'not-found') continue;
    if (!begun.ok) return await trouble(life, machine, begun.error.message, begun.error.reason);
    task = begun.value.task ?? task;
  }
  const said = await say(life, machine, 'The machine is being deleted.', task);
  return said ?? again(lookAgainSeconds, 'the machine to be gone');
}

/** Undefined: it is said, or stands there already. */
async function say(life: Life, machine: VirtualMachine, message: string, task?: string) {
  const { deleting, ready } = machineConditions;
  const reason = machineReasons.deleting;
  const fields = { phase: 'Deleting', message, ...(task === undefined ? {} : { lastTaskRef: task }) } as const;
  const written = await write(life, machine, fields, [
    { type: deleting, status: 'True', reason, message },
    { type: ready, status: 'False', reason, message },
  ]);
  return written.ok ? undefined : afterConflict(written.error);
}

/** What keeps the machine from being deleted. With the annotation, the object goes all the same, and the machine may stay. */
async function trouble(
  life: Life,
  machine: VirtualMachine,
  problem: string,
  reason: string = machineReasons.provider,
): Promise<AdvanceResult> {
  if (isForced(machine)) {
    logFor(life.services, life.ref).write('machine.abandoned', { id: machine.status?.id, problem });
    return await release(life, machine, `given up: ${problem}`);
  }
  const message = `The machine cannot be deleted now: ${problem}. The annotation ${machineAnnotations.forceDelete}: "true" lets the object go without it.`;
  const { deleting, ready } = machineConditions;
  const changes = [
    { type: deleting, status: 'True' as const, reason, message },
    { type: ready, status: 'False' as const, reason: machineReasons.deleting, message },
  ];
  const before = findCondition(machine.status?.conditions, deleting);
  const written = await write(life, machine, { phase: 'Deleting', message }, changes);
  if (!written.ok) return afterConflict(written.error);
  if (before?.reason !== reason) logFor(life.services, life.ref).write('machine.delete.failed', { problem });
  return again(troubleSeconds, message);
}

async function release(life: Life, machine: VirtualMachine, why: string): Promise<AdvanceResult> {
  const finalizers = (machine.metadata.finalizers ?? []).filter((one) => one !== machineFinalizer);
  const patched = await patchMetadata(life.place.api, machine, { finalizers }, life.signal);
  if (!patched.ok) {
    return patched.error.kind === 'not-found'
      ? { do: 'end', why }
      : patched.error.kind === 'conflict'
        ? again(0, 'the object has changed')
        : againAfter(patched.error);
  }
  logFor(life.services, life.ref).write('machine.gone');
  return { do: 'end', why };
}
