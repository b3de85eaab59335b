/** `--settings` of `poolwright simulate --provider aks|arc`. */

import { z } from 'zod';
import { defined } from '../../shared/base/defined.ts';
import { defaultClusters } from '../azure/clusters.ts';
import type { AzureOptions } from '../azure/start.ts';
import { everyCloudShape, machineShape, readSettings, seconds, secondsOrNever } from './cloud-settings.ts';

const behavior = {
  ...machineShape,
  createSeconds: seconds,
  updateSeconds: seconds,
  deleteSeconds: seconds,
  machineLeadSeconds: seconds,
  retryAfterSeconds: secondsOrNever,
  pageSize: z.int().min(1).max(1000),
  soldOutAt: z.enum(['put', 'operation']),
  quotaAt: z.enum(['put', 'operation']),
  deleteDuringCreate: z.enum(['cancels', 'conflicts']),
  deleteDuringDelete: z.enum(['accepted', 'conflicts']),
  deleteOfNone: z.union([z.literal(204), z.literal(404)]),
  aksErrors: z.enum(['bare', 'wrapped']),
  operationErrors: z.enum(['plain', 'nested']),
  quotaWords: z.enum(['compute', 'aks']),
  quota: z.record(z.string(), z.int().min(0)),
  operationKeptSeconds: seconds,
  tokenSeconds: z.int().min(1),
};
const around = {
  ...everyCloudShape,
  /** Of each cluster; null is no limit. */
  operationsAtOnce: z.int().min(1).max(1000).nullable(),
};
const shape = { ...behavior, ...around };
const schema = z.strictObject(shape).partial();

export function readAzureSettings(text: string): Omit<AzureOptions, 'port' | 'kubelet'> {
  const { seed, latencyMs, faults, operationsAtOnce, ...settings } = readSettings<z.input<typeof schema>>(
    text,
    schema,
    Object.keys(shape),
    '{"createSeconds": 2, "seed": 7}',
  );
  return {
    settings: settings as NonNullable<AzureOptions['settings']>,
    ...defined({ seed, latencyMs, faults }),
    ...(operationsAtOnce === undefined
      ? {}
      : { clusters: defaultClusters.map((cluster) => ({ ...cluster, operationsAtOnce })) }),
  };
}
