import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import type { ResolvedEc2Class } from '../../shared/providers/ec2/node-class/resolved.ts';
import { ec2World, signal } from './world.ts';

let world: Awaited<ReturnType<typeof ec2World>>;
beforeEach(async () => {
  world = await ec2World({
    reservations: [{ id: 'cr-0one', instanceType: 'm5.large', zone: 'us-east-1a', total: 2, tags: { pool: 'web' } }],
  });
});
afterEach(() => world.close());

type Fields = { [field: string]: Json };

async function resolved(more: Fields = {}): Promise<ResolvedEc2Class> {
  const answer = await world.classes.resolve(world.nodeClass(more), signal);
  if (!answer.ok) expect.fail(answer.error.message);
  return answer.value;
}
async function refusal(more: Fields): Promise<{ reason?: string | undefined; message?: string | undefined }> {
  const described = await world.classes.describe(world.nodeClass(more), signal);
  if (!described.ok) expect.fail(described.error.message);
  expect(described.value.ready).toBe(false);
  const asClaim = await world.classes.resolve(world.nodeClass(more), signal);
  if (asClaim.ok) expect.fail('a claim must not be made with it');
  expect(asClaim.error.message).toContain(described.value.message);
  return described.value;
}
const imageNames = ({ amis }: ResolvedEc2Class): string[] =>
  amis.map(({ name, variant }) => `${name} ${variant}`).sort();

describe('a class that is right', () => {
  test('shows in its status what its terms found', async () => {
    const described = await world.classes.describe(world.nodeClass(), signal);

    if (!described.ok) expect.fail(described.error.message);
    expect(described.value).toMatchObject({
      ready: true,
      resolved: {
        subnets: [
          { id: 'subnet-0private0', zone: 'us-east-1a', zoneID: 'use1-az1' },
          { id: 'subnet-0private1', zone: 'us-east-1b', zoneID: 'use1-az2' },
          { id: 'subnet-0private2', zone: 'us-east-1c', zoneID: 'use1-az3' },
        ],
        securityGroups: [{ id: 'sg-0nodes', name: 'demo-nodes' }],
        capacityReservations: [],
        instanceProfile: expect.stringMatching(/^poolwright_demo_[0-9a-f]{16}$/),
      },
    });
    expect(described.value.resolved.amis).toHaveLength(5);
  });

  test('finds the images of an alias for every architecture and kind of machine', async () => {
    expect(imageNames(await resolved())).toEqual([
      'amazon-eks-node-al2023-arm64-nvidia-1.34-v20261027 nvidia',
      'amazon-eks-node-al2023-arm64-standard-1.34-v20261027 standard',
      'amazon-eks-node-al2023-x86_64-neuron-1.34-v20261027 neuron',
      'amazon-eks-node-al2023-x86_64-nvidia-1.34-v20261027 nvidia',
      'amazon-eks-node-al2023-x86_64-standard-1.34-v20261027 standard',
    ]);
  });

  test.each([
    ['al2023@v20260915', 5, 'v20260915'],
    ['al2@latest', 4, 'amazon-eks'],
    ['bottlerocket@latest', 5, 'v1.51.0'],
    ['bottlerocket@v1.50.0', 5, 'v1.50.0'],
    ['bottlerocket@1.50.0', 5, 'v1.50.0'],
    ['windows2022@latest', 1, 'Windows_Server-2022'],
  ])('finds the images of %s', async (alias, count, part) => {
    const { amis } = await resolved({ amiSelectorTerms: [{ alias }] });
    expect(amis).toHaveLength(count);
    for (const { name } of amis) expect(name).toContain(part);
  });

  test('finds images by id, name, tags and parameter, and takes the newest of those that serve the same machines', async () => {
    const mine = [...world.aws.account.images.values()].filter(({ owner }) => owner === world.aws.account.id);
    const [one] = mine;
    if (one === undefined) expect.fail('the account has no image of its own');
    const newer = {
      ...one,
      id: 'ami-0newer',
      name: 'mine-2',
      createdAt: one.createdAt + 86_400_000,
      tags: { ours: 'web' },
    };
    world.aws.account.images.set(newer.id, newer);
    world.aws.account.parameters.set('/mine/ami', newer.id);
    const ids = async (terms: Json[]) =>
      (await resolved({ amiFamily: 'AL2023', amiSelectorTerms: terms })).amis.map(({ id }) => id);

    expect(await ids([{ id: one.id }])).toEqual([one.id]);
    expect(await ids([{ id: one.id }, { id: newer.id }])).toEqual([newer.id]);
    expect(await ids([{ name: 'mine-*' }])).toEqual([newer.id]);
    expect(await ids([{ tags: { ours: '*' }, owner: 'self' }])).toEqual([newer.id]);
    expect(await ids([{ ssmParameter: '/mine/ami' }])).toEqual([newer.id]);
  });

  test('prefers an image that is not deprecated to a newer one that is', async () => {
    const [one] = [...world.aws.account.images.values()].filter(({ owner }) => owner === world.aws.account.id);
    if (one === undefined) expect.fail('the account has no image of its own');
    const newer = {
      ...one,
      id: 'ami-0old',
      name: 'mine-old',
      createdAt: one.createdAt + 1000,
      deprecatedAt: Date.UTC(2026, 9, 1),
    };
    world.aws.account.images.set(newer.id, newer);
    const terms = { amiFamily: 'AL2023', amiSelectorTerms: [{ id: one.id }, { id: newer.id }] };

    expect((await resolved(terms)).amis.map(({ id }) => id)).toEqual([one.id]);
    const alone = await world.classes.describe(
      world.nodeClass({ ...terms, amiSelectorTerms: [{ id: newer.id }] }),
      signal,
    );
    expect(alone).toMatchObject({
      ok: true,
      value: { ready: true, resolved: { amis: [{ id: newer.id, deprecated: true }] } },
    });
  });

  test('takes any tag that has the key where the value is *', async () => {
    const { subnets } = await resolved({
      subnetSelectorTerms: [{ tags: { 'kubernetes.io/role/elb': '*' } }, { id: 'subnet-0private0' }],
    });
    expect(subnets.map(({ id }) => id)).toEqual([
      'subnet-0private0',
      'subnet-0public0',
      'subnet-0public1',
      'subnet-0public2',
    ]);
  });

  test('finds capacity reservations, and goes on where none is left', async () => {
    const found = await resolved({ capacityReservationSelectorTerms: [{ tags: { pool: 'web' } }] });
    expect(found.reservations).toMatchObject([
      { id: 'cr-0one', instanceType: 'm5.large', zone: 'us-east-1a', available: 2 },
    ]);
    const none = await resolved({ capacityReservationSelectorTerms: [{ id: 'cr-0gone' }] });
    expect(none.reservations).toEqual([]);
  });
});

