/** The record on a VMSnapshot: written before the provider is asked for it. Pure. */
import { isObject } from '../../base/json.ts';
import { findCondition } from '../../kube/conditions.ts';
import { machineAnnotations, machineConditions, snapshotFinalizer } from './marks.ts';
import { machineName } from './name.ts';
import type { ObjectName, VMSnapshot } from './objects.ts';
import type { Applied } from './record.ts';

export interface SnapshotRecord {
  uid: string;
  provider: ObjectName;
  /** Of the machine at its hypervisor. */
  machine: string;
  /** Of the snapshot there. */
  name: string;
  /** When it was asked for last, in milliseconds. */
  at: number;
  /** What the machine was then, and is again after going back. */
  applied?: Applied | undefined;
}

export function snapshotRecord({ metadata }: VMSnapshot): SnapshotRecord | undefined {
  const text = metadata.annotations?.[machineAnnotations.snapshot];
  if (text === undefined) return;
  try {
    const read: unknown = JSON.parse(text);
    const whole =
      isObject(read) && typeof read.machine === 'string' && typeof read.name === 'string' && isObject(read.provider);
    return whole && read.uid === metadata.uid ? (read as unknown as SnapshotRecord) : undefined;
  } catch {
    return;
  }
}

export const snapshotAnnotation = (record: SnapshotRecord): Record<string, string> => ({
  [machineAnnotations.snapshot]: JSON.stringify(record),
});

/** Derived from the object, so that a repeated request is for the same snapshot. */
export const snapshotName = ({ metadata }: VMSnapshot): string => machineName(metadata);

export const isSnapshotHeld = ({ metadata }: VMSnapshot): boolean =>
  metadata.finalizers?.includes(snapshotFinalizer) ?? false;

/** A snapshot is made once: a later change of its spec changes nothing. */
export function snapshotNeedsWork(snapshot: VMSnapshot): boolean {
  if (snapshot.metadata.deletionTimestamp !== undefined) return isSnapshotHeld(snapshot);
  return findCondition(snapshot.status?.conditions, machineConditions.ready)?.status !== 'True';
}
