/**
 * Whether this deployment may act on a cluster: write to it, and buy and delete for it. Everybody who is about to do so
 * asks first; whoever may not waits and reads.
 */
import type { Result } from '../base/result.ts';

/** One thing that a cluster lacks. */
export interface Lack {
  /** `access`: the server refuses us as a whole, so nobody knows what else is missing. */
  kind: 'right' | 'definition' | 'access';
  /** For people; of a right it has no subject: `may not patch nodes`. */
  message: string;
}

/** Why a deployment only reads. Stable: it is the reason of the condition and the Event. */
export type ReadOnlyReason =
  /** Another deployment holds the Lease. */
  | 'NotOwner'
  /** Another provisioner manages the same claims. */
  | 'RivalProvisioner'
  /** The cluster lacks something that we need: definitions, rights, an identity of its own. */
  | 'ClusterNotUsable'
  /** Nobody could tell: the API server did not answer for too long. */
  | 'OwnerUnknown';

export type ReadOnly = {
  acts: false;
  reason: ReadOnlyReason;
  /** Who acts instead, where it is somebody. */
  who?: string;
  /** A whole sentence for people: who, since when, what to do. */
  why: string;
};

export type Standing = { acts: true } | ReadOnly;

export interface ClusterLeadership {
  /** Cheap enough for every step: at most one look at the cluster for many seconds, however many ask. */
  standing(cluster: string): Promise<Standing>;
  /** Looks and renews now. A timer calls it, so that the Lease lives while nothing is to be done. */
  renew(cluster: string, signal?: AbortSignal): Promise<Standing>;
  /** What the cluster lacks, asked now: for people who want to know, not for every step. */
  lacks?(cluster: string, signal?: AbortSignal): Promise<Result<Lack[]>>;
}

/** For a world of one's own, such as a test: nobody else is there. */
export const soleOwner: ClusterLeadership = {
  standing: async () => ({ acts: true }),
  renew: async () => ({ acts: true }),
};
