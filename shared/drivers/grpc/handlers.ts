/** The other end of `driver.ts`: each call of the protocol is one method of a machine driver. */
import { failedBy } from '../../base/problems.ts';
import { failed, ok, type Problem, type Result } from '../../base/result.ts';
import type { Begun, MachineDriver, PowerOperation } from '../contract.ts';
import type { CallName, RequestOf, ResponseOf } from '../protocol/service.ts';
import { writeCapabilities } from '../wire/capabilities.ts';
import { readCreate, readPart } from '../wire/create-request.ts';
import { readDesired } from '../wire/desired-json.ts';
import { readExport, readImport, writeDiskInfo } from '../wire/disk.ts';
import { unlessEmpty, writeDescribed, writeListed } from '../wire/listed-machine.ts';
import { classJson, imageJson, placementJson } from '../wire/machine-json.ts';
import { writeTaskState } from '../wire/task.ts';
import { powerOps } from './driver.ts';

export type Handler<C extends CallName> = (
  request: RequestOf<C>,
  signal: AbortSignal,
) => Promise<Result<Partial<ResponseOf<C>>>>;

export type Handlers = { readonly [C in CallName]: Handler<C> };

export function handlersOf(driver: MachineDriver): Handlers {
  const capabilities: Handler<'GetCapabilities'> = async (_, signal) =>
    mapped(await driver.capabilities(signal), writeCapabilities);
  return {
    // What is wrong with the hypervisor is the answer here, not a failure of the call.
    Validate: async (_, signal) => {
      const valid = await driver.validate(signal);
      return ok(valid.ok ? { ok: true } : { ok: false, message: valid.error.message });
    },
    GetCapabilities: capabilities,
    ListCapabilities: capabilities,
    Create: async (request, signal) => {
      const read = readCreate(request);
      if (!read.ok) return read;
      return mapped(await driver.create(read.value.name, read.value.machine, signal), ({ id, task }) => ({
        id,
        ...taskRef(task),
      }));
    },
    Delete: async ({ id }, signal) => inTask(await driver.delete(id, signal)),
    Power: async ({ id, op, gracefulTimeoutSeconds }, signal) => {
      const operation = (Object.keys(powerOps) as PowerOperation[]).find((one) => powerOps[one] === op);
      if (operation === undefined) return failedBy([{ path: 'op', message: `${op} is not an operation` }]);
      return inTask(await driver.power(id, operation, { gracefulSeconds: gracefulTimeoutSeconds }, signal));
    },
    Reconfigure: async ({ id, desiredJson }, signal) => {
      const read = readDesired(desiredJson);
      return read.ok ? inTask(await driver.reconfigure(id, read.value.name, read.value.machine, signal)) : read;
    },
    HardwareUpgrade: async ({ id, targetVersion }, signal) =>
      inTask(await driver.upgradeHardware(id, targetVersion, signal)),
    Describe: async ({ id }, signal) => mapped(await driver.describe(id, signal), writeDescribed),
    TaskStatus: async ({ task }, signal) => {
      if (task === undefined || task.id === '') return ok({ done: true });
      return writeTaskState(await driver.task(task.id, signal));
    },
    ListVMs: async (_, signal) => mapped(await driver.list(signal), (machines) => ({ vms: machines.map(writeListed) })),
    SnapshotCreate: async ({ vmId, nameHint, includeMemory, description }, signal) =>
      mapped(
        await driver.createSnapshot({ machine: vmId, name: nameHint, memory: includeMemory, description }, signal),
        ({ id, task }) => ({ snapshotId: id, ...taskRef(task) }),
      ),
    SnapshotDelete: async ({ vmId, snapshotId }, signal) =>
      inTask(await driver.deleteSnapshot(vmId, snapshotId, signal)),
    SnapshotRevert: async ({ vmId, snapshotId }, signal) =>
      inTask(await driver.revertToSnapshot(vmId, snapshotId, signal)),
    Clone: async (request, signal) => {
      const problems: Problem[] = [];
      const machineClass = readPart(classJson, request.classJson, 'class_json', problems);
      const placement = readPart(placementJson, request.placementJson, 'placement_json', problems);
      if (problems.length > 0) return failedBy(problems);
      const clone = await driver.clone(
        {
          source: request.sourceVmId,
          name: request.targetName,
          linked: request.linked,
          ...(machineClass === undefined ? {} : { class: machineClass }),
          ...(placement === undefined ? {} : { placement }),
        },
        signal,
      );
      return mapped(clone, ({ id, task }) => ({ targetVmId: id, ...taskRef(task) }));
    },
    ImagePrepare: async ({ imageJson: json, targetName, storageHint }, signal) => {
      const problems: Problem[] = [];
      const image = readPart(imageJson, json, 'image_json', problems);
      if (problems.length > 0) return failedBy(problems);
      if (image === undefined) return failed('invalid', 'image_json: is missing');
      const storage = unlessEmpty(storageHint);
      const prepared = await driver.prepareImage(
        image,
        { name: targetName, ...(storage === undefined ? {} : { storage }) },
        signal,
      );
      return mapped(prepared, ({ task, id = '', path = '' }) => ({
        preparedImageId: id,
        preparedImagePath: path,
        ...taskRef(task),
      }));
    },
    ExportDisk: async (request, signal) =>
      mapped(await driver.exportDisk(readExport(request), signal), ({ id, task, checksum = '' }) => ({
        exportId: id,
        checksum,
        ...taskRef(task),
      })),
    ImportDisk: async (request, signal) =>
      mapped(await driver.importDisk(readImport(request), signal), ({ id, task, path = '', checksum = '' }) => ({
        diskId: id,
        path,
        checksum,
        ...taskRef(task),
      })),
    GetDiskInfo: async ({ vmId, diskId, snapshotId }, signal) =>
      mapped(await driver.diskInfo(vmId, diskId, unlessEmpty(snapshotId), signal), writeDiskInfo),
  };
}

const mapped = <T, U>(result: Result<T>, map: (value: T) => U): Result<U> =>
  result.ok ? ok(map(result.value)) : result;

const taskRef = (task: string | undefined) => (task === undefined ? {} : { task: { id: task } });

const inTask = (result: Result<Begun>) => mapped(result, ({ task }) => taskRef(task));
