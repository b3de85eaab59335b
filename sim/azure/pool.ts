/** An agent pool of the stand-in: what is kept of it, and what the ledger says about it. */
import type { Taint, TaintEffect } from '../../shared/nodes/claims/spec/types.ts';
import type { CapacityType } from '../../shared/nodes/claims/spec/well-known.ts';
import type { InstanceRecord, LedgerEntry } from '../cloud/instance.ts';
import type { JsonObject, Problem } from './answer.ts';
import type { AzureCluster, ClusterKind } from './clusters.ts';

export type ProvisioningState = 'Creating' | 'Updating' | 'Succeeded' | 'Failed' | 'Canceled' | 'Deleting';
export type WhyGone = 'deleted' | 'vanished';

/** What both kinds of body come down to. */
export interface PoolRequest {
  /** The properties as they were sent, without what only ARM may write. */
  properties: JsonObject;
  tags: Record<string, string>;
  vmSize: string;
  count: number;
  labels: Record<string, string>;
  taints: Taint[];
  /** As in the API: `1`; empty when Azure may choose. */
  zone: string;
  capacityType: CapacityType;
}

export interface Pool {
  seq: number;
  cluster: AzureCluster;
  name: string;
  request: PoolRequest;
  /** Another one with every change, the end of an operation included. */
  etag: string;
  state: ProvisioningState;
  /** States with the time from which on they held, for those who look into the past. */
  history: { at: number; state: ProvisioningState }[];
  problem: Problem | undefined;
  machines: InstanceRecord[];
  price: number | null;
  createdAt: number;
  runningAt: number | null;
  deletingAt: number | null;
  goneAt: number | null;
  whyGone: WhyGone | null;
}

/** Tag names of Azure have no slashes. */
export const ownerTags = {
  claimUid: 'poolwright-claim-uid',
  claim: 'poolwright-claim',
  attempt: 'poolwright-attempt',
} as const;

export const poolId = ({ cluster, name }: Pick<Pool, 'cluster' | 'name'>): string =>
  cluster.kind === 'aks'
    ? `${cluster.id}/agentPools/${name}`
    : `${cluster.id}/providers/Microsoft.HybridContainerService/provisionedClusterInstances/default/agentPools/${name}`;

/** As the label of a node has it: `eastus-1`. */
export const zoneLabel = (cluster: AzureCluster, zone: string): string =>
  zone === '' ? '' : `${cluster.location}-${zone}`;

export const stateAt = (pool: Pool, at: number): ProvisioningState =>
  pool.history.findLast((entry) => entry.at <= at)?.state ?? 'Creating';

/** The same line as in the ledger of the simulated cloud. `id` is the pool's name; `seq` tells its namesakes apart. */
export interface PoolLedgerEntry extends Omit<LedgerEntry, 'whyGone'> {
  provider: ClusterKind;
  cluster: string;
  resourceId: string;
  state: ProvisioningState;
  whyGone: WhyGone | null;
}

export function toLedger(pool: Pool): PoolLedgerEntry {
  const { cluster, request } = pool;
  const attempt = request.tags[ownerTags.attempt];
  return {
    seq: pool.seq,
    id: pool.name,
    name: pool.name,
    provider: cluster.kind,
    cluster: cluster.name,
    resourceId: poolId(pool),
    token: null,
    tags: request.tags,
    claimUid: request.tags[ownerTags.claimUid] ?? null,
    attempt: attempt === undefined ? null : Number(attempt),
    instanceType: request.vmSize,
    zone: zoneLabel(cluster, request.zone),
    capacityType: request.capacityType,
    price: pool.price,
    state: pool.state,
    createdAt: pool.createdAt,
    runningAt: pool.runningAt,
    deletingAt: pool.deletingAt,
    goneAt: pool.goneAt,
    whyGone: pool.whyGone,
  };
}

/** `key=value:Effect`; undefined when it is none. */
export function taintFrom(text: string): Taint | undefined {
  const [, key, value, effect] = /^([^=:]+)(?:=([^:]*))?:(NoSchedule|NoExecute|PreferNoSchedule)$/.exec(text) ?? [];
  if (key === undefined || effect === undefined) return undefined;
  return { key, effect: effect as TaintEffect, ...(value === undefined || value === '' ? {} : { value }) };
}
