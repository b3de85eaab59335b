/** What cannot be made says so on the object, with a code and the field; and nothing else stops. */
import { expect, it } from 'vitest';
import { machineKinds } from '../../shared/machines/api/kinds.ts';
import { errors } from '../../shared/observe/errors/catalog.ts';
import { isReady, type MachineWorldOptions, machineWorld } from './world.ts';

interface Case {
  name: string;
  spec?: object;
  object?: string;
  options?: MachineWorldOptions;
  code: string;
  says: string[];
}

const noImport: MachineWorldOptions = {
  wrap: (driver) => ({
    ...driver,
    capabilities: async (stop) => {
      const can = await driver.capabilities(stop);
      return can.ok ? { ok: true, value: { ...can.value, imageImport: false } } : can;
    },
  }),
};

const cases: Case[] = [
  {
    name: 'two networks of one name',
    spec: { networks: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] },
    code: 'MachineNetworkInvalid',
    says: ['spec.networks[2].name', 'spec.networks[0]'],
  },
  {
    name: 'two disks of one name',
    spec: {
      disks: [
        { name: 'a', sizeGiB: 1 },
        { name: 'a', sizeGiB: 2 },
      ],
    },
    code: 'MachineDiskInvalid',
    says: ['spec.disks[1].name'],
  },
  {
    name: 'an image without a source',
    spec: { imageRef: { name: 'empty' } },
    code: 'MachineImageInvalid',
    says: ['VMImage team-a/empty spec.source'],
  },
  {
    name: 'no image at all',
    spec: { imageRef: null },
    code: 'MachineImageInvalid',
    says: ['imageRef', 'importedDisk'],
  },
  {
    name: 'a disk that the provider does not have',
    spec: { disks: [{ name: 'a', sizeGiB: 1, type: 'ssd' }] },
    code: 'MachineCapabilityMissing',
    says: ['spec.disks[0].type', 'supported_disk_types', 'thin, thick'],
  },
  {
    name: 'a class that the provider cannot make',
    spec: { classRef: { name: 'nvme' } },
    code: 'MachineCapabilityMissing',
    says: ['spec.classRef', 'supported_disk_types', 'nvme'],
  },
  {
    name: 'an image that the provider cannot import',
    spec: { imageRef: { name: 'http' } },
    options: noImport,
    code: 'MachineCapabilityMissing',
    says: ['spec.imageRef', 'supports_image_import'],
  },
  {
    name: 'GPUs',
    spec: { resources: { gpu: { count: 1 } } },
    code: 'MachineCapabilityMissing',
    says: ['spec.resources.gpu'],
  },
  {
    name: 'a name too long',
    object: `web-${'x'.repeat(60)}`,
    code: 'MachineNameInvalid',
    says: ['metadata.name', '63'],
  },
  {
    name: 'a name with characters that the hypervisor refuses',
    object: 'a.b',
    options: { providerType: 'firecracker' },
    code: 'MachineNameInvalid',
    says: ['metadata.name', 'letters, digits and dashes'],
  },
  {
    name: 'a place that the policy does not allow',
    spec: { placementRef: { name: 'strict' }, placement: { host: 'three' } },
    code: 'MachinePlacementImpossible',
    says: ['spec.placement.host', 'three', 'VMPlacementPolicy strict'],
  },
];

it.each(cases)('$name', async ({ spec = {}, object = 'web', options, code, says }) => {
  const world = await machineWorld(options);
  try {
    await world.make(machineKinds.image, 'empty', { source: {} });
    await world.make(machineKinds.image, 'http', { source: { http: { url: 'https://example.com/a.qcow2' } } });
    await world.make(machineKinds.class, 'nvme', { cpu: 1, memory: '1Gi', diskDefaults: { type: 'nvme' } });
    await world.make(machineKinds.placement, 'strict', { hard: { hosts: ['one', 'two'] } });
    const whole = JSON.parse(JSON.stringify({ imageRef: { name: 'ubuntu' }, ...spec })) as { imageRef: unknown };
    const asked = whole.imageRef === null ? { ...whole, imageRef: undefined } : whole;
    await world.create(asked as never, object);
    await world.create({}, 'fine');
    if (options?.providerType === undefined) await world.until(isReady(world, 'fine'));
    await world.pass(5);
    expect(await world.ready(object)).toBe(`False ${code}`);
    for (const text of says) expect(await world.message(object)).toContain(text);
    expect(Object.keys(errors)).toContain(code);
    expect((await world.get(object))?.status?.phase).toBe('Failed');
    expect((await world.machines()).filter(({ name }) => name.includes(object))).toEqual([]);
    // Nothing was begun, so nothing holds it.
    expect((await world.get(object))?.metadata.finalizers).toBeUndefined();
  } finally {
    await world.close();
  }
});

it('a disk never shrinks, and a machine never moves to another provider by its spec', async () => {
  const world = await machineWorld();
  try {
    await world.create({ disks: [{ name: 'data', sizeGiB: 20 }] });
    await world.until(isReady(world));
    await world.change({ disks: [{ name: 'data', sizeGiB: 10 }] });
    await world.until(async () => (await world.ready()) === 'False MachineDiskInvalid');
    expect(await world.message()).toContain('20 GiB');
    await world.make(machineKinds.provider, 'other', {
      type: 'mock',
      endpoint: 'tcp://other.example:1',
      runtime: { mode: 'Remote', image: 'example.com/mock:1' },
    });
    await world.change({ disks: [{ name: 'data', sizeGiB: 20 }], providerRef: { name: 'other' } });
    await world.until(async () => (await world.ready()) === 'False MachineProviderChanged');
    expect(await world.machines()).toHaveLength(1);
  } finally {
    await world.close();
  }
});

it('keeps machines of one policy apart', async () => {
  const world = await machineWorld();
  try {
    await world.make(machineKinds.placement, 'apart', {
      hard: { hosts: ['one', 'two'] },
      antiAffinity: { hostAntiAffinity: { enabled: true } },
    });
    const placementRef = { name: 'apart' };
    for (const name of ['a', 'b']) {
      await world.create({ placementRef }, name);
      await world.until(isReady(world, name));
    }
    const hosts = await Promise.all(
      ['a', 'b'].map(async (name) => (await world.get(name))!.metadata.annotations!['poolwright.dev/machine-record']!),
    );
    expect(hosts.map((text) => (JSON.parse(text) as { placement: { host: string } }).placement.host)).toEqual([
      'one',
      'two',
    ]);
    await world.create({ placementRef }, 'c');
    await world.pass(3);
    expect(await world.ready('c')).toBe('False MachinePlacementImpossible');
    await world.delete('a');
    await world.until(isReady(world, 'c'));
  } finally {
    await world.close();
  }
});
