/**
 * The rules of the Lease, pure. It names a deployment, not a process: all processes of a deployment share one name, so
 * that functions on many machines are one holder, and a host that restarts goes on where it was.
 *
 * Whether a Lease has expired is counted from when we first saw it as it is, on our own clock: the holder's clock may be wrong.
 */

import type { V1Lease } from '@kubernetes/client-node';
import type { Stored } from '../kube/stored.ts';

export type LeaseObject = Stored<V1Lease>;

/** `id` stays over restarts; it tells two deployments of one name apart. */
export type Holder = { deployment: string; id: string };

export const holderIdentity = ({ deployment, id }: Holder): string => `${deployment}/${id}`;

/** Deployment names have no slash in them. */
export const deploymentOf = (identity: string): string => identity.split('/', 1)[0] ?? '';

/** When we first saw the Lease in its present state. */
export type LeaseSeen = { mark: string; since: number };

export type LeaseVerdict =
  | { do: 'create' }
  | { do: 'renew' }
  /** Ours, and renewed so lately, by another process of ours, that a write would be wasted. */
  | { do: 'keep'; renewedAt: number }
  | { do: 'take'; from: string }
  | { do: 'stand-by'; holder: string; why: 'held' | 'expired-but-foreign'; since: number };

export type LeaseQuestion = {
  lease: LeaseObject | undefined;
  us: Holder;
  seen: LeaseSeen | undefined;
  now: number;
  leaseSeconds: number;
  /** A renewal younger than this is good enough. */
  freshSeconds: number;
};

/** Changes whenever the holder shows a sign of life; nobody else's edits of the object count. */
export const markOf = ({ spec }: LeaseObject): string =>
  `${spec?.holderIdentity ?? ''}|${spec?.renewTime ?? ''}|${spec?.leaseTransitions ?? 0}`;

export const seenNow = (lease: LeaseObject, seen: LeaseSeen | undefined, now: number): LeaseSeen => {
  const mark = markOf(lease);
  // A clock that was set back would make the wait longer than it is.
  return seen?.mark === mark && seen.since <= now ? seen : { mark, since: now };
};

export function judgeLease({ lease, us, seen, now, leaseSeconds, freshSeconds }: LeaseQuestion): LeaseVerdict {
  if (!lease) return { do: 'create' };
  const holder = lease.spec?.holderIdentity ?? '';
  if (holder === '') return { do: 'take', from: '' };
  if (holder === holderIdentity(us)) {
    const renewedAt = Date.parse(lease.spec?.renewTime ?? '');
    const age = now - renewedAt;
    // Others go by the time that stands there: a longer one counts only once it is written.
    const isSaid = lease.spec?.leaseDurationSeconds === leaseSeconds;
    return isSaid && age >= 0 && age < freshSeconds * 1000 ? { do: 'keep', renewedAt } : { do: 'renew' };
  }
  const { since } = seenNow(lease, seen, now);
  const heldMs = Math.max(leaseSeconds, lease.spec?.leaseDurationSeconds ?? 0) * 1000;
  if (now - since < heldMs) return { do: 'stand-by', holder, why: 'held', since };
  // Instances carry the name of their deployment: who has another name would not see them, and would buy anew.
  if (deploymentOf(holder) !== us.deployment) return { do: 'stand-by', holder, why: 'expired-but-foreign', since };
  return { do: 'take', from: holder };
}
