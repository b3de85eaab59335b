// A machine driver in one file, for `poolwright provider --driver docs/examples/own-driver/driver.js`.
// Its hypervisor is a folder: each machine is a file in it. Replace the functions that read and write files by calls to yours.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ok = (value) => ({ ok: true, value });
const failed = (kind, message, code) => ({ ok: false, error: { kind, message, ...(code && { code }) } });
const notSupported = async () => failed('invalid', 'this driver does not support that', 'NotSupported');

export default function createDriver({ env, endpoint }) {
  const folder = env.MACHINES || endpoint.replace(/^file:\/\//, '') || './machines';
  mkdirSync(folder, { recursive: true });

  const fileOf = (id) => join(folder, `${encodeURIComponent(id)}.json`);
  // A process that dies while it writes leaves the old file whole.
  const write = (machine) => {
    writeFileSync(`${fileOf(machine.id)}.new`, JSON.stringify(machine));
    renameSync(`${fileOf(machine.id)}.new`, fileOf(machine.id));
  };
  const read = (id) => {
    try {
      return JSON.parse(readFileSync(fileOf(id), 'utf8'));
    } catch (error) {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    }
  };
  const all = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  const stateOf = ({ power, address }) => ({ power, addresses: power === 'On' ? [address] : [] });
  const gone = (id) => failed('not-found', `there is no machine ${id}`);

  return {
    type: 'folder',
    validate: async () => ok(undefined),
    capabilities: async () =>
      ok({
        reconfigureOnline: true,
        growDiskOnline: true,
        snapshots: false,
        memorySnapshots: false,
        linkedClones: false,
        imageImport: false,
        diskExport: false,
        diskImport: false,
        exportCompression: false,
        // Machines are listed with their tags, and a name is given once.
        keepsTags: true,
        createsByName: true,
        diskTypes: ['file'],
        networkTypes: ['none'],
        exportFormats: [],
        importFormats: [],
        exportBackends: [],
        importBackends: [],
        transferModes: [],
      }),

    // The name is the id here, so a repeat finds the first machine. Without a task in the answer, the operation is complete.
    create: async (name, spec, signal) => {
      if (signal.aborted) return failed('unavailable', 'the call was canceled');
      if (!read(name)) write({ id: name, name, power: 'Off', address: '192.0.2.10', spec });
      return ok({ id: name });
    },
    delete: async (id) => {
      rmSync(fileOf(id), { force: true });
      return ok({});
    },
    power: async (id, operation) => {
      const machine = read(id);
      if (!machine) return gone(id);
      write({ ...machine, power: operation === 'on' || operation === 'reboot' ? 'On' : 'Off' });
      return ok({});
    },
    reconfigure: async (id, _name, spec) => {
      const machine = read(id);
      if (!machine) return gone(id);
      const shrinks = machine.spec.disks.some((disk) =>
        spec.disks.some(({ name, sizeGiB }) => name === disk.name && sizeGiB < disk.sizeGiB),
      );
      if (shrinks) return failed('invalid', 'a disk cannot shrink');
      write({ ...machine, spec });
      return ok({});
    },
    describe: async (id) => {
      const machine = read(id);
      return ok(machine && stateOf(machine));
    },
    task: async (task) => failed('not-found', `there is no task ${task}`),
    list: async () =>
      ok(
        all().map((machine) => ({
          ...stateOf(machine),
          id: machine.id,
          name: machine.name,
          cpu: machine.spec.class.cpu,
          memoryMiB: machine.spec.class.memoryMiB,
          disks: machine.spec.disks.map(({ name, sizeGiB }) => ({ id: name, sizeGiB })),
          networks: machine.spec.networks.map(({ name }) => ({ name })),
          tags: machine.spec.tags,
        })),
      ),

    upgradeHardware: notSupported,
    createSnapshot: notSupported,
    deleteSnapshot: notSupported,
    revertToSnapshot: notSupported,
    clone: notSupported,
    prepareImage: notSupported,
    exportDisk: notSupported,
    importDisk: notSupported,
    diskInfo: notSupported,
    close: async () => {},
  };
}
