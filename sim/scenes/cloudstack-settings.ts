/** `--settings` of `poolwright simulate --provider cloudstack`. */
import { z } from 'zod';
import { defined } from '../../shared/base/defined.ts';
import type { CloudStackOptions } from '../cloudstack/start.ts';
import { everyCloudShape, machineShape, readSettings, seconds } from './cloud-settings.ts';
import type { Role } from './cloudstack.ts';

const behavior = {
  ...machineShape,
  version: z.string().regex(/^\d+(\.\d+){2,3}$/, 'must be a version such as 4.21.0.0'),
  bootSeconds: seconds,
  destroySeconds: seconds,
  powerSeconds: seconds,
  jobSeconds: seconds,
  expungeDelaySeconds: seconds,
  jobKeptSeconds: seconds,
  userMayExpunge: z.boolean(),
  userSeesDestroyed: z.boolean(),
  enforcePost: z.boolean(),
  pageSize: z.int().min(1).max(500),
  callLimit: z.int().min(1).nullable(),
  callLimitSeconds: z.number().min(0.001).max(3600),
  userDataLength: z.int().min(1).max(1_048_576),
  refusedCommandCode: z.union([z.literal(401), z.literal(432)]),
  leases: z.boolean(),
  capacity: z.record(
    z.string().regex(/^[^/]+\/.+$/, 'must be a zone and a host tag or an offering: zone-01/gpu'),
    z.int().min(0),
  ),
  limits: z.partialRecord(z.enum(['user_vm', 'cpu', 'memory', 'gpu', 'volume', 'primary_storage']), z.int().min(0)),
  limitCode: z.union([z.literal(532), z.literal(535)]),
};
const around = {
  ...everyCloudShape,
  denied: z.array(z.string().regex(/^[a-z]+[A-Z]\w+$/, 'must be a command such as deployVirtualMachine')),
  zones: z.array(z.string().min(1)).min(1),
  hostsPerZone: z.int().min(1).max(10_000),
  /** Whose keys the host gets. */
  role: z.enum(['user', 'admin']),
};
const shape = { ...behavior, ...around };
const schema = z.strictObject(shape).partial();

export function readCloudStackSettings(text: string): {
  options: Omit<CloudStackOptions, 'port' | 'kubelet'>;
  role: Role;
} {
  const { seed, latencyMs, faults, denied, zones, hostsPerZone, role, ...settings } = readSettings<
    z.input<typeof schema>
  >(text, schema, Object.keys(shape), '{"bootSeconds": 2, "seed": 7}');
  return {
    role: role ?? 'user',
    options: {
      settings: settings as NonNullable<CloudStackOptions['settings']>,
      ...defined({ seed, latencyMs, faults, denied, zones, hostsPerZone }),
    },
  };
}
