/**
 * The pool types that are always there. Each accepts the sizes that requests have named for years, also where Azure has announced their
 * end, and uses sizes of today unless a request names others.
 */
import type { PoolType, PoolTypes } from './pool-type.ts';

const sizes = (cores: readonly number[], ...endings: readonly string[]): string[] =>
  endings.flatMap((ending) => cores.map((count) => `Standard_${ending.replace('#', String(count))}`));

const usualCores = [2, 4, 8, 16, 32, 48, 64];

const special = (name: string): PoolType['taints'] => [{ key: name, value: 'true', effect: 'NoSchedule' }];

const types: readonly PoolType[] = [
  {
    name: 'standard',
    description: 'General workloads: web applications, services.',
    family: 'D',
    versions: ['5', '6'],
    vmSizes: ['Standard_D2s_v5', 'Standard_D4s_v5'],
    acceptedVmSizes: [
      'Standard_DS2_v2',
      'Standard_DS3_v2',
      ...sizes(usualCores, 'D#s_v5', 'D#ds_v5', 'D#as_v5', 'D#s_v6', 'D#ds_v6', 'D#as_v6'),
    ],
    limits: { cpu: '1000', memory: '1000Gi' },
    taints: [],
  },
  {
    name: 'memory-optimized',
    description: 'In-memory databases, caches, analytics.',
    family: 'E',
    versions: ['5', '6'],
    vmSizes: ['Standard_E2s_v5', 'Standard_E4s_v5'],
    acceptedVmSizes: [
      'Standard_E2s_v3',
      'Standard_E4s_v3',
      ...sizes(usualCores, 'E#s_v5', 'E#ds_v5', 'E#as_v5', 'E#s_v6', 'E#ds_v6', 'E#as_v6'),
    ],
    limits: { cpu: '1000', memory: '2000Gi' },
    taints: special('memory-optimized'),
  },
  {
    name: 'compute-optimized',
    description: 'Workloads that need much CPU and little memory: batches, builds.',
    family: 'F',
    versions: ['6'],
    vmSizes: ['Standard_F2als_v6', 'Standard_F4als_v6'],
    acceptedVmSizes: ['Standard_F2s_v2', 'Standard_F4s_v2', ...sizes(usualCores, 'F#als_v6', 'F#as_v6', 'F#ams_v6')],
    limits: { cpu: '2000', memory: '1000Gi' },
    taints: special('compute-optimized'),
  },
];

export const builtInPoolTypes: PoolTypes = new Map(types.map((type) => [type.name, type]));

export const defaultPoolType = 'standard';
