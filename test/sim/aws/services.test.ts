import {
  DescribeAvailabilityZonesCommand,
  DescribeCapacityReservationsCommand,
  DescribeImagesCommand,
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  DescribeLaunchTemplatesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSpotPriceHistoryCommand,
  DescribeSubnetsCommand,
  DescribeVpcsCommand,
  EC2Client,
  paginateDescribeInstanceTypes,
} from '@aws-sdk/client-ec2';
import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  DeleteInstanceProfileCommand,
  GetInstanceProfileCommand,
  GetRoleCommand,
  IAMClient,
} from '@aws-sdk/client-iam';
import { GetProductsCommand, PricingClient } from '@aws-sdk/client-pricing';
import { GetParameterCommand, GetParametersByPathCommand, GetParametersCommand, SSMClient } from '@aws-sdk/client-ssm';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../../../shared/base/runtime.ts';
import { codeOf, connectionOf, makeTemplate, type StandIn, standIn } from './stand-in.ts';

const role = 'arn:aws:iam::123456789012:role/provisioner';
let world: StandIn;
beforeEach(async () => {
  world = await standIn({
    denied: ['ec2:DescribeImages', 'ssm:GetParameter'],
    roles: [{ arn: role, externalId: 'open sesame', sessionSeconds: 900 }],
    reservations: [{ id: 'cr-1', instanceType: 'm5.large', zone: 'us-east-1a', total: 3 }],
  });
});
afterEach(() => world.close());

