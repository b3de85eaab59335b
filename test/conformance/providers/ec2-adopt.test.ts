/** Making machines ours that Karpenter made, and checking rights one by one: what only EC2 has. */
import { afterEach, describe, expect, it } from 'vitest';
import { tags as tagKeys } from '../../../shared/nodes/claims/spec/well-known.ts';
import type { AwsOptions } from '../../../sim/aws/start.ts';
import { type Ec2Harness, startEc2Harness } from './ec2-harness.ts';
import { aKey, anOwner, aRequest, created, failure, ids, patience, value } from './requests.ts';

let harness: Ec2Harness | undefined;
afterEach(() => harness?.close());
const start = async (aws: AwsOptions = {}): Promise<Ec2Harness> => {
  harness = await startEc2Harness({ aws });
  return harness;
};

const claim = () => ({ ...aKey(), createdAt: 0 });
const theirs = { 'karpenter.sh/nodeclaim': claim().claimName, 'kubernetes.io/cluster/demo': 'owned' };
const zone = 'a';

async function launch(world: Ec2Harness, tags: Record<string, string>): Promise<{ id: string; providerID: string }> {
  const id = world.aws.launchForeign('theirs', tags);
  await world.advance(10);
  return { id, providerID: `aws:///${world.aws.region}${zone}/${id}` };
}

const tagsOf = (world: Ec2Harness, id: string): Record<string, string> =>
  world.aws.ledger().find((one) => one.id === id)?.tags ?? {};

const adopt = ({ provider }: Ec2Harness, providerID: string, dryRun = false, key = claim()) =>
  provider.adopt(key, providerID, { dryRun }, patience());

describe('adopting a machine of Karpenter', () => {
  it('puts our tags on it, after which it is found and ended like any other', async () => {
    const world = await start();
    const { id, providerID } = await launch(world, theirs);
    expect(value(await world.provider.find(claim(), patience()))).toEqual([]);

    const looked = value(await adopt(world, providerID, true));
    expect(value(await world.provider.find(claim(), patience()))).toEqual([]);
    const adopted = value(await adopt(world, providerID));
    const again = value(await adopt(world, providerID));

    expect(looked).toMatchObject({ adopted: false, instance: { id, providerID, owner: { attempt: 1 } } });
    expect(adopted.tags).toEqual(looked.tags);
    expect(again).toMatchObject({ adopted: true, instance: { id } });
    expect(world.calls()['ec2:CreateTags']).toBe(1);
    await world.advance(world.provider.traits.listLagSeconds);
    const [found] = value(await world.provider.find(claim(), patience()));
    expect(found).toMatchObject({ id, owner: anOwner(), claimName: claim().claimName });
    value(await world.provider.beginDelete({ id, owner: anOwner() }, patience()));
    await world.advance(10);
    expect(await world.living()).toEqual([]);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['carries no tag of Karpenter', {}, /no tag karpenter\.sh\/nodeclaim/],
    ['was made for another claim', { ...theirs, 'karpenter.sh/nodeclaim': 'another' }, /is another/],
    [
      'is of another cluster',
      { 'karpenter.sh/nodeclaim': claim().claimName, 'eks:eks-cluster-name': 'other' },
      /to cluster demo/,
    ],
    ['has a deployment already', { ...theirs, [tagKeys.deployment]: 'somebody' }, /belongs to deployment somebody/],
  ])('touches nothing that %s', async (_, tags, why) => {
    const world = await start();
    const { id, providerID } = await launch(world, tags);
    const before = tagsOf(world, id);

    expect(failure(await adopt(world, providerID), 'invalid').message).toMatch(why);

    expect(tagsOf(world, id)).toEqual(before);
    expect(world.calls()['ec2:CreateTags']).toBeUndefined();
  });

  it('touches no machine that is older than the claim', async () => {
    const world = await start();
    const { providerID } = await launch(world, theirs);
    const key = { ...claim(), createdAt: world.clock.now() + 3_600_000 };

    expect(failure(await adopt(world, providerID, false, key), 'invalid').message).toContain('older than the claim');
  });

  it('says so where there is no such machine, or where the role may not tag', async () => {
    const world = await start({ denied: ['ec2:CreateTags'] });
    const { providerID } = await launch(world, theirs);

    failure(await adopt(world, 'aws:///us-east-1a/i-0123456789abcdef0'), 'not-found');
    failure(await adopt(world, 'sim:///zone-a/i-1'), 'not-found');
    expect(failure(await adopt(world, providerID), 'unauthorised').message).toContain('ec2:CreateTags');
  });

  it('leaves machines of our own claims to them', async () => {
    const world = await start();
    const instance = await created(world);
    const other = { ...claim(), claimUid: 'c1a1-0002' };

    expect(failure(await adopt(world, instance.providerID, false, other), 'invalid').message).toContain('belongs to');
    expect(ids(value(await world.provider.find(claim(), patience())))).toEqual([instance.id]);
  });
});

describe('checking rights', () => {
  it.each([
    'ec2:DescribeInstances',
    'ec2:DescribeSubnets',
    'ec2:CreateLaunchTemplate',
    'ec2:CreateFleet',
    'ec2:TerminateInstances',
    'ssm:GetParameter',
  ])('names %s where it is missing', async (right) => {
    const denied: string[] = [];
    const world = await start({ denied });
    // Made while everything was allowed: some rights can only be tried on what is there.
    await created(world);
    denied.push(right);

    const wrong = (await world.provider.check(anOwner(), patience())).filter(({ state }) => state !== 'pass');

    expect(wrong).toMatchObject([{ name: `right ${right}`, state: 'fail', code: 'Unauthorized' }]);
    expect(wrong[0]?.message).toContain(`lacks the permission ${right}`);
  });

  it('says which ones could not be tried', async () => {
    const world = await start();
    const before = await world.provider.check(anOwner(), patience());
    value(await world.provider.beginCreate(aRequest(world), patience()));
    await world.advance(10);
    const after = await world.provider.check(anOwner(), patience());

    const rights = (checks: typeof before) => checks.find(({ name }) => name === 'rights')?.message;
    expect(rights(before)).toMatch(/not checked.*ec2:CreateFleet, ec2:TerminateInstances/);
    expect(rights(after)).not.toContain('not checked');
  });

  it('only warns where prices can not be read', async () => {
    const world = await start({ denied: ['pricing:GetProducts'] });
    const checks = await world.provider.check(anOwner(), patience());
    expect(checks.filter(({ state }) => state !== 'pass')).toMatchObject([{ name: 'prices', state: 'warn' }]);
  });
});
