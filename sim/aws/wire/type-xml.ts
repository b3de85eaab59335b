/** Instance types as DescribeInstanceTypes shows them. */
import type { Accelerator, Ec2Type } from '../types.ts';
import type { Xml } from './xml.ts';

export const typeXml = (type: Ec2Type): Xml => ({
  instanceType: type.name,
  currentGeneration: true,
  freeTierEligible: type.name === 't3.micro',
  supportedUsageClasses: type.spot ? ['on-demand', 'spot'] : ['on-demand'],
  supportedRootDeviceTypes: ['ebs'],
  supportedVirtualizationTypes: ['hvm'],
  bareMetal: type.metal,
  ...(type.metal ? {} : { hypervisor: 'nitro' }),
  processorInfo: {
    supportedArchitectures: [type.arch],
    sustainedClockSpeedInGhz: 3.1,
    manufacturer: type.arch === 'arm64' ? 'AWS' : 'Intel',
  },
  vCpuInfo: {
    defaultVCpus: type.vcpus,
    defaultCores: type.arch === 'arm64' ? type.vcpus : type.vcpus / 2,
    defaultThreadsPerCore: type.arch === 'arm64' ? 1 : 2,
  },
  memoryInfo: { sizeInMiB: type.memoryMiB },
  instanceStorageSupported: type.localDiskGB > 0,
  ...(type.localDiskGB === 0
    ? {}
    : {
        instanceStorageInfo: {
          totalSizeInGB: type.localDiskGB,
          disks: [{ sizeInGB: type.localDiskGB, count: 1, type: 'ssd' }],
          nvmeSupport: 'required',
          encryptionSupport: 'required',
        },
      }),
  ebsInfo: {
    ebsOptimizedSupport: 'default',
    encryptionSupport: 'supported',
    ebsOptimizedInfo: {
      baselineBandwidthInMbps: 650 * Math.max(1, type.vcpus / 2),
      baselineThroughputInMBps: 81.25,
      baselineIops: 3600,
      maximumBandwidthInMbps: 4750,
      maximumThroughputInMBps: 593.75,
      maximumIops: 18_750,
    },
    nvmeSupport: 'required',
  },
  networkInfo: {
    networkPerformance: 'Up to 10 Gigabit',
    maximumNetworkInterfaces: type.interfaces,
    maximumNetworkCards: type.interfaces > 15 ? 4 : 1,
    defaultNetworkCardIndex: 0,
    networkCards: [
      {
        networkCardIndex: 0,
        networkPerformance: 'Up to 10 Gigabit',
        maximumNetworkInterfaces: Math.min(type.interfaces, 15),
        baselineBandwidthInGbps: 0.75,
        peakBandwidthInGbps: 10,
      },
    ],
    ipv4AddressesPerInterface: type.addressesPerInterface,
    ipv6AddressesPerInterface: type.addressesPerInterface,
    ipv6Supported: true,
    enaSupport: 'required',
    efaSupported: type.vcpus >= 96,
    encryptionInTransitSupported: /^[a-z]+[6-9]/.test(type.name),
  },
  ...(type.accelerator === undefined ? {} : acceleratorXml(type.accelerator)),
  placementGroupInfo: { supportedStrategies: ['cluster', 'partition', 'spread'] },
  hibernationSupported: false,
  burstablePerformanceSupported: type.burstable,
  dedicatedHostsSupported: true,
  autoRecoverySupported: true,
  supportedBootModes: ['uefi'],
});

function acceleratorXml({ kind, name, manufacturer, count, memoryMiB }: Accelerator): { [name: string]: Xml } {
  const memoryInfo = { sizeInMiB: memoryMiB };
  switch (kind) {
    // Gaudi stands among the GPUs, too.
    case 'gpu':
    case 'gaudi':
      return { gpuInfo: { gpus: [{ name, manufacturer, count, memoryInfo }], totalGpuMemoryInMiB: count * memoryMiB } };
    case 'neuron':
      return {
        neuronInfo: {
          neuronDevices: [{ count, name, coreInfo: { count: 2, version: 2 }, memoryInfo }],
          totalNeuronDeviceMemoryInMiB: count * memoryMiB,
        },
      };
    case 'inference':
      return {
        inferenceAcceleratorInfo: {
          accelerators: [{ count, name, manufacturer, memoryInfo }],
          totalInferenceMemoryInMiB: count * memoryMiB,
        },
        neuronInfo: {
          neuronDevices: [{ count, name, coreInfo: { count: 4, version: 1 }, memoryInfo }],
          totalNeuronDeviceMemoryInMiB: count * memoryMiB,
        },
      };
  }
}
