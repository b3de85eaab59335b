/** A machine that is there: what differs is changed, one operation at a time; what vanished is made again. */
import type { MachineState } from '../../drivers/contract.ts';
import { findCondition, toWireTime } from '../../kube/conditions.ts';
import { machineAnnotations, machineConditions, machineReasons } from '../core/marks.ts';
import { appliedOf, type NextOperation, nextOperation } from '../core/next.ts';
import type { VirtualMachine } from '../core/objects.ts';
import { recordAnnotation, recordOf } from '../core/record.ts';
import { patchMetadata } from '../steps/access.ts';
import type { AdvanceResult } from '../steps/answers.ts';
import { afterConflict, atRest, hold, reconfiguringNow, write } from '../steps/life.ts';
import { listMachines } from '../steps/listed.ts';
import { again, againAfter, logFor } from '../steps/place.ts';
import { ensureHeld } from './held.ts';
import type { Keeping } from './keep.ts';
import { operationFails } from './operation-fails.ts';
import { revert } from './revert.ts';
import { pace } from './task.ts';

const lookAgainSeconds = 1;
const blockedSeconds = 60;

export async function change(keeping: Keeping, unheld: VirtualMachine, id: string): Promise<AdvanceResult> {
  const { life, driver, can, wanted } = keeping;
  const held = await ensureHeld(keeping, unheld);
  if ('answer' in held) return held.answer;
  const { machine } = held;
  const described = await driver.describe(id, life.signal);
  if (!described.ok) return againAfter(described.error);
  const state = described.value;
  if (state === undefined) return await vanished(keeping, machine, id);
  if (recordOf(machine)?.missingSince !== undefined) return await isBack(keeping, machine);
  const reverting = await revert(keeping, machine, id);
  if (reverting !== undefined) return reverting;
  const next = nextOperation(machine, appliedOf(wanted.spec), recordOf(machine)?.applied, state, can);
  switch (next.do) {
    case 'rest':
      return await rest(keeping, machine, id, state);
    case 'power':
      return await power(keeping, machine, id, state, next);
    case 'reconfigure':
      return await reconfigure(keeping, machine, id, state);
    case 'blocked': {
      const message = `the change needs a stopped machine, because the provider does not have the capability ${next.capability}; stop it, or set the annotation ${machineAnnotations.allowRestart} to "true"`;
      return await hold(life, machine, { reason: 'MachineRestartNeeded', message, seconds: blockedSeconds });
    }
  }
}

const powerStates = ['On', 'Off'] as const;

const seen = (id: string, { power, addresses, consoleUrl }: MachineState) => ({
  id,
  ips: addresses.length === 0 ? null : [...addresses],
  consoleURL: consoleUrl ?? null,
  powerState: powerStates.find((one) => one === power) ?? null,
});

async function rest(
  { life }: Keeping,
  machine: VirtualMachine,
  id: string,
  state: MachineState,
): Promise<AdvanceResult> {
  const { applied } = recordOf(machine) ?? {};
  const phase = state.power === 'On' ? 'Running' : 'Stopped';
  const fields = {
    ...seen(id, state),
    phase,
    message: null,
    lastTaskRef: null,
    observedGeneration: machine.metadata.generation ?? 1,
    ...(applied === undefined ? {} : { currentResources: { cpu: applied.cpu, memoryMiB: applied.memoryMiB } }),
  } as const;
  const first = machine.status?.phase === 'Provisioning';
  const written = await write(life, machine, fields, atRest(machine));
  if (!written.ok) return afterConflict(written.error);
  if (first) logFor(life.services, life.ref).write('machine.ready', { id });
  return { do: 'end', why: phase };
}

async function power(
  { life, driver }: Keeping,
  machine: VirtualMachine,
  id: string,
  state: MachineState,
  { operation, gracefulSeconds, why }: Extract<NextOperation, { do: 'power' }>,
): Promise<AdvanceResult> {
  const begun = await driver.power(id, operation, { gracefulSeconds }, life.signal);
  if (!begun.ok) return await operationFails(life, machine, `power ${operation}`, begun.error);
  const { task } = begun.value;
  const message =
    why === 'wanted'
      ? `The machine is switched ${operation === 'on' ? 'on' : 'off'}.`
      : 'The machine is stopped for a change.';
  const provisioning = findCondition(machine.status?.conditions, machineConditions.provisioning)?.status === 'True';
  const { ready, provisioning: making } = machineConditions;
  const written = await write(life, machine, { ...seen(id, state), message, lastTaskRef: task ?? null }, [
    { type: ready, status: 'False', reason: machineReasons.task, message },
    // It is made; a task that fails from now on is no failed create.
    ...(provisioning ? [{ type: making, status: 'False' as const, reason: machineReasons.success }] : []),
  ]);
  if (!written.ok) return afterConflict(written.error);
  return again(task === undefined ? lookAgainSeconds : pace(life, written.value, ready), `power ${operation}`);
}

