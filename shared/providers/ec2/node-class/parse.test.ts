import { describe, expect, test } from 'vitest';
import type { Json } from '../../../base/json.ts';
import { aliasOf, familyOf, parseNodeClass } from './parse.ts';

const least = {
  amiSelectorTerms: [{ alias: 'al2023@latest' }],
  subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'web' } }],
  securityGroupSelectorTerms: [{ id: 'sg-0123' }],
  role: 'nodes',
};

const problemOf = (more: { [field: string]: Json }): string => {
  const parsed = parseNodeClass({ ...least, ...more });
  if (parsed.ok) expect.fail('it should have been refused');
  expect(parsed.error.kind).toBe('invalid');
  return parsed.error.message;
};

const nic = (networkCardIndex: number, deviceIndex: number, interfaceType = 'interface') => ({
  networkCardIndex,
  deviceIndex,
  interfaceType,
});

describe('an EC2NodeClass', () => {
  test('needs images, subnets, groups and a role', () => {
    expect(parseNodeClass(least)).toEqual({ ok: true, value: least });
    const parsed = parseNodeClass({});
    if (parsed.ok) expect.fail('it should have been refused');
    for (const field of ['amiSelectorTerms', 'subnetSelectorTerms', 'securityGroupSelectorTerms']) {
      expect(parsed.error.message).toContain(`spec.${field}`);
    }
  });

  test('may have all that people use', () => {
    const full = {
      amiFamily: 'Bottlerocket',
      amiSelectorTerms: [{ name: 'mine-*', owner: 'self', tags: { team: '*' } }, { ssmParameter: '/mine/ami' }],
      subnetSelectorTerms: [{ id: 'subnet-1' }, { tags: { a: 'b' } }],
      securityGroupSelectorTerms: [{ name: 'nodes' }],
      capacityReservationSelectorTerms: [{ id: 'cr-1' }, { tags: { a: 'b' }, ownerID: '123456789012' }],
      instanceProfile: 'nodes',
      userData: '[settings]\n',
      blockDeviceMappings: [
        { deviceName: '/dev/xvda', rootVolume: true, ebs: { volumeSize: '100Gi', volumeType: 'gp3', encrypted: true } },
      ],
      metadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 2 },
      tags: { team: 'web' },
      detailedMonitoring: true,
      associatePublicIPAddress: false,
      placementGroupSelector: { name: 'close' },
      tenancy: 'dedicated',
      instanceStorePolicy: 'RAID0',
      kubelet: {
        maxPods: 42,
        podsPerCore: 10,
        kubeReserved: { cpu: '100m', memory: '1Gi' },
        evictionHard: { 'memory.available': '5%' },
        evictionSoft: { 'memory.available': '10%' },
        evictionSoftGracePeriod: { 'memory.available': '1m' },
      },
      networkInterfaces: [nic(0, 0), nic(1, 0, 'efa-only')],
      connectionTracking: { tcpEstablishedTimeout: 600 },
      cpuOptions: { nestedVirtualization: 'enabled' },
      context: 'c',
    };
    expect(parseNodeClass(full)).toEqual({ ok: true, value: full });
  });

  test.each<[{ [field: string]: Json }, string]>([
    [{ amiSelectorTerms: [] }, 'spec.amiSelectorTerms: it must have at least one term'],
    [{ amiSelectorTerms: [{ alias: 'ubuntu@latest' }] }, 'spec.amiSelectorTerms.0.alias: it must be family@version'],
    [{ amiSelectorTerms: [{ alias: 'al2023' }] }, 'spec.amiSelectorTerms.0.alias'],
    [{ amiSelectorTerms: [{ alias: 'al2023@latest' }, { id: 'ami-1' }] }, 'an alias must be the only term'],
    [{ amiSelectorTerms: [{ alias: 'windows2022@v1' }] }, 'use windows2022@latest'],
    [{ amiFamily: 'AL2' }, 'spec.amiFamily: is AL2, but the alias al2023@latest is of AL2023'],
    [{ amiSelectorTerms: [{ id: 'ami-1' }] }, 'spec.amiFamily: is required'],
    [{ amiFamily: 'Custom', amiSelectorTerms: [{ id: 'ami-1', name: 'x' }] }, 'amiSelectorTerms[0].id: must be alone'],
    [{ amiFamily: 'Custom', amiSelectorTerms: [{ owner: 'self' }] }, 'amiSelectorTerms[0]: selects nothing'],
    [{ subnetSelectorTerms: [{}] }, 'spec.subnetSelectorTerms[0]: selects nothing; set one of id, tags'],
    [{ subnetSelectorTerms: [{ tags: {} }] }, 'spec.subnetSelectorTerms[0].tags: neither keys nor values may be empty'],
    [{ subnetSelectorTerms: [{ tags: { a: '' } }] }, '* matches any value'],
    [{ subnetSelectorTerms: [{ id: 'vpc-1' }] }, 'an id such as subnet-0123'],
    [
      { securityGroupSelectorTerms: [{ id: 'sg-1', tags: { a: 'b' } }] },
      'securityGroupSelectorTerms[0].id: must be alone',
    ],
    [{ instanceProfile: 'x' }, 'spec.instanceProfile: cannot be combined with spec.role'],
    [{ role: 'arn:aws:iam::123456789012:role/nodes' }, 'spec.role: must be the name of a role'],
    [{ tags: { 'karpenter.sh/nodepool': 'x' } }, 'spec.tags["karpenter.sh/nodepool"]: these tags identify the owner'],
    [{ tags: { 'kubernetes.io/cluster/web': 'owned' } }, 'identify the owner of an instance'],
    [{ tags: { 'poolwright.dev/claim': 'x' } }, 'identify the owner of an instance'],
    [{ blockDeviceMappings: [{ deviceName: '/dev/xvda' }] }, 'spec.blockDeviceMappings[0].ebs: is required'],
    [{ blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: {} }] }, 'ebs.volumeSize: is required'],
    [
      { blockDeviceMappings: [{ deviceName: 'a', ebs: { volumeSize: '20' } }] },
      'a size of 64Ti at most in Gi, G, Ti or T',
    ],
    [{ blockDeviceMappings: [{ deviceName: 'a', ebs: { volumeSize: '65Ti' } }] }, 'a size of 64Ti at most'],
    [{ kubelet: { evictionSoft: { 'memory.available': '5%' } } }, 'needs its evictionSoftGracePeriod'],
    [{ kubelet: { evictionHard: { memory: '5%' } } }, 'spec.kubelet.evictionHard'],
    [{ kubelet: { imageGCHighThresholdPercent: 50, imageGCLowThresholdPercent: 60 } }, 'must be above'],
    [{ kubelet: { kubeReserved: { cpu: '-1' } } }, 'must not be negative'],
    [{ placementGroupSelector: {} }, 'set either the id or the name'],
    [{ metadataOptions: { httpPutResponseHopLimit: 65 } }, 'spec.metadataOptions.httpPutResponseHopLimit'],
    [{ enclaveOptions: {} }, "spec.enclaveOptions: only Karpenter's own provider"],
    [{ networkInterfaces: [nic(0, 1)] }, 'spec.networkInterfaces: one interface must be of type interface'],
    [{ networkInterfaces: [nic(0, 0), nic(0, 0)] }, 'two interfaces have the same networkCardIndex'],
    [{ networkInterfaces: [nic(0, 0), nic(1, 0, 'efa-only'), nic(1, 1, 'efa-only')] }, 'at most one efa-only'],
    [{ networkInterfaces: [nic(0, 0, 'efa')] }, 'spec.networkInterfaces.0.interfaceType'],
    [{ connectionTracking: {} }, 'spec.connectionTracking: set at least one of'],
    [{ connectionTracking: { udpTimeout: 61 } }, 'spec.connectionTracking.udpTimeout'],
    [{ cpuOptions: { nestedVirtualization: 'on' } }, 'spec.cpuOptions.nestedVirtualization'],
    [{ cpuOptions: { coreCount: 2 } }, 'spec.cpuOptions.coreCount: there is no such field'],
    [{ subnetSelectorTerm: [] }, 'did you mean "subnetSelectorTerms"?'],
  ])('is refused with %j, by the field and with what to do', (more, expected) => {
    expect(problemOf(more)).toContain(expected);
  });

  test('tells everything that is wrong at once', () => {
    const said = problemOf({ instanceProfile: 'x', tags: { 'aws:x': '' }, subnetSelectorTerms: [{}] });
    for (const field of ['spec.instanceProfile', 'spec.tags', 'spec.subnetSelectorTerms[0]']) {
      expect(said).toContain(field);
    }
  });

  test('knows the family of its image from the alias, unless it says so itself', () => {
    const terms = [{ alias: 'bottlerocket@v1.51.0' }];
    expect(familyOf({ amiSelectorTerms: terms })).toBe('Bottlerocket');
    expect(familyOf({ amiSelectorTerms: terms, amiFamily: 'Custom' })).toBe('Custom');
    expect(aliasOf({ amiSelectorTerms: terms })).toEqual({ family: 'bottlerocket', version: 'v1.51.0' });
    expect(aliasOf({ amiSelectorTerms: [{ id: 'ami-1' }] })).toBeUndefined();
  });
});
