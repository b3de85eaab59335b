/** What is special to launches on EC2: tokens, fleets with many offerings, templates, and what is gone meanwhile. */

import { DeleteLaunchTemplateCommand, EC2Client } from '@aws-sdk/client-ec2';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isInScope, type OfferingRef } from '../../../shared/nodes/claims/choice/offerings.ts';
import { selects } from '../../../shared/providers/claim-selector.ts';
import type { CreateRequest } from '../../../shared/providers/contract.ts';
import { instanceIdOf } from '../../../shared/providers/instance-id.ts';
import { manifestOf } from '../../../shared/providers/manifests.ts';
import { type Ec2Harness, type Ec2WorldOptions, nodeClassSpec, startEc2Harness } from './ec2-harness.ts';
import {
  anOwner,
  aRequest,
  created,
  failure,
  foundOf,
  patience,
  untilCreated,
  untilDeleted,
  value,
} from './requests.ts';

let world: Ec2Harness;
const start = async (options?: Ec2WorldOptions): Promise<void> => {
  await world?.close();
  world = await startEc2Harness(options);
};
beforeEach(() => start());
afterEach(() => world.close());

const onDemand = (instanceType: string, zone = 'us-east-1b'): OfferingRef => ({
  instanceType,
  zone,
  capacityType: 'on-demand',
});
const spot = (instanceType: string, zone = 'us-east-1b'): OfferingRef => ({
  ...onDemand(instanceType, zone),
  capacityType: 'spot',
});
const begin = (more: Partial<CreateRequest> = {}, provider = world.provider) =>
  provider.beginCreate({ ...aRequest(world), ...more }, patience());
const ec2Calls = () => Object.entries(world.calls()).filter(([name]) => name.startsWith('ec2:'));

describe('a token', () => {
  test('with other parameters leads to the machine that it made', async () => {
    const first = value(await begin());
    const second = value(await begin({ alternatives: [onDemand('m5.xlarge')] }, world.anotherProvider()));

    expect(world.aws.counts()).toMatchObject({ fleets: 1, mismatchedTokens: 1 });
    expect((await untilCreated(world, second)).instance.id).toBe((await untilCreated(world, first)).instance.id);
  });

  test('with other parameters and no machine to be seen is an unknown outcome, and nothing is launched', async () => {
    await world.inject({ do: 'lag', seconds: 2 });
    value(await begin());

    failure(await begin({ alternatives: [onDemand('m5.xlarge')] }), 'outcome-unknown');

    expect(await world.living()).toHaveLength(1);
  });

  test('that EC2 has forgotten makes no second machine', async () => {
    const { instance } = await untilCreated(world, value(await begin()));
    await world.advance(7200);
    world.aws.forgetTokens();

    const again = value(await begin({ claim: { ...aRequest(world).claim, createdAt: world.clock.now() - 7_200_000 } }));

    expect((await untilCreated(world, again)).instance.id).toBe(instance.id);
    expect(world.aws.counts().fleets).toBe(1);
  });

  test('of a machine that has ended tells so, and makes no other', async () => {
    const instance = await created(world);
    await untilDeleted(world, instance);

    const again = value(await begin({}, world.anotherProvider()));

    if (again.done) expect.fail('there is no machine');
    failure(await world.provider.pollCreate(again.handle, patience()), 'not-found');
    expect(world.aws.counts().fleets).toBe(1);
  });

  test('that was forgotten with its machine ended lately tells that it has ended', async () => {
    const instance = await created(world);
    await untilDeleted(world, instance);
    world.aws.forgetTokens();

    const old = { ...aRequest(world).claim, createdAt: world.clock.now() - 7_200_000 };
    const again = value(await begin({ claim: old }));

    if (again.done) expect.fail('there is no machine');
    failure(await world.provider.pollCreate(again.handle, patience()), 'not-found');
    expect(world.aws.counts().fleets).toBe(1);
  });
});

