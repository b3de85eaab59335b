/** A machine that is wanted: made where there is none, and changed where it differs from what is asked for. */
import type { Result } from '../../base/result.ts';
import type { Capabilities, MachineDriver } from '../../drivers/contract.ts';
import { machineAnnotations, machineReasons, providerAnnotations } from '../core/marks.ts';
import type { ProviderObject, VirtualMachine } from '../core/objects.ts';
import { problemText } from '../core/problems.ts';
import { isGarbled, recordOf } from '../core/record.ts';
import { type Dependencies, type ResolvedMachine, resolveMachine } from '../core/spec.ts';
import type { AdvanceResult } from '../steps/answers.ts';
import { capabilitiesOf } from '../steps/capabilities.ts';
import { readDependencies } from '../steps/dependencies.ts';
import { hold, type Life } from '../steps/life.ts';
import { again, againAfter } from '../steps/place.ts';
import { usedPlaces } from '../steps/used-places.ts';
import { change } from './change.ts';
import { create } from './create.ts';
import { lookAtTask } from './task.ts';

/** What each step of the making and changing of one machine works with. */
export interface Keeping {
  life: Life;
  driver: MachineDriver;
  can: Capabilities;
  dependencies: Dependencies;
  wanted: ResolvedMachine;
}

const waitingSeconds = 15;
const invalidSeconds = 60;

export async function keep(life: Life, machine: VirtualMachine): Promise<AdvanceResult> {
  const { place, services, signal } = life;
  const paused = await place.paused?.();
  if (paused !== undefined) return again(invalidSeconds, paused);
  if (isGarbled(machine)) {
    const message = `the annotation ${machineAnnotations.record} cannot be read; restore it, or delete the object`;
    return await hold(life, machine, { reason: 'MachineRecordUnreadable', message, seconds: invalidSeconds });
  }
  const dependencies = await readDependencies(life, machine);
  if (!dependencies.ok) {
    const { kind, message } = dependencies.error;
    if (kind !== 'not-found' && kind !== 'unauthorised') return againAfter(dependencies.error);
    return await hold(life, machine, { reason: machineReasons.waiting, message, seconds: waitingSeconds });
  }
  const { provider, policy } = dependencies.value;
  const moved = movedProvider(machine, provider.metadata);
  if (moved !== undefined) {
    return await hold(life, machine, { reason: 'MachineProviderChanged', message: moved, seconds: invalidSeconds });
  }
  const opened = await place.driverFor(provider, signal);
  if (!opened.ok) return await unreachable(life, machine, opened);
  const driver = opened.value;
  const can = await capabilitiesOf(driver, services.clock, signal);
  if (!can.ok) return await unreachable(life, machine, can);
  const used = recordOf(machine) === undefined && policy !== undefined ? await usedPlaces(life, policy) : undefined;
  if (used !== undefined && !used.ok) return againAfter(used.error);
  const wanted = resolveMachine(machine, dependencies.value, can.value, used?.value);
  if (!wanted.ok) {
    const [first] = wanted.problems;
    const reason = first?.code ?? machineReasons.validation;
    const message = problemText(wanted.problems);
    return await hold(life, machine, { reason, message, seconds: invalidSeconds, failed: true });
  }
  const keeping: Keeping = { life, driver, can: can.value, dependencies: dependencies.value, wanted: wanted.value };
  const task = await lookAtTask(keeping, machine);
  if ('answer' in task) return task.answer;
  const { machine: now } = task;
  const id = now.status?.id ?? adoptedId(now, provider);
  return id === undefined ? await create(keeping, now) : await change(keeping, now, id);
}

function movedProvider(machine: VirtualMachine, { namespace, name }: { namespace: string; name: string }) {
  const record = recordOf(machine);
  if (record === undefined || (record.provider.namespace === namespace && record.provider.name === name)) return;
  if (record.state === 'failed' && machine.status?.id === undefined) return;
  return `spec.providerRef: the machine is at Provider ${record.provider.namespace}/${record.provider.name} and cannot move by this field; change it back, or use a VMMigration`;
}

/** Only where the Provider allows it: with this annotation alone, anyone could take another's machine. */
function adoptedId({ metadata }: VirtualMachine, provider: ProviderObject): string | undefined {
  const allowed =
    provider.metadata.annotations?.[providerAnnotations.adopt] === 'true' &&
    provider.metadata.namespace === metadata.namespace;
  return allowed ? metadata.annotations?.[machineAnnotations.adopts] : undefined;
}

const unreachable = (life: Life, machine: VirtualMachine, { error }: Extract<Result<unknown>, { ok: false }>) =>
  hold(life, machine, {
    reason: error.reason ?? machineReasons.provider,
    message: `the provider cannot be asked: ${error.message}`,
    seconds: Math.max(waitingSeconds, error.retryAfterSeconds ?? 0),
  });
