import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { launchTemplateData, type TemplateInput } from './launch-template.ts';
import type { ResolvedEc2Class } from './resolved.ts';
import type { Ec2NodeClassSpec } from './schema.ts';

const ami = { id: 'ami-1', name: 'image', arch: 'amd64' as const, createdAt: '2026-01-01T00:00:00.000Z' };

const aClass = (spec: Partial<Ec2NodeClassSpec> = {}, more: Partial<ResolvedEc2Class> = {}): ResolvedEc2Class => ({
  name: 'default',
  spec: {
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: [{ id: 'subnet-1' }],
    securityGroupSelectorTerms: [{ id: 'sg-1' }],
    role: 'nodes',
    ...spec,
  },
  family: 'AL2023',
  amis: [ami],
  subnets: [{ id: 'subnet-1', zone: 'eu-west-1a', zoneId: 'euw1-az1', freeAddresses: 10 }],
  securityGroups: [
    { id: 'sg-1', name: 'one' },
    { id: 'sg-2', name: 'two' },
  ],
  reservations: [],
  instanceProfile: { name: 'profile' },
  ...more,
});

const usual: TemplateInput = {
  cluster: { name: 'web', endpoint: 'https://web.example', certificateAuthority: 'Q0E=', kubernetesVersion: '1.34' },
  owner: 'us/web',
  ami,
  labels: { team: 'a', stage: 'b' },
  taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }],
};

function made(resolved: ResolvedEc2Class = aClass(), more: Partial<TemplateInput> = {}) {
  const template = launchTemplateData(resolved, { ...usual, ...more });
  if (!template.ok) expect.fail(template.error.message);
  return template.value;
}

