/** Claims whose machines are agent pools of the stand-in for Azure. */
import type { Json } from '../../shared/base/json.ts';
import { type StandInStats, standInLives } from './stand-in.ts';

/** Calls are `pools.put`, `operations.get`, … */
export type PoolStats = StandInStats & {
  /** What all ended operations took, as the stand-in has it. */
  busyMs: number;
};

export interface PoolLives {
  seconds: number;
  stats: PoolStats;
}

/** Of the stand-in; the host is told as well how many operations may run at once. */
export type PoolSettings = { operationsAtOnce: number; [setting: string]: number };

/** So many claims at once, up and down again, on a fresh world and a fresh host. */
export async function poolLives(provider: 'aks' | 'arc', settings: PoolSettings, count: number): Promise<PoolLives> {
  const options = { operationsAtOnce: settings.operationsAtOnce };
  const lives = await standInLives<PoolStats>({ provider, settings, options, claim }, count);
  return { seconds: lives.upSeconds + lives.downSeconds, stats: lives.stats };
}

/** As KAITO makes them. */
const claim = (name: string): Json => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name, labels: { 'kaito.sh/workspace': 'bench' } },
  spec: {
    nodeClassRef: { group: 'kaito.sh', kind: 'KaitoNodeClass', name: 'default' },
    requirements: [],
    resources: { requests: { cpu: '2', storage: '64Gi' } },
  },
});
