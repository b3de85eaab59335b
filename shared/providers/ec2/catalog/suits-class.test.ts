import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { describe, expect, test } from 'vitest';
import type { Ec2NodeClassSpec } from '../node-class/schema.ts';
import { resourcesOf } from './resources.ts';
import { suitsClass } from './suits-class.ts';
import { toFacts } from './type-facts.ts';

const described: InstanceTypeInfo = {
  InstanceType: 'p5.48xlarge',
  Hypervisor: 'nitro',
  VCpuInfo: { DefaultVCpus: 192 },
  MemoryInfo: { SizeInMiB: 2_097_152 },
  ProcessorInfo: { SupportedArchitectures: ['x86_64'], SupportedFeatures: ['nested-virtualization'] },
  NetworkInfo: {
    EnaSupport: 'required',
    Ipv4AddressesPerInterface: 50,
    NetworkCards: [
      { NetworkCardIndex: 0, MaximumNetworkInterfaces: 4 },
      { NetworkCardIndex: 1, MaximumNetworkInterfaces: 2 },
    ],
    EfaInfo: { MaximumEfaInterfaces: 1 },
  },
};

function facts(more: Partial<InstanceTypeInfo> = {}) {
  const known = toFacts({ ...described, ...more });
  if (known === undefined) expect.fail('it is a type');
  return known;
}

const nic = (networkCardIndex: number, deviceIndex: number, interfaceType: 'interface' | 'efa-only' = 'interface') => ({
  networkCardIndex,
  deviceIndex,
  interfaceType,
});

type Asked = Pick<Ec2NodeClassSpec, 'networkInterfaces' | 'connectionTracking' | 'cpuOptions'>;

describe('a type suits a class', () => {
  test.each<[Asked, Partial<InstanceTypeInfo>, boolean]>([
    [{}, { NetworkInfo: {} }, true],
    [{ networkInterfaces: [] }, { NetworkInfo: { EnaSupport: 'unsupported' } }, true],
    [{ networkInterfaces: [nic(0, 0), nic(0, 3), nic(1, 1, 'efa-only')] }, {}, true],
    // A card that the type does not have, a place that the card does not have, more EFAs than there are.
    [{ networkInterfaces: [nic(0, 0), nic(2, 0)] }, {}, false],
    [{ networkInterfaces: [nic(0, 0), nic(1, 2)] }, {}, false],
    [{ networkInterfaces: [nic(0, 0), nic(0, 1, 'efa-only'), nic(1, 0, 'efa-only')] }, {}, false],
    [
      { networkInterfaces: [nic(0, 0)] },
      { NetworkInfo: { EnaSupport: 'unsupported', MaximumNetworkInterfaces: 2 } },
      false,
    ],
    [{ networkInterfaces: [nic(0, 0), nic(0, 1)] }, { NetworkInfo: { MaximumNetworkInterfaces: 2 } }, true],
    [{ connectionTracking: { udpTimeout: 30 } }, {}, true],
    [{ connectionTracking: { udpTimeout: 30 } }, { Hypervisor: 'xen' }, false],
    [{ cpuOptions: { nestedVirtualization: 'enabled' } }, {}, true],
    [
      { cpuOptions: { nestedVirtualization: 'enabled' } },
      { ProcessorInfo: { SupportedArchitectures: ['x86_64'] } },
      false,
    ],
    [
      { cpuOptions: { nestedVirtualization: 'disabled' } },
      { ProcessorInfo: { SupportedArchitectures: ['x86_64'] } },
      true,
    ],
  ])('that asks for %j with %j: %s', (asked, type, expected) => {
    expect(suitsClass(facts(type), asked)).toBe(expected);
  });

  test('an interface without addresses has none for pods, and is a device that pods can request', () => {
    const spec: Ec2NodeClassSpec = {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ id: 'subnet-1' }],
      securityGroupSelectorTerms: [{ id: 'sg-1' }],
      role: 'nodes',
    };
    const options = { vmMemoryOverheadPercent: 0.075, reservedENIs: 0 };
    const capacityOf = (more: Asked) =>
      resourcesOf(facts(), { family: 'AL2023', spec: { ...spec, ...more } }, options).capacity;
    expect(capacityOf({})).toMatchObject({ pods: String(4 * 49 + 2) });
    expect(capacityOf({})).not.toHaveProperty(['vpc.amazonaws.com/efa']);
    expect(capacityOf({ networkInterfaces: [nic(0, 0), nic(1, 0, 'efa-only')] })).toMatchObject({
      pods: String(3 * 49 + 2),
      'vpc.amazonaws.com/efa': '1',
    });
  });
});
