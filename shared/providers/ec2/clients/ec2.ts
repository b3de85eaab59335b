/** The part of @aws-sdk/client-ec2 that is used; loaded on first use, so that a function pays only for what it calls. */
import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  CreateTagsCommand,
  DeleteLaunchTemplateCommand,
  DescribeAvailabilityZonesCommand,
  DescribeCapacityReservationsCommand,
  DescribeImagesCommand,
  DescribeInstancesCommand,
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  DescribeLaunchTemplatesCommand,
  DescribePlacementGroupsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSpotPriceHistoryCommand,
  DescribeSubnetsCommand,
  EC2Client,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { AwsClientOptions } from '../../../platforms/aws/client-options.ts';
import type { ExchangesOf, OpenClient } from './io.ts';

export type Ec2Exchanges = ExchangesOf<
  typeof import('@aws-sdk/client-ec2'),
  | 'CreateFleet'
  | 'CreateLaunchTemplate'
  | 'CreateTags'
  | 'DeleteLaunchTemplate'
  | 'DescribeAvailabilityZones'
  | 'DescribeCapacityReservations'
  | 'DescribeImages'
  | 'DescribeInstanceTypeOfferings'
  | 'DescribeInstanceTypes'
  | 'DescribeInstances'
  | 'DescribeLaunchTemplates'
  | 'DescribePlacementGroups'
  | 'DescribeSecurityGroups'
  | 'DescribeSpotPriceHistory'
  | 'DescribeSubnets'
  | 'TerminateInstances'
>;

export function openEc2(options: AwsClientOptions): OpenClient<Ec2Exchanges> {
  const client = new EC2Client(options);
  return {
    senders: {
      CreateFleet: (input, more) => client.send(new CreateFleetCommand(input), more),
      CreateLaunchTemplate: (input, more) => client.send(new CreateLaunchTemplateCommand(input), more),
      CreateTags: (input, more) => client.send(new CreateTagsCommand(input), more),
      DeleteLaunchTemplate: (input, more) => client.send(new DeleteLaunchTemplateCommand(input), more),
      DescribeAvailabilityZones: (input, more) => client.send(new DescribeAvailabilityZonesCommand(input), more),
      DescribeCapacityReservations: (input, more) => client.send(new DescribeCapacityReservationsCommand(input), more),
      DescribeImages: (input, more) => client.send(new DescribeImagesCommand(input), more),
      DescribeInstanceTypeOfferings: (input, more) =>
        client.send(new DescribeInstanceTypeOfferingsCommand(input), more),
      DescribeInstanceTypes: (input, more) => client.send(new DescribeInstanceTypesCommand(input), more),
      DescribeInstances: (input, more) => client.send(new DescribeInstancesCommand(input), more),
      DescribeLaunchTemplates: (input, more) => client.send(new DescribeLaunchTemplatesCommand(input), more),
      DescribePlacementGroups: (input, more) => client.send(new DescribePlacementGroupsCommand(input), more),
      DescribeSecurityGroups: (input, more) => client.send(new DescribeSecurityGroupsCommand(input), more),
      DescribeSpotPriceHistory: (input, more) => client.send(new DescribeSpotPriceHistoryCommand(input), more),
      DescribeSubnets: (input, more) => client.send(new DescribeSubnetsCommand(input), more),
      TerminateInstances: (input, more) => client.send(new TerminateInstancesCommand(input), more),
    },
    prepare: () => client.config.credentials(),
    close: () => client.destroy(),
  };
}