describe('a fleet of many offerings', () => {
  test('takes another one when the first is sold out, and names exactly what was out', async () => {
    world.aws.setFaults([{ on: 'create', offering: { ...onDemand('m5.large') }, do: { kind: 'sold-out' } }]);

    const begun = value(await begin({ alternatives: [onDemand('m5.xlarge', 'us-east-1a'), onDemand('c5.large')] }));

    expect(begun.refused).toMatchObject([{ offering: onDemand('m5.large'), kind: 'insufficient-capacity' }]);
    const { instance } = await untilCreated(world, begun);
    expect(instance.offering).toEqual(onDemand('m5.xlarge', 'us-east-1a'));
    expect(instance.capacity).toMatchObject({ cpu: '4' });
    expect(instance.labels).toMatchObject({ 'karpenter.k8s.aws/instance-family': 'm5' });
    expect(Object.keys(instance.labels ?? {}).filter((key) => key.startsWith('poolwright.dev/'))).toEqual([]);
  });

  test('says that all of them are out when they are', async () => {
    world.aws.setFaults([{ on: 'create', do: { kind: 'sold-out' } }]);

    const refused = failure(await begin({ alternatives: [onDemand('m5.xlarge')] }), 'insufficient-capacity');

    expect(refused.refused?.map(({ offering }) => offering)).toEqual([onDemand('m5.large'), onDemand('m5.xlarge')]);
  });

  test('that EC2 itself stumbles over is no mistake of the claim, and the next attempt may have it', async () => {
    const faulty = {
      kind: 'operation-fails',
      code: 'InternalError',
      message: 'An internal error has occurred',
    } as const;
    world.aws.setFaults([{ on: 'create', do: faulty }]);
    const refused = failure(await begin({ alternatives: [onDemand('m5.xlarge')] }), 'unavailable');
    expect(refused.message).toContain('An internal error has occurred');
    expect(refused).toMatchObject({ refused: [], spent: true });
  });

  test('buys spot as spot, and another attempt as what that one asks for', async () => {
    const { instance } = await untilCreated(world, value(await begin({ offering: spot('m5.large') })));
    expect(instance.offering).toEqual(spot('m5.large'));
  });

  test('takes on images of both architectures', async () => {
    world.aws.setFaults([{ on: 'create', offering: { instanceType: 'm5.large' }, do: { kind: 'sold-out' } }]);
    const begun = value(await begin({ alternatives: [onDemand('m7g.large')] }));
    expect((await untilCreated(world, begun)).instance.offering.instanceType).toBe('m7g.large');
    expect(world.aws.templates()).toHaveLength(2);
  });

  test('marks all of spot when its quota is used up, and a whole class of types when that is', async () => {
    await start({ aws: { settings: { spotVcpuQuota: { Standard: 0 }, vcpuQuota: { Standard: 0 } } } });
    const asSpot = failure(await begin({ offering: spot('m5.large') }), 'quota-exceeded');
    expect(asSpot.refused).toMatchObject([{ kind: 'quota-exceeded', scope: { capacityType: 'spot' } }]);
    const other = failure(await begin(aRequest(world, { attempt: 2 })), 'quota-exceeded');
    expect(other.refused).toMatchObject([
      { scope: { capacityType: 'on-demand', labels: { 'poolwright.dev/ec2-quota-class': 'Standard' } } },
    ]);
  });

  test('marks all of spot where the account has no role for it', async () => {
    await start({ aws: { settings: { spotRole: false } } });
    const refused = failure(await begin({ offering: spot('m5.large') }), 'quota-exceeded');
    // And of this account and region alone: another cluster's machines may be bought elsewhere.
    const labels = { 'topology.kubernetes.io/region': 'us-east-1', 'poolwright.dev/ec2-account': 'own' };
    expect(refused.refused?.[0]?.scope).toEqual({ capacityType: 'spot', labels });
    expect(refused.message).toContain('create-service-linked-role');
  });

  test('marks what is used up in the account that a role leads to, and in no other', async () => {
    const roleArn = 'arn:aws:iam::123456789012:role/poolwright';
    const aws = { roles: [{ arn: roleArn }], settings: { vcpuQuota: { Standard: 0 } } };
    await start({ aws, options: { roleArn } });
    const refused = failure(await begin(), 'quota-exceeded').refused?.[0];
    expect(refused?.scope?.labels).toMatchObject({ 'poolwright.dev/ec2-account': '123456789012' });
    const types = value(await world.provider.instanceTypes(world.nodeClass, patience()));
    const labels = new Map(Object.entries(types.find(({ name }) => name === 'm5.large')?.labels ?? {}));
    expect(isInScope(onDemand('m5.large'), labels, refused?.scope ?? {})).toBe(true);
    labels.set('poolwright.dev/ec2-account', '210987654321');
    expect(isInScope(onDemand('m5.large'), labels, refused?.scope ?? {})).toBe(false);
  });

  test('passes over a type that is not sold in the zone for long', async () => {
    const refused = failure(await begin({ offering: onDemand('p5.48xlarge', 'us-east-1c') }), 'insufficient-capacity');
    expect(refused.refused?.[0]?.retryAfterSeconds).toBeGreaterThan(3600);
  });

  test('leaves a zone whose only subnet is full', async () => {
    const subnet = world.aws.account.subnets.get('subnet-0private1')!;
    subnet.used = subnet.size;
    const refused = failure(await begin(), 'insufficient-capacity');
    expect(refused.refused).toMatchObject([{ scope: { zone: 'us-east-1b' } }]);
  });

  test('takes another subnet of the zone when one is full', async () => {
    const spec = { ...nodeClassSpec, subnetSelectorTerms: [{ id: 'subnet-0private1' }, { id: 'subnet-0public1' }] };
    const nodeClass = { name: 'both', spec };
    const subnet = world.aws.account.subnets.get('subnet-0private1')!;
    value(await begin({ nodeClass }));
    subnet.used = subnet.size;
    const refused = failure(await begin({ ...aRequest(world, { attempt: 2 }), nodeClass }), 'insufficient-capacity');
    expect(refused).toMatchObject({ refused: [], spent: true });

    const begun = value(await begin({ ...aRequest(world, { attempt: 3 }), nodeClass }));
    const { instance } = await untilCreated(world, begun);
    expect(world.aws.instance(instance.id)?.subnet.id).toBe('subnet-0public1');
  });
});

