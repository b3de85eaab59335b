import { DeleteLaunchTemplateCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { codeOf, fleetOf, imageNamed, instancesOf, makeTemplate, type StandIn, standIn } from './stand-in.ts';

let world: StandIn;
beforeEach(async () => {
  world = await standIn({ settings: { pendingSeconds: 10, shutdownSeconds: 5, clientTokenSeconds: 600 } });
});
afterEach(() => world.close());

const idsOf = (answer: { Instances?: { InstanceIds?: string[] | undefined }[] | undefined }) =>
  (answer.Instances ?? []).flatMap(({ InstanceIds = [] }) => InstanceIds);

describe('an instant fleet', () => {
  test('starts the cheapest of its offerings, which is pending first, then runs, and ends in two steps', async () => {
    const { ec2, advance } = world;
    const name = await makeTemplate(world);
    const answer = await ec2.send(
      fleetOf(
        name,
        [
          ['m5.xlarge', 0],
          ['m5.large', 1],
        ],
        { tags: { team: 'web' } },
      ),
    );
    const [id = ''] = idsOf(answer);
    const look = async () => (await instancesOf(ec2, { InstanceIds: [id] }))[0];
    expect(await look()).toMatchObject({
      InstanceType: 'm5.large',
      State: { Name: 'pending' },
      Placement: { AvailabilityZone: 'us-east-1b' },
      Tags: expect.arrayContaining([{ Key: 'team', Value: 'web' }]),
      PrivateDnsName: expect.stringMatching(/^ip-10-0-\d+-\d+\.ec2\.internal$/),
    });
    await advance(10);
    expect((await look())?.State?.Name).toBe('running');
    await ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
    expect((await look())?.State?.Name).toBe('shutting-down');
    await advance(5);
    expect((await look())?.State?.Name).toBe('terminated');
    await advance(3600);
    expect(await codeOf(instancesOf(ec2, { InstanceIds: [id] }))).toBe('InvalidInstanceID.NotFound');
  });

  test('names each offering that was out, with its code, and takes the next', async () => {
    const { aws, ec2 } = world;
    const name = await makeTemplate(world);
    aws.setFaults([
      { on: 'create', offering: { instanceType: 'm5.large', zone: 'us-east-1a' }, do: { kind: 'sold-out' } },
    ]);
    const answer = await ec2.send(
      fleetOf(name, [
        ['m5.large', 0],
        ['m5.large', 1],
        ['m7g.large', 1],
        ['p5.48xlarge', 2],
      ]),
    );
    expect(answer.Instances).toMatchObject([
      { InstanceType: 'm5.large', LaunchTemplateAndOverrides: { Overrides: { SubnetId: 'subnet-0private1' } } },
    ]);
    expect(
      answer.Errors?.map(({ ErrorCode, LaunchTemplateAndOverrides, Lifecycle }) => [
        LaunchTemplateAndOverrides?.Overrides?.InstanceType,
        LaunchTemplateAndOverrides?.Overrides?.AvailabilityZone,
        Lifecycle,
        ErrorCode,
      ]).toSorted(),
    ).toEqual([
      ['m5.large', 'us-east-1a', 'on-demand', 'InsufficientInstanceCapacity'],
      ['m7g.large', 'us-east-1b', 'on-demand', 'InvalidParameterValue'],
      ['p5.48xlarge', 'us-east-1c', 'on-demand', 'Unsupported'],
    ]);
  });

  test('gives the same answer to the same token, and makes nothing twice', async () => {
    const { aws, ec2 } = world;
    const name = await makeTemplate(world);
    const ask = () => ec2.send(fleetOf(name, [['m5.large', 0]], { ClientToken: 'claim-1' }));
    const [first, second] = [await ask(), await ask()];
    expect(idsOf(second)).toEqual(idsOf(first));
    expect(second.FleetId).toBe(first.FleetId);
    expect(aws.living).toBe(1);
    const other = ec2.send(fleetOf(name, [['m5.large', 1]], { ClientToken: 'claim-1' }));
    expect(await codeOf(other)).toBe('IdempotentParameterMismatch');
    expect(aws.counts()).toMatchObject({ fleets: 1, repeatedTokens: 1, mismatchedTokens: 1 });
  });

  test('makes another when the time of the token is over', async () => {
    const { aws, ec2, advance } = world;
    const name = await makeTemplate(world);
    const ask = () => ec2.send(fleetOf(name, [['m5.large', 0]], { ClientToken: 'claim-1' }));
    await ask();
    await advance(600);
    await ask();
    expect(aws.living).toBe(2);
  });

  test('is made although the answer is lost, and found again by its token', async () => {
    const { aws, ec2 } = world;
    const name = await makeTemplate(world);
    aws.setFaults([{ on: 'create', count: 1, do: { kind: 'reset', effect: 'done' } }]);
    const ask = () => ec2.send(fleetOf(name, [['m5.large', 0]], { ClientToken: 'claim-1' }));
    expect(await codeOf(ask())).not.toBe('none');
    expect(aws.living).toBe(1);
    expect(idsOf(await ask())).toEqual([aws.ledger()[0]?.id]);
    expect(aws.living).toBe(1);
  });

  test('fails as a whole when its launch template is gone', async () => {
    const { ec2 } = world;
    const name = await makeTemplate(world);
    await ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateName: name }));
    expect(await codeOf(ec2.send(fleetOf(name, [['m5.large', 0]])))).toBe(
      'InvalidLaunchTemplateName.NotFoundException',
    );
  });

  test.each([
    ['an image that is not there', { ImageId: 'ami-00000000000000000' }, 'InvalidAMIID.NotFound'],
    ['a profile that is not there', { IamInstanceProfile: { Name: 'nobody' } }, 'InvalidParameterValue'],
    ['a security group that is not there', { SecurityGroupIds: ['sg-0gone'] }, 'InvalidGroup.NotFound'],
    ['too much user data', { UserData: Buffer.alloc(16_385, 'x').toString('base64') }, 'InvalidParameterValue'],
  ])('starts nothing with %s', async (_what, data, code) => {
    const { aws, ec2 } = world;
    const name = await makeTemplate(world, { data });
    const answer = await ec2.send(fleetOf(name, [['m5.large', 0]]));
    expect(answer.Errors?.map(({ ErrorCode }) => ErrorCode)).toEqual([code]);
    expect(aws.living).toBe(0);
  });

  test('takes the reservation that its template names, and says when it is used up', async () => {
    await world.close();
    world = await standIn({ reservations: [{ id: 'cr-1', instanceType: 'm5.large', zone: 'us-east-1a', total: 1 }] });
    const { ec2 } = world;
    const target = { CapacityReservationTarget: { CapacityReservationId: 'cr-1' } };
    const name = await makeTemplate(world, { data: { CapacityReservationSpecification: target } });
    const first = await ec2.send(fleetOf(name, [['m5.large', 0]]));
    const [instance] = await instancesOf(ec2, { InstanceIds: idsOf(first) });
    expect(instance?.CapacityReservationId).toBe('cr-1');
    const second = await ec2.send(fleetOf(name, [['m5.large', 0]]));
    expect(second.Errors?.[0]?.ErrorCode).toBe('ReservationCapacityExceeded');
  });

  test('runs out of quota, of addresses and of the role that spot needs', async () => {
    await world.close();
    world = await standIn({ settings: { vcpuQuota: { Standard: 2 }, spotVcpuQuota: { G: 0 }, spotRole: true } });
    const { aws, ec2 } = world;
    const name = await makeTemplate(world);
    const codes = async (type: string, spot: boolean) =>
      (await ec2.send(fleetOf(name, [[type, 0]], { spot }))).Errors?.map(({ ErrorCode }) => ErrorCode);
    expect(await codes('m5.large', false)).toEqual([]);
    expect(await codes('m5.large', false)).toEqual(['VcpuLimitExceeded']);
    expect(await codes('g5.xlarge', true)).toEqual(['MaxSpotInstanceCountExceeded']);
    const subnet = aws.account.subnets.get('subnet-0private0')!;
    subnet.used = subnet.size;
    expect(await codes('m5.large', true)).toEqual(['InsufficientFreeAddressesInSubnet']);
  });

  test('refuses to start an instance for an architecture that the image has not', async () => {
    const { aws, ec2 } = world;
    const name = await makeTemplate(world, { data: { ImageId: imageNamed(aws, 'al2023-arm64-standard-1.34') } });
    const answer = await ec2.send(
      fleetOf(name, [
        ['m5.large', 0],
        ['m6g.large', 0],
      ]),
    );
    expect(answer.Instances?.[0]?.InstanceType).toBe('m6g.large');
    expect(answer.Errors?.[0]?.ErrorMessage).toContain("The architecture 'x86_64'");
  });
});

