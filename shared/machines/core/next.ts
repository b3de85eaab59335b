/** What differs between a machine that exists and what is wanted, and which operation comes next. Pure. */
import { parseDuration } from '../../base/durations.ts';
import type { Capabilities, MachineState, PowerOperation } from '../../drivers/contract.ts';
import type { MachineSpec } from '../../drivers/machine-spec.ts';
import { machineAnnotations } from './marks.ts';
import type { VirtualMachine } from './objects.ts';
import type { Applied } from './record.ts';

export type NextOperation =
  | { do: 'power'; operation: PowerOperation; gracefulSeconds: number; why: 'wanted' | 'to reconfigure' }
  | { do: 'reconfigure' }
  /** A change needs a stopped machine, and nobody has allowed to stop it. */
  | { do: 'blocked'; capability: string }
  | { do: 'rest' };

export const appliedOf = ({ class: { cpu, memoryMiB }, disks }: MachineSpec): Applied => ({
  cpu,
  memoryMiB,
  disks: Object.fromEntries(disks.map(({ name, sizeGiB }) => [name, sizeGiB])),
});

/** @param applied Undefined: nobody knows what the machine was made with, as of one that was adopted: it stays as it is. */
export function changesOf(applied: Applied | undefined, wanted: Applied): { size: boolean; disks: boolean } {
  if (applied === undefined) return { size: false, disks: false };
  return {
    size: applied.cpu !== wanted.cpu || applied.memoryMiB !== wanted.memoryMiB,
    disks: Object.entries(wanted.disks).some(([name, size]) => (applied.disks[name] ?? 0) < size),
  };
}

export function nextOperation(
  machine: VirtualMachine,
  wanted: Applied,
  applied: Applied | undefined,
  { power }: Pick<MachineState, 'power'>,
  can: Capabilities,
): NextOperation {
  const on = power === 'On';
  const { size, disks } = changesOf(applied, wanted);
  if (size || disks) {
    const missing =
      size && !can.reconfigureOnline
        ? 'supports_reconfigure_online'
        : disks && !can.growDiskOnline
          ? 'supports_disk_expansion_online'
          : undefined;
    if (!on || missing === undefined) return { do: 'reconfigure' };
    if (!mayStop(machine, size, disks)) return { do: 'blocked', capability: missing };
    return { do: 'power', operation: 'shutdown', gracefulSeconds: gracefulSeconds(machine), why: 'to reconfigure' };
  }
  const state = machine.spec.powerState ?? 'On';
  if (state === 'On') {
    return on ? { do: 'rest' } : { do: 'power', operation: 'on', gracefulSeconds: 0, why: 'wanted' };
  }
  if (power === 'Off') return { do: 'rest' };
  const operation = state === 'OffGraceful' ? 'shutdown' : 'off';
  return { do: 'power', operation, gracefulSeconds: gracefulSeconds(machine), why: 'wanted' };
}

/** The annotation allows it for everything; a disk says for itself that it grows while its machine is off. */
function mayStop({ metadata, spec }: VirtualMachine, size: boolean, disks: boolean): boolean {
  if (metadata.annotations?.[machineAnnotations.allowRestart] === 'true') return true;
  return disks && !size && (spec.disks ?? []).some(({ expandPolicy }) => expandPolicy === 'Offline');
}

const usualGracefulSeconds = 60;

function gracefulSeconds({ spec }: VirtualMachine): number {
  const parsed = parseDuration(spec.lifecycle?.gracefulShutdownTimeout ?? '');
  return parsed.ok ? Math.ceil(parsed.milliseconds / 1000) : usualGracefulSeconds;
}
