/** What is being tried for a claim, from its attempt record, for showing only: what can't be read is left out. */
import type { ObjectMeta } from '../../../shared/base/kubernetes/object.ts';
import { annotations } from '../../../shared/nodes/claims/spec/well-known.ts';

export interface ShownAttempt {
  provider?: string;
  state?: string;
  attempt?: number;
  retryAt?: number;
  offering?: { instanceType?: string; zone?: string; capacityType?: string };
}

/** Money hangs on the strict reader; this one must only be quick, because a list has ten thousand of them. */
export function attemptOf({ uid, annotations: all }: ObjectMeta): ShownAttempt | undefined {
  const text = all?.[annotations.attempt];
  if (text === undefined) return undefined;
  try {
    const record: unknown = JSON.parse(text);
    if (typeof record !== 'object' || record === null) return undefined;
    const { uid: of, provider, state, attempt, retryAt, offering } = record as Record<string, unknown>;
    // Copied from another claim with its manifest.
    if (of !== uid) return undefined;
    return {
      ...(typeof provider === 'string' ? { provider } : {}),
      ...(typeof state === 'string' ? { state } : {}),
      ...(typeof attempt === 'number' ? { attempt } : {}),
      ...(typeof retryAt === 'number' ? { retryAt } : {}),
      ...(typeof offering === 'object' && offering !== null ? { offering: texts(offering) } : {}),
    };
  } catch {
    return undefined;
  }
}

const texts = (fields: object): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'string'));
