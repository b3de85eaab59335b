/** The one condition that the operator has, and which may follow which. */

export interface ReadyCondition {
  type: 'Ready';
  status: 'True' | 'False';
  /** Absent when True. */
  severity?: 'Info' | 'Warning' | 'Error';
  reason: string;
  message?: string;
  observedGeneration: number;
  lastTransitionTime: string;
}

export type Standing = Pick<ReadyCondition, 'status' | 'severity' | 'reason' | 'message'>;

export const succeeded: Standing = { status: 'True', reason: 'Succeeded' };
export const reconciling: Standing = {
  status: 'False',
  severity: 'Info',
  reason: 'Reconciling',
  message: 'The resource is in the process of being reconciled by the operator',
};
export const deleting: Standing = {
  status: 'False',
  severity: 'Info',
  reason: 'Deleting',
  message: 'The resource is being deleted',
};
export const warning = (reason: string, message: string): Standing => ({
  status: 'False',
  severity: 'Warning',
  reason,
  message,
});
export const fatal = (reason: string, message: string): Standing => ({
  status: 'False',
  severity: 'Error',
  reason,
  message,
});

/** What Reconciling may replace although it is only information. */
const waiting: ReadonlySet<string> = new Set([
  'WaitingForOwner',
  'ReferenceNotFound',
  'SecretNotFound',
  'ConfigMapNotFound',
  'AzureResourceNotFound',
]);

/**
 * Undefined if the condition stays as it is. Within one generation information never replaces a warning or an error: so a warning can
 * stand while the next try is already under way.
 */
export function nextCondition(
  current: ReadyCondition | undefined,
  wanted: Standing,
  generation: number,
  now: string,
): ReadyCondition | undefined {
  const sameSpec = current?.observedGeneration === generation;
  const bad = current?.severity === 'Warning' || current?.severity === 'Error';
  if (current !== undefined && sameSpec && bad && wanted.severity === 'Info') {
    const mayFollow = wanted.reason === 'Reconciling' && waiting.has(current.reason);
    if (!mayFollow) return undefined;
  }
  const same =
    sameSpec &&
    current?.status === wanted.status &&
    current.severity === wanted.severity &&
    current.reason === wanted.reason &&
    current.message === wanted.message;
  if (same) return undefined;
  const since =
    current?.status === wanted.status && current.reason === wanted.reason ? current.lastTransitionTime : now;
  return { type: 'Ready', ...wanted, observedGeneration: generation, lastTransitionTime: since };
}
