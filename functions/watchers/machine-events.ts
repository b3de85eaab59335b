/** Events about virtual machines: hints to look at one now instead of at its next time. */
import type { DataOf } from '../../events/catalog.ts';
import { machineKinds } from '../../shared/machines/api/kinds.ts';
import { wakeMachine, wakeSnapshot } from '../../shared/machines/ensure.ts';
import type { Handled } from '../../shared/queue/contract.ts';
import type { FunctionServices } from '../declaration.ts';

const lookAgainSeconds = 2;

export async function machineChanged(
  { machines }: FunctionServices,
  { cluster, kind, namespace, name, uid }: DataOf<'dev.poolwright.machine.changed.v1'>,
  signal: AbortSignal,
): Promise<Handled> {
  // Made where this deployment carries out none: they are left alone.
  if (machines?.place(cluster) === undefined) return 'done';
  const wake = kind === machineKinds.snapshot.kind ? wakeSnapshot : wakeMachine;
  const woken = await wake(machines, { cluster, namespace, name, uid }, signal);
  if (woken.ok) return 'done';
  const { message, retryAfterSeconds = lookAgainSeconds } = woken.error;
  return { retryAfterSeconds, reason: message };
}
