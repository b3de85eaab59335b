/** What the provider was asked for last, and has not finished: it is looked at before anything else is begun. */
import { findCondition } from '../../kube/conditions.ts';
import { machineConditions, machineReasons } from '../core/marks.ts';
import type { VirtualMachine } from '../core/objects.ts';
import { recordAnnotation, recordOf } from '../core/record.ts';
import { patchMetadata } from '../steps/access.ts';
import type { AdvanceResult } from '../steps/answers.ts';
import { afterConflict, hold, type Life, write } from '../steps/life.ts';
import { again, againAfter, logFor } from '../steps/place.ts';
import type { Keeping } from './keep.ts';

type Looked = { machine: VirtualMachine } | { answer: AdvanceResult };

const firstLookSeconds = 0.25;

/** A young task is looked at often, an old one seldom. */
export function pace({ services, place }: Life, machine: VirtualMachine, condition: string): number {
  const since = Date.parse(findCondition(machine.status?.conditions, condition)?.lastTransitionTime ?? '');
  const elapsed = Number.isNaN(since) ? 0 : (services.clock.now() - since) / 1000;
  return Math.min(Math.max(elapsed / 4, firstLookSeconds), place.settings.pollSeconds);
}

export async function lookAtTask({ life, driver }: Keeping, machine: VirtualMachine): Promise<Looked> {
  const { lastTaskRef, reconfigureTaskRef, conditions } = machine.status ?? {};
  const task = reconfigureTaskRef ?? lastTaskRef;
  if (task === undefined) return { machine };
  const changing = reconfigureTaskRef !== undefined;
  const making = !changing && findCondition(conditions, machineConditions.provisioning)?.status === 'True';
  const state = await driver.task(task, life.signal);
  // It may have ended long ago. The machine itself says what became of it.
  if (!state.ok && state.error.kind !== 'not-found') return { answer: againAfter(state.error) };
  if (state.ok && !state.value.done && state.value.error === undefined) {
    const { reconfiguring, provisioning, ready } = machineConditions;
    const seconds = pace(life, machine, changing ? reconfiguring : making ? provisioning : ready);
    return { answer: again(seconds, `task ${task}`) };
  }
  const error = state.ok ? state.value.error : undefined;
  if (error !== undefined) return await failedTask(life, machine, error, { making, changing });
  if (changing) return await changed(life, machine);
  const cleared = await write(life, machine, { lastTaskRef: null }, []);
  return cleared.ok ? { machine: cleared.value } : { answer: afterConflict(cleared.error) };
}

/** The record first: a status that still names the task is looked at again. */
async function changed(life: Life, machine: VirtualMachine): Promise<Looked> {
  const record = recordOf(machine);
  let now = machine;
  if (record?.applying !== undefined) {
    const { applying, reverting, ...rest } = record;
    const reverted = reverting === undefined ? {} : { reverted: reverting };
    const annotations = recordAnnotation({ ...rest, ...reverted, applied: applying });
    const patched = await patchMetadata(life.place.api, machine, { annotations }, life.signal);
    if (!patched.ok) return { answer: afterConflict(patched.error) };
    now = patched.value;
  }
  const cleared = await write(life, now, { reconfigureTaskRef: null, lastTaskRef: null }, []);
  return cleared.ok ? { machine: cleared.value } : { answer: afterConflict(cleared.error) };
}

async function failedTask(
  life: Life,
  machine: VirtualMachine,
  error: string,
  { making, changing }: { making: boolean; changing: boolean },
): Promise<Looked> {
  logFor(life.services, life.ref).write('machine.task.failed', { problem: error });
  const record = recordOf(machine);
  let now = machine;
  if (making && record !== undefined) {
    // What is there of it is no machine that anyone asked for: it goes, and the next attempt begins after a pause.
    const annotations = recordAnnotation({
      ...record,
      state: 'failed',
      discard: true,
      failures: record.failures + 1,
      at: life.services.clock.now(),
    });
    const patched = await patchMetadata(life.place.api, machine, { annotations }, life.signal);
    if (!patched.ok) return { answer: afterConflict(patched.error) };
    now = patched.value;
  }
  const fields = { reconfigureTaskRef: null, lastTaskRef: null, ...(making ? { id: null } : {}) };
  const cleared = await write(life, now, fields, []);
  if (!cleared.ok) return { answer: afterConflict(cleared.error) };
  const what = making ? 'The machine could not be made' : changing ? 'The change failed' : 'The operation failed';
  const seconds = life.place.settings.retrySeconds;
  const message = `${what}: ${error}`;
  return { answer: await hold(life, cleared.value, { reason: machineReasons.provider, message, seconds }) };
}
