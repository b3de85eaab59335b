import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defined } from '../../../base/defined.ts';
import { quantity, toNumber } from '../../../nodes/claims/spec/quantities.ts';
import type { Arch, ResolvedEc2Class } from '../node-class/resolved.ts';
import type { AmiFamily, Ec2NodeClassSpec } from '../node-class/schema.ts';
import { awsLabels } from '../node-labels.ts';
import { quotaClassLabel } from './labels.ts';
import { offeringsOf } from './offerings.ts';
import { maxPodsOf, podsByInterfaces, podsToTell } from './pods.ts';
import { resourcesOf } from './resources.ts';
import { isExotic, type TypeFacts, toFacts, variantOf } from './type-facts.ts';
import { nameParts, quotaClass, typeLabels } from './type-labels.ts';

const m5Large: TypeFacts = {
  name: 'm5.large',
  arch: 'amd64',
  cpu: 2,
  memoryMiB: 8192,
  interfaces: 3,
  addresses: 10,
  onDemand: true,
  spot: true,
  metal: false,
  encryptsInTransit: false,
};
const aClass = (
  family: AmiFamily,
  spec: Partial<Ec2NodeClassSpec> = {},
): Pick<ResolvedEc2Class, 'name' | 'family' | 'spec'> => ({
  name: 'default',
  family,
  spec: {
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: [{ id: 'subnet-1' }],
    securityGroupSelectorTerms: [{ id: 'sg-1' }],
    ...spec,
  },
});
const usual = { vmMemoryOverheadPercent: 0.075, reservedENIs: 0 };
const of = (type: TypeFacts, family: AmiFamily = 'AL2023', spec: Partial<Ec2NodeClassSpec> = {}, options = usual) =>
  resourcesOf(type, aClass(family, spec), options);

describe('pods on a node', () => {
  // Figures that AWS publishes for these types.
  test.each([
    ['t3.nano', 2, 2, 4],
    ['t3.small', 3, 4, 11],
    ['m5.large', 3, 10, 29],
    ['m5.4xlarge', 8, 30, 234],
    ['m5.24xlarge', 15, 50, 737],
  ])('%s has addresses for as many as AWS says', (_, interfaces, addresses, pods) => {
    expect(podsByInterfaces({ interfaces, addresses }, 0)).toBe(pods);
  });

  test.each<[string, AmiFamily, object, number, number, number | undefined]>([
    ['nothing is said', 'AL2023', {}, 0, 29, undefined],
    ['an interface is kept', 'AL2023', {}, 1, 20, 20],
    ['all interfaces are kept', 'AL2023', {}, 3, 0, 0],
    ['the class says how many', 'AL2023', { maxPods: 58 }, 1, 58, undefined],
    ['the class says how many per core', 'AL2023', { podsPerCore: 4 }, 0, 8, undefined],
    ['Bottlerocket is told per core', 'Bottlerocket', { podsPerCore: 4 }, 0, 8, 8],
    ['per core is more than there are', 'AL2', { podsPerCore: 100 }, 0, 29, undefined],
    ['it runs Windows', 'Windows2022', {}, 0, 110, undefined],
    ['the image is custom', 'Custom', {}, 1, 20, undefined],
  ])('when %s', (_, family, kubelet, reservedENIs, pods, told) => {
    const input = { family, kubelet, reservedENIs };
    expect(maxPodsOf(m5Large, input)).toBe(pods);
    expect(podsToTell(m5Large, input)).toBe(told);
  });
});

