/** What every machine driver does, whatever is behind it. A quirk that is found anywhere becomes a case here. */
import { describe, expect, it } from 'vitest';
import type { Result } from '../../../shared/base/result.ts';
import type { Begun, MachineDriver } from '../../../shared/drivers/contract.ts';
import type { MachineSpec } from '../../../shared/drivers/machine-spec.ts';

export interface DriverHarness {
  driver: MachineDriver;
  /** Lets tasks go on. */
  pass(milliseconds: number): void;
  /** The driver as a new process has it, over the same hypervisor. */
  reopen(): Promise<MachineDriver>;
  close(): Promise<void>;
}

export const aMachine = (changes: Partial<MachineSpec> = {}): MachineSpec => ({
  class: { cpu: 2, memoryMiB: 2048 },
  image: { templateName: 'ubuntu' },
  networks: [{ name: 'lan' }],
  disks: [{ name: 'root', sizeGiB: 20 }],
  tags: ['team=a', 'ü'],
  ...changes,
});

const never = new AbortController().signal;

/** What a hypervisor may lack. */
export type Lack = 'snapshots' | 'clones' | 'images' | 'disks';

export function describeMachineDriver(
  title: string,
  open: () => Promise<DriverHarness>,
  lacks: readonly Lack[] = [],
): void {
  const unless = (lack: Lack) => it.skipIf(lacks.includes(lack));
  describe(`the machine driver ${title}`, () => {
    const withHarness = (work: (harness: DriverHarness) => Promise<void>) => async () => {
      const harness = await open();
      try {
        await work(harness);
      } finally {
        await harness.close();
      }
    };

    /** Until the task has ended; its error, if it has one. */
    async function end({ driver, pass }: DriverHarness, begun: Result<Begun>): Promise<string | undefined> {
      const { task } = got(begun);
      if (task === undefined) return;
      for (let looks = 0; looks < 100; looks++) {
        const { done, error } = got(await driver.task(task, never));
        if (done) return error;
        pass(1000);
      }
      throw new Error(`task ${task} does not end`);
    }

    async function made(harness: DriverHarness, name: string, changes: Partial<MachineSpec> = {}): Promise<string> {
      const created = await harness.driver.create(name, aMachine(changes), never);
      expect(await end(harness, created)).toBeUndefined();
      return got(created).id;
    }

    it(
      'reaches its hypervisor, and says what it can do',
      withHarness(async ({ driver }) => {
        expect(await driver.validate(never)).toEqual({ ok: true, value: undefined });
        const capabilities = got(await driver.capabilities(never));
        expect(typeof capabilities.snapshots).toBe('boolean');
        expect(Array.isArray(capabilities.diskTypes)).toBe(true);
        // Other cases here show both.
        expect(capabilities).toMatchObject({ keepsTags: true, createsByName: true });
      }),
    );

    it(
      'makes a machine, starts and stops it',
      withHarness(async (harness) => {
        const { driver } = harness;
        const id = await made(harness, 'web');
        expect(await end(harness, await driver.power(id, 'on', {}, never))).toBeUndefined();
        expect(got(await driver.describe(id, never))).toMatchObject({
          power: 'On',
          addresses: [expect.any(String)],
        });
        expect(await end(harness, await driver.power(id, 'shutdown', { gracefulSeconds: 1 }, never))).toBeUndefined();
        expect(got(await driver.describe(id, never))).toMatchObject({ power: 'Off', addresses: [] });
      }),
    );

    it(
      'finds a machine of that name instead of making a second one',
      withHarness(async (harness) => {
        const { driver } = harness;
        const [one, two] = await Promise.all([
          driver.create('web', aMachine(), never),
          driver.create('web', aMachine(), never),
        ]);
        const id = got(one).id;
        expect(got(two).id).toBe(id);
        await end(harness, one);
        expect(got(await driver.create('web', aMachine(), never)).id).toBe(id);
        expect(got(await driver.list(never)).filter(({ name }) => name === 'web')).toHaveLength(1);
      }),
    );

    it(
      'lists machines with what they are',
      withHarness(async (harness) => {
        const id = await made(harness, 'web', { class: { cpu: 4, memoryMiB: 3072 } });
        const listed = got(await harness.driver.list(never)).find((machine) => machine.id === id);
        expect(listed).toMatchObject({ name: 'web', cpu: 4, memoryMiB: 3072, tags: ['team=a', 'ü'] });
        expect(listed?.disks).toMatchObject([{ id: 'root', sizeGiB: 20 }]);
        expect(listed?.networks).toMatchObject([{ name: 'lan' }]);
      }),
    );

    it(
      'deletes a machine once, twice, and one that never was',
      withHarness(async (harness) => {
        const { driver } = harness;
        const id = await made(harness, 'web');
        const [one, two] = [await driver.delete(id, never), await driver.delete(id, never)];
        expect(await end(harness, one)).toBeUndefined();
        expect(await end(harness, two)).toBeUndefined();
        expect(got(await driver.describe(id, never))).toBeUndefined();
        expect(await end(harness, await driver.delete(id, never))).toBeUndefined();
        expect(await end(harness, await driver.delete('vm-never', never))).toBeUndefined();
      }),
    );

    it(
      'says that a machine is gone',
      withHarness(async ({ driver }) => {
        expect(got(await driver.describe('vm-never', never))).toBeUndefined();
        expect(kindOf(await driver.power('vm-never', 'on', {}, never))).toBe('not-found');
        expect(kindOf(await driver.reconfigure('vm-never', 'x', aMachine(), never))).toBe('not-found');
      }),
    );

    it(
      'knows nothing of a task that never was',
      withHarness(async ({ driver }) => {
        expect(kindOf(await driver.task('task-never', never))).toBe('not-found');
      }),
    );

    it(
      'changes a machine, and never shrinks a disk',
      withHarness(async (harness) => {
        const { driver } = harness;
        const id = await made(harness, 'web');
        const larger = aMachine({ class: { cpu: 8, memoryMiB: 4096 }, disks: [{ name: 'root', sizeGiB: 30 }] });
        expect(await end(harness, await driver.reconfigure(id, 'web', larger, never))).toBeUndefined();
        const listed = got(await driver.list(never)).find((machine) => machine.id === id);
        expect(listed).toMatchObject({ cpu: 8, memoryMiB: 4096, disks: [{ sizeGiB: 30 }] });
        expect(kindOf(await driver.reconfigure(id, 'web', aMachine(), never))).toBe('invalid');
      }),
    );

    unless('snapshots')(
      'takes snapshots, and goes back to one',
      withHarness(async (harness) => {
        const { driver } = harness;
        const id = await made(harness, 'web');
        const request = { machine: id, name: 'before', memory: false };
        const snapshot = await driver.createSnapshot(request, never);
        expect(await end(harness, snapshot)).toBeUndefined();
        expect(got(await driver.createSnapshot(request, never)).id).toBe(got(snapshot).id);
        const more = aMachine({ class: { cpu: 6, memoryMiB: 2048 } });
        await end(harness, await driver.reconfigure(id, 'web', more, never));
        expect(await end(harness, await driver.revertToSnapshot(id, got(snapshot).id, never))).toBeUndefined();
        expect(got(await driver.list(never)).find((machine) => machine.id === id)?.cpu).toBe(2);
        expect(await end(harness, await driver.deleteSnapshot(id, got(snapshot).id, never))).toBeUndefined();
        expect(kindOf(await driver.revertToSnapshot(id, got(snapshot).id, never))).toBe('not-found');
      }),
    );

    unless('clones')(
      'clones a machine once',
      withHarness(async (harness) => {
        const { driver } = harness;
        const source = await made(harness, 'web');
        const request = { source, name: 'copy', linked: false };
        const clone = await driver.clone(request, never);
        expect(await end(harness, clone)).toBeUndefined();
        expect(got(await driver.clone(request, never)).id).toBe(got(clone).id);
        expect(got(await driver.describe(got(clone).id, never))).toBeDefined();
      }),
    );

    unless('images')(
      'prepares an image',
      withHarness(async (harness) => {
        const image = { url: 'https://images.example/u.img', format: 'qcow2' };
        const prepared = await harness.driver.prepareImage(image, { name: 'ubuntu', storage: 'fast' }, never);
        expect(await end(harness, prepared)).toBeUndefined();
        expect(got(prepared).id ?? got(prepared).path).toBeTruthy();
      }),
    );

    unless('disks')(
      'exports, imports and describes disks',
      withHarness(async (harness) => {
        const { driver } = harness;
        const id = await made(harness, 'web');
        const to = { machine: id, disk: 'root', url: 's3://bucket/root', compress: false, backend: 's3' as const };
        expect(await end(harness, await driver.exportDisk(to, never))).toBeUndefined();
        const from = { url: 's3://bucket/root', name: 'copy', backend: 's3' as const };
        expect(await end(harness, await driver.importDisk(from, never))).toBeUndefined();
        const info = got(await driver.diskInfo(id, 'root', undefined, never));
        expect(info).toMatchObject({ id: 'root', virtualBytes: 20 * 2 ** 30, bootable: true });
      }),
    );

    it(
      'says what it does not support, with a code',
      withHarness(async (harness) => {
        const { driver } = harness;
        const id = await made(harness, 'web');
        const snapshot = await driver.createSnapshot({ machine: id, name: 's', memory: false }, never);
        const clone = await driver.clone({ source: id, name: 'c', linked: false }, never);
        const image = await driver.prepareImage({ url: 'https://images.example/u.img' }, { name: 'u' }, never);
        const disk = await driver.diskInfo(id, 'root', undefined, never);
        const answers = { snapshots: snapshot, clones: clone, images: image, disks: disk };
        for (const [part, answer] of Object.entries(answers)) {
          const code = answer.ok ? undefined : answer.error.code;
          expect([part, code]).toEqual([part, lacks.includes(part as Lack) ? 'NotSupported' : undefined]);
        }
      }),
    );

    unless('snapshots')(
      'takes no snapshot of a machine that is gone',
      withHarness(async ({ driver }) => {
        const request = { machine: 'vm-never', name: 's', memory: false };
        expect(kindOf(await driver.createSnapshot(request, never))).toBe('not-found');
      }),
    );

    unless('clones')(
      'clones no machine that is gone',
      withHarness(async ({ driver }) => {
        expect(kindOf(await driver.clone({ source: 'vm-never', name: 'c', linked: false }, never))).toBe('not-found');
      }),
    );

    it(
      'keeps tasks and machines when its process is replaced',
      withHarness(async (harness) => {
        const created = await harness.driver.create('web', aMachine(), never);
        const driver = await harness.reopen();
        expect(await end({ ...harness, driver }, created)).toBeUndefined();
        expect(got(await driver.create('web', aMachine(), never)).id).toBe(got(created).id);
      }),
    );

    it(
      'begins nothing for a caller who has gone',
      withHarness(async ({ driver }) => {
        const gone = AbortSignal.abort();
        expect((await driver.create('late', aMachine(), gone)).ok).toBe(false);
        expect(got(await driver.list(never)).map(({ name }) => name)).not.toContain('late');
      }),
    );
  });
}

function got<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.kind}: ${result.error.message}`);
  return result.value;
}

const kindOf = (result: Result<unknown>): string => (result.ok ? 'none' : result.error.kind);