describe('EC2', () => {
  test('lists all types, over as many pages as it takes', async () => {
    const { ec2, aws } = world;
    const found: string[] = [];
    for await (const page of paginateDescribeInstanceTypes({ client: ec2, pageSize: 30 }, {})) {
      found.push(...(page.InstanceTypes ?? []).flatMap(({ InstanceType }) => InstanceType ?? []));
    }
    expect(found).toEqual(aws.account.types.map(({ name }) => name));
    expect(new Set(found).size).toBeGreaterThanOrEqual(60);
    const { InstanceTypes: [gpu] = [] } = await ec2.send(
      new DescribeInstanceTypesCommand({ InstanceTypes: ['g5.12xlarge'] }),
    );
    expect(gpu).toMatchObject({
      VCpuInfo: { DefaultVCpus: 48 },
      MemoryInfo: { SizeInMiB: 196_608 },
      GpuInfo: { Gpus: [{ Name: 'A10G', Count: 4, Manufacturer: 'NVIDIA', MemoryInfo: { SizeInMiB: 24_576 } }] },
      NetworkInfo: { MaximumNetworkInterfaces: 15, Ipv4AddressesPerInterface: 50 },
      ProcessorInfo: { SupportedArchitectures: ['x86_64'] },
      SupportedUsageClasses: ['on-demand', 'spot'],
    });
  });

  test('does not sell every type in every zone', async () => {
    const { InstanceTypeOfferings = [] } = await world.ec2.send(
      new DescribeInstanceTypeOfferingsCommand({
        LocationType: 'availability-zone',
        Filters: [{ Name: 'instance-type', Values: ['p4d.24xlarge', 'p5.*'] }],
      }),
    );
    expect(InstanceTypeOfferings.map(({ InstanceType, Location }) => [InstanceType, Location])).toEqual([
      ['p4d.24xlarge', 'us-east-1a'],
      ['p4d.24xlarge', 'us-east-1b'],
      ['p5.48xlarge', 'us-east-1a'],
    ]);
  });

  test('shows zones, networks, reservations, spot prices and templates', async () => {
    const { ec2 } = world;
    const { AvailabilityZones = [] } = await ec2.send(new DescribeAvailabilityZonesCommand({}));
    expect(AvailabilityZones.map(({ ZoneId }) => ZoneId)).toEqual(['use1-az1', 'use1-az2', 'use1-az3']);
    const discovery = [{ Name: 'tag:karpenter.sh/discovery', Values: ['demo'] }];
    const { Subnets = [] } = await ec2.send(new DescribeSubnetsCommand({ Filters: discovery }));
    expect(Subnets.map(({ SubnetId, AvailableIpAddressCount }) => [SubnetId, AvailableIpAddressCount])).toEqual([
      ['subnet-0private0', 16_379],
      ['subnet-0private1', 16_379],
      ['subnet-0private2', 16_379],
    ]);
    const { SecurityGroups = [] } = await ec2.send(new DescribeSecurityGroupsCommand({ Filters: discovery }));
    expect(SecurityGroups.map(({ GroupId }) => GroupId)).toEqual(['sg-0nodes']);
    const { CapacityReservations = [] } = await ec2.send(new DescribeCapacityReservationsCommand({}));
    expect(CapacityReservations).toMatchObject([{ CapacityReservationId: 'cr-1', AvailableInstanceCount: 3 }]);
    const { SpotPriceHistory = [] } = await ec2.send(
      new DescribeSpotPriceHistoryCommand({
        InstanceTypes: ['m5.large'],
        ProductDescriptions: ['Linux/UNIX'],
        StartTime: new Date(),
      }),
    );
    expect(SpotPriceHistory.map(({ AvailabilityZone, SpotPrice }) => [AvailabilityZone, Number(SpotPrice)])).toEqual([
      ['us-east-1a', 0.0288],
      ['us-east-1b', 0.0307],
      ['us-east-1c', 0.0326],
    ]);
    const name = await makeTemplate(world);
    const { LaunchTemplates = [] } = await ec2.send(
      new DescribeLaunchTemplatesCommand({ LaunchTemplateNames: [name] }),
    );
    expect(LaunchTemplates).toMatchObject([{ LaunchTemplateName: name, LatestVersionNumber: 1 }]);
    const none = ec2.send(new DescribeLaunchTemplatesCommand({ LaunchTemplateNames: ['poolwright/none'] }));
    expect(await codeOf(none)).toBe('InvalidLaunchTemplateName.NotFoundException');
    expect(await codeOf(makeTemplate(world))).toBe('InvalidLaunchTemplateName.AlreadyExistsException');
  });

  test('says what is not there, what is not allowed and what it does not know', async () => {
    const { ec2 } = world;
    const unknown = ec2.send(new DescribeSubnetsCommand({ SubnetIds: ['subnet-0gone'] }));
    expect(await codeOf(unknown)).toBe('InvalidSubnetID.NotFound');
    const filter = ec2.send(new DescribeSubnetsCommand({ Filters: [{ Name: 'color', Values: ['red'] }] }));
    expect(await codeOf(filter)).toBe('InvalidParameterValue');
    expect(await codeOf(ec2.send(new DescribeVpcsCommand({})))).toBe('InvalidAction');
    const denied = ec2.send(new DescribeImagesCommand({ Owners: ['self'] }));
    await expect(denied).rejects.toMatchObject({
      name: 'UnauthorizedOperation',
      message: expect.stringMatching(
        /perform: ec2:DescribeImages on resource: .*Encoded authorization failure message/,
      ),
      $metadata: { httpStatusCode: 403 },
    });
  });

  test('has nothing of ours in another region, and does not know regions that are none', async () => {
    const { aws } = world;
    const elsewhere = new EC2Client({ ...connectionOf(aws), region: 'eu-west-1' });
    expect((await elsewhere.send(new DescribeSubnetsCommand({}))).Subnets).toEqual([]);
    const nowhere = new EC2Client({ ...connectionOf(aws), region: 'moon-north-1' });
    expect(await codeOf(nowhere.send(new DescribeSubnetsCommand({})))).toBe('AuthFailure');
  });

  test('turns away whoever finds the bucket of an action empty, until it has filled again', async () => {
    const { aws, ec2, advance } = world;
    aws.setBuckets({ DescribeSubnets: { burst: 2, refillPerSecond: 1 } });
    const ask = () => codeOf(ec2.send(new DescribeSubnetsCommand({})));
    expect([await ask(), await ask(), await ask()]).toEqual(['none', 'none', 'RequestLimitExceeded']);
    expect(await codeOf(ec2.send(new DescribeSecurityGroupsCommand({})))).toBe('none');
    await advance(1);
    expect([await ask(), await ask()]).toEqual(['none', 'RequestLimitExceeded']);
    expect(aws.counts().throttled).toBe(2);
  });

  test('fails an action that it is told to fail, as often as it is told', async () => {
    const { aws, ec2 } = world;
    aws.failAction({ action: 'DescribeSubnets', code: 'InternalError', status: 500, count: 2 });
    const ask = () => codeOf(ec2.send(new DescribeSubnetsCommand({})));
    expect([await ask(), await ask(), await ask()]).toEqual(['InternalError', 'InternalError', 'none']);
  });
});