describe('resources of a node', () => {
  test('are what Karpenter reckons for m5.large', () => {
    expect(of(m5Large)).toEqual({
      // 8192 MiB less 7.5 %, which is 614.4, rounded up.
      capacity: { cpu: '2', memory: '7577Mi', 'ephemeral-storage': '20480Mi', pods: '29' },
      // CPU: 60m + 10m. Memory: 255 + 11 × 29 = 574 and 100. Storage: 1 GiB and a tenth.
      allocatable: { cpu: '1930m', memory: '6903Mi', 'ephemeral-storage': '17408Mi', pods: '29' },
    });
  });

  /**
   * The table of instance types in Karpenter's own documentation, reckoned there with AL2023, 7.5 % and no block devices.
   * Vcpus, memory, interfaces and addresses are those of EC2's own lists.
   */
  test.each<[string, Arch, number, number, number, number, { cpu: string; memory: string; pods: string }]>([
    ['a1.medium', 'arm64', 1, 2048, 2, 4, { cpu: '940m', memory: '1392Mi', pods: '8' }],
    ['a1.4xlarge', 'arm64', 16, 32768, 8, 30, { cpu: '15890m', memory: '27322Mi', pods: '234' }],
    ['c1.medium', 'amd64', 2, 1740, 2, 6, { cpu: '1930m', memory: '1122Mi', pods: '12' }],
    ['c4.8xlarge', 'amd64', 36, 61440, 8, 30, { cpu: '35840m', memory: '53903Mi', pods: '234' }],
    ['c5.large', 'amd64', 2, 4096, 3, 10, { cpu: '1930m', memory: '3114Mi', pods: '29' }],
    ['c5.xlarge', 'amd64', 4, 8192, 4, 15, { cpu: '3920m', memory: '6584Mi', pods: '58' }],
  ])(
    'of %s are the figures that Karpenter publishes',
    (name, arch, cpu, memoryMiB, interfaces, addresses, published) => {
      const { allocatable } = of({ ...m5Large, name, arch, cpu, memoryMiB, interfaces, addresses });
      expect(allocatable).toMatchObject({ ...published, 'ephemeral-storage': '17408Mi' });
    },
  );

  test('keep for all addresses with AL2, also for those of interfaces that are kept for something else', () => {
    const { capacity, allocatable } = of(m5Large, 'AL2', {}, { ...usual, reservedENIs: 1 });
    expect(capacity.pods).toBe('20');
    expect(allocatable.memory).toBe(`${7577 - (255 + 11 * 29) - 100}Mi`);
  });

  test('keep less of further cores', () => {
    const cpuOf = (cpu: number) => of({ ...m5Large, cpu }).allocatable.cpu;
    expect([1, 2, 4, 8, 96].map(cpuOf)).toEqual(['940m', '1930m', '3920m', '7910m', '95690m']);
  });

  test('are fewer on Graviton, which keeps 64 MiB', () => {
    expect(of({ ...m5Large, arch: 'arm64' }).capacity.memory).toBe('7518Mi');
  });

  test('are what the class says where it says so', () => {
    const kubelet = {
      kubeReserved: { cpu: '200m', memory: '100Mi', 'ephemeral-storage': '3Gi' },
      systemReserved: { cpu: '100m', memory: '100Mi' },
      evictionHard: { 'memory.available': '5%', 'nodefs.available': '10%' },
      evictionSoft: { 'memory.available': '500Mi' },
      evictionSoftGracePeriod: { 'memory.available': '1m' },
    };
    const { allocatable } = of(m5Large, 'AL2023', { kubelet });
    expect(allocatable).toMatchObject({
      cpu: '1700m',
      // 5 % of 7577 are 378.85; the soft threshold takes nothing.
      memory: `${Math.floor(7577 * 0.95) - 200}Mi`,
      'ephemeral-storage': `${20480 - 3072 - 2048}Mi`,
    });
    // All of it switches the threshold off.
    const off = { evictionHard: { 'memory.available': '100%' } };
    expect(of(m5Large, 'AL2023', { kubelet: off }).allocatable.memory).toBe(`${7577 - 574}Mi`);
  });

  test.each<[AmiFamily, Partial<Ec2NodeClassSpec>, string]>([
    ['AL2023', {}, '20480Mi'],
    ['Bottlerocket', {}, '20480Mi'],
    ['Windows2022', {}, '51200Mi'],
    ['AL2023', { blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '100Gi' } }] }, '102400Mi'],
    [
      'Bottlerocket',
      {
        blockDeviceMappings: [
          { deviceName: '/dev/xvda', ebs: { volumeSize: '4Gi' } },
          { deviceName: '/dev/xvdb', ebs: { volumeSize: '1Ti' } },
        ],
      },
      '1048576Mi',
    ],
    [
      'AL2',
      {
        blockDeviceMappings: [
          { deviceName: '/dev/xvda', ebs: { volumeSize: '20Gi' } },
          { deviceName: '/dev/xvdb', rootVolume: true, ebs: { volumeSize: '50Gi' } },
        ],
      },
      '51200Mi',
    ],
    [
      'Custom',
      {
        blockDeviceMappings: [
          { deviceName: 'a', ebs: { volumeSize: '8Gi' } },
          { deviceName: 'b', ebs: { volumeSize: '30Gi' } },
        ],
      },
      '30720Mi',
    ],
  ])('have the storage of the volume that the kubelet uses: %s %j', (family, spec, expected) => {
    expect(of(m5Large, family, spec).capacity['ephemeral-storage']).toBe(expected);
  });

  test('have the local disks where those are made one', () => {
    const disks = { ...m5Large, nvmeGB: 75 };
    expect(of(disks, 'AL2023', { instanceStorePolicy: 'RAID0' }).capacity['ephemeral-storage']).toBe('71525Mi');
    expect(of(disks).capacity['ephemeral-storage']).toBe('20480Mi');
  });

  test.each([
    [{ gpus: { name: 't4', maker: 'nvidia', count: 4, memoryMiB: 16384 } }, { 'nvidia.com/gpu': '4' }],
    [{ gpus: { name: 'radeon-pro-v520', maker: 'amd', count: 1, memoryMiB: 8192 } }, { 'amd.com/gpu': '1' }],
    [{ gpus: { name: 'gaudi-hl-205', maker: 'habana', count: 8, memoryMiB: 32768 } }, { 'habana.ai/gaudi': '8' }],
    [
      { neuron: { name: 'trainium', maker: 'aws', count: 16, memoryMiB: 32768, cores: 32 } },
      { 'aws.amazon.com/neuron': '16', 'aws.amazon.com/neuroncore': '32' },
    ],
  ])('have accelerators: %j', (more, expected) => {
    const { capacity, allocatable } = of({ ...m5Large, ...more });
    expect(capacity).toMatchObject(expected);
    expect(allocatable).toMatchObject(expected);
  });

  test('are never less than nothing, and never more than there are', () => {
    const anyType = fc.record({
      cpu: fc.integer({ min: 1, max: 448 }),
      memoryMiB: fc.integer({ min: 128, max: 25_165_824 }),
      interfaces: fc.integer({ min: 0, max: 15 }),
      addresses: fc.integer({ min: 1, max: 50 }),
      arch: fc.constantFrom('amd64' as const, 'arm64' as const),
    });
    fc.assert(
      fc.property(
        anyType,
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        fc.integer({ min: 0, max: 20 }),
        (type, vmMemoryOverheadPercent, reservedENIs) => {
          const { capacity, allocatable } = of(
            { ...m5Large, ...type },
            'AL2023',
            {},
            { vmMemoryOverheadPercent, reservedENIs },
          );
          for (const [name, left] of Object.entries(allocatable)) {
            expect(toNumber(quantity(left))).toBeGreaterThanOrEqual(0);
            expect(toNumber(quantity(left))).toBeLessThanOrEqual(toNumber(quantity(capacity[name] ?? '0')));
          }
        },
      ),
    );
  });
});

