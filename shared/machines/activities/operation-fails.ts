/** The provider did not do what it was asked: the object says why, and it is tried again. */
import { machineReasons } from '../core/marks.ts';
import type { VirtualMachine } from '../core/objects.ts';
import type { AdvanceResult } from '../steps/answers.ts';
import { hold } from '../steps/life.ts';
import { logFor } from '../steps/place.ts';
import type { Keeping } from './keep.ts';

const lookAgainSeconds = 1;

export async function operationFails(
  life: Keeping['life'],
  machine: VirtualMachine,
  operation: string,
  {
    kind,
    message,
    code,
    reason,
    retryAfterSeconds = 0,
  }: { kind: string; message: string; code?: string; reason?: string; retryAfterSeconds?: number },
): Promise<AdvanceResult> {
  logFor(life.services, life.ref).write('machine.operation.failed', { operation, kind, problem: message });
  return await hold(life, machine, {
    reason: reason ?? (code === 'NotSupported' ? 'MachineCapabilityMissing' : machineReasons.provider),
    message: `${operation}: ${message}`,
    seconds: Math.max(kind === 'not-found' ? lookAgainSeconds : life.place.settings.retrySeconds, retryAfterSeconds),
  });
}