describe('a reservation', () => {
  const reserved = (zone = 'us-east-1a'): OfferingRef => ({ instanceType: 'm5.large', zone, capacityType: 'reserved' });
  const nodeClass = {
    name: 'reserved',
    spec: { ...nodeClassSpec, capacityReservationSelectorTerms: [{ id: 'cr-1' }] },
  };
  beforeEach(() =>
    start({ aws: { reservations: [{ id: 'cr-1', instanceType: 'm5.large', zone: 'us-east-1a', total: 1 }] } }),
  );

  test('is an offering of its own, and its machine says so', async () => {
    const types = value(await world.provider.instanceTypes(nodeClass, patience()));
    const offerings = types.find(({ name }) => name === 'm5.large')?.offerings ?? [];
    expect(offerings).toContainEqual(expect.objectContaining({ ...reserved(), available: true }));

    const begun = value(await begin({ nodeClass, offering: reserved() }));
    const { instance } = await untilCreated(world, begun);
    expect(instance.offering).toEqual(reserved());
    expect(value(await world.provider.get(anOwner(), instance.providerID, patience()))).toEqual(instance);
  });

  test('that is used up is out, and nothing else is', async () => {
    value(await begin({ nodeClass, offering: reserved() }));
    const refused = failure(
      await begin({ ...aRequest(world, { attempt: 2 }), nodeClass, offering: reserved() }),
      'insufficient-capacity',
    );
    expect(refused.refused?.[0]?.scope ?? refused.scope ?? {}).not.toEqual({});
  });
});