describe('labels of a type', () => {
  test.each([
    ['m6idn.2xlarge', { family: 'm6idn', size: '2xlarge', category: 'm', generation: '6' }],
    ['u-6tb1.metal', { family: 'u-6tb1', size: 'metal', category: 'u', generation: '1' }],
    ['inf2.xlarge', { family: 'inf2', size: 'xlarge', category: 'inf', generation: '2' }],
    ['odd', { family: 'odd', size: '' }],
  ])('%s is told apart by its name', (name, expected) => {
    expect(nameParts(name)).toEqual(expected);
  });

  test('are those that users of Karpenter know', () => {
    const type: TypeFacts = {
      ...m5Large,
      name: 'g4dn.xlarge',
      hypervisor: 'nitro',
      cpuMaker: 'intel',
      cpuMhz: 2500,
      nvmeGB: 125,
      ebsMbps: 3500,
      networkMbps: 5000,
      gpus: { name: 't4', maker: 'nvidia', count: 1, memoryMiB: 16384 },
    };
    expect(typeLabels(type, aClass('AL2023'), 'eu-west-1')).toEqual({
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/os': 'linux',
      'topology.kubernetes.io/region': 'eu-west-1',
      [awsLabels.nodeClass]: 'default',
      [awsLabels.category]: 'g',
      [awsLabels.generation]: '4',
      [awsLabels.family]: 'g4dn',
      [awsLabels.size]: 'xlarge',
      [awsLabels.flex]: 'false',
      [awsLabels.cpu]: '2',
      [awsLabels.cpuManufacturer]: 'intel',
      [awsLabels.cpuSpeed]: '2500',
      [awsLabels.memory]: '8192',
      [awsLabels.hypervisor]: 'nitro',
      [awsLabels.encryptionInTransit]: 'false',
      [awsLabels.ebsBandwidth]: '3500',
      [awsLabels.networkBandwidth]: '5000',
      [awsLabels.localNvme]: '125',
      [awsLabels.tenancy]: 'default',
      [awsLabels.gpuName]: 't4',
      [awsLabels.gpuManufacturer]: 'nvidia',
      [awsLabels.gpuCount]: '1',
      [awsLabels.gpuMemory]: '16384',
      [quotaClassLabel]: 'G',
    });
    expect(typeLabels(m5Large, aClass('Windows2022'), 'eu-west-1')).toMatchObject({
      'kubernetes.io/os': 'windows',
      'node.kubernetes.io/windows-build': '10.0.20348',
    });
  });

  test.each([
    ['m7i-flex.large', 'true'],
    ['m7i.large', 'false'],
  ])('say of %s whether it is flex: %s', (name, expected) => {
    expect(typeLabels({ ...m5Large, name }, aClass('AL2023'), 'eu-west-1')[awsLabels.flex]).toBe(expected);
  });

  test.each([
    ['m5', 'Standard'],
    ['t3', 'Standard'],
    ['g5', 'G'],
    ['gr6', 'G'],
    ['vt1', 'G'],
    ['p4d', 'P'],
    ['inf2', 'Inf'],
    ['trn1', 'Trn'],
    ['dl1', 'DL'],
    ['x2idn', 'X'],
    ['u-6tb1', 'HighMemory'],
    ['hpc7g', 'HPC'],
    ['f1', 'F'],
    ['i3', 'Standard'],
  ])('%s counts against the quota %s', (family, expected) => {
    expect(quotaClass(family)).toBe(expected);
  });
});