describe('describing instances', () => {
  test('shows the world as it was, when lists lag', async () => {
    await world.close();
    world = await standIn({ settings: { listLagSeconds: 5, pendingSeconds: 0 } });
    const { ec2, advance } = world;
    const name = await makeTemplate(world);
    const [id = ''] = idsOf(await ec2.send(fleetOf(name, [['m5.large', 0]], { tags: { team: 'web' } })));
    expect(await codeOf(instancesOf(ec2, { InstanceIds: [id] }))).toBe('InvalidInstanceID.NotFound');
    const byTag = { Filters: [{ Name: 'tag:team', Values: ['web'] }] };
    expect(await instancesOf(ec2, byTag)).toEqual([]);
    await advance(5);
    expect((await instancesOf(ec2, byTag)).map(({ InstanceId }) => InstanceId)).toEqual([id]);
  });

  test('filters by tag, tag key and state, all of which must fit', async () => {
    const { ec2 } = world;
    const name = await makeTemplate(world);
    const make = async (tags: Record<string, string>) =>
      idsOf(await ec2.send(fleetOf(name, [['m5.large', 0]], { tags })))[0];
    const one = await make({ team: 'web', stage: 'live' });
    const two = await make({ team: 'web' });
    const found = async (...filters: [string, string[]][]) =>
      (await instancesOf(ec2, { Filters: filters.map(([Name, Values]) => ({ Name, Values })) })).map(
        ({ InstanceId }) => InstanceId,
      );
    expect(await found(['tag:team', ['web']])).toEqual([one, two]);
    expect(await found(['tag:team', ['w*']], ['tag-key', ['stage']])).toEqual([one]);
    expect(await found(['tag:team', ['web']], ['instance-state-name', ['running']])).toEqual([]);
  });
});
