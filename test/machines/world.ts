/**
 * A cluster with the kinds of virtual machines, the mock as their hypervisor, and the virtual engine: whole lives on one manual clock.
 * Nothing here waits for real time.
 */
import type { Json, JsonObject } from '../../shared/base/json.ts';
import { ok, type Result } from '../../shared/base/result.ts';
import { type Clock, countingIds, manualClock, seededRandom } from '../../shared/base/runtime.ts';
import type { Timers } from '../../shared/base/timers.ts';
import type { ListedMachine, MachineDriver } from '../../shared/drivers/contract.ts';
import { mockDriver } from '../../shared/drivers/mock/driver.ts';
import { type MockOptions, mockDefaults } from '../../shared/drivers/mock/options.ts';
import { connectCluster } from '../../shared/kube/client/http.ts';
import { findCondition } from '../../shared/kube/conditions.ts';
import { type ClusterApi, type KubeObject, namespaces, type Resource } from '../../shared/kube/contract.ts';
import { machineApiVersion, machineKinds } from '../../shared/machines/api/kinds.ts';
import type { VirtualMachineSpec } from '../../shared/machines/api/virtual-machine.ts';
import { machineActivities } from '../../shared/machines/bound-activities.ts';
import type { VirtualMachine } from '../../shared/machines/core/objects.ts';
import { machineRef, wakeMachine } from '../../shared/machines/ensure.ts';
import {
  type MachinePlace,
  type MachineServices,
  type MachineSettings,
  usualMachineSettings,
} from '../../shared/machines/services.ts';
import { lookAfterMachines } from '../../shared/machines/upkeep/look-after.ts';
import { keepMachine } from '../../shared/machines/workflow/keep-machine.ts';
import { keepSnapshot } from '../../shared/machines/workflow/keep-snapshot.ts';
import { collectingLog, silentLog } from '../../shared/observe/log/log.ts';
import { soleOwner } from '../../shared/ownership/standing.ts';
import { VirtualEngine } from '../../shared/workflow/virtual/engine.ts';
import { startClusterApi } from '../../sim/cluster/server.ts';
import { mustBe } from '../cli/cluster-world.ts';

export const placeName = 'management';
export const team = 'team-a';
const day = Date.UTC(2026, 10, 19);
const stepSeconds = 1;

export interface MachineWorldOptions {
  /** A cluster of the caller's own. */
  api?: ClusterApi;
  /** Whoever makes and deletes objects there; the same where it is absent. */
  admin?: ClusterApi;
  mock?: Partial<MockOptions>;
  settings?: Partial<MachineSettings>;
  place?: Partial<MachinePlace>;
  /** Around the driver, to lose answers and the like. */
  wrap?: (driver: MachineDriver) => MachineDriver;
  providerType?: string;
}

export type MachineWorld = Awaited<ReturnType<typeof machineWorld>>;

const noTimers: Timers = { after: () => () => undefined };

function wholeMilliseconds(): Clock & { advance(milliseconds: number): void } {
  const clock = manualClock(day);
  return { ...clock, now: () => Math.floor(clock.now()) };
}

async function clusterWithKinds(clock: Clock): Promise<{ api: ClusterApi; close(): Promise<void> }> {
  const server = await startClusterApi({
    file: ':memory:',
    port: 0,
    clock,
    random: seededRandom(1),
    ids: countingIds(),
  });
  const api = connectCluster({
    name: placeName,
    url: server.url,
    clock,
    log: silentLog,
    requestTimeoutMs: 20_000,
    fieldManager: 'poolwright',
  });
  const close = async (): Promise<void> => {
    api.close();
    await server.close();
  };
  return { api, close };
}

