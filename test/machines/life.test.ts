/** Whole lives of virtual machines on the mock. */
import { afterEach, describe, expect, it } from 'vitest';
import { machineKinds } from '../../shared/machines/api/kinds.ts';
import { machineAnnotations, machineFinalizer } from '../../shared/machines/core/marks.ts';
import { mustBe } from '../cli/cluster-world.ts';
import { isGone, isReady, type MachineWorld, type MachineWorldOptions, machineWorld, team } from './world.ts';

let world: MachineWorld;
afterEach(() => world.close());

const start = async (options?: MachineWorldOptions): Promise<MachineWorld> => {
  world = await machineWorld(options);
  return world;
};
const signal = new AbortController().signal;

describe('a virtual machine', () => {
  it('is made, is Ready with its addresses, and goes with its object', async () => {
    await start();
    await world.create({ disks: [{ name: 'data', sizeGiB: 20 }], networks: [{ name: 'front' }], tags: ['app:web'] });
    await world.until(isReady(world));
    const [machine, ...more] = await world.machines();
    expect(more).toEqual([]);
    expect(machine).toMatchObject({ power: 'On', cpu: 2, memoryMiB: 4096, tags: ['app:web'] });
    expect(machine?.name).toMatch(/^team-a-web-[0-9a-f]{8}$/);
    const stored = (await world.get())!;
    expect(stored.metadata.finalizers).toEqual([machineFinalizer]);
    expect(stored.status).toMatchObject({
      id: machine!.id,
      phase: 'Running',
      powerState: 'On',
      ips: machine!.addresses,
      observedGeneration: 1,
      currentResources: { cpu: 2, memoryMiB: 4096 },
    });
    expect(stored.status?.lastTaskRef).toBeUndefined();
    expect(await world.condition('Provisioning')).toBe('False ReconcileSuccess');

    await world.delete();
    await world.until(isGone(world));
    expect(await world.machines()).toEqual([]);
  });

  it('follows what is asked for: off, on, larger, with a larger disk', async () => {
    await start();
    await world.create({ disks: [{ name: 'data', sizeGiB: 20 }] });
    await world.until(isReady(world));
    const { id } = (await world.get())!.status!;
    await world.change({ powerState: 'OffGraceful' });
    await world.until(isReady(world));
    expect((await world.get())?.status).toMatchObject({ phase: 'Stopped', powerState: 'Off' });
    await world.change({ powerState: 'On', resources: { cpu: 4 }, disks: [{ name: 'data', sizeGiB: 40 }] });
    await world.until(isReady(world));
    expect(await world.machines()).toMatchObject([{ id, power: 'On', cpu: 4, disks: [{ id: 'data', sizeGiB: 40 }] }]);
    expect((await world.get())?.status).toMatchObject({ currentResources: { cpu: 4 }, phase: 'Running' });
    expect(await world.condition('Reconfiguring')).toBe('False ReconcileSuccess');
  });

  it('follows its class, although nothing of itself changes', async () => {
    await start();
    await world.create();
    await world.until(isReady(world));
    await world.patch(machineKinds.class, 'small', { spec: { cpu: 3 } });
    await world.until(async () => (await world.machines())[0]?.cpu === 3);
    await world.until(isReady(world));
  });

  it('is switched on again when somebody has switched it off, and made again when it vanished', async () => {
    await start();
    await world.create();
    await world.until(isReady(world));
    const [first] = await world.machines();
    await world.hypervisor.power(first!.id, 'off', {}, signal);
    await world.pass(3);
    await world.until(isReady(world));
    expect((await world.machines())[0]).toMatchObject({ id: first!.id, power: 'On' });

    await world.hypervisor.delete(first!.id, signal);
    await world.until(async () => (await world.ready()) === 'False MachineVanished');
    await world.until(isReady(world), 1200);
    const [second, ...more] = await world.machines();
    expect(more).toEqual([]);
    expect(second?.id).not.toBe(first!.id);
    expect((await world.get())?.status?.id).toBe(second!.id);
  });

  it('that is deleted before anything was begun for it is gone at once', async () => {
    await start();
    await world.create();
    await world.delete();
    await world.until(isGone(world), 60);
    expect(await world.machines()).toEqual([]);
  });

  it('waits for what it refers to, and goes on when that is there', async () => {
    await start();
    await world.create({ classRef: { name: 'later' } });
    await world.pass(5);
    expect(await world.ready()).toBe('False WaitingForDependencies');
    expect(await world.message()).toContain('spec.classRef: there is no VMClass team-a/later');
    await world.make(machineKinds.class, 'later', { cpu: 1, memory: '1Gi' });
    await world.until(isReady(world));
  });

  it('gets what is in its Secret as user data, and nobody else sees that', async () => {
    const text = 'c2VjcmV0LWNsb3VkLWluaXQ=';
    let seen: string | undefined;
    await start({
      wrap: (driver) => ({
        ...driver,
        create: (name, spec, stop) => {
          seen = spec.userData;
          return driver.create(name, spec, stop);
        },
      }),
    });
    await world.api.create(
      { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'init', namespace: team }, data: { 'user-data': text } },
    );
    await world.create({ userData: { cloudInit: { secretRef: { name: 'init' } } } });
    await world.until(isReady(world));
    expect(seen).toBe('secret-cloud-init');
    const all = JSON.stringify([await world.get(), world.log.lines, world.engine.all()]);
    expect(all).not.toContain('secret-cloud-init');
    expect(all).not.toContain(text);
  });

  it('is stopped for a change only with permission, where its provider cannot change it while it runs', async () => {
    await start({
      wrap: (driver) => ({
        ...driver,
        capabilities: async (stop) => {
          const can = await driver.capabilities(stop);
          return can.ok ? { ok: true, value: { ...can.value, reconfigureOnline: false } } : can;
        },
      }),
    });
    await world.create();
    await world.until(isReady(world));
    await world.change({ resources: { memoryMiB: 8192 } });
    await world.until(async () => (await world.ready()) === 'False MachineRestartNeeded');
    expect(await world.message()).toContain('supports_reconfigure_online');
    expect(await world.machines()).toMatchObject([{ power: 'On', memoryMiB: 4096 }]);
    const annotations = { [machineAnnotations.allowRestart]: 'true' };
    await world.patch(machineKinds.virtualMachine, 'web', { metadata: { annotations } });
    await world.wake();
    await world.until(isReady(world));
    expect(await world.machines()).toMatchObject([{ power: 'On', memoryMiB: 8192 }]);
  });

  it('stays while its machine cannot be deleted, and goes by force', async () => {
    let refuse = false;
    await start({
      wrap: (driver) => ({
        ...driver,
        delete: async (id, stop) =>
          refuse ? { ok: false, error: { kind: 'unauthorised', message: 'not allowed' } } : driver.delete(id, stop),
      }),
    });
    await world.create();
    await world.until(isReady(world));
    refuse = true;
    await world.delete();
    await world.pass(60);
    expect(await world.condition('Deleting')).toBe('True ProviderError');
    expect((await world.get())?.status).toMatchObject({
      phase: 'Deleting',
      message: expect.stringContaining('not allowed'),
    });
    const annotations = { [machineAnnotations.forceDelete]: 'true' };
    await world.patch(machineKinds.virtualMachine, 'web', { metadata: { annotations } });
    await world.wake();
    await world.until(isGone(world));
    expect(await world.machines()).toHaveLength(1);
  });

  it('tries again what the provider has refused, after growing pauses', async () => {
    await start({ mock: { maxMachines: 3 }, settings: { retrySeconds: 20 } });
    await world.create();
    await world.until(async () => (await world.ready()) === 'False ProviderError');
    expect(await world.message()).toContain('room for 3 machines');
    expect((await world.get())?.status?.phase).toBe('Failed');
    await world.pass(100, 5);
    const creates = world.log.lines.filter((line) => JSON.stringify(line).includes('machine.create.failed'));
    expect(creates.length).toBeGreaterThan(1);
    expect(creates.length).toBeLessThan(6);
    const spare = mustBe(await world.hypervisor.list(signal))[0];
    await world.hypervisor.delete(spare!.id, signal);
    await world.until(isReady(world), 1200);
    expect(await world.machines()).toHaveLength(1);
  });
});

it('prepares an image once for all machines that need it', async () => {
  let prepared = 0;
  await start({
    wrap: (driver) => ({
      ...driver,
      prepareImage: (...args) => {
        prepared += 1;
        return driver.prepareImage(...args);
      },
    }),
  });
  await world.make(machineKinds.image, 'remote', { source: { http: { url: 'https://example.com/a.qcow2' } } });
  const names = ['one', 'two', 'three'];
  for (const name of names) await world.create({ imageRef: { name: 'remote' } }, name);
  for (const name of names) await world.until(isReady(world, name));
  expect(prepared).toBe(1);
  const image = await world.api.get(machineKinds.image, { namespace: team, name: 'remote' });
  expect(image).toMatchObject({ value: { status: { ready: true, providerStatus: { hall: { available: true } } } } });
});