describe('a class that can not be used says which term found nothing', () => {
  test.each<[string, Fields, string, string]>([
    [
      'subnets',
      { subnetSelectorTerms: [{ tags: { team: 'nobody' } }, { id: 'subnet-0gone' }] },
      'SubnetsNotFound',
      'no subnet matches spec.subnetSelectorTerms[0] (tags team=nobody), spec.subnetSelectorTerms[1] (id subnet-0gone) in us-east-1',
    ],
    [
      'security groups',
      { securityGroupSelectorTerms: [{ name: 'nobody' }] },
      'SecurityGroupsNotFound',
      'no security group matches spec.securityGroupSelectorTerms[0] (name nobody)',
    ],
    [
      'an image that is gone',
      { amiFamily: 'AL2023', amiSelectorTerms: [{ id: 'ami-0gone' }] },
      'AMINotFound',
      'no image matches spec.amiSelectorTerms[0] (id ami-0gone)',
    ],
    [
      'a release that never was',
      { amiSelectorTerms: [{ alias: 'al2023@v19700101' }] },
      'AMINotFound',
      'AWS publishes no such image for Kubernetes 1.34',
    ],
    [
      'a parameter that is not there',
      { amiFamily: 'AL2', amiSelectorTerms: [{ ssmParameter: '/nobody/ami' }] },
      'AMINotFound',
      'spec.amiSelectorTerms[0] (ssmParameter /nobody/ami)',
    ],
    [
      'user data that is too large',
      { userData: 'x'.repeat(17_000) },
      'UserDataInvalid',
      'but EC2 allows at most 16384',
    ],
    ['a spec that is wrong', { subnetSelectorTerms: [] }, 'InvalidSpec', 'spec.subnetSelectorTerms'],
  ])('%s', async (_, more, reason, message) => {
    const refused = await refusal(more);
    expect(refused.reason).toBe(reason);
    expect(refused.message).toContain(message);
  });

  test('an instance profile that is not there, and mends as soon as it is', async () => {
    const { role: _, ...spec } = world.nodeClass().spec as Fields;
    const nodeClass = { name: 'default', spec: { ...spec, instanceProfile: 'nobody' } };
    const before = await world.classes.describe(nodeClass, signal);
    expect(before).toMatchObject({
      ok: true,
      value: {
        ready: false,
        reason: 'InstanceProfileNotFound',
        message: expect.stringContaining('no instance profile nobody'),
      },
    });

    const [profile] = [...world.aws.account.profiles.values()];
    if (profile === undefined) expect.fail('the account has no profile');
    world.aws.account.profiles.set('nobody', { ...profile, name: 'nobody' });

    expect(await world.classes.describe(nodeClass, signal)).toMatchObject({ ok: true, value: { ready: true } });
  });

  test('everything that is missing at once', async () => {
    const { message } = await refusal({
      subnetSelectorTerms: [{ id: 'subnet-0gone' }],
      securityGroupSelectorTerms: [{ id: 'sg-0gone' }],
    });
    expect(message).toContain('subnet-0gone');
    expect(message).toContain('sg-0gone');
  });
});

