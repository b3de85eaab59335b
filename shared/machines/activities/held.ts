/** A machine that exists has an object with our finalizer and a record, whoever made it. */
import { defined } from '../../base/defined.ts';
import { machineFinalizer } from '../core/marks.ts';
import { appliedOf } from '../core/next.ts';
import type { VirtualMachine } from '../core/objects.ts';
import { type MachineRecord, recordAnnotation, recordOf } from '../core/record.ts';
import { patchMetadata } from '../steps/access.ts';
import type { AdvanceResult } from '../steps/answers.ts';
import { afterConflict } from '../steps/life.ts';
import type { Keeping } from './keep.ts';

export async function ensureHeld(
  { life, dependencies, wanted }: Keeping,
  machine: VirtualMachine,
): Promise<{ machine: VirtualMachine } | { answer: AdvanceResult }> {
  const { metadata } = machine;
  if (metadata.finalizers?.includes(machineFinalizer) && recordOf(machine) !== undefined) return { machine };
  const { provider } = dependencies;
  const record: MachineRecord = recordOf(machine) ?? {
    uid: metadata.uid,
    provider: { namespace: provider.metadata.namespace, name: provider.metadata.name },
    name: wanted.name,
    attempt: 0,
    state: 'open',
    at: life.services.clock.now(),
    by: life.by,
    failures: 0,
    applied: appliedOf(wanted.spec),
    ...defined({ generation: metadata.generation }),
  };
  const finalizers = [...new Set([...(metadata.finalizers ?? []), machineFinalizer])];
  const patch = { finalizers, annotations: recordAnnotation(record) };
  const patched = await patchMetadata(life.place.api, machine, patch, life.signal);
  return patched.ok ? { machine: patched.value } : { answer: afterConflict(patched.error) };
}
