/** What CloudStack sells to a class: instance types, their labels, sizes, GPUs, prices; and what limits them. */
import { describe, expect, it } from 'vitest';
import { labelValueFault } from '../../shared/base/kubernetes/label-syntax.ts';
import { compileCatalog } from '../../shared/nodes/claims/choice/catalog.ts';
import { chooseOfferings } from '../../shared/nodes/claims/choice/choose.ts';
import type { InstanceType } from '../../shared/nodes/claims/choice/offerings.ts';
import { parseRequirements } from '../../shared/nodes/claims/spec/requirements.ts';
import type { Requirement } from '../../shared/nodes/claims/spec/types.ts';
import { offering } from '../../sim/cloudstack/site/offerings.ts';
import { classOf, cloudStackWorld, signal, type WorldOptions } from './world.ts';

async function typesOf(
  spec: Parameters<typeof classOf>[0] = {},
  more: WorldOptions = {},
): Promise<readonly InstanceType[]> {
  const { provider } = await cloudStackWorld(more);
  const types = await provider.instanceTypes(classOf(spec), signal);
  if (!types.ok) throw new Error(types.error.message);
  return types.value;
}

const named = (types: readonly InstanceType[], name: string): InstanceType => {
  const found = types.find((type) => type.name === name);
  if (found === undefined) throw new Error(`${name} is not among ${types.map((type) => type.name).join(', ')}`);
  return found;
};

const name = (value: string) => ({ serviceOfferingSelectorTerms: [{ name: value }] });

describe('an offering', () => {
  it('is an instance type with the labels of upstream, and what is left for pods', async () => {
    const type = named(await typesOf(), 'Medium-Instance');
    expect(type).toEqual({
      name: 'Medium-Instance',
      labels: {
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'karpenter.k8s.cloudstack/service-offering-id': expect.any(String),
        'karpenter.k8s.cloudstack/service-offering-name': 'Medium-Instance',
        'karpenter.k8s.cloudstack/instance-cpu': '2',
        'karpenter.k8s.cloudstack/instance-memory': '8192',
      },
      capacity: { cpu: '2', memory: '7782Mi', pods: '110', 'ephemeral-storage': '10Gi' },
      allocatable: { cpu: '1900m', memory: '7426Mi', pods: '110', 'ephemeral-storage': '9Gi' },
      offerings: [
        {
          instanceType: 'Medium-Instance',
          zone: 'zone-01',
          capacityType: 'on-demand',
          price: undefined,
          available: true,
          labels: {
            'karpenter.k8s.cloudstack/zone-id': expect.any(String),
            'karpenter.k8s.cloudstack/zone-name': 'zone-01',
            'karpenter.k8s.cloudstack/network-id': expect.any(String),
            'karpenter.k8s.cloudstack/network-name': 'default-network',
            'karpenter.k8s.cloudstack/template-id': expect.any(String),
            'karpenter.k8s.cloudstack/template-name': 'ubuntu-22.04-kubernetes',
          },
        },
      ],
    });
  });

  it('has its tags of hosts and storage as labels', async () => {
    const types = await typesOf({
      serviceOfferingSelectorTerms: [{ name: 'GPU T4 Spot Instance' }, { name: 'Tiny Root Instance' }],
      rootDiskSize: 20,
    });
    expect(named(types, 'GPU-T4-Spot-Instance').labels).toMatchObject({
      'host-tag.karpenter.k8s.cloudstack/gpu': 'true',
      'host-tag.karpenter.k8s.cloudstack/spot': 'true',
    });
    expect(named(types, 'Tiny-Root-Instance').labels).toMatchObject({
      'storage-tag.karpenter.k8s.cloudstack/ssd': 'true',
    });
  });

  it('takes what the kubelet of the class keeps from what pods get', async () => {
    const kubelet = {
      maxPods: 30,
      kubeReserved: { cpu: '200m', memory: '1Gi' },
      systemReserved: { cpu: '100m' },
      evictionHard: { 'memory.available': '10%' },
    };
    const type = named(await typesOf({ kubelet }, { options: { vmMemoryOverheadPercent: 0 } }), 'Medium-Instance');
    expect(type.allocatable).toMatchObject({ cpu: '1700m', memory: '6501171Ki', pods: '30' });
  });

  it('is spot where the class says so, and only there', async () => {
    const spec = { spotOfferingSelectorTerms: [{ tags: { 'capacity-type': 'spot' } }] };
    const types = await typesOf(spec);
    const spot = types.filter((type) => type.offerings.some(({ capacityType }) => capacityType === 'spot'));
    expect(spot.map((type) => type.name).sort()).toEqual([
      'Extra-Large-Spot-Instance',
      'GPU-T4-Spot-Instance',
      'Large-Spot-Instance',
      'Medium-Spot-Instance',
    ]);
    expect((await typesOf()).flatMap((type) => type.offerings.map((one) => one.capacityType))).not.toContain('spot');
  });

  it('of another architecture gets the template of that architecture, and its label', async () => {
    const types = await typesOf({
      templateSelectorTerms: [{ name: 'ubuntu-22.04-kubernetes-arm64' }, { name: 'ubuntu-22.04-kubernetes' }],
    });
    const arm = named(types, 'Medium-ARM-Instance');
    expect(arm.labels['kubernetes.io/arch']).toBe('arm64');
    expect(arm.offerings[0]?.labels).toMatchObject({
      'karpenter.k8s.cloudstack/template-name': 'ubuntu-22.04-kubernetes-arm64',
    });
    expect(named(types, 'Medium-Instance').labels['kubernetes.io/arch']).toBe('amd64');
  });

  it('is offered in the zones of the class, and not where CloudStack does not offer it', async () => {
    const types = await typesOf({ zone: undefined, zones: ['zone-01', 'zone-02', 'zone-03'] });
    const offered = (type: string): Record<string, string | true> =>
      Object.fromEntries(
        named(types, type).offerings.map(({ zone, available, unavailableReason = '' }) => [
          zone,
          available || unavailableReason,
        ]),
      );
    expect(offered('Medium-Instance')).toEqual({ 'zone-01': true, 'zone-02': true, 'zone-03': true });
    expect(offered('GPU-T4-Instance')).toEqual({
      'zone-01': true,
      'zone-02': true,
      'zone-03': 'offering GPU T4 Instance is not offered in zone zone-03',
    });
  });

  it('of several with one name is told apart, and the oldest keeps the name', async () => {
    const twins = ['aaaaaaaa-0000-4000-8000-000000000001', 'bbbbbbbb-0000-4000-8000-000000000002'].map((id) =>
      offering({ name: 'Größe "M" (8 GiB)', id }),
    );
    const types = await typesOf(name('Größe "M" (8 GiB)'), { standIn: { offerings: twins } });
    expect(types.map((type) => type.name).sort()).toEqual(['Gro-e-M-8-GiB', 'Gro-e-M-8-GiB-bbbbbbbb']);
    for (const type of types) {
      for (const value of [type.name, ...Object.values(type.labels)]) expect(labelValueFault(value)).toBeUndefined();
    }
  });

  it('whose name has nothing that a label can hold goes by its id', async () => {
    const id = 'cccccccc-0000-4000-8000-000000000003';
    const types = await typesOf(name('中型'), { standIn: { offerings: [offering({ name: '中型', id })] } });
    expect(types.map((type) => type.name)).toEqual([id]);
  });
});