describe('what AWS was asked', () => {
  const lookUps = (): Record<string, number> => world.aws.calls();

  test('serves a hundred claims and another function with one question each', async () => {
    await Promise.all(Array.from({ length: 100 }, () => resolved()));
    const { classes } = world.another();
    expect((await classes.resolve(world.nodeClass(), signal)).ok).toBe(true);

    expect(lookUps()).toEqual({
      'ssm:GetParameters': 1,
      'ec2:DescribeImages': 1,
      'ec2:DescribeSubnets': 1,
      'ec2:DescribeSecurityGroups': 1,
    });
  });

  test('is asked again after a minute, and parameters much later', async () => {
    await resolved();
    world.clock.advance(61_000);
    await resolved();
    expect(lookUps()).toMatchObject({ 'ssm:GetParameters': 1, 'ec2:DescribeImages': 2, 'ec2:DescribeSubnets': 2 });
  });

  test('is not asked for each of many claims where it makes a class unusable', async () => {
    const missing = world.nodeClass({ amiSelectorTerms: [{ alias: 'al2023@v19700101' }] });
    for (let claim = 0; claim < 20; claim++) await world.classes.resolve(missing, signal);
    expect(lookUps()['ssm:GetParameters']).toBe(2);
  });

  test('is asked again at once when EC2 has shown that it is wrong', async () => {
    await resolved();
    world.classes.forget();
    await resolved();
    await resolved();
    expect(lookUps()).toMatchObject({ 'ssm:GetParameters': 2, 'ec2:DescribeSubnets': 2 });
  });

  test('stays in use while AWS can not be asked', async () => {
    const before = await resolved();
    world.clock.advance(3600_000);
    world.aws.failAction({ action: 'DescribeSubnets', code: 'InternalError', count: 1 });
    expect((await resolved()).subnets).toEqual(before.subnets);
  });

  test('is a failure and no verdict about the class where it was never known', async () => {
    world.aws.failAction({ action: 'DescribeSubnets', code: 'InternalError', count: 1 });
    expect(await world.classes.describe(world.nodeClass(), signal)).toMatchObject({ ok: false });
  });

  test('is asked again when the image that a parameter named is gone', async () => {
    const { amis } = await resolved();
    for (const { id } of amis) world.aws.account.images.delete(id);
    for (const name of world.aws.account.parameters.keys()) {
      const other = [...world.aws.account.images.values()].find(
        (image) =>
          name.includes('amazon-linux-2023/x86_64/standard/recommended') &&
          name.includes('1.34') &&
          image.name.includes('al2023-x86_64-standard-1.34'),
      );
      if (other !== undefined) world.aws.account.parameters.set(name, other.id);
    }
    world.clock.advance(61_000);
    expect((await resolved()).amis.map(({ name }) => name)).toEqual([
      'amazon-eks-node-al2023-x86_64-standard-1.34-v20260915',
    ]);
  });
});

