/**
 * Agent pools of one cluster, as both kinds of Azure cluster have them. The clients of AKS and of Arc are put behind this
 * one shape, so that everything above (mapping, ownership, polling, errors) is written once.
 *
 * Nothing here waits for an operation: a write returns as soon as ARM has taken it, with the URL to ask.
 */

import type { Result } from '../../base/result.ts';
import type { OperationHandle, OperationStatus } from '../../platforms/azure/operation.ts';

/** What is asked for. Each client makes its own body of it, and refuses as `invalid` what its API has no field for. */
export interface PoolWish {
  vmSize: string;
  labels: Record<string, string>;
  /** `key=value:Effect`, reconciled by Azure for as long as the pool lives. */
  taints: string[];
  /** Taints that only new nodes get and that may be taken off again, where the API has them. */
  initializationTaints: string[];
  tags: Record<string, string>;
  spot: boolean;
  /** Empty: wherever Azure likes. */
  zone: string;
  osDiskSizeGB?: number;
  /** `Ubuntu`, `AzureLinux`, … */
  osSku?: string;
  maxPods?: number;
  subnetId?: string;
  fips?: boolean;
  /** `Install` or `None`. */
  gpuDriver?: string;
  /** As the API of AKS has it (kubeletConfig). */
  kubelet?: Record<string, unknown>;
}

/** A pool as ARM shows it. Unknown states are kept as they are: they mean "not finished". */
export interface Pool {
  /** The ARM resource id. */
  id: string;
  name: string;
  /** Absent where the API has none. */
  etag?: string;
  /** `Succeeded`, `Failed`, `Canceled`, `Creating`, `Deleting`, …; what is not known is not final. */
  provisioningState: string;
  /** Why it failed, where the pool itself says so. */
  problem?: string;
  vmSize: string;
  count: number;
  labels: Record<string, string>;
  taints: string[];
  tags: Record<string, string>;
  zones: string[];
  spot: boolean;
  nodeImageVersion?: string;
}

export interface BegunOperation {
  /** Absent when ARM was done at once, or did not say where to ask: then the pool itself is the answer. */
  operation?: OperationHandle;
  retryAfterSeconds?: number;
  pool?: Pool;
}

export interface AgentPools {
  /** Whether writes can be made conditional; where not, whoever writes looks first. */
  readonly conditional: boolean;
  /** `ifAbsent`: refused as `conflict` when a pool of that name is there (conditional APIs only). */
  put(
    name: string,
    wish: PoolWish,
    options: { ifAbsent: boolean },
    signal: AbortSignal,
  ): Promise<Result<BegunOperation>>;
  /** `not-found` when there is none. */
  get(name: string, signal: AbortSignal): Promise<Result<Pool>>;
  list(page: string | undefined, signal: AbortSignal): Promise<Result<{ items: Pool[]; next?: string }>>;
  /** `not-found` when there is none; `conflict` when the etag is another one by now, or another operation runs. */
  delete(name: string, options: { etag?: string }, signal: AbortSignal): Promise<Result<BegunOperation>>;
  /** `not-found` when ARM knows no such operation any more: then the pool itself is the answer. */
  operation(handle: OperationHandle, signal: AbortSignal): Promise<Result<OperationStatus>>;
  close(): void;
}
