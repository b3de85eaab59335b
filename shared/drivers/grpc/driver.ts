/** A machine driver in another process: each method is one call of the protocol. */
import { defined } from '../../base/defined.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import type { Begun, MachineDriver, PowerOperation } from '../contract.ts';
import type { PowerOp, TaskRef } from '../protocol/messages.ts';
import { readCapabilities } from '../wire/capabilities.ts';
import { writeCreate } from '../wire/create-request.ts';
import { writeDesired } from '../wire/desired-json.ts';
import { readDiskInfo, writeExport, writeImport } from '../wire/disk.ts';
import { readDescribed, readListed, unlessEmpty } from '../wire/listed-machine.ts';
import { classJson, imageJson, placementJson } from '../wire/machine-json.ts';
import { readTaskState } from '../wire/task.ts';
import { type Caller, taskGoesOn } from './caller.ts';

export const powerOps: Readonly<Record<PowerOperation, PowerOp>> = {
  on: 'POWER_OP_ON',
  off: 'POWER_OP_OFF',
  reboot: 'POWER_OP_REBOOT',
  shutdown: 'POWER_OP_SHUTDOWN_GRACEFUL',
};

export interface GrpcDriverOptions {
  type: string;
  call: Caller;
  close(): Promise<void>;
}

export function grpcDriver({ type, call, close }: GrpcDriverOptions): MachineDriver {
  return {
    type,
    close,
    validate: async (signal) => {
      const said = await call('Validate', {}, signal);
      if (!said.ok) return said;
      return said.value.ok
        ? ok(undefined)
        : failed('unavailable', said.value.message, { code: 'HypervisorUnavailable' });
    },
    capabilities: async (signal) => mapped(await call('GetCapabilities', {}, signal), readCapabilities),
    create: async (name, spec, signal) =>
      mapped(await call('Create', writeCreate(name, spec), signal), ({ id, task }) => ({ id, ...begun(task) })),
    delete: async (id, signal) => {
      const said = await call('Delete', { id }, signal);
      return !said.ok && said.error.kind === 'not-found' ? ok({}) : taskOf(said);
    },
    power: async (id, operation, { gracefulSeconds = 0 }, signal) =>
      taskOf(await call('Power', { id, op: powerOps[operation], gracefulTimeoutSeconds: gracefulSeconds }, signal)),
    reconfigure: async (id, name, desired, signal) =>
      taskOf(await call('Reconfigure', { id, desiredJson: writeDesired(name, desired) }, signal)),
    upgradeHardware: async (id, targetVersion, signal) =>
      taskOf(await call('HardwareUpgrade', { id, targetVersion }, signal)),
    describe: async (id, signal) => {
      const said = await call('Describe', { id }, signal);
      return !said.ok && said.error.kind === 'not-found' ? ok(undefined) : mapped(said, readDescribed);
    },
    task: async (task, signal) => {
      const said = await call('TaskStatus', { task: { id: task } }, signal);
      if (!said.ok) return said.error.code === taskGoesOn ? ok({ done: false }) : said;
      return readTaskState(said.value);
    },
    list: async (signal) => mapped(await call('ListVMs', {}, signal), ({ vms }) => vms.map(readListed)),
    createSnapshot: async ({ machine, name, memory, description = '' }, signal) =>
      mapped(
        await call('SnapshotCreate', { vmId: machine, nameHint: name, includeMemory: memory, description }, signal),
        ({ snapshotId, task }) => ({ id: snapshotId, ...begun(task) }),
      ),
    deleteSnapshot: async (vmId, snapshotId, signal) =>
      taskOf(await call('SnapshotDelete', { vmId, snapshotId }, signal)),
    revertToSnapshot: async (vmId, snapshotId, signal) =>
      taskOf(await call('SnapshotRevert', { vmId, snapshotId }, signal)),
    clone: async ({ source, name, linked, class: machineClass, placement }, signal) =>
      mapped(
        await call(
          'Clone',
          {
            sourceVmId: source,
            targetName: name,
            linked,
            classJson: machineClass === undefined ? '' : JSON.stringify(classJson.write(machineClass)),
            placementJson: placement === undefined ? '' : JSON.stringify(placementJson.write(placement)),
          },
          signal,
        ),
        ({ targetVmId, task }) => ({ id: targetVmId, ...begun(task) }),
      ),
    prepareImage: async (image, { name, storage = '' }, signal) =>
      mapped(
        await call(
          'ImagePrepare',
          { imageJson: JSON.stringify(imageJson.write(image)), targetName: name, storageHint: storage },
          signal,
        ),
        ({ task, preparedImageId, preparedImagePath }) => ({
          ...begun(task),
          ...defined({ id: unlessEmpty(preparedImageId), path: unlessEmpty(preparedImagePath) }),
        }),
      ),
    exportDisk: async (request, signal) =>
      mapped(await call('ExportDisk', writeExport(request), signal), ({ exportId, task, checksum }) => ({
        id: exportId,
        ...begun(task),
        ...defined({ checksum: unlessEmpty(checksum) }),
      })),
    importDisk: async (request, signal) =>
      mapped(await call('ImportDisk', writeImport(request), signal), ({ diskId, path, task, checksum }) => ({
        id: diskId,
        ...begun(task),
        ...defined({ path: unlessEmpty(path), checksum: unlessEmpty(checksum) }),
      })),
    diskInfo: async (vmId, diskId, snapshot, signal) =>
      mapped(await call('GetDiskInfo', { vmId, diskId, snapshotId: snapshot ?? '' }, signal), readDiskInfo),
  };
}

const mapped = <T, U>(result: Result<T>, map: (value: T) => U): Result<U> =>
  result.ok ? ok(map(result.value)) : result;

/** No task, or one without an id: the operation is complete. */
const begun = (task: TaskRef | undefined): Begun => (task === undefined || task.id === '' ? {} : { task: task.id });

const taskOf = (result: Result<{ task: TaskRef | undefined }>): Result<Begun> =>
  mapped(result, ({ task }) => begun(task));
