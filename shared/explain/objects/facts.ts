/** What is known about a pool or a node class when somebody asks what is the matter with it. */

import type { StoredPool } from '../../nodes/disruption/types.ts';
import type { WithStatus } from '../../nodes/pools/object-status.ts';
import { findError } from '../../observe/errors/catalog.ts';
import type { ShownEvent } from '../cluster-view.ts';
import type { Diagnosis, HeldBy, Standing } from '../diagnosis-facts.ts';
import type { Unmet } from '../first-unmet.ts';

/** What a host knows beyond the cluster. Times are in milliseconds. */
export interface ObjectHost {
  /** False: no provider here serves the node class. */
  ours: boolean;
  standing: Standing;
  pauses: readonly HeldBy[];
  /** Of a pool: the last of its claims that failed. */
  failure?: { claim: string; reason: string; message: string; at: number } | undefined;
  /** Of a pool whose claims fail: when it creates claims again. */
  nextTryAt?: number | undefined;
}

export interface PoolClaimFact {
  name: string;
  ready: boolean;
  why?: Unmet | undefined;
}

interface Common {
  now: number;
  events: readonly ShownEvent[];
  /** Absent: no host was asked. */
  host?: ObjectHost | undefined;
}

export interface PoolFacts extends Common {
  pool: StoredPool;
  /** Those that the pool owns. */
  claims: readonly PoolClaimFact[];
}

export interface NodeClassFacts extends Common {
  kind: string;
  nodeClass: WithStatus;
  /** The kind is another provisioner's, and so is its status. */
  optional: boolean;
  /** Names of the pools that refer to it. */
  pools: readonly string[];
}

/** What the catalog of errors advises under a code. Its code marks are for a page. */
export const cureOf = (code: string): string | undefined => findError(code)?.cure.replaceAll('`', "'");

export function readOnlyBecause({ standing }: ObjectHost): Omit<Diagnosis, 'state'> | undefined {
  if (standing.acts) return undefined;
  const { reason = 'NotOwner', who, why = 'this deployment is read-only for the cluster' } = standing;
  const cure = cureOf(reason) ?? 'find out why this deployment is read-only';
  return { code: reason, cause: why, cure: who === undefined ? cure : `${cure} The other one is ${who}.` };
}