describe('what a launch is made from', () => {
  test('is looked up and made once for a hundred claims', async () => {
    await start({ options: { requestRates: { CreateFleet: { burst: 500, perSecond: 500 } } } });
    const uids = Array.from({ length: 100 }, (_, index) => `c1a1-1${index}`);
    const begun = await Promise.all(
      uids.map((claimUid) => world.provider.beginCreate(aRequest(world, { claimUid }), patience())),
    );
    const machines = await Promise.all(begun.map((one) => untilCreated(world, value(one))));
    await Promise.all(machines.map(({ instance }) => untilDeleted(world, instance)));

    const perClaim = ['CreateFleet', 'DescribeInstances', 'TerminateInstances'].map((action) => `ec2:${action}`);
    const calls = ec2Calls();
    const sum = (of: typeof calls): number => of.reduce((all, [, count]) => all + count, 0);
    expect(world.calls()['ec2:CreateFleet']).toBe(100);
    expect(world.aws.templates()).toHaveLength(1);
    expect(sum(calls) / 100).toBeLessThanOrEqual(5);
    expect(sum(calls.filter(([name]) => !perClaim.includes(name)))).toBeLessThanOrEqual(12);
    expect(await world.living()).toEqual([]);
  });

  test('is made again when somebody has deleted the launch template', async () => {
    await created(world);
    const client = new EC2Client({ region: 'us-east-1', endpoint: world.aws.url, credentials: world.aws.credentials });
    for (const { name } of world.aws.templates()) {
      await client.send(new DeleteLaunchTemplateCommand({ LaunchTemplateName: name }));
    }
    client.destroy();
    await created(world, { attempt: 2 });
    expect(await world.living()).toHaveLength(2);
  });

  test('is resolved again when the image does not exist, and the class says so', async () => {
    await created(world);
    world.aws.account.images.clear();
    const refused = failure(await begin(aRequest(world, { attempt: 2 })), 'not-ready');
    expect(refused.message).toContain('the image does not exist');
    expect(refused).toMatchObject({ refused: [], spent: true });

    const next = failure(await begin(aRequest(world, { attempt: 3 })), 'not-ready');
    expect(next.message).toMatch(/image/);
    const resolved = value(await world.provider.resolveNodeClass(world.nodeClass, patience()));
    expect(resolved).toMatchObject({ ready: false });
    expect(resolved.message).toContain('spec.amiSelectorTerms');
  });

  test('carries the tags of cluster, claim and owner on machine and volumes', async () => {
    const { instance } = await untilCreated(world, value(await begin()));
    expect(world.aws.instance(instance.id)?.tags).toMatchObject({
      team: 'web',
      'kubernetes.io/cluster/demo': 'owned',
      'eks:eks-cluster-name': 'demo',
      'karpenter.sh/nodeclaim': 'web-c1a1-0001',
      'karpenter.k8s.aws/ec2nodeclass': 'default',
      'poolwright.dev/deployment': 'main',
      'poolwright.dev/claim-uid': 'c1a1-0001',
      'poolwright.dev/attempt': '1',
    });
  });
});

describe('a right that is missing', () => {
  test.each([
    ['ec2:CreateFleet', 'lacks the permission ec2:CreateFleet'],
    ['ec2:RunInstances', 'lacks the permission ec2:RunInstances on arn:aws:ec2:'],
    ['ec2:DescribeSubnets', 'lacks the permission ec2:DescribeSubnets'],
  ])('%s is named, and so is who lacks it', async (right, text) => {
    await start({ aws: { denied: [right] } });
    const refused = failure(await begin(), 'unauthorised');
    expect(refused.message).toContain(text);
    expect(refused.message).toContain('arn:aws:');
    expect(refused.message).not.toMatch(/Encoded/);
  });
});

test('a machine that the cloud took back before it ran ends the attempt', async () => {
  const begun = value(await begin({ offering: spot('m5.large') }));
  if (begun.done) expect.fail('it should still be booting');
  const [found] = await foundOf(world);
  world.aws.vanish(found!.id);
  failure(await world.provider.pollCreate(begun.handle, patience()), 'not-found');
});

test('a place is the account and the region, and nothing is made for another one', async () => {
  expect(value(await world.provider.place())).toBe('123456789012/us-east-1');
  value(await begin({ place: '123456789012/us-east-1' }));
  failure(await begin({ ...aRequest(world, { attempt: 2 }), place: '210987654321/us-east-1' }), 'not-ready');
  expect(await world.living()).toHaveLength(1);
});

test('the registry knows the provider, which loads its code with the first call that needs it', async () => {
  const module = await manifestOf('ec2')!.load();
  const provider = value(await module.createProvider(world.options, world.context));
  const claim = {
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'x' },
    labels: {},
    annotations: {},
  };
  expect(selects(provider.serves, claim)).toBe(true);
  expect(instanceIdOf(provider, 'aws:///us-east-1b/i-0abc')).toBe('i-0abc');
  const begun = value(await provider.beginCreate(aRequest(world), patience()));
  expect((await untilCreated(world, begun, provider)).instance.owner).toEqual(anOwner());
  provider.close?.();
});