describe('a type as EC2 describes it', () => {
  test('without what a node needs is left out', () => {
    expect(toFacts({ InstanceType: 'm5.large' })).toBeUndefined();
    const mac = {
      InstanceType: 'mac1.metal' as const,
      VCpuInfo: { DefaultVCpus: 12 },
      MemoryInfo: { SizeInMiB: 32768 },
      ProcessorInfo: { SupportedArchitectures: ['x86_64_mac' as const] },
    };
    expect(toFacts(mac)).toBeUndefined();
  });

  const described = {
    InstanceType: 'p4d.24xlarge' as const,
    VCpuInfo: { DefaultVCpus: 96 },
    MemoryInfo: { SizeInMiB: 1_179_648 },
    ProcessorInfo: { SupportedArchitectures: ['x86_64' as const] },
  };

  // AWS publishes 4x 100 Gigabit for p4d.24xlarge, 0.75 for c5.large, and only a word for c4.large.
  test.each([
    [[100, 100, 100, 100], 400_000],
    [[0.75], 750],
    [[undefined], undefined],
  ])('has the bandwidth of all its network cards: %j', (cards, expected) => {
    const NetworkCards = cards.map((BaselineBandwidthInGbps, NetworkCardIndex) => ({
      NetworkCardIndex,
      MaximumNetworkInterfaces: 15,
      ...defined({ BaselineBandwidthInGbps }),
    }));
    expect(toFacts({ ...described, NetworkInfo: { NetworkCards } })?.networkMbps).toBe(expected);
  });

  test('has bandwidth to its volumes only where that costs nothing more', () => {
    const EbsOptimizedInfo = { MaximumBandwidthInMbps: 500 };
    const ebsOf = (EbsOptimizedSupport: 'default' | 'supported') =>
      toFacts({ ...described, EbsInfo: { EbsOptimizedSupport, EbsOptimizedInfo } })?.ebsMbps;
    expect([ebsOf('default'), ebsOf('supported')]).toEqual([500, undefined]);
  });

  test('that is sold in capacity blocks only is not offered on demand', () => {
    const offered = (SupportedUsageClasses: ('on-demand' | 'spot' | 'capacity-block')[]) => {
      const facts = toFacts({ ...described, SupportedUsageClasses });
      const market = { zoneLabels: new Map(), onDemand: undefined, spot: undefined, reservations: [], now: 0 };
      const input = { ...market, zones: ['us-east-1a'], isSold: () => true };
      return facts && offeringsOf(facts, input).map(({ capacityType }) => capacityType);
    };
    expect(offered(['on-demand', 'spot'])).toEqual(['on-demand', 'spot']);
    expect(offered(['capacity-block'])).toEqual([]);
  });

  test('needs the image for its accelerators, and is exotic with them', () => {
    const gpus = { name: 't4', maker: 'nvidia', count: 1, memoryMiB: 1 };
    const neuron = { ...gpus, cores: 2 };
    expect([m5Large, { ...m5Large, gpus }, { ...m5Large, neuron }].map(variantOf)).toEqual([
      'standard',
      'nvidia',
      'neuron',
    ]);
    expect([m5Large, { ...m5Large, gpus }, { ...m5Large, neuron }, { ...m5Large, metal: true }].map(isExotic)).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });
});