describe('a launch template', () => {
  test('says all that is the same for machines of a class', () => {
    const { data, name, imageId } = made();
    const { UserData, ...rest } = data;
    expect(name).toMatch(/^poolwright\/[0-9a-f]{32}$/);
    expect(imageId).toBe('ami-1');
    expect(Buffer.from(UserData ?? '', 'base64').toString()).toContain('NodeConfig');
    expect(rest).toEqual({
      ImageId: 'ami-1',
      IamInstanceProfile: { Name: 'profile' },
      SecurityGroupIds: ['sg-1', 'sg-2'],
      BlockDeviceMappings: [
        {
          DeviceName: '/dev/xvda',
          Ebs: { DeleteOnTermination: true, Encrypted: true, VolumeSize: 20, VolumeType: 'gp3' },
        },
      ],
      MetadataOptions: { HttpEndpoint: 'enabled', HttpPutResponseHopLimit: 1, HttpTokens: 'required' },
      TagSpecifications: [
        {
          ResourceType: 'network-interface',
          Tags: [
            { Key: 'eks:eks-cluster-name', Value: 'web' },
            { Key: 'karpenter.k8s.aws/ec2nodeclass', Value: 'default' },
            { Key: 'kubernetes.io/cluster/web', Value: 'owned' },
          ],
        },
      ],
    });
  });

  test('has what the class asks for', () => {
    const spec: Partial<Ec2NodeClassSpec> = {
      associatePublicIPAddress: true,
      ipPrefixCount: 1,
      detailedMonitoring: true,
      tenancy: 'dedicated',
      metadataOptions: { httpPutResponseHopLimit: 2, httpProtocolIPv6: 'enabled' },
      blockDeviceMappings: [
        {
          deviceName: '/dev/xvda',
          ebs: {
            volumeSize: '1Ti',
            volumeType: 'io2',
            iops: 1000,
            kmsKeyID: 'key',
            deleteOnTermination: false,
            snapshotID: 'snap-1',
            throughput: 200,
          },
        },
      ],
    };
    const { data } = made(aClass(spec, { placementGroup: { id: 'pg-1', name: 'close', strategy: 'cluster' } }));
    expect(data).toMatchObject({
      NetworkInterfaces: [
        { DeviceIndex: 0, Groups: ['sg-1', 'sg-2'], AssociatePublicIpAddress: true, Ipv4PrefixCount: 1 },
      ],
      Monitoring: { Enabled: true },
      Placement: { GroupId: 'pg-1', Tenancy: 'dedicated' },
      MetadataOptions: { HttpPutResponseHopLimit: 2, HttpProtocolIpv6: 'enabled' },
      BlockDeviceMappings: [
        {
          DeviceName: '/dev/xvda',
          Ebs: {
            VolumeSize: 1024,
            VolumeType: 'io2',
            Iops: 1000,
            KmsKeyId: 'key',
            DeleteOnTermination: false,
            SnapshotId: 'snap-1',
            Throughput: 200,
          },
        },
      ],
    });
    // EC2 refuses groups at two places.
    expect(data.SecurityGroupIds).toBeUndefined();
  });

  test('describes each interface of the class, with addresses only where it has some', () => {
    const { data } = made(
      aClass({
        networkInterfaces: [
          { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
          { networkCardIndex: 1, deviceIndex: 0, interfaceType: 'efa-only' },
        ],
        ipPrefixCount: 1,
        connectionTracking: { tcpEstablishedTimeout: 600, udpTimeout: 30 },
        cpuOptions: { nestedVirtualization: 'enabled' },
      }),
    );
    const groups = ['sg-1', 'sg-2'];
    expect(data.SecurityGroupIds).toBeUndefined();
    expect(data.CpuOptions).toEqual({ NestedVirtualization: 'enabled' });
    expect(data.NetworkInterfaces).toEqual([
      {
        NetworkCardIndex: 0,
        DeviceIndex: 0,
        InterfaceType: 'interface',
        Groups: groups,
        Ipv4PrefixCount: 1,
        ConnectionTrackingSpecification: { TcpEstablishedTimeout: 600, UdpTimeout: 30 },
      },
      { NetworkCardIndex: 1, DeviceIndex: 0, InterfaceType: 'efa-only', Groups: groups },
    ]);
  });

  test('tells how long idle connections are tracked, also with the usual interface', () => {
    expect(made(aClass({ connectionTracking: { udpStreamTimeout: 120 } })).data).toMatchObject({
      NetworkInterfaces: [
        { DeviceIndex: 0, Groups: ['sg-1', 'sg-2'], ConnectionTrackingSpecification: { UdpStreamTimeout: 120 } },
      ],
    });
  });

  test('uses a reservation where one was chosen, and else none by accident', () => {
    expect(made().data.CapacityReservationSpecification).toBeUndefined();
    const managing = aClass({ capacityReservationSelectorTerms: [{ id: 'cr-1' }] });
    expect(made(managing).data.CapacityReservationSpecification).toEqual({ CapacityReservationPreference: 'none' });
    expect(made(managing, { reservationId: 'cr-1' }).data.CapacityReservationSpecification).toEqual({
      CapacityReservationPreference: 'capacity-reservations-only',
      CapacityReservationTarget: { CapacityReservationId: 'cr-1' },
    });
  });

  test('leaves the volumes of a custom image to the image', () => {
    const { data } = made(aClass({}, { family: 'Custom' }));
    expect(data.BlockDeviceMappings).toBeUndefined();
    expect(data.UserData).toBeUndefined();
  });
});

describe('the name of a launch template', () => {
  test('is the same for the same content, in whatever order it comes', () => {
    const labels = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.stringMatching(/^[a-z]{1,8}$/));
    fc.assert(
      fc.property(labels, labels, (some, tags) => {
        const turned = (map: Record<string, string>) => Object.fromEntries(Object.entries(map).reverse());
        const one = made(aClass({ tags }), { labels: some });
        expect(made(aClass({ tags: turned(tags) }), { labels: turned(some) })).toEqual(one);
      }),
    );
  });

  test.each<[string, ResolvedEc2Class, Partial<TemplateInput>]>([
    ['image', aClass(), { ami: { ...ami, id: 'ami-2' } }],
    ['labels', aClass(), { labels: { team: 'b' } }],
    ['taints', aClass(), { taints: [] }],
    ['pods', aClass(), { maxPods: 5 }],
    ['reservation', aClass(), { reservationId: 'cr-1' }],
    ['owner', aClass(), { owner: 'eu/web' }],
    ['cluster', aClass(), { cluster: { ...usual.cluster, endpoint: 'https://other.example' } }],
    ['tags', aClass({ tags: { a: 'b' } }), {}],
    ['user data', aClass({ userData: 'echo hi' }), {}],
    ['security groups', aClass({}, { securityGroups: [{ id: 'sg-1', name: 'one' }] }), {}],
    ['profile', aClass({}, { instanceProfile: { name: 'other' } }), {}],
    ['monitoring', aClass({ detailedMonitoring: true }), {}],
    ['processor setting', aClass({ cpuOptions: { nestedVirtualization: 'disabled' } }), {}],
  ])('is another one with another %s', (_, resolved, more) => {
    expect(made(resolved, more).name).not.toBe(made().name);
  });

  test('does not hang on what EC2 says beside: free addresses, dates, names', () => {
    const other = aClass(
      {},
      {
        subnets: [{ id: 'subnet-2', zone: 'eu-west-1b', zoneId: '', freeAddresses: 1 }],
        securityGroups: [
          { id: 'sg-1', name: 'renamed' },
          { id: 'sg-2', name: '' },
        ],
      },
    );
    expect(made(other, { ami: { ...ami, createdAt: '2026-02-02', name: 'renamed' } }).name).toBe(made().name);
  });
});
