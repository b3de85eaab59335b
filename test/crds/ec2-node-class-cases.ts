/** Specs of an EC2NodeClass, and what an API server makes of them: a real one, and the simulated one. */
import type { Json } from '../../shared/base/json.ts';

export type Fields = { [field: string]: Json };

export const least = {
  amiSelectorTerms: [{ alias: 'al2023@latest' }],
  subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'web' } }],
  securityGroupSelectorTerms: [{ id: 'sg-0123' }],
  role: 'nodes',
};

const families = ['AL2', 'AL2023', 'Bottlerocket', 'Windows2019', 'Windows2022', 'Windows2025'];
const volumes = (...sizes: string[]) =>
  sizes.map((volumeSize, index) => ({ deviceName: `/dev/sd${index}`, ebs: { volumeSize } }));
const nic = (networkCardIndex: number, deviceIndex: number, interfaceType = 'interface') => ({
  networkCardIndex,
  deviceIndex,
  interfaceType,
});

/** Each is `least` with more. */
export const acceptedClasses: readonly [string, Fields][] = [
  ['the least', {}],
  [
    'much',
    {
      amiFamily: 'Bottlerocket',
      amiSelectorTerms: [
        { name: 'mine-*', owner: 'self', tags: { team: '*' } },
        { ssmParameter: '/mine/ami' },
        { id: 'ami-1' },
      ],
      subnetSelectorTerms: [{ id: 'subnet-1' }, { tags: { a: 'b' } }],
      securityGroupSelectorTerms: [{ name: 'nodes' }],
      capacityReservationSelectorTerms: [{ id: 'cr-1' }, { tags: { a: 'b' }, ownerID: '123456789012' }],
      userData: '[settings]\n',
      blockDeviceMappings: [
        {
          deviceName: '/dev/xvda',
          rootVolume: true,
          ebs: { volumeSize: '100Gi', volumeType: 'gp3', encrypted: true, iops: 3000 },
        },
      ],
      metadataOptions: {
        httpEndpoint: 'enabled',
        httpProtocolIPv6: 'enabled',
        httpPutResponseHopLimit: 2,
        httpTokens: 'optional',
      },
      tags: { team: 'web', 'cost center': 'a/b' },
      detailedMonitoring: true,
      associatePublicIPAddress: false,
      placementGroupSelector: { name: 'close' },
      tenancy: 'dedicated',
      instanceStorePolicy: 'RAID0',
      kubelet: {
        maxPods: 42,
        podsPerCore: 10,
        clusterDNS: ['10.0.0.10'],
        kubeReserved: { cpu: '100m', memory: '1Gi' },
        evictionHard: { 'memory.available': '5%' },
        evictionSoft: { 'memory.available': '10%' },
        evictionSoftGracePeriod: { 'memory.available': '1m' },
        imageGCHighThresholdPercent: 85,
        imageGCLowThresholdPercent: 80,
      },
      context: 'c',
      networkInterfaces: [
        { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
        { networkCardIndex: 0, deviceIndex: 1, interfaceType: 'efa-only' },
        { networkCardIndex: 1, deviceIndex: 0, interfaceType: 'efa-only' },
      ],
      connectionTracking: { tcpEstablishedTimeout: 432_000, udpStreamTimeout: 180, udpTimeout: 60 },
      cpuOptions: { nestedVirtualization: 'enabled' },
    },
  ],
  ['an image of its own with the settings of a family', { amiFamily: 'Custom' }],
  ['no further interfaces', { networkInterfaces: [], cpuOptions: {} }],
  ['the largest volumes', { blockDeviceMappings: volumes('65536Gi', '70368G', '64Ti', '70T', '1Gi', '1T') }],
];

/** Each is `least` with more, and what the refusal says. */
export const refusedClasses: readonly [Fields, string][] = [
  [{ amiSelectorTerms: [] }, 'spec.amiSelectorTerms'],
  [{ amiSelectorTerms: [{ alias: 'ubuntu@latest' }] }, 'spec.amiSelectorTerms[0].alias'],
  [{ amiSelectorTerms: [{ alias: 'al2023@latest' }, { id: 'ami-1' }] }, 'an alias must be the only term'],
  [{ amiSelectorTerms: [{ id: 'ami-1', name: 'x' }] }, 'id must be alone in its term'],
  [{ amiSelectorTerms: [{ id: 'ami-1' }] }, 'amiFamily is required'],
  [{ amiSelectorTerms: [{ owner: 'self' }] }, 'each term needs one of'],
  [{ subnetSelectorTerms: [{}] }, 'each term needs one of tags, id'],
  [{ subnetSelectorTerms: [{ tags: { a: '' } }] }, 'neither keys nor values of tags may be empty'],
  [{ securityGroupSelectorTerms: [{ id: 'sg-1', name: 'x' }] }, 'must be alone in its term'],
  [{ instanceProfile: 'x' }, 'set either role or instanceProfile'],
  [{ tags: { 'karpenter.sh/nodepool': 'x' } }, 'identify the owner of an instance'],
  [{ tags: { 'kubernetes.io/cluster/web': 'owned' } }, 'identify the owner of an instance'],
  [{ blockDeviceMappings: [{ rootVolume: true }, { rootVolume: true }] }, 'at most one device'],
  [{ kubelet: { evictionSoft: { 'memory.available': '5%' } } }, 'needs its evictionSoftGracePeriod'],
  [{ kubelet: { evictionHard: { memory: '5%' } } }, 'known keys: memory.available'],
  [{ kubelet: { imageGCHighThresholdPercent: 1, imageGCLowThresholdPercent: 2 } }, 'must be above'],
  [{ placementGroupSelector: {} }, 'either the id or the name'],
  // What the suite of Karpenter's provider for AWS found (npm run test:peers).
  ...families.flatMap((amiFamily) =>
    families
      .filter((other) => other !== amiFamily)
      .map((other): [Fields, string] => [
        { amiFamily, amiSelectorTerms: [{ alias: `${other.toLowerCase()}@latest` }] },
        'amiFamily must be the family of the alias',
      ]),
  ),
  [{ amiSelectorTerms: [{ alias: 'windows2019@v1.0.0' }] }, 'AWS does not publish versions of Windows images'],
  [{ amiSelectorTerms: [{ alias: 'windows2022@v1.0.0' }] }, 'AWS does not publish versions of Windows images'],
  [{ amiSelectorTerms: [{ alias: 'windows2025@v1.0.0' }] }, 'AWS does not publish versions of Windows images'],
  [{ blockDeviceMappings: volumes('100T') }, 'spec.blockDeviceMappings[0].ebs.volumeSize'],
  [{ blockDeviceMappings: volumes('65Ti') }, 'spec.blockDeviceMappings[0].ebs.volumeSize'],
  [{ blockDeviceMappings: volumes('65537Gi') }, 'spec.blockDeviceMappings[0].ebs.volumeSize'],
  [{ blockDeviceMappings: volumes('0') }, 'spec.blockDeviceMappings[0].ebs.volumeSize'],
  [{ blockDeviceMappings: [{ deviceName: 'a', ebs: {} }] }, 'set volumeSize, unless'],
  [
    { blockDeviceMappings: [{ deviceName: 'a', ebs: { volumeSize: '1Gi', volumeInitializationRate: 100 } }] },
    'needs a snapshotID',
  ],
  [{ networkInterfaces: [nic(0, 0, 'efa')] }, 'spec.networkInterfaces[0].interfaceType'],
  [{ networkInterfaces: [nic(0, 0), nic(-1, 0)] }, 'spec.networkInterfaces[1].networkCardIndex'],
  [{ networkInterfaces: [nic(0, 0), nic(0, -1)] }, 'spec.networkInterfaces[1].deviceIndex'],
  [{ networkInterfaces: [nic(0, 0), nic(1, 0), nic(1, 0, 'efa-only')] }, 'two interfaces have the same'],
  [{ networkInterfaces: [nic(0, 1)] }, 'one interface must be of type interface'],
  [{ networkInterfaces: [nic(0, 0, 'efa-only')] }, 'one interface must be of type interface'],
  [{ networkInterfaces: [nic(0, 0), nic(1, 0, 'efa-only'), nic(1, 1, 'efa-only')] }, 'at most one efa-only'],
  [{ connectionTracking: {} }, 'set at least one of tcpEstablishedTimeout'],
  [{ connectionTracking: { tcpEstablishedTimeout: 59 } }, 'spec.connectionTracking.tcpEstablishedTimeout'],
  [{ connectionTracking: { tcpEstablishedTimeout: 432_001 } }, 'spec.connectionTracking.tcpEstablishedTimeout'],
  [{ connectionTracking: { udpStreamTimeout: 59 } }, 'spec.connectionTracking.udpStreamTimeout'],
  [{ connectionTracking: { udpStreamTimeout: 181 } }, 'spec.connectionTracking.udpStreamTimeout'],
  [{ connectionTracking: { udpTimeout: 29 } }, 'spec.connectionTracking.udpTimeout'],
  [{ connectionTracking: { udpTimeout: 61 } }, 'spec.connectionTracking.udpTimeout'],
  [{ cpuOptions: { nestedVirtualization: 'on' } }, 'spec.cpuOptions.nestedVirtualization'],
];
