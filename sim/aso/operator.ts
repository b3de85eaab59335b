/** What every step of the operator needs, and what it remembers between two rounds: nothing that must survive. */
import type { Clock } from '../../shared/base/runtime.ts';
import type { ClusterApi } from '../../shared/kube/contract.ts';
import { chance } from '../kit/faults.ts';
import type { AzureWorld } from './azure/world.ts';
import type { AsoFaults } from './faults.ts';
import type { NewClusters } from './new-clusters/new-clusters.ts';
import type { AsoObject } from './object.ts';
import type { AsoSettings } from './settings.ts';

export interface Operator {
  api: ClusterApi;
  azure: AzureWorld;
  clusters: NewClusters;
  faults: AsoFaults;
  settings: AsoSettings;
  clock: Clock;
  seed: number;
  log: (message: string, fields: Record<string, unknown>) => void;
}

export interface Memory {
  /** What was dealt with last. A policy of `skip` only looks; between the two others nothing changes for a PUT. */
  generation?: number;
  looksOnly?: boolean;
  /** Not before then, unless the spec or the policy changes. Infinity sleeps until they do. */
  dueAt: number;
  failures: number;
  polls: number;
  /** When the operator sees this generation. */
  noticed?: { generation: number; at: number };
  /** A time of not being Ready, which a fault has planned. */
  trouble?: { at: number; until: number; code: string; message: string };
  vanishAt?: number;
  /** The object whose readiness it waits for. */
  waitsFor?: string;
}

export const freshMemory = (): Memory => ({ dueAt: 0, failures: 0, polls: 0 });

export const never = Number.POSITIVE_INFINITY;

/** The pause doubles from the first to the longest. */
export function pauseMs([first, longest]: readonly [number, number], times: number): number {
  return Math.min(longest, first * 2 ** Math.min(times, 20)) * 1000;
}

/** One period of the drift resync, a quarter more or less. */
export function syncPauseMs({ settings, seed }: Operator, { metadata }: AsoObject, time: number): number {
  const spread = 0.75 + chance(`${seed}/sync/${metadata.uid}/${time}`) / 2;
  return settings.retries.syncSeconds * 1000 * spread;
}

export const timeOf = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;

export const subjectOf = ({ kind, metadata }: AsoObject) => ({
  kind,
  name: metadata.name,
  namespace: metadata.namespace,
  uid: metadata.uid ?? '',
});
