/** An instance of the simulated cloud: what is kept of it, and how callers see it. */

import type { Json } from '../../shared/base/json.ts';
import type { Taint } from '../../shared/nodes/claims/spec/types.ts';
import { type CapacityType, labels as labelKeys, tags as tagKeys } from '../../shared/nodes/claims/spec/well-known.ts';
import { allocatableOf, type CatalogType, capacityOf, region } from './catalog.ts';

/** What somebody asks for with POST /instances. */
export interface CreateInstance {
  name: string;
  token?: string | undefined;
  instanceType: string;
  zone: string;
  capacityType: CapacityType;
  tags: Record<string, string>;
  labels: Record<string, string>;
  taints: Taint[];
  image?: string | undefined;
  bootSeconds?: number | undefined;
  userData?: string | undefined;
}

type InstanceState = 'creating' | 'running' | 'deleting' | 'gone';
export type WhyGone = 'deleted' | 'vanished' | 'interrupted';

/** How far the machine's kubelet has come. `ended`: it has nothing more to say. */
export type NodeStage = 'none' | 'joined' | 'ready' | 'equipped' | 'complete' | 'lost' | 'ended';

/** When things will happen to an instance, decided once when it is made; null is never. */
export interface Plan {
  runningAt: number | null;
  /** Seconds after running. */
  registerSeconds: number | null;
  readySeconds: number | null;
  gpuSeconds: number;
  startupTaintSeconds: number | null;
  vanishAt: number | null;
  noticeAt: number | null;
  /** The notice was given: it is given once, also across restarts. */
  noticed: boolean;
  interruptAt: number | null;
}

export interface InstanceRecord {
  /** Counts up by one with every instance ever made; the ledger's and the list's order. */
  seq: number;
  id: string;
  request: CreateInstance;
  price: number | null;
  plan: Plan;
  createdAt: number;
  runningAt: number | null;
  deletingAt: number | null;
  /** When the delete will be over. */
  deleteDueAt: number | null;
  goneAt: number | null;
  whyGone: WhyGone | null;
  nodeStage: NodeStage;
}

export const stateAt = (record: InstanceRecord, at: number): InstanceState => {
  if (record.goneAt !== null && record.goneAt <= at) return 'gone';
  if (record.deletingAt !== null && record.deletingAt <= at) return 'deleting';
  return record.runningAt !== null && record.runningAt <= at ? 'running' : 'creating';
};

export const providerIDOf = (record: InstanceRecord): string => `sim:///${record.request.zone}/${record.id}`;

export const claimUidOf = (record: InstanceRecord): string | undefined => record.request.tags[tagKeys.claimUid];

/** The labels that the machine itself knows; the kubelet puts the requested ones beside them. */
export function machineLabels(record: InstanceRecord, type: CatalogType): Record<string, string> {
  return {
    [labelKeys.instanceType]: type.name,
    [labelKeys.zone]: record.request.zone,
    [labelKeys.region]: region,
    [labelKeys.arch]: type.arch,
    [labelKeys.os]: 'linux',
    [labelKeys.capacityType]: record.request.capacityType,
  };
}

/** The answer to a caller. `remainingSeconds` is how long the operation under way still takes; null is not known. */
export function toWire(record: InstanceRecord, type: CatalogType, at: number, now: number): { [key: string]: Json } {
  const state = stateAt(record, at);
  const dueAt = state === 'creating' ? record.plan.runningAt : state === 'deleting' ? record.deleteDueAt : now;
  return {
    id: record.id,
    providerID: providerIDOf(record),
    name: record.request.name,
    tags: record.request.tags,
    instanceType: type.name,
    zone: record.request.zone,
    capacityType: record.request.capacityType,
    state,
    createdAt: record.createdAt,
    image: record.request.image ?? 'sim-image-1',
    nodeName: record.id,
    capacity: capacityOf(type),
    allocatable: allocatableOf(type),
    labels: machineLabels(record, type),
    remainingSeconds: dueAt === null ? null : Math.max(0, dueAt - now) / 1000,
    interruptAt: record.plan.noticeAt !== null && record.plan.noticeAt <= at ? record.plan.interruptAt : null,
  };
}

/** One line of the ledger. */
export interface LedgerEntry {
  seq: number;
  id: string;
  name: string;
  token: string | null;
  tags: Record<string, string>;
  claimUid: string | null;
  attempt: number | null;
  instanceType: string;
  zone: string;
  capacityType: string;
  price: number | null;
  createdAt: number;
  runningAt: number | null;
  deletingAt: number | null;
  goneAt: number | null;
  whyGone: WhyGone | null;
}

export function toLedger(record: InstanceRecord): LedgerEntry {
  const { request } = record;
  const attempt = request.tags[tagKeys.attempt];
  return {
    seq: record.seq,
    id: record.id,
    name: request.name,
    token: request.token ?? null,
    tags: request.tags,
    claimUid: claimUidOf(record) ?? null,
    attempt: attempt === undefined ? null : Number(attempt),
    instanceType: request.instanceType,
    zone: request.zone,
    capacityType: request.capacityType,
    price: record.price,
    createdAt: record.createdAt,
    runningAt: record.runningAt,
    deletingAt: record.deletingAt,
    goneAt: record.goneAt,
    whyGone: record.whyGone,
  };
}
