/** Objects of other controllers, such as Flux and Karpenter: a condition Ready, which counts for the present generation only. Pure. */
import { asObject } from '../../../base/json.ts';
import type { LookResult } from '../contract.ts';
import { type AsoObject, conditionsOf } from './condition.ts';

export function lookedPlain(live: AsoObject): LookResult {
  const { generation, deletionTimestamp } = live.metadata;
  if (deletionTimestamp !== undefined) return { state: 'pending', waitingFor: 'an older object is being deleted' };
  const ready = conditionsOf(live).find(({ type }) => type === 'Ready');
  const observed = ready?.observedGeneration ?? asObject(live.status)?.observedGeneration;
  if (ready === undefined || (generation !== undefined && observed !== undefined && observed !== generation)) {
    return { state: 'pending', waitingFor: 'its controller has not looked at it yet' };
  }
  if (ready.status === 'True') return { state: 'ready', outputs: {} };
  const { reason, message } = ready;
  if (ready.status === 'Unknown') return { state: 'pending', waitingFor: message || reason };
  // Controllers try again for ever, so it may come about. The deadline of the stage ends that.
  const fault = { kind: 'not-ready', code: reason, message, final: false } as const;
  return { state: 'pending', waitingFor: `it to be Ready (${reason})`, fault };
}