describe('a requirement', () => {
  const choose = async (requirements: Requirement[], spec: Parameters<typeof classOf>[0] = {}): Promise<string[]> => {
    const parsed = parseRequirements(requirements);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    const catalog = compileCatalog(await typesOf(spec));
    return chooseOfferings({ catalog, requirements: parsed.value }).candidates.map(({ instanceType }) => instanceType);
  };

  it.each([
    ['as CloudStack names it', 'In', ['Medium Instance', 'Large Instance'], ['Medium-Instance', 'Large-Instance']],
    ['as labels have it', 'In', ['Medium-Instance'], ['Medium-Instance']],
  ] as const)('may name an offering %s', async (_name, operator, values, expected) => {
    const key = 'node.kubernetes.io/instance-type';
    expect(await choose([{ key, operator, values: [...values] }])).toEqual(expected);
  });

  it('may exclude one by its name', async () => {
    const key = 'node.kubernetes.io/instance-type';
    const types = await choose([{ key, operator: 'NotIn', values: ['Medium Instance'] }], {
      serviceOfferingSelectorTerms: [{ tags: { 'compute-type': 'general-purpose' } }],
    });
    expect(types).toEqual(['Small-Instance', 'Large-Instance', 'Extra-Large-Instance']);
  });

  it('on another label still needs a value that a label can have', () => {
    expect(
      parseRequirements([{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['zone 01'] }]),
    ).toMatchObject({
      ok: false,
      problems: [{ path: 'spec.requirements[0].values[0]' }],
    });
    expect(parseRequirements([{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['中型'] }]).ok).toBe(
      false,
    );
  });
});

