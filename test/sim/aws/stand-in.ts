/** A stand-in for AWS with a clock that is moved by hand, and the real client of EC2 before it. */
import {
  CreateFleetCommand,
  type CreateFleetCommandInput,
  CreateLaunchTemplateCommand,
  DescribeInstancesCommand,
  type DescribeInstancesCommandInput,
  EC2Client,
  type Instance,
} from '@aws-sdk/client-ec2';
import { countingIds, manualClock } from '../../../shared/base/runtime.ts';
import { clientOptions } from '../../../shared/platforms/aws/client-options.ts';
import { type Aws, type AwsOptions, startAws } from '../../../sim/aws/start.ts';

export interface StandIn {
  aws: Aws;
  ec2: EC2Client;
  clock: ReturnType<typeof manualClock>;
  advance(seconds: number): Promise<void>;
  close(): Promise<void>;
}

export async function standIn(options: AwsOptions = {}): Promise<StandIn> {
  const clock = manualClock();
  const aws = await startAws({ clock, ids: countingIds(), wakeByItself: false, ...options });
  const ec2 = new EC2Client(connectionOf(aws));
  return {
    aws,
    ec2,
    clock,
    advance: async (seconds) => {
      clock.advance(Math.round(seconds * 1000));
      await aws.settle();
    },
    close: async () => {
      ec2.destroy();
      await aws.close();
    },
  };
}

export const connectionOf = (aws: Aws) =>
  clientOptions({ region: aws.region, endpoint: aws.url, credentials: aws.credentials });

export const imageNamed = (aws: Aws, part: string): string => {
  const found = [...aws.account.images.values()].find(({ name }) => name.includes(part));
  if (found === undefined) throw new Error(`no image is called ${part}`);
  return found.id;
};

const al2023 = 'al2023-x86_64-standard-1.34-v20261027';

export async function makeTemplate(
  { aws, ec2 }: Pick<StandIn, 'aws' | 'ec2'>,
  more: { name?: string; userData?: string; data?: object } = {},
): Promise<string> {
  const name = more.name ?? 'poolwright/template';
  const userData = more.userData ?? '#!/bin/bash\n/etc/eks/bootstrap.sh demo';
  await ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: name,
      LaunchTemplateData: {
        ImageId: imageNamed(aws, al2023),
        SecurityGroupIds: ['sg-0nodes'],
        IamInstanceProfile: { Name: 'nodes-demo' },
        UserData: Buffer.from(userData).toString('base64'),
        ...more.data,
      },
    }),
  );
  return name;
}

/** An instant fleet for one instance of these types in these zones (by their place in the region). */
export const fleetOf = (
  template: string,
  offerings: readonly (readonly [type: string, zone: number])[],
  more: Partial<CreateFleetCommandInput> & { spot?: boolean; tags?: Record<string, string> } = {},
): CreateFleetCommand => {
  const { spot = false, tags = {}, ...rest } = more;
  return new CreateFleetCommand({
    Type: 'instant',
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: template, Version: '$Latest' },
        Overrides: offerings.map(([InstanceType, zone]) => ({
          InstanceType: InstanceType as 'm5.large',
          SubnetId: `subnet-0private${zone}`,
          AvailabilityZone: `us-east-1${'abc'[zone]}`,
        })),
      },
    ],
    TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: spot ? 'spot' : 'on-demand' },
    TagSpecifications: [
      { ResourceType: 'instance', Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) },
    ],
    ...rest,
  });
};

export async function instancesOf(ec2: EC2Client, input: DescribeInstancesCommandInput): Promise<Instance[]> {
  const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand(input));
  return Reservations.flatMap(({ Instances = [] }) => Instances);
}

/** The code of AWS's error. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'none';
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  }
}