describe('beside EC2', () => {
  test('parameters name the newest images', async () => {
    const { aws } = world;
    const ssm = new SSMClient(connectionOf(aws));
    const path = '/aws/service/eks/optimized-ami/1.34/amazon-linux-2023';
    const Name = `${path}/x86_64/standard/recommended/image_id`;
    const { Parameters = [], InvalidParameters } = await ssm.send(
      new GetParametersCommand({ Names: [Name, '/no/such/parameter'] }),
    );
    expect(InvalidParameters).toEqual(['/no/such/parameter']);
    expect(aws.account.images.get(Parameters[0]?.Value ?? '')?.name).toBe(
      'amazon-eks-node-al2023-x86_64-standard-1.34-v20261027',
    );
    const below = await ssm.send(new GetParametersByPathCommand({ Path: path, Recursive: true }));
    expect(below.Parameters).toHaveLength(10);
    expect(below.NextToken).toBeDefined();
    const denied = ssm.send(new GetParameterCommand({ Name }));
    expect(await codeOf(denied)).toBe('AccessDeniedException');
  });

  test('instance profiles are made, given a role and deleted', async () => {
    const iam = new IAMClient(connectionOf(world.aws));
    const InstanceProfileName = 'made';
    const get = () => iam.send(new GetInstanceProfileCommand({ InstanceProfileName }));
    expect(await codeOf(get())).toBe('NoSuchEntityException');
    await iam.send(new CreateInstanceProfileCommand({ InstanceProfileName, Tags: [{ Key: 'a', Value: 'b' }] }));
    const add = (RoleName: string) => iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName, RoleName }));
    expect(await codeOf(add('nobody'))).toBe('NoSuchEntityException');
    await add('KarpenterNodeRole-demo');
    expect((await get()).InstanceProfile).toMatchObject({
      Arn: 'arn:aws:iam::123456789012:instance-profile/made',
      Roles: [{ RoleName: 'KarpenterNodeRole-demo' }],
      Tags: [{ Key: 'a', Value: 'b' }],
    });
    expect(await codeOf(iam.send(new DeleteInstanceProfileCommand({ InstanceProfileName })))).toBe(
      'DeleteConflictException',
    );
    expect(await codeOf(iam.send(new CreateInstanceProfileCommand({ InstanceProfileName })))).toBe(
      'EntityAlreadyExistsException',
    );
    expect((await iam.send(new GetRoleCommand({ RoleName: 'KarpenterNodeRole-demo' }))).Role?.RoleName).toBeDefined();
  });

  test('the price list has the price on demand among many others, over several pages', async () => {
    const pricing = new PricingClient(connectionOf(world.aws));
    const field = (Field: string, Value: string) => ({ Type: 'TERM_MATCH' as const, Field, Value });
    const answer = await pricing.send(
      new GetProductsCommand({
        ServiceCode: 'AmazonEC2',
        Filters: [
          field('regionCode', 'us-east-1'),
          field('operatingSystem', 'Linux'),
          field('preInstalledSw', 'NA'),
          field('capacitystatus', 'Used'),
          field('instanceType', 'm5.large'),
        ],
      }),
    );
    expect(answer.PriceList).toHaveLength(1);
    expect(String(answer.PriceList?.[0])).toContain('"USD":"0.0960000000"');
    const all = await pricing.send(new GetProductsCommand({ ServiceCode: 'AmazonEC2' }));
    expect(all.NextToken).toBeDefined();
  });

  test('a cluster of EKS is found by its name', async () => {
    const eks = new EKSClient(connectionOf(world.aws));
    const { cluster } = await eks.send(new DescribeClusterCommand({ name: 'demo' }));
    expect(cluster).toMatchObject({
      version: '1.34',
      status: 'ACTIVE',
      certificateAuthority: { data: expect.any(String) },
    });
    expect(await codeOf(eks.send(new DescribeClusterCommand({ name: 'other' })))).toBe('ResourceNotFoundException');
  });
});

describe('who calls', () => {
  test('takes on a role when it knows the external id, until the time of its keys is over', async () => {
    const { aws } = world;
    const sts = new STSClient(connectionOf(aws));
    const assume = (ExternalId: string) =>
      sts.send(new AssumeRoleCommand({ RoleArn: role, RoleSessionName: 'test', ExternalId }));
    expect(await codeOf(assume('wrong'))).toBe('AccessDenied');
    const { Credentials } = await assume('open sesame');
    const credentials = {
      accessKeyId: Credentials?.AccessKeyId ?? '',
      secretAccessKey: Credentials?.SecretAccessKey ?? '',
      sessionToken: Credentials?.SessionToken ?? '',
    };
    const asRole = new STSClient({ ...connectionOf(aws), credentials });
    const { Arn } = await asRole.send(new GetCallerIdentityCommand({}));
    expect(Arn).toBe('arn:aws:sts::123456789012:assumed-role/provisioner/test');
    aws.expireSessions();
    const ec2 = new EC2Client({ ...connectionOf(aws), credentials });
    expect(await codeOf(ec2.send(new DescribeSubnetsCommand({})))).toBe('RequestExpired');
    expect(await codeOf(asRole.send(new GetCallerIdentityCommand({})))).toBe('ExpiredToken');
  });

  test('is refused with keys that nobody has given out, and with a clock that is wrong', async () => {
    const { aws } = world;
    const stranger = { accessKeyId: 'AKIASTRANGER', secretAccessKey: 'x' };
    const ec2 = new EC2Client({ ...connectionOf(aws), credentials: stranger });
    expect(await codeOf(ec2.send(new DescribeSubnetsCommand({})))).toBe('AuthFailure');
    await world.close();
    world = await standIn({ authClock: manualClock(Date.now() + 3_600_000) });
    expect(await codeOf(world.ec2.send(new DescribeSubnetsCommand({})))).toBe('RequestExpired');
  });
});