describe('a customised offering', () => {
  it('becomes the sizes that the class lists, within its limits', async () => {
    const details = [
      { cpuNumber: 4, memory: 8192 },
      { cpuNumber: 8, memory: 32_768 },
      { cpuNumber: 65, memory: 8192 },
    ];
    const types = await typesOf({ ...name('Custom Instance'), details });
    expect(types.map((type) => [type.name, type.capacity.cpu])).toEqual([
      ['Custom-Instance-4cpu-8192mib', '4'],
      ['Custom-Instance-8cpu-32768mib', '8'],
    ]);
  });

  it('needs a speed where it leaves that open', async () => {
    const open = { name: 'Open', cpuNumber: undefined, memory: undefined, cpuSpeed: undefined };
    const spec = {
      ...name('Open'),
      details: [
        { cpuNumber: 2, memory: 2048 },
        { cpuNumber: 2, memory: 2048, cpuSpeed: 1000 },
      ],
    };
    const types = await typesOf(spec, { standIn: { offerings: [offering(open)] } });
    expect(types.map((type) => type.name)).toEqual(['Open-2cpu-2048mib-1000mhz']);
  });
});

describe('an offering with a GPU', () => {
  it.each([
    ['GPU T4 Instance', 'GPU-T4-Instance', 'NVIDIA-T4', 'passthrough'],
    ['vGPU A40 Instance', 'vGPU-A40-Instance', 'NVIDIA-A40', 'NVIDIA-A40-12Q'],
  ])(
    '%s has it as a resource and as labels, and is kept for those who need it',
    async (written, type, card, profile) => {
      const [found] = await typesOf(name(written));
      expect(found).toMatchObject({
        name: type,
        exotic: true,
        capacity: { 'nvidia.com/gpu': '1' },
        labels: {
          'karpenter.k8s.cloudstack/instance-gpu-name': card,
          'karpenter.k8s.cloudstack/instance-gpu-count': '1',
          'karpenter.k8s.cloudstack/instance-vgpu-profile': profile,
        },
      });
    },
  );

  it('by details is for XenServer, and says so', async () => {
    const { provider } = await cloudStackWorld();
    expect(await provider.instanceTypes(classOf(name('GPU V100 Instance')), signal)).toMatchObject({
      error: {
        kind: 'not-ready',
        reason: 'OfferingTemplateMismatch',
        message: expect.stringMatching(/needs hypervisor XenServer/),
      },
    });
  });
});

describe('prices', () => {
  const priced = async (priceTable: object, spec: Parameters<typeof classOf>[0] = {}) => {
    const types = await typesOf(spec, { options: { priceTable: priceTable as never } });
    return (type: string, zone = 'zone-01') => named(types, type).offerings.find((one) => one.zone === zone)?.price;
  };

  it('come from the table: the offering first, else its parts, else they are unknown', async () => {
    const zones = { zone: undefined, zones: ['zone-01', 'zone-02'] };
    const price = await priced(
      { offerings: { 'Large Instance': 0.5 }, perVcpu: 0.01, perGib: 0.005, zones: { 'zone-02': { perVcpu: 0.02 } } },
      zones,
    );
    expect(price('Medium-Instance')).toBe(0.06);
    expect(price('Medium-Instance', 'zone-02')).toBe(0.08);
    expect(price('Large-Instance')).toBe(0.5);
    expect(price('GPU-T4-Instance')).toBeUndefined();
    expect((await priced({ perVcpu: 0.01, perGpu: 1 }))('GPU-T4-Instance')).toBe(1.04);
    expect((await priced({}))('Medium-Instance')).toBeUndefined();
    // What an object inherits is no price.
    expect((await priced({ offerings: { constructor: 1 } }))('Medium-Instance')).toBeUndefined();
  });
});

describe('limits', () => {
  it('of the account are told with what is used, and the capacity of zones where the account may ask', async () => {
    const { provider } = await cloudStackWorld({
      standIn: { settings: { limits: { user_vm: 3, cpu: 10, memory: 20_480 } } },
    });
    const quota = await provider.quota(signal);
    expect(quota).toMatchObject({
      ok: true,
      value: expect.arrayContaining([
        { name: 'instances of account kubernetes', used: 0, limit: 3, unit: 'instances', ofAllTypes: true },
        { name: 'CPUs of account kubernetes', used: 0, limit: 10, unit: 'vCPU', ofAllTypes: true },
        { name: 'memory of account kubernetes', used: 0, limit: 20_480, unit: 'MiB', ofAllTypes: true },
      ]),
    });
    const admin = await cloudStackWorld({ as: 'admin' });
    const all = await admin.provider.quota(signal);
    expect(all.ok && all.value.map((one) => one.name)).toContain('memory in zone zone-01');
  });
});
