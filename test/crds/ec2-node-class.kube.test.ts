/** EC2NodeClass on a real API server: it takes what the provider takes, and says what it refuses. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { parseNodeClass } from '../../shared/providers/ec2/node-class/parse.ts';
import { statusOf } from '../../shared/providers/ec2/node-class/status.ts';
import { freshName, useKube } from '../kube/use-kube.ts';
import { acceptedClasses, type Fields, least, refusedClasses } from './ec2-node-class-cases.ts';

const kube = useKube();

const usual = {
  metadataOptions: {
    httpEndpoint: 'enabled',
    httpProtocolIPv6: 'disabled',
    httpPutResponseHopLimit: 1,
    httpTokens: 'required',
  },
};
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

  it.each<[string, Fields]>(acceptedClasses)('is stored as it is written, with what is usual: %s', async (_, more) => {
    const spec = { ...least, ...more };
    expect(await judge(spec)).toMatchObject({ code: 201, stored: { ...usual, ...spec } });
    expect(parseNodeClass({ ...usual, ...spec })).toMatchObject({ ok: true });
  });

  it.each<[Fields, string]>(refusedClasses)(
    'is refused with %j, as the provider would refuse it',
    async (more, expected) => {
      const spec = { ...least, ...more };
      const { code, says } = await judge(spec);

      expect(code).toBeGreaterThanOrEqual(400);
      expect(says).toContain(expected);
      expect(parseNodeClass(spec)).toMatchObject({ ok: false });
    },
  );
});
