import type { CallName } from '../protocol/service.ts';

/** How long a call may take, in seconds. */
export const deadlineSeconds: Readonly<Record<CallName, number>> = {
  Validate: 30,
  GetCapabilities: 30,
  ListCapabilities: 30,
  Describe: 30,
  // vSphere's server answers only when the task has ended: it is then asked again, and nothing else waits for it.
  TaskStatus: 10,
  Create: 300,
  Clone: 300,
  ImagePrepare: 300,
  Reconfigure: 300,
  HardwareUpgrade: 300,
  SnapshotCreate: 300,
  SnapshotRevert: 300,
  Delete: 120,
  Power: 120,
  SnapshotDelete: 120,
  GetDiskInfo: 120,
  ListVMs: 120,
  ExportDisk: 1800,
  ImportDisk: 1800,
};

/** They change nothing, so they can be repeated without a thought. */
const reads: readonly CallName[] = [
  'Validate',
  'GetCapabilities',
  'ListCapabilities',
  'Describe',
  'TaskStatus',
  'ListVMs',
  'GetDiskInfo',
];

export const isWrite = (call: CallName): boolean => !reads.includes(call);

/** RPC_TIMEOUT_TASK_STATUS for TaskStatus. */
export const timeoutVariable = (call: CallName): string =>
  `RPC_TIMEOUT_${call
    .replace('VMs', 'Vms')
    .replace(/(?<!^)[A-Z]/g, '_$&')
    .toUpperCase()}`;
