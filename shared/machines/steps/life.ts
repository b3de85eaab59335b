/** What every step of one machine's life carries around, and how it says what it does. */
import type { Failure, Result } from '../../base/result.ts';
import type { ConditionChange } from '../../kube/conditions.ts';
import { machineConditions, machineReasons } from '../core/marks.ts';
import type { VirtualMachine } from '../core/objects.ts';
import { type StatusFields, statusPatch } from '../core/status.ts';
import type { MachinePlace, MachineRef, MachineServices } from '../services.ts';
import { patchStatus } from './access.ts';
import type { Again } from './answers.ts';
import { again, againAfter } from './place.ts';

export interface Life {
  services: MachineServices;
  place: MachinePlace;
  ref: MachineRef;
  signal: AbortSignal;
  /** The execution of the activity. */
  by: string;
}

const { ready, provisioning, reconfiguring } = machineConditions;
const { creating, success, updating } = machineReasons;

export function write(
  { services, place, signal }: Life,
  machine: VirtualMachine,
  fields: StatusFields,
  conditions: readonly ConditionChange[],
): Promise<Result<VirtualMachine>> {
  return patchStatus(place.api, machine, statusPatch(machine, fields, conditions, services.clock.now()), signal);
}

/** Why it does not go on, and when it is looked at again. What cannot be said now changes nothing about that. */
export async function hold(
  life: Life,
  machine: VirtualMachine,
  { reason, message, seconds, failed = false }: { reason: string; message: string; seconds: number; failed?: boolean },
): Promise<Again> {
  const { id } = machine.status ?? {};
  const phase = failed && id === undefined ? 'Failed' : (machine.status?.phase ?? 'Pending');
  const said = await write(life, machine, { message, phase }, [{ type: ready, status: 'False', reason, message }]);
  return said.ok ? again(seconds, message) : afterConflict(said.error);
}

/** Somebody has changed the object meanwhile: it is read again. */
export const afterConflict = (failure: Failure): Again =>
  failure.kind === 'conflict' || failure.kind === 'not-found' ? again(0, failure.message) : againAfter(failure);

export const provisioningNow = (message: string): ConditionChange[] => [
  { type: provisioning, status: 'True', reason: creating, message },
  { type: ready, status: 'False', reason: creating, message },
];

export const reconfiguringNow = (message: string): ConditionChange[] => [
  { type: reconfiguring, status: 'True', reason: updating, message },
  { type: ready, status: 'False', reason: updating, message },
];

/** Everything is as it is wanted. */
export function atRest({ status }: VirtualMachine): ConditionChange[] {
  const had = (type: string): boolean => status?.conditions?.some((one) => one.type === type) ?? false;
  const over = [provisioning, reconfiguring].filter(had);
  return [
    ...over.map((type): ConditionChange => ({ type, status: 'False', reason: success })),
    { type: ready, status: 'True', reason: success, message: 'The machine is as it is wanted.' },
  ];
}
