/** EC2NodeClass on a real API server: it takes what the provider takes, and says what it refuses. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { parseNodeClass } from '../../shared/providers/ec2/node-class/parse.ts';
import { statusOf } from '../../shared/providers/ec2/node-class/status.ts';
import { freshName, useKube } from '../kube/use-kube.ts';

const kube = useKube();

const least = {
  amiSelectorTerms: [{ alias: 'al2023@latest' }],
  subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'web' } }],
  securityGroupSelectorTerms: [{ id: 'sg-0123' }],
  role: 'nodes',
};
const usual = {
  metadataOptions: {
    httpEndpoint: 'enabled',
    httpProtocolIPv6: 'disabled',
    httpPutResponseHopLimit: 1,
    httpTokens: 'required',
  },
};
type Fields = { [field: string]: Json };

async function judge(spec: Json): Promise<{ code: number; says: string; stored: unknown }> {
  const path = '/apis/karpenter.k8s.aws/v1/ec2nodeclasses?dryRun=All&fieldValidation=Strict';
  const object = {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: freshName('class') },
    spec,
  };
  const { code, body } = await kube.request('POST', path, object);
  return { code, says: String(body.message ?? ''), stored: body.spec };
}

const ami = { id: 'ami-1', name: 'image', arch: 'amd64' as const, createdAt: '2026-01-01T00:00:00.000Z' };

describe('EC2NodeClass', () => {
  it('keeps everything that its status says', async () => {
    const path = '/apis/karpenter.k8s.aws/v1/ec2nodeclasses';
    const name = freshName('class');
    const object = { apiVersion: 'karpenter.k8s.aws/v1', kind: 'EC2NodeClass', metadata: { name }, spec: least };
    const made = await kube.request('POST', path, object);
    const status = statusOf(
      {
        name,
        spec: least,
        family: 'AL2023',
        amis: [
          ami,
          { ...ami, variant: 'standard', deprecatedAt: '2026-01-02T00:00:00.000Z' },
          { ...ami, variant: 'nvidia' },
          { ...ami, variant: 'neuron' },
        ],
        subnets: [{ id: 'subnet-1', zone: 'eu-west-1a', zoneId: 'euw1-az1', freeAddresses: 7 }],
        securityGroups: [{ id: 'sg-1', name: 'nodes' }],
        reservations: [
          {
            id: 'cr-1',
            instanceType: 'm5.large',
            zone: 'eu-west-1a',
            available: 1,
            ownerId: '123456789012',
            matchCriteria: 'open',
            endsAt: Date.UTC(2027, 0, 1),
          },
        ],
        instanceProfile: { name: 'profile' },
      },
      Date.UTC(2026, 5, 1),
    );

    const written = await kube.request('PUT', `${path}/${name}/status?fieldValidation=Strict`, {
      ...made.body,
      status,
    });
    await kube.request('DELETE', `${path}/${name}`);

    expect(written).toMatchObject({ code: 200, body: { status } });
  });

  it.each<[string, Fields]>([
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
      },
    ],
  ])('is stored as it is written, with what is usual: %s', async (_, more) => {
    const spec = { ...least, ...more };
    expect(await judge(spec)).toMatchObject({ code: 201, stored: { ...usual, ...spec } });
    expect(parseNodeClass({ ...usual, ...spec })).toMatchObject({ ok: true });
  });

  it.each<[Fields, string]>([
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
    [{ networkInterfaces: [] }, 'unknown field "spec.networkInterfaces"'],
  ])('is refused with %j, as the provider would refuse it', async (more, expected) => {
    const spec = { ...least, ...more };
    const { code, says } = await judge(spec);

    expect(code).toBeGreaterThanOrEqual(400);
    expect(says).toContain(expected);
    expect(parseNodeClass(spec)).toMatchObject({ ok: false });
  });
});