async function reconfigure(
  { life, driver, wanted }: Keeping,
  machine: VirtualMachine,
  id: string,
  state: MachineState,
): Promise<AdvanceResult> {
  const record = recordOf(machine);
  if (record === undefined) return again(0, 'the record is gone');
  const { place, signal, services } = life;
  const applying = appliedOf(wanted.spec);
  const intent = { annotations: recordAnnotation({ ...record, applying }) };
  const patched = await patchMetadata(place.api, machine, intent, signal);
  if (!patched.ok) return afterConflict(patched.error);
  const begun = await driver.reconfigure(id, wanted.name, wanted.spec, signal);
  if (!begun.ok) return await operationFails(life, patched.value, 'reconfigure', begun.error);
  const { task } = begun.value;
  let now = patched.value;
  if (task === undefined) {
    const { applying: _, ...before } = record;
    const done = { annotations: recordAnnotation({ ...before, applied: applying }) };
    const written = await patchMetadata(place.api, now, done, signal);
    if (!written.ok) return afterConflict(written.error);
    now = written.value;
  }
  const message = 'The machine is being changed.';
  const fields = {
    ...seen(id, state),
    message,
    phase: 'Reconfiguring',
    reconfigureTaskRef: task ?? null,
    lastTaskRef: null,
    lastReconfigureTime: toWireTime(services.clock.now()),
  } as const;
  const written = await write(life, now, fields, reconfiguringNow(message));
  if (!written.ok) return afterConflict(written.error);
  return again(task === undefined ? 0 : lookAgainSeconds, 'the change of the machine');
}

/** One look may be wrong. Two, with time between them and a list that agrees, are believed. */
async function vanished(
  { life, driver, wanted }: Keeping,
  machine: VirtualMachine,
  id: string,
): Promise<AdvanceResult> {
  const { place, services, ref } = life;
  const listed = await listMachines(driver, life.signal);
  if (!listed.ok) return againAfter(listed.error);
  if (listed.value.some((one) => one.id === id || one.name === wanted.name)) {
    // It has another id, or the provider contradicts itself.
    const other = listed.value.find((one) => one.name === wanted.name && one.id !== id);
    if (other === undefined) return again(lookAgainSeconds, 'the provider lists the machine but does not describe it');
    const renamed = await write(life, machine, { id: other.id }, []);
    return renamed.ok ? again(0, 'the machine has another id') : afterConflict(renamed.error);
  }
  const reason = 'MachineVanished';
  const record = recordOf(machine);
  const now = services.clock.now();
  if (record === undefined) return again(0, 'the record is gone');
  const since = record.missingSince;
  if (since === undefined || now - since < place.settings.graceSeconds * 1000) {
    const noted = since === undefined ? { annotations: recordAnnotation({ ...record, missingSince: now }) } : undefined;
    const patched = noted === undefined ? undefined : await patchMetadata(place.api, machine, noted, life.signal);
    if (patched !== undefined && !patched.ok) return afterConflict(patched.error);
    const message = `Machine ${id} is not there any more.`;
    return await hold(life, patched?.value ?? machine, { reason, message, seconds: place.settings.graceSeconds });
  }
  if (machine.spec.imageRef === undefined) {
    const message = `machine ${id} is gone, and there is no imageRef to make it again from; add one, or delete the object`;
    return await hold(life, machine, { reason, message, seconds: blockedSeconds, failed: true });
  }
  logFor(services, ref).write('machine.vanished', { id });
  const { missingSince: _, ...made } = record;
  const annotations = { ...recordAnnotation(made), [machineAnnotations.adopts]: null };
  const patched = await patchMetadata(place.api, machine, { annotations }, life.signal);
  if (!patched.ok) return afterConflict(patched.error);
  const cleared = { id: null, lastTaskRef: null, powerState: null, ips: null, consoleURL: null } as const;
  const message = 'The machine vanished and is made again.';
  const written = await write(life, patched.value, { ...cleared, message, phase: 'Provisioning' }, []);
  return written.ok ? again(0, message) : afterConflict(written.error);
}

async function isBack({ life }: Keeping, machine: VirtualMachine): Promise<AdvanceResult> {
  const { missingSince: _, ...record } = recordOf(machine)!;
  const annotations = recordAnnotation(record);
  const patched = await patchMetadata(life.place.api, machine, { annotations }, life.signal);
  return patched.ok ? again(0, 'the machine is there again') : afterConflict(patched.error);
}
