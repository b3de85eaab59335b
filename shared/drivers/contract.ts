/**
 * The machine driver port: code that makes virtual machines on one hypervisor. The provider `remote`, the product for virtual machines
 * and the server of `poolwright provider` all use it; one driver speaks to another process over gRPC.
 * Every driver passes `test/conformance/drivers/conformance.ts`.
 *
 * The rules for every method:
 * - It never waits for a long operation: it begins one and returns a task, a string that fits a journal and survives a restart.
 * - It returns expected failures (`Result`) and does not throw. A timeout of a write is `outcome-unknown`, never `unavailable`.
 * - What the hypervisor cannot do is `invalid` with the code `NotSupported`.
 * - It stops when the signal fires.
 */
import type { Result } from '../base/result.ts';
import type { MachineSpec } from './machine-spec.ts';

/** The code of a failure of something that the driver does not support. */
export const notSupported = 'NotSupported';

export const powerOperations = ['on', 'off', 'reboot', 'shutdown'] as const;
/** `shutdown` asks the guest and falls back to `off` after the given time. */
export type PowerOperation = (typeof powerOperations)[number];

/** Absent: the operation is complete. */
export interface Begun {
  task?: string;
}

/** `error`: the operation has failed for good. */
export interface TaskState {
  done: boolean;
  error?: string;
}

export interface MachineState {
  /** In the words of the wire: `On`, `Off`, or what else the hypervisor says. */
  power: string;
  addresses: readonly string[];
  consoleUrl?: string;
  /** What the hypervisor tells beyond that: text that is shown and never acted on. */
  raw?: string;
}

export interface ListedMachine extends MachineState {
  id: string;
  name: string;
  cpu?: number;
  memoryMiB?: number;
  disks: readonly { id: string; path?: string; sizeGiB?: number; format?: string }[];
  networks: readonly { name: string; mac?: string; address?: string }[];
  /** Empty where the hypervisor keeps no tags. */
  tags: readonly string[];
}

export interface Capabilities {
  reconfigureOnline: boolean;
  growDiskOnline: boolean;
  snapshots: boolean;
  memorySnapshots: boolean;
  linkedClones: boolean;
  imageImport: boolean;
  diskExport: boolean;
  diskImport: boolean;
  exportCompression: boolean;
  /** A listed machine has the tags that it was created with. Servers of others do not say so, whether or not they do. */
  keepsTags: boolean;
  /** A create with a name that exists answers with the machine that has it. Every driver of ours does; servers of others do not say so. */
  createsByName: boolean;
  diskTypes: readonly string[];
  networkTypes: readonly string[];
  exportFormats: readonly string[];
  importFormats: readonly string[];
  exportBackends: readonly string[];
  importBackends: readonly string[];
  transferModes: readonly string[];
}

export interface CloneRequest {
  source: string;
  name: string;
  /** Shares disks with its source. */
  linked: boolean;
  class?: MachineSpec['class'];
  placement?: MachineSpec['placement'];
}

export interface SnapshotRequest {
  machine: string;
  /** A hypervisor may choose another name; the id in the answer counts. */
  name: string;
  memory: boolean;
  description?: string;
}

/** Where the bytes of a disk go or come from. They never pass through the driver's protocol. */
export interface DiskTransfer {
  url: string;
  format?: string;
  backend?: 'pvc' | 'nfs' | 's3';
  mode?: 'auto' | 'relay' | 'direct';
  credentials?: Readonly<Record<string, string>>;
  options?: Readonly<Record<string, string>>;
}

export interface DiskExport extends DiskTransfer {
  machine: string;
  disk: string;
  snapshot?: string;
  compress: boolean;
}

export interface DiskImport extends DiskTransfer {
  name: string;
  storage?: string;
  checksum?: string;
}

export interface DiskInfo {
  id: string;
  format: string;
  virtualBytes: number;
  actualBytes: number;
  path?: string;
  bootable: boolean;
  snapshots: readonly string[];
  backingFile?: string;
}

export interface PreparedImage extends Begun {
  id?: string;
  path?: string;
}

export interface MachineDriver {
  /** Like `mock`, `vsphere`, `libvirt`, `proxmox`. */
  readonly type: string;

  /** Whether the hypervisor can be reached with these credentials. */
  validate(signal: AbortSignal): Promise<Result<void>>;
  capabilities(signal: AbortSignal): Promise<Result<Capabilities>>;

  /**
   * A machine of that name is the answer, not an error, in drivers of ours. Servers of others may make a second one: a caller lists
   * by name first. The machine may be off when the task is done.
   */
  create(name: string, spec: MachineSpec, signal: AbortSignal): Promise<Result<Begun & { id: string }>>;
  /** Deleting what is gone is done, not an error. */
  delete(id: string, signal: AbortSignal): Promise<Result<Begun>>;
  /** `not-found` if the machine is gone. */
  power(
    id: string,
    operation: PowerOperation,
    options: { gracefulSeconds?: number },
    signal: AbortSignal,
  ): Promise<Result<Begun>>;
  /** Takes the whole desired machine, and changes what differs. A disk never shrinks. */
  reconfigure(id: string, name: string, desired: MachineSpec, signal: AbortSignal): Promise<Result<Begun>>;
  upgradeHardware(id: string, version: number, signal: AbortSignal): Promise<Result<Begun>>;

  /** Absent: there is no such machine. */
  describe(id: string, signal: AbortSignal): Promise<Result<MachineState | undefined>>;
  /** A task that is not known is `not-found`: it may have ended long ago, so the caller looks at the machine. */
  task(task: string, signal: AbortSignal): Promise<Result<TaskState>>;
  /** All machines, also those of others. It may lag. */
  list(signal: AbortSignal): Promise<Result<readonly ListedMachine[]>>;

  createSnapshot(request: SnapshotRequest, signal: AbortSignal): Promise<Result<Begun & { id: string }>>;
  deleteSnapshot(machine: string, snapshot: string, signal: AbortSignal): Promise<Result<Begun>>;
  revertToSnapshot(machine: string, snapshot: string, signal: AbortSignal): Promise<Result<Begun>>;

  clone(request: CloneRequest, signal: AbortSignal): Promise<Result<Begun & { id: string }>>;
  prepareImage(
    image: MachineSpec['image'],
    options: { name: string; storage?: string },
    signal: AbortSignal,
  ): Promise<Result<PreparedImage>>;

  exportDisk(request: DiskExport, signal: AbortSignal): Promise<Result<Begun & { id: string; checksum?: string }>>;
  importDisk(
    request: DiskImport,
    signal: AbortSignal,
  ): Promise<Result<Begun & { id: string; path?: string; checksum?: string }>>;
  diskInfo(machine: string, disk: string, snapshot: string | undefined, signal: AbortSignal): Promise<Result<DiskInfo>>;

  close(): Promise<void>;
}
