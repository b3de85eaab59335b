/** A machine that is not there: found by its name, or made. The right to make it is written on the object before the provider is asked. */
import { doubled } from '../../base/backoff.ts';
import { defined } from '../../base/defined.ts';
import type { ListedMachine } from '../../drivers/contract.ts';
import { machineFinalizer, machineReasons } from '../core/marks.ts';
import { appliedOf } from '../core/next.ts';
import type { VirtualMachine } from '../core/objects.ts';
import { type MachineRecord, recordAnnotation, recordOf, settleSeconds } from '../core/record.ts';
import { patchMetadata } from '../steps/access.ts';
import type { AdvanceResult } from '../steps/answers.ts';
import { afterConflict, hold, provisioningNow, write } from '../steps/life.ts';
import { listMachines } from '../steps/listed.ts';
import { again, againAfter, logFor } from '../steps/place.ts';
import { change } from './change.ts';
import { ensureHeld } from './held.ts';
import { prepareImage } from './image.ts';
import type { Keeping } from './keep.ts';

const longestRetrySeconds = 600;
/** A right is used at once or not at all: what was held up longer than this asks for another one. */
const latestUseMs = 5000;

export async function create(keeping: Keeping, machine: VirtualMachine): Promise<AdvanceResult> {
  const { life, driver, wanted } = keeping;
  const { services, place, signal } = life;
  const { settings } = place;
  const record = recordOf(machine);
  const listed = await listMachines(driver, signal);
  if (!listed.ok) return await providerFails(keeping, machine, listed.error.message);
  const found = listed.value.filter(({ name }) => name === wanted.name);
  if (found.length > 0) {
    return record?.state === 'failed' && record.discard === true
      ? await discard(keeping, found)
      : await take(keeping, machine, found);
  }
  const settle = settleSeconds(record, services.clock.now(), settings.createSeconds + settings.latenessSeconds);
  if (settle > 0) return again(Math.min(settle, 5), 'the outcome of the last create is not known yet');
  const pause = retryPause(record, machine, services.clock.now(), settings.retrySeconds);
  if (pause > 0) return again(pause, 'the provider has refused the machine');
  const prepared = await prepareImage(keeping, machine);
  if ('answer' in prepared) return prepared.answer;

  const { metadata } = machine;
  const { provider } = keeping.dependencies;
  const granted: MachineRecord = {
    uid: metadata.uid,
    provider: { namespace: provider.metadata.namespace, name: provider.metadata.name },
    name: wanted.name,
    attempt: (record?.attempt ?? 0) + 1,
    state: 'open',
    at: services.clock.now(),
    by: life.by,
    failures: record?.state === 'failed' ? record.failures : 0,
    applied: appliedOf(wanted.spec),
    ...defined({ generation: metadata.generation, placement: wanted.spec.placement }),
  };
  const finalizers = [...new Set([...(metadata.finalizers ?? []), machineFinalizer])];
  const patched = await patchMetadata(
    place.api,
    machine,
    { finalizers, annotations: recordAnnotation(granted) },
    signal,
  );
  if (!patched.ok) return afterConflict(patched.error);
  if (services.clock.now() - granted.at > latestUseMs) return again(0, 'the right to create came too late');
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(settings.createSeconds * 1000)]);
  const made = await driver.create(wanted.name, { ...wanted.spec, image: prepared.image }, deadline);
  if (!made.ok) return await refused(keeping, patched.value, granted, made.error);
  logFor(services, life.ref).write('machine.created', { id: made.value.id, attempt: granted.attempt });
  const { id, task } = made.value;
  const written = await write(
    life,
    patched.value,
    { id, phase: 'Provisioning', message: 'The machine is being made.', lastTaskRef: task ?? null },
    provisioningNow('The machine is being made.'),
  );
  // It is found by its name.
  if (!written.ok) return afterConflict(written.error);
  return task === undefined ? await change(keeping, written.value, id) : again(0.25, `task ${task}`);
}

function retryPause(record: MachineRecord | undefined, machine: VirtualMachine, now: number, first: number): number {
  if (record?.state !== 'failed' || record.generation !== machine.metadata.generation) return 0;
  const pause = doubled(record.failures, first, longestRetrySeconds);
  return Math.max(0, (record.at + pause * 1000 - now) / 1000);
}

/** What the name belongs to is ours. A server that is not idempotent may have made several: one stays. */
async function take(
  { life, driver, ...rest }: Keeping,
  machine: VirtualMachine,
  found: readonly ListedMachine[],
): Promise<AdvanceResult> {
  const [first, ...more] = found.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  for (const { id } of more) {
    const deleted = await driver.delete(id, life.signal);
    if (!deleted.ok) return againAfter(deleted.error);
    logFor(life.services, life.ref).write('machine.double.removed', { id });
  }
  const id = first?.id ?? '';
  // A backup of the cluster may be older than the machine: then nothing holds the object yet.
  const held = await ensureHeld({ life, driver, ...rest }, machine);
  if ('answer' in held) return held.answer;
  const message = 'The machine is being made.';
  const written = await write(life, held.machine, { id, phase: 'Provisioning', message }, provisioningNow(message));
  return written.ok ? await change({ life, driver, ...rest }, written.value, id) : afterConflict(written.error);
}

async function discard({ life, driver }: Keeping, found: readonly ListedMachine[]): Promise<AdvanceResult> {
  for (const { id } of found) {
    const deleted = await driver.delete(id, life.signal);
    if (!deleted.ok) return againAfter(deleted.error);
    logFor(life.services, life.ref).write('machine.discarded', { id });
  }
  return again(2, 'the machine of a failed attempt to be gone');
}

/** Kinds of failures after which the provider may have made it all the same. */
const unclear = ['outcome-unknown', 'unavailable', 'throttled', 'conflict', 'not-ready'];

async function refused(
  keeping: Keeping,
  machine: VirtualMachine,
  granted: MachineRecord,
  { kind, message, reason, code }: { kind: string; message: string; reason?: string; code?: string },
): Promise<AdvanceResult> {
  const { life } = keeping;
  logFor(life.services, life.ref).write('machine.create.failed', { kind, problem: message });
  if (unclear.includes(kind)) return await providerFails(keeping, machine, message);
  const failed: MachineRecord = {
    ...granted,
    state: 'failed',
    failures: granted.failures + 1,
    at: life.services.clock.now(),
  };
  const patched = await patchMetadata(life.place.api, machine, { annotations: recordAnnotation(failed) }, life.signal);
  if (!patched.ok) return afterConflict(patched.error);
  const seconds = doubled(failed.failures, life.place.settings.retrySeconds, longestRetrySeconds);
  return await hold(life, patched.value, {
    reason: reason ?? (code === 'NotSupported' ? 'MachineCapabilityMissing' : machineReasons.provider),
    message: `The provider has refused the machine: ${message}`,
    seconds,
    failed: true,
  });
}

const providerFails = ({ life }: Keeping, machine: VirtualMachine, message: string): Promise<AdvanceResult> =>
  hold(life, machine, {
    reason: machineReasons.provider,
    message: `The provider does not answer as it should: ${message}`,
    seconds: 5,
  });