export async function machineWorld(options: MachineWorldOptions = {}) {
  const clock = wholeMilliseconds();
  const cluster =
    options.api === undefined ? await clusterWithKinds(clock) : { api: options.api, close: async () => undefined };
  const { api } = cluster;
  const admin = options.admin ?? api;
  const log = collectingLog();
  const hypervisor = mockDriver(
    { ...mockDefaults, ...options.mock },
    { clock, timers: noTimers, random: seededRandom(3) },
  );
  const driver = options.wrap?.(hypervisor) ?? hypervisor;
  const signal = new AbortController().signal;
  const seeded = new Set(mustBe(await hypervisor.list(signal)).map(({ id }) => id));

  const place: MachinePlace = {
    name: placeName,
    api,
    settings: { ...usualMachineSettings, ...options.settings },
    driverFor: async (): Promise<Result<MachineDriver>> => ok(driver),
    ...options.place,
  };
  /** A host of its own: what another one does reaches it through the cluster alone. */
  const startHost = () => {
    let engine: VirtualEngine | undefined;
    const services: MachineServices = {
      place: (name) => (name === placeName ? place : undefined),
      places: [place],
      ownership: soleOwner,
      get workflows() {
        return engine!;
      },
      clock,
      random: seededRandom(7),
      log,
    };
    engine = new VirtualEngine({
      workflows: [keepMachine, keepSnapshot] as never,
      activities: machineActivities(services),
      clock,
    });
    return { engine, services };
  };
  const { engine, services } = startHost();

  const create = async (resource: Resource, name: string, spec: object, metadata: object = {}): Promise<KubeObject> =>
    mustBe(
      await admin.create<KubeObject>(resource, {
        apiVersion: machineApiVersion,
        kind: resource.kind,
        metadata: { name, namespace: team, ...metadata },
        spec: JSON.parse(JSON.stringify(spec)) as Json,
      }),
    );
  await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: team } });
  await create(machineKinds.provider, 'hall', {
    type: options.providerType ?? 'mock',
    endpoint: 'tcp://hall.example:9443',
    credentialSecretRef: { name: 'hall' },
    runtime: { mode: 'Remote', image: 'example.com/mock:1' },
  });
  await create(machineKinds.class, 'small', { cpu: 2, memory: '4Gi' });
  await create(machineKinds.image, 'ubuntu', {
    source: { vsphere: { templateName: 'ubuntu' }, libvirt: { path: '/ubuntu.qcow2' } },
  });

  const named = (name = 'web') => ({ namespace: team, name });
  const get = async (name?: string): Promise<VirtualMachine | undefined> => {
    const found = await admin.get<VirtualMachine>(machineKinds.virtualMachine, named(name));
    if (!found.ok && found.error.kind !== 'not-found') throw new Error(found.error.message);
    return found.ok ? found.value : undefined;
  };
  const wake = async (name?: string): Promise<void> => {
    const machine = await get(name);
    if (machine !== undefined) mustBe(await wakeMachine(services, machineRef(placeName, machine)));
  };
  const round = async (): Promise<void> => {
    await lookAfterMachines(services, place, signal);
    await engine.runUntil(clock.now());
  };
  const pass = async (seconds: number, step = stepSeconds): Promise<void> => {
    for (let passed = 0; passed < seconds; passed += step) {
      await round();
      await engine.runUntil(clock.now() + step * 1000);
    }
    await round();
  };
  const condition = async (type: string, name?: string): Promise<string> => {
    const found = findCondition((await get(name))?.status?.conditions, type);
    return found === undefined ? 'nothing' : `${found.status} ${found.reason}`;
  };
  return {
    api,
    admin,
    clock,
    engine,
    services,
    place,
    log,
    hypervisor,
    startHost,
    make: create,
    get,
    wake,
    round,
    pass,
    condition,
    ready: (name?: string) => condition('Ready', name),
    message: async (name?: string) => findCondition((await get(name))?.status?.conditions, 'Ready')?.message ?? '',
    async create(spec: Partial<VirtualMachineSpec> = {}, name = 'web', metadata: object = {}) {
      const whole = {
        providerRef: { name: 'hall' },
        classRef: { name: 'small' },
        imageRef: { name: 'ubuntu' },
        ...spec,
      };
      const made = (await create(machineKinds.virtualMachine, name, whole, metadata)) as VirtualMachine;
      await wake(name);
      return machineRef(placeName, made);
    },
    async patch(resource: Resource, name: string, patch: object) {
      mustBe(await admin.mergePatch(resource, named(name), JSON.parse(JSON.stringify(patch)) as JsonObject));
    },
    async change(spec: object, name = 'web') {
      const patch = { spec: JSON.parse(JSON.stringify(spec)) as Json };
      mustBe(await admin.mergePatch(machineKinds.virtualMachine, named(name), patch));
      await wake(name);
    },
    async delete(name = 'web') {
      const { uid } = (await get(name))!.metadata;
      mustBe(await admin.delete(machineKinds.virtualMachine, named(name), { uid }));
      await wake(name);
    },
    /** Machines besides those that the mock begins with. */
    async machines(): Promise<ListedMachine[]> {
      return mustBe(await hypervisor.list(signal)).filter(({ id }) => !seeded.has(id));
    },
    async until(what: () => Promise<boolean>, seconds = 900): Promise<void> {
      const end = clock.now() + seconds * 1000;
      let step = stepSeconds;
      while (!(await what())) {
        if (clock.now() >= end) {
          throw new Error(`not so after ${seconds} seconds: ${JSON.stringify((await get())?.status, null, 1)}`);
        }
        await pass(step, step);
        step = Math.min(step * 1.3, 15);
      }
    },
    async close() {
      await hypervisor.close();
      await cluster.close();
    },
  };
}

export const isReady = (world: MachineWorld, name?: string) => async (): Promise<boolean> => {
  const machine = await world.get(name);
  const current = machine?.status?.observedGeneration === machine?.metadata.generation;
  return current && (await world.ready(name)) === 'True ReconcileSuccess';
};
export const isGone = (world: MachineWorld, name?: string) => async (): Promise<boolean> =>
  (await world.get(name)) === undefined;