describe('a role', () => {
  const roleArn = 'arn:aws:iam::123456789012:role/poolwright';

  test('that AWS ends before its time is taken on again at once, by all that call', async () => {
    await start({ aws: { roles: [{ arn: roleArn }] }, options: { roleArn } });
    await created(world);
    value(await world.provider.place());
    world.aws.expireSessions();
    const [one, other] = await Promise.all([
      begin(aRequest(world, { attempt: 2 })),
      begin(aRequest(world, { attempt: 3 })),
    ]);
    value(one);
    value(other);
    expect(world.calls()['sts:AssumeRole']).toBe(2);
    expect(await world.living()).toHaveLength(3);
    // Other keys may be those of another account.
    value(await world.provider.place());
    value(await world.provider.place());
    expect(world.calls()['sts:GetCallerIdentity']).toBe(2);
  });

  test('whose keys AWS never takes is no endless try', async () => {
    world.aws.failAction({ action: 'CreateFleet', code: 'RequestExpired', count: 9 });
    const refused = failure(await begin(), 'unauthorised');
    expect(refused.message).toContain('have expired');
    expect(world.calls()['ec2:CreateFleet']).toBe(2);
  });

  test('that may not be taken on is named, and nothing is launched', async () => {
    await start({ options: { roleArn } });
    const refused = failure(await begin(), 'unauthorised');
    expect(refused.message).toContain('sts:AssumeRole');
  });
});

describe('a call that is shared', () => {
  test('tells each what it asked for, also where EC2 does not know one of them', async () => {
    const one = await created(world);
    const two = await created(world, { attempt: 2 });
    const nobody = 'aws:///us-east-1b/i-0123456789abcdef0';
    const [first, unknown, second] = await Promise.all(
      [one.providerID, nobody, two.providerID].map((id) => world.provider.get(anOwner(), id, patience())),
    );
    expect(value(first!).id).toBe(one.id);
    expect(value(second!).id).toBe(two.id);
    failure(unknown!, 'not-found');
  });

  test('ends each for itself when one of them may not be ended', async () => {
    const one = await created(world);
    const two = await created(world, { attempt: 2 });
    const message = `The instance '${one.id}' may not be terminated. Modify its 'disableApiTermination' attribute.`;
    // The call for both, and then the one for the first alone.
    world.aws.failAction({ action: 'TerminateInstances', code: 'OperationNotPermitted', message, count: 2 });
    const [held, ended] = await Promise.all(
      [one, two].map(({ id, owner }) => world.provider.beginDelete({ id, owner }, patience())),
    );
    expect(failure(held!, 'conflict').message).toContain('the instance has termination protection');
    value(ended!);
    await world.advance(10);
    expect(await world.living()).toEqual([one.id]);
  });
});

test('a launch that is stopped while it waits for its turn was never sent', async () => {
  await start({ options: { requestRates: { CreateFleet: { burst: 1, perSecond: 0.5 } } } });
  value(await begin());
  const stop = new AbortController();
  const waiting = world.provider.beginCreate(aRequest(world, { attempt: 2 }), stop.signal);
  setImmediate(() => stop.abort());
  expect(failure(await waiting, 'unavailable').message).toContain(
    'CreateFleet: the call was stopped before it was sent',
  );
  expect(world.calls()['ec2:CreateFleet']).toBe(1);
});

test.each(['pending', 'running'])(
  'a new machine that is %s and still shown without its tags is waited for',
  async (state) => {
    await start({ options: { listLagSeconds: 30 } });
    const begun = value(await begin());
    if (begun.done) throw new Error('it was there at once');
    const [id = ''] = await world.living();
    if (state === 'running') await world.advance(20);
    const machine = world.aws.instance(id);
    if (!machine) throw new Error('there is no machine');
    const tags = { ...machine.tags };
    for (const key of Object.keys(tags)) delete (machine.tags as Record<string, string>)[key];

    expect(value(await world.provider.pollCreate(begun.handle, patience()))).toMatchObject({ done: false });

    Object.assign(machine.tags, tags);
    const shown = value(await world.provider.pollCreate(begun.handle, patience()));
    expect(shown.done).toBe(state === 'running');
  },
);
