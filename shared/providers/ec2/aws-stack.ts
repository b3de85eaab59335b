/**
 * What the provider brings to the stack on AWS: the rights of the functions that look at EC2 or change something there, and the notices
 * of interruption that EventBridge sends. Nothing here is for convenience: taking a right away breaks what its `why` says.
 */
import { ref, sub } from '../../platforms/aws/cloudformation.ts';
import type { ProviderStack, RightSettings, StackRight } from '../../platforms/aws/stack-right.ts';

const ownershipTag = 'poolwright.dev/deployment';

const here = `arn:\${AWS::Partition}`;
const ec2 = (type: string, account = `\${AWS::AccountId}`) => sub(`${here}:ec2:\${AWS::Region}:${account}:${type}/*`);

/** They look at EC2; only some of these change anything. */
const readers = ['watch-events', 'watch-interruptions', 'reconcile', 'collect-garbage', 'steps', 'provision-ec2'];

const asked = ({ deployment }: RightSettings) => ({ [`aws:RequestTag/${ownershipTag}`]: deployment });
const carried = ({ deployment }: RightSettings) => ({ [`aws:ResourceTag/${ownershipTag}`]: deployment });

export const rights: readonly StackRight[] = [
  {
    id: 'SeeEc2',
    actions: [
      'ec2:DescribeAvailabilityZones',
      'ec2:DescribeCapacityReservations',
      'ec2:DescribeImages',
      'ec2:DescribeInstances',
      'ec2:DescribeInstanceTypeOfferings',
      'ec2:DescribeInstanceTypes',
      'ec2:DescribeLaunchTemplates',
      'ec2:DescribePlacementGroups',
      'ec2:DescribeSecurityGroups',
      'ec2:DescribeSpotPriceHistory',
      'ec2:DescribeSubnets',
    ],
    functions: readers,
    on: 'everything',
    resources: () => ['*'],
    condition: () => ({ StringEquals: { 'aws:RequestedRegion': ref('AWS::Region') } }),
    onlyIf: 'the call is to this region',
    why: 'resolves node classes, reads the offerings, and finds the instances of claims',
    anyResource: 'EC2 does not support resources for its Describe actions',
  },
  {
    id: 'SeePrices',
    actions: ['pricing:GetProducts'],
    functions: readers,
    on: 'everything',
    resources: () => ['*'],
    why: 'reads list prices, so that the cheapest offering comes first; without it they are shown as unknown',
    anyResource: 'the price list does not support resources',
  },
  {
    id: 'SeeImageParameters',
    actions: ['ssm:GetParameter', 'ssm:GetParameters'],
    functions: readers,
    on: "AWS's public parameters",
    resources: () => [sub(`${here}:ssm:\${AWS::Region}::parameter/aws/service/*`)],
    why: 'finds the images of an alias such as `al2023@latest`',
  },
  {
    id: 'LaunchFrom',
    actions: ['ec2:CreateFleet', 'ec2:RunInstances'],
    functions: ['provision-ec2'],
    on: 'images, snapshots, subnets, security groups, network interfaces, spot requests, placement groups and capacity reservations of the region',
    resources: () => [
      ec2('image', ''),
      ec2('snapshot', ''),
      // A subnet, group or reservation may be shared by another account.
      ec2('subnet', '*'),
      ec2('security-group', '*'),
      ec2('capacity-reservation', '*'),
      ec2('placement-group'),
      ec2('network-interface'),
      ec2('spot-instances-request'),
    ],
    why: 'refers to what an instance is created from; the node class decides which',
  },
  {
    id: 'LaunchWithOurTemplates',
    actions: ['ec2:CreateFleet', 'ec2:RunInstances'],
    functions: ['provision-ec2'],
    on: 'launch templates',
    resources: () => [ec2('launch-template')],
    condition: (settings) => ({ StringEquals: carried(settings) }),
    onlyIf: 'they carry the tag of this deployment',
    why: 'launches with a template that Poolwright created',
  },
  {
    id: 'LaunchTagged',
    actions: ['ec2:CreateFleet', 'ec2:RunInstances', 'ec2:CreateLaunchTemplate'],
    functions: ['provision-ec2'],
    on: 'fleets, instances, volumes, launch templates',
    resources: () => [ec2('fleet'), ec2('instance'), ec2('volume'), ec2('launch-template')],
    condition: (settings) => ({ StringEquals: asked(settings) }),
    onlyIf: 'they are created with the tag of this deployment',
    why: 'creates the instance of a claim. Everything is tagged on creation, so nothing is left behind untagged',
  },
  {
    id: 'TagWhatIsMade',
    actions: ['ec2:CreateTags'],
    functions: ['provision-ec2'],
    on: 'fleets, instances, volumes, launch templates',
    resources: () => [ec2('fleet'), ec2('instance'), ec2('volume'), ec2('launch-template')],
    condition: (settings) => ({
      StringEquals: {
        ...asked(settings),
        'ec2:CreateAction': ['CreateFleet', 'RunInstances', 'CreateLaunchTemplate'],
      },
    }),
    onlyIf: 'in the call that creates them, with the tag of this deployment',
    why: "tags at launch; existing resources can't be tagged, so Poolwright can't take over resources of others, unless `adoption` allows it",
  },
  {
    id: 'TagInterfaces',
    actions: ['ec2:CreateTags'],
    functions: ['provision-ec2'],
    on: 'network interfaces',
    resources: () => [ec2('network-interface')],
    condition: () => ({ StringEquals: { 'ec2:CreateAction': ['CreateFleet', 'RunInstances'] } }),
    onlyIf: 'in the call that creates them',
    why: 'the interface of an instance carries the tags of the node class; they come with the launch template, which many claims share',
  },
  {
    id: 'Adopt',
    actions: ['ec2:CreateTags'],
    functions: ['provision-ec2'],
    on: 'instances, and only with `adoption`',
    resources: ({ adoption }) => (adoption ? [ec2('instance')] : []),
    condition: (settings) => ({
      StringEquals: asked(settings),
      Null: {
        [`aws:ResourceTag/${ownershipTag}`]: 'true',
        'aws:ResourceTag/karpenter.sh/nodeclaim': 'false',
      },
    }),
    onlyIf: "they carry Karpenter's own tag, and not the tag of any deployment",
    why: 'takes over an instance that Karpenter created for a claim: `poolwright adopt`',
  },
  {
    id: 'Terminate',
    actions: ['ec2:TerminateInstances'],
    functions: ['collect-garbage', 'provision-ec2'],
    on: 'instances',
    resources: () => [ec2('instance')],
    condition: (settings) => ({ StringEquals: carried(settings) }),
    onlyIf: 'they carry the tag of this deployment',
    why: 'terminates the instance of a deleted claim, and orphaned instances',
  },
  {
    id: 'DeleteTemplates',
    actions: ['ec2:DeleteLaunchTemplate'],
    functions: ['provision-ec2'],
    on: 'launch templates',
    resources: () => [ec2('launch-template')],
    condition: (settings) => ({ StringEquals: carried(settings) }),
    onlyIf: 'they carry the tag of this deployment',
    why: 'removes templates that have not been used for a while',
  },
  {
    id: 'GiveNodeRole',
    actions: ['iam:PassRole'],
    functions: ['provision-ec2'],
    on: 'each role in `nodeRoles`',
    resources: ({ nodeRoles }) => nodeRoles.map((name) => sub(`${here}:iam::\${AWS::AccountId}:role/${name}`)),
    condition: () => ({ StringEquals: { 'iam:PassedToService': 'ec2.amazonaws.com' } }),
    onlyIf: 'it is passed to EC2',
    why: 'gives instances the role that the node class names',
  },
  {
    id: 'SeeInstanceProfiles',
    actions: ['iam:GetInstanceProfile'],
    functions: readers,
    on: 'instance profiles of the account',
    resources: () => [sub(`${here}:iam::\${AWS::AccountId}:instance-profile/*`)],
    why: 'detects that the profile of a node class is missing',
  },
  {
    id: 'MakeInstanceProfiles',
    actions: [
      'iam:CreateInstanceProfile',
      'iam:TagInstanceProfile',
      'iam:AddRoleToInstanceProfile',
      'iam:RemoveRoleFromInstanceProfile',
      'iam:DeleteInstanceProfile',
    ],
    functions: ['provision-ec2'],
    on: 'instance profiles whose name begins with `poolwright_`',
    resources: ({ nodeRoles }) =>
      nodeRoles.length === 0 ? [] : [sub(`${here}:iam::\${AWS::AccountId}:instance-profile/poolwright_*`)],
    why: 'creates the profile of a node class that names a role; `GiveNodeRole` limits which role it can have',
  },
];

/** What EventBridge tells about instances. Everybody's: the watcher drops what is not ours, because no pattern can know. */
export const notices = {
  SpotInterruption: { source: ['aws.ec2'], 'detail-type': ['EC2 Spot Instance Interruption Warning'] },
  RebalanceRecommendation: { source: ['aws.ec2'], 'detail-type': ['EC2 Instance Rebalance Recommendation'] },
  InstanceStateChange: {
    source: ['aws.ec2'],
    'detail-type': ['EC2 Instance State-change Notification'],
    // The others say nothing that a claim does not know.
    detail: { state: ['stopping', 'stopped', 'shutting-down', 'terminated'] },
  },
  HealthEvent: {
    source: ['aws.health'],
    'detail-type': ['AWS Health Event'],
    detail: { service: ['EC2'], eventTypeCategory: ['scheduledChange'] },
  },
  CapacityReservationInterruption: {
    source: ['aws.ec2'],
    'detail-type': ['EC2 Capacity Reservation Instance Interruption Warning'],
  },
} as const satisfies ProviderStack['notices'];

export const eksCluster = ({ clusterName }: Readonly<Record<string, unknown>>): string | undefined =>
  typeof clusterName === 'string' ? clusterName : undefined;
