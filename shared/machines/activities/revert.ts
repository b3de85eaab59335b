/** Going back to a snapshot, once for each that the spec names. */
import { machineKinds } from '../api/kinds.ts';
import { machineReasons } from '../core/marks.ts';
import type { VirtualMachine, VMSnapshot } from '../core/objects.ts';
import { recordAnnotation, recordOf } from '../core/record.ts';
import { snapshotRecord } from '../core/snapshot.ts';
import { patchMetadata } from '../steps/access.ts';
import type { AdvanceResult } from '../steps/answers.ts';
import { afterConflict, hold, reconfiguringNow, write } from '../steps/life.ts';
import { again, againAfter } from '../steps/place.ts';
import type { Keeping } from './keep.ts';
import { operationFails } from './operation-fails.ts';

const waitingSeconds = 15;

/** Undefined: there is nothing to go back to. */
export async function revert(
  { life, driver }: Keeping,
  machine: VirtualMachine,
  id: string,
): Promise<AdvanceResult | undefined> {
  const { place, signal } = life;
  const record = recordOf(machine);
  const name = machine.spec.snapshot?.revertToRef?.name;
  if (record === undefined) return;
  if (name === undefined) {
    if (record.reverted === undefined) return;
    // So that the same one can be named again.
    const { reverted: _, ...rest } = record;
    const patched = await patchMetadata(place.api, machine, { annotations: recordAnnotation(rest) }, signal);
    return patched.ok ? again(0, 'no snapshot is named any more') : afterConflict(patched.error);
  }
  const ref = { namespace: machine.metadata.namespace, name };
  const read = await place.api.get<VMSnapshot>(machineKinds.snapshot, ref, signal);
  if (!read.ok && read.error.kind !== 'not-found') return againAfter(read.error);
  const snapshot = read.ok ? read.value : undefined;
  const made = snapshot && snapshotRecord(snapshot);
  const snapshotId = snapshot?.status?.phase === 'Ready' ? snapshot.status.snapshotID : undefined;
  if (snapshot?.metadata.uid === record.reverted && record.reverted !== undefined) return;
  if (snapshot === undefined || made === undefined || snapshotId === undefined || made.machine !== id) {
    const what = made !== undefined && made.machine !== id ? 'is of another machine' : 'is not there or not Ready';
    const message = `spec.snapshot.revertToRef: VMSnapshot ${ref.namespace}/${name} ${what}`;
    return await hold(life, machine, { reason: machineReasons.waiting, message, seconds: waitingSeconds });
  }
  const applying = made.applied ?? record.applied;
  const annotations = recordAnnotation({ ...record, applying, reverting: snapshot.metadata.uid });
  const patched = await patchMetadata(place.api, machine, { annotations }, signal);
  if (!patched.ok) return afterConflict(patched.error);
  const begun = await driver.revertToSnapshot(id, snapshotId, signal);
  if (!begun.ok) return await operationFails(life, patched.value, 'revert', begun.error);
  const { task } = begun.value;
  let now = patched.value;
  if (task === undefined) {
    const done = recordAnnotation({ ...record, applied: applying, reverted: snapshot.metadata.uid });
    const written = await patchMetadata(place.api, now, { annotations: done }, signal);
    if (!written.ok) return afterConflict(written.error);
    now = written.value;
  }
  const message = `The machine goes back to snapshot ${name}.`;
  const fields = { message, phase: 'Reconfiguring', reconfigureTaskRef: task ?? null, lastTaskRef: null } as const;
  const written = await write(life, now, fields, reconfiguringNow(message));
  return written.ok ? again(task === undefined ? 0 : 1, message) : afterConflict(written.error);
}