describe('the instance profile of a role', () => {
  test('is made once for all claims, with its role, and only when it is needed', async () => {
    const one = await resolved();
    expect(world.aws.account.profiles.has(one.instanceProfile.name)).toBe(false);

    await Promise.all(Array.from({ length: 10 }, () => world.classes.ensureInstanceProfile(one, signal)));
    await world.another().classes.ensureInstanceProfile(one, signal);

    expect(world.aws.account.profiles.get(one.instanceProfile.name)).toMatchObject({ role: 'KarpenterNodeRole-demo' });
    expect(world.aws.calls()).toMatchObject({ 'iam:CreateInstanceProfile': 1, 'iam:AddRoleToInstanceProfile': 1 });
  });

  test('gets its role from whoever comes after one that died in between', async () => {
    const one = await resolved();
    world.aws.failAction({ action: 'AddRoleToInstanceProfile', code: 'ServiceFailure', count: 1 });
    expect((await world.classes.ensureInstanceProfile(one, signal)).ok).toBe(false);
    expect(await world.classes.ensureInstanceProfile(one, signal)).toEqual({
      ok: true,
      value: one.instanceProfile.name,
    });
    expect(world.aws.account.profiles.get(one.instanceProfile.name)).toMatchObject({ role: 'KarpenterNodeRole-demo' });
  });

  test('of a role that is not there says so', async () => {
    const one = await resolved({ role: 'nobody' });
    expect(await world.classes.ensureInstanceProfile(one, signal)).toMatchObject({
      ok: false,
      error: { kind: 'not-ready', message: expect.stringContaining('spec.role: role nobody') },
    });
  });

  test('that somebody gave another role is left alone, and said', async () => {
    const one = await resolved();
    await world.classes.ensureInstanceProfile(one, signal);
    const profile = world.aws.account.profiles.get(one.instanceProfile.name);
    if (profile !== undefined) profile.role = 'other';
    world.clock.advance(3600_000);
    expect(await world.classes.ensureInstanceProfile(one, signal)).toMatchObject({
      ok: false,
      error: { kind: 'not-ready', message: expect.stringContaining('has the role other instead of') },
    });
    expect(world.aws.account.profiles.get(one.instanceProfile.name)?.role).toBe('other');
  });
});

describe('the hash of a class', () => {
  const hashOf = async (more: Fields = {}): Promise<string | undefined> => {
    const described = await world.classes.describe(world.nodeClass(more), signal);
    if (!described.ok) expect.fail(described.error.message);
    return described.value.hash;
  };

  test('changes with what machines are made of', async () => {
    const before = await hashOf();
    expect(await hashOf({ userData: 'echo hi' })).not.toBe(before);
    expect(await hashOf({ amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] })).not.toBe(before);
    expect(await hashOf({ securityGroupSelectorTerms: [{ id: 'sg-0cluster' }] })).not.toBe(before);
  });

  test('stays when only the words change, or where machines may be', async () => {
    const before = await hashOf();
    expect(await hashOf({ subnetSelectorTerms: [{ id: 'subnet-0public0' }] })).toBe(before);
    expect(await hashOf({ securityGroupSelectorTerms: [{ id: 'sg-0nodes' }] })).toBe(before);
    expect(await hashOf({ amiSelectorTerms: [{ alias: 'al2023@v20261027' }] })).toBe(before);
    // Images are compared one by one.
    expect(await hashOf({ amiSelectorTerms: [{ alias: 'al2023@v20260915' }] })).toBe(before);
    const imagesOf = async (alias: string) => {
      const described = await world.classes.describe(world.nodeClass({ amiSelectorTerms: [{ alias }] }), signal);
      return described.ok ? (described.value.images ?? []) : [];
    };
    const [now, then] = [await imagesOf('al2023@latest'), await imagesOf('al2023@v20260915')];
    expect(now).toHaveLength(5);
    expect(then.filter((id) => now.includes(id))).toEqual([]);
  });
});
