/** `--settings` of `poolwright simulate --provider ec2`. */

import { z } from 'zod';
import { defined } from '../../shared/base/defined.ts';
import type { AwsOptions } from '../aws/start.ts';
import { everyCloudShape, machineShape, readSettings, seconds } from './cloud-settings.ts';

const counts = z.record(z.string(), z.int().min(0));

const behavior = {
  ...machineShape,
  pendingSeconds: seconds,
  shutdownSeconds: seconds,
  terminatedVisibleSeconds: seconds,
  clientTokenSeconds: seconds,
  spotNoticeSeconds: seconds,
  pageSize: z.int().min(1).max(1000),
  buckets: z.record(z.string(), z.strictObject({ burst: z.int().min(1), refillPerSecond: z.number().min(0) })),
  vcpuQuota: counts,
  spotVcpuQuota: counts,
  capacity: counts,
  spotRole: z.boolean(),
};
const around = {
  ...everyCloudShape,
  denied: z.array(z.string().regex(/^[a-z0-9]+:(\*|[A-Z]\w+)$/, 'must be an action such as ec2:CreateFleet, or ec2:*')),
};
const shape = { ...behavior, ...around };
const schema = z.strictObject(shape).partial();

export function readAwsSettings(text: string): Omit<AwsOptions, 'port' | 'kubelet'> {
  const { seed, latencyMs, faults, denied, ...settings } = readSettings<z.input<typeof schema>>(
    text,
    schema,
    Object.keys(shape),
    '{"pendingSeconds": 2, "seed": 7}',
  );
  return {
    settings: settings as NonNullable<AwsOptions['settings']>,
    ...defined({ seed, latencyMs, faults, denied }),
  };
}
