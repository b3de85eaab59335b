/**
 * A hypervisor that exists only in a file: for trials, demos and tests. It behaves as provider-mock of VirtRigaud, and does what that leaves out:
 * it keeps what was asked for, finds a machine by its name, and has disks to export and import.
 */
import { defined } from '../../base/defined.ts';
import { failed, ok, type Result } from '../../base/result.ts';
import type { Clock, Random } from '../../base/runtime.ts';
import { pause, type Timers } from '../../base/timers.ts';
import { type Begun, type MachineDriver, type MachineState, notSupported } from '../contract.ts';
import { mockCapabilities } from './capabilities.ts';
import type { FailureMode, MockOptions } from './options.ts';
import { openMockStore, type StoredMachine } from './store.ts';

export interface MockParts {
  clock: Clock;
  timers: Timers;
  random: Random;
}

export function mockDriver(options: MockOptions, { clock, timers, random }: MockParts): MachineDriver {
  const store = openMockStore({ ...options, clock, random });

  /** One call: late, failing or at work, as the options say. */
  async function call<T>(
    mode: FailureMode | undefined,
    signal: AbortSignal,
    work: () => Result<T>,
  ): Promise<Result<T>> {
    if (options.slow) await pause(100 + random() * 500, signal, timers);
    if (signal.aborted) return failed('unavailable', 'the call was canceled');
    if (options.failure !== undefined && (options.failure === 'all' || options.failure === mode)) {
      return failed('unavailable', `MOCK_FAILURE_MODE is ${options.failure}`, { code: 'MockFailure' });
    }
    return store.transaction(work);
  }

  const unknown = (id: string): Result<never> => failed('not-found', `there is no machine ${id}`);

  /** Something that takes a machine which exists. */
  const onMachine = <T>(
    mode: FailureMode | undefined,
    id: string,
    signal: AbortSignal,
    work: (machine: StoredMachine) => Result<T>,
  ) =>
    call(mode, signal, () => {
      const machine = store.find(id);
      return machine === undefined ? unknown(id) : work(machine);
    });

  const onSnapshot = (mode: FailureMode, machine: string, snapshot: string, signal: AbortSignal, work: () => Begun) =>
    onMachine(mode, machine, signal, ({ snapshots }) =>
      snapshots.some(({ id }) => id === snapshot)
        ? ok(work())
        : failed('not-found', `machine ${machine} has no snapshot ${snapshot}`),
    );

  function add(
    name: string,
    spec: StoredMachine['spec'],
    kind: 'create' | 'clone',
  ): Result<{ id: string; task: string }> {
    const known = store.findByName(name);
    if (known !== undefined) return ok({ id: known.id, task: known.task });
    if (store.all().length >= options.maxMachines) {
      return failed('insufficient-capacity', `there is room for ${options.maxMachines} machines`);
    }
    const id = store.nextId('vm');
    const task = store.begin(kind, { do: 'nothing' });
    store.make({ id, name, power: 'Off', spec, snapshots: [], task, hardware: 20 });
    return ok({ id, task });
  }

  return {
    type: 'mock',
    validate: (signal) => call('validate', signal, () => ok(undefined)),
    capabilities: (signal) => call(undefined, signal, () => ok(mockCapabilities)),
    create: (name, spec, signal) => call('create', signal, () => add(name, spec, 'create')),
    delete: (id, signal) =>
      call('delete', signal, () =>
        ok(store.find(id) === undefined ? {} : { task: store.begin('delete', { do: 'delete', machine: id }) }),
      ),
    power: (id, operation, _, signal) =>
      onMachine('power', id, signal, () => {
        const power = operation === 'on' || operation === 'reboot' ? 'On' : 'Off';
        return ok({ task: store.begin('power', { do: 'power', machine: id, power }) });
      }),
    reconfigure: (id, _, spec, signal) =>
      onMachine('reconfigure', id, signal, (machine) => {
        const shrunk = spec.disks.find(({ name, sizeGiB }) =>
          machine.spec.disks.some((disk) => disk.name === name && disk.sizeGiB > sizeGiB),
        );
        if (shrunk) return failed('invalid', `disk ${shrunk.name} cannot shrink to ${shrunk.sizeGiB} GiB`);
        return ok({ task: store.begin('reconfigure', { do: 'reconfigure', machine: id, spec }) });
      }),
    upgradeHardware: (id, version, signal) =>
      onMachine(undefined, id, signal, (machine) => {
        if (version < machine.hardware) {
          return failed('invalid', `hardware version ${machine.hardware} cannot become ${version}`, {
            code: notSupported,
          });
        }
        store.write({ ...machine, hardware: version });
        return ok({});
      }),
    describe: (id, signal) => call('describe', signal, () => ok(stateOf(store.find(id)))),
    task: (task, signal) =>
      call('task_status', signal, () => {
        const state = store.task(task);
        return state === undefined ? failed('not-found', `there is no task ${task}`) : ok(state);
      }),
    list: (signal) =>
      call(undefined, signal, () =>
        ok(
          store.all().map((machine) => ({
            ...stateOf(machine)!,
            id: machine.id,
            name: machine.name,
            cpu: machine.spec.class.cpu,
            memoryMiB: machine.spec.class.memoryMiB,
            disks: machine.spec.disks.map(({ name, sizeGiB }) => ({ id: name, sizeGiB, format: 'qcow2' })),
            networks: machine.spec.networks.map(({ name, mac }) => ({
              name,
              ...defined({ mac, address: machine.address }),
            })),
            tags: machine.spec.tags,
          })),
        ),
      ),
    createSnapshot: ({ machine: id, name }, signal) =>
      onMachine('snapshot_create', id, signal, (machine) => {
        const known = machine.snapshots.find((snapshot) => snapshot.name === name);
        if (known) return ok({ id: known.id });
        const snapshot = { id: store.nextId('snap'), name, spec: machine.spec, power: machine.power };
        store.write({ ...machine, snapshots: [...machine.snapshots, snapshot] });
        return ok({ id: snapshot.id, task: store.begin('snapshot-create', { do: 'nothing' }) });
      }),
    deleteSnapshot: (machine, snapshot, signal) =>
      onSnapshot('snapshot_delete', machine, snapshot, signal, () => ({
        task: store.begin('snapshot-delete', { do: 'delete-snapshot', machine, snapshot }),
      })),
    revertToSnapshot: (machine, snapshot, signal) =>
      onSnapshot('snapshot_revert', machine, snapshot, signal, () => ({
        task: store.begin('snapshot-revert', { do: 'revert', machine, snapshot }),
      })),
    clone: ({ source, name, class: machineClass }, signal) =>
      onMachine('clone', source, signal, ({ spec }) =>
        add(name, machineClass === undefined ? spec : { ...spec, class: machineClass }, 'clone'),
      ),
    prepareImage: (_, { name }, signal) =>
      call('image_prepare', signal, () =>
        ok({ task: store.taskOf('images', name, 'image'), id: `image-${name}`, path: `/images/${name}` }),
      ),
    exportDisk: ({ machine, disk, url }, signal) =>
      onMachine(undefined, machine, signal, ({ spec }) =>
        spec.disks.some(({ name }) => name === disk)
          ? ok({ id: `export-${machine}-${disk}`, task: store.taskOf('disks', url, 'disk'), checksum: '' })
          : failed('not-found', `machine ${machine} has no disk ${disk}`),
      ),
    importDisk: ({ name }, signal) =>
      call(undefined, signal, () =>
        ok({ id: `disk-${name}`, task: store.taskOf('disks', name, 'disk'), path: `/disks/${name}` }),
      ),
    diskInfo: (machine, disk, _, signal) =>
      onMachine(undefined, machine, signal, ({ spec, snapshots }) => {
        const found = spec.disks.find(({ name }) => name === disk);
        if (found === undefined) return failed('not-found', `machine ${machine} has no disk ${disk}`);
        const bytes = found.sizeGiB * 2 ** 30;
        return ok({
          id: disk,
          format: 'qcow2',
          virtualBytes: bytes,
          actualBytes: bytes,
          path: `/disks/${machine}/${disk}`,
          bootable: spec.disks[0] === found,
          snapshots: snapshots.map(({ id }) => id),
        });
      }),
    close: async () => store.close(),
  };
}

function stateOf(machine: StoredMachine | undefined): MachineState | undefined {
  if (machine === undefined) return;
  const { id, power, address } = machine;
  return { power, addresses: address === undefined ? [] : [address], consoleUrl: `https://mock.invalid/console/${id}` };
}
