/**
 * The record on a VirtualMachine: the attempt at making its machine. It is written before the provider is asked, on the condition that the
 * object is the one that was read. The rules are those of docs/attempts.md for a provider without idempotency: an attempt has one right to
 * create; the next attempt begins when no effect of the last one can still appear, and a list shows that there is none.
 */
import { isObject } from '../../base/json.ts';
import type { MachinePlacement } from '../../drivers/machine-spec.ts';
import { machineAnnotations } from './marks.ts';
import type { ObjectName, VirtualMachine } from './objects.ts';

/** What a machine was made or changed to. Only this is compared with what is wanted. */
export interface Applied {
  cpu: number;
  memoryMiB: number;
  /** Sizes in GiB, by name. */
  disks: Readonly<Record<string, number>>;
}

export interface MachineRecord {
  /** Of the object: a copy of its annotations on another one says nothing. */
  uid: string;
  /** Where its machine is, also after somebody has changed the spec. */
  provider: ObjectName;
  /** At the hypervisor. */
  name: string;
  attempt: number;
  /** `failed`: the provider has refused the create of this attempt, so no effect of it can appear. */
  state: 'open' | 'failed';
  /** When its one right to create was granted, in milliseconds. */
  at: number;
  /** Which execution got it. */
  by: string;
  /** Refusals in a row. */
  failures: number;
  /** A machine of this attempt was not completed: it goes before the next attempt. */
  discard?: true;
  applied: Applied;
  /** What a change that was asked for makes of it. */
  applying?: Applied;
  /** The provider has had no such machine since then, in milliseconds. */
  missingSince?: number;
  /** The uid of the snapshot that the machine is going back to. */
  reverting?: string;
  /** The uid of the one that it went back to, as long as its spec names that. */
  reverted?: string;
  /** Of the spec that this attempt was for. */
  generation?: number | undefined;
  placement?: MachinePlacement;
}

export function recordOf({ metadata }: VirtualMachine): MachineRecord | undefined {
  const text = metadata.annotations?.[machineAnnotations.record];
  if (text === undefined) return undefined;
  try {
    const read: unknown = JSON.parse(text);
    return isRecord(read) && read.uid === metadata.uid ? read : undefined;
  } catch {
    return undefined;
  }
}

/** Somebody has changed it so that it cannot be read: what it stood for may exist all the same. */
export function isGarbled(machine: VirtualMachine): boolean {
  const text = machine.metadata.annotations?.[machineAnnotations.record];
  if (text === undefined || recordOf(machine) !== undefined) return false;
  try {
    const read: unknown = JSON.parse(text);
    // A record with another uid was copied with a manifest.
    return !(isObject(read) && typeof read.uid === 'string' && read.uid !== machine.metadata.uid);
  } catch {
    return true;
  }
}

function isRecord(read: unknown): read is MachineRecord {
  if (!isObject(read)) return false;
  const { uid, provider, name, attempt, state, at, applied } = read;
  return (
    typeof uid === 'string' &&
    typeof name === 'string' &&
    isObject(provider) &&
    isObject(applied) &&
    Number.isSafeInteger(attempt) &&
    Number.isFinite(at) &&
    (state === 'open' || state === 'failed')
  );
}

export const recordAnnotation = (record: MachineRecord): Record<string, string> => ({
  [machineAnnotations.record]: JSON.stringify(record),
});

/** In how many seconds the next attempt may begin, or the absence of a machine be believed; 0: now. */
export function settleSeconds(record: MachineRecord | undefined, now: number, bound: number): number {
  if (record === undefined || record.state === 'failed') return 0;
  return Math.max(0, (record.at + bound * 1000 - now) / 1000);
}
