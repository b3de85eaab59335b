/**
 * Every right that the functions need in AWS, and why: the one list. The roles in the template and the page in docs/ are made from it. Nothing
 * here is for convenience: taking one away breaks what its `why` says. What they may do inside a cluster is another list.
 */
import { attribute, type Cfn, ref, sub } from './cloudformation.ts';
import { type FunctionName, functionNames, inNetwork } from './function-names.ts';
import { parameterResources, secretResources } from './references.ts';
import { configReference, type Settings } from './settings.ts';

export type Condition = Readonly<Record<string, Readonly<Record<string, Cfn | readonly Cfn[]>>>>;

export interface AwsRight {
  /** The `Sid` of its statement. */
  readonly id: string;
  readonly effect?: 'Deny';
  readonly actions: readonly string[];
  readonly functions: readonly FunctionName[];
  /** In words, for the page. */
  readonly on: string;
  /** None: the statement is left out. */
  resources(settings: Settings, name: FunctionName): readonly Cfn[];
  condition?(settings: Settings, name: FunctionName): Condition;
  /** In words, for the page. */
  readonly onlyIf?: string;
  readonly why: string;
  /** Why the resource is `*`. */
  readonly anyResource?: string;
}

const ownershipTag = 'poolwright.dev/deployment';

const here = `arn:\${AWS::Partition}`;
const ec2 = (type: string, account = `\${AWS::AccountId}`): Cfn =>
  sub(`${here}:ec2:\${AWS::Region}:${account}:${type}/*`);
const lambda = (settings: Settings, name: string): string =>
  `${here}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:poolwright-${settings.stage}-${name}`;

/** They talk to clusters and keep state; `workflows` leaves the clusters to those whom it invokes. */
const actors = functionNames.filter(inNetwork);
/** They start workflows: one that runs already is looked at, and one that nobody has on record is ended. */
const starters: FunctionName[] = ['watch-events', 'reconcile'];
/** They ask whether a workflow still runs, and tell it to look again. */
const wakers: FunctionName[] = [...starters, 'steps', 'provision-ec2', 'provision-aks', 'provision-arc'];
/** They look at EC2; only some of these change anything. */
const readers: FunctionName[] = [
  'watch-events',
  'watch-interruptions',
  'reconcile',
  'collect-garbage',
  'steps',
  'provision-ec2',
];

const asked = ({ deployment }: Settings) => ({ [`aws:RequestTag/${ownershipTag}`]: deployment });
const carried = ({ deployment }: Settings) => ({ [`aws:ResourceTag/${ownershipTag}`]: deployment });

const queue: readonly AwsRight[] = [
  {
    id: 'TakeEvents',
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'],
    functions: ['watch-events'],
    on: 'the queue of events',
    resources: () => [attribute('EventsQueue', 'Arn')],
    why: 'Lambda takes messages in the name of the function, which puts off those that are to be looked at later',
  },
  {
    id: 'KeepEventsApart',
    actions: ['sqs:SendMessage'],
    functions: ['watch-events'],
    on: 'the dead letters of events',
    resources: () => [attribute('EventsDeadLetters', 'Arn')],
    why: 'a message that cannot be used is kept apart with the reason',
  },
  {
    id: 'SendEvents',
    actions: ['sqs:SendMessage'],
    functions: ['http'],
    on: 'the queue of events',
    resources: () => [attribute('EventsQueue', 'Arn')],
    why: 'bridges and webhooks report through it, and dead letters are put back',
  },
  {
    id: 'SeeQueues',
    actions: ['sqs:GetQueueAttributes'],
    functions: ['http'],
    on: 'the queue of events and its dead letters',
    resources: () => [attribute('EventsQueue', 'Arn'), attribute('EventsDeadLetters', 'Arn')],
    why: 'tells how many messages wait, and whether the queue can be reached',
  },
  {
    id: 'ReplayDeadLetters',
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'],
    functions: ['http'],
    on: 'the dead letters of events',
    resources: () => [attribute('EventsDeadLetters', 'Arn')],
    why: 'lists, replays and drops dead letters: `poolwright deadletters`',
  },
  {
    id: 'TakeInterruptions',
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'],
    functions: ['watch-interruptions'],
    on: 'the queue of interruptions',
    resources: () => [attribute('InterruptionsQueue', 'Arn')],
    why: 'Lambda takes messages in the name of the function',
  },
  {
    id: 'KeepInterruptionsApart',
    actions: ['sqs:SendMessage'],
    functions: ['watch-interruptions'],
    on: 'the dead letters of interruptions',
    resources: () => [attribute('InterruptionsDeadLetters', 'Arn')],
    why: 'a message that cannot be used is kept apart with the reason',
  },
];

const state: readonly AwsRight[] = [
  {
    id: 'State',
    actions: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem', 'dynamodb:Query'],
    functions: functionNames,
    on: 'the table of the state',
    resources: () => [attribute('StateTable', 'Arn')],
    why: 'epochs and mailboxes of workflows, sold-out offerings, decisions, caches and pauses. Nobody may read the table as a whole, or change the table itself',
  },
];

const executions = (settings: Settings): Cfn[] => [
  sub(lambda(settings, 'workflows')),
  sub(`${lambda(settings, 'workflows')}:*`),
];

/** They act for `workflows`, and answer `http`. */
const stepFunctions = (settings: Settings): Cfn[] =>
  functionNames
    .filter((name) => name === 'steps' || name.startsWith('provision-'))
    .map((name) => sub(lambda(settings, name)));

const workflows: readonly AwsRight[] = [
  {
    id: 'StartWorkflows',
    actions: ['lambda:InvokeFunction'],
    functions: [...starters, 'http'],
    on: 'the function `workflows`, by its alias',
    resources: (settings) => [sub(`${lambda(settings, 'workflows')}:durable`)],
    why: 'starts the durable execution of a claim; `http` once more: `poolwright workflows restart`',
  },
  {
    id: 'WakeWorkflows',
    actions: ['lambda:SendDurableExecutionCallbackSuccess'],
    functions: wakers,
    on: 'executions of `workflows`',
    resources: executions,
    why: 'tells an execution that waits to look again now',
  },
  {
    id: 'SeeWorkflows',
    actions: [
      'lambda:GetDurableExecution',
      'lambda:GetDurableExecutionHistory',
      'lambda:ListDurableExecutionsByFunction',
    ],
    functions: [...wakers, 'http'],
    on: 'the function `workflows` and its executions',
    resources: executions,
    why: 'knows whether the execution that is on record still runs, and shows what it does and waits for: `explain`, the HTTP API',
  },
  {
    id: 'StopWorkflows',
    actions: ['lambda:StopDurableExecution'],
    functions: [...starters, 'http'],
    on: 'executions of `workflows`',
    resources: executions,
    why: 'ends an execution that nobody has on record, or that somebody wants to be replaced, before another is started',
  },
  {
    id: 'Checkpoints',
    actions: ['lambda:CheckpointDurableExecution', 'lambda:GetDurableExecutionState'],
    functions: ['workflows'],
    on: 'its own executions',
    resources: (settings) => [sub(`${lambda(settings, 'workflows')}:*/durable-execution/*/*`)],
    why: 'keeps and reads how far an execution is',
  },
  {
    id: 'RunSteps',
    actions: ['lambda:InvokeFunction'],
    functions: ['workflows'],
    on: '`steps` and the functions of the providers',
    resources: stepFunctions,
    why: 'has every step of a workflow done by the function that holds the rights for it; it has none itself',
  },
  {
    id: 'KeepFailedStarts',
    actions: ['sqs:SendMessage'],
    functions: ['workflows'],
    on: 'the dead letters of workflows',
    resources: () => [attribute('WorkflowsDeadLetters', 'Arn')],
    why: 'Lambda puts a start there that it could not deliver in hours',
  },
];

const questions: readonly AwsRight[] = [
  {
    id: 'AskProviders',
    actions: ['lambda:InvokeFunction'],
    functions: ['http'],
    on: '`steps` and the functions of the providers',
    resources: stepFunctions,
    why: 'has questions about providers answered by the function that holds the rights for it, and has what a predecessor made adopted: `get offerings`, `plan`, `doctor`, `adopt`. It has no right at any cloud itself',
  },
];

const secrets: readonly AwsRight[] = [
  {
    id: 'Configuration',
    actions: ['ssm:GetParameter'],
    functions: functionNames,
    on: 'the parameter with the configuration',
    resources: ({ configText, stage }) => parameterResources(configText === undefined ? [] : [configReference(stage)]),
    why: 'reads the configuration',
  },
  {
    id: 'ConfigurationElsewhere',
    actions: ['ssm:GetParameter'],
    functions: functionNames,
    on: 'what `configParameter` names, if it is a parameter',
    resources: ({ configParameter }) => parameterResources(configParameter === undefined ? [] : [configParameter]),
    why: 'reads the configuration',
  },
  {
    id: 'SecretConfiguration',
    actions: ['secretsmanager:GetSecretValue'],
    functions: functionNames,
    on: 'what `configParameter` names, if it is a secret',
    resources: ({ configParameter }) => secretResources(configParameter === undefined ? [] : [configParameter]),
    why: 'reads the configuration',
  },
  {
    id: 'Secrets',
    actions: ['secretsmanager:GetSecretValue'],
    functions: actors,
    on: 'each secret that the settings refer to, and no other',
    resources: ({ references }) => secretResources(references),
    why: 'tokens and certificates of clusters, the token of the HTTP API, credentials of other clouds',
  },
  {
    id: 'SecretParameters',
    actions: ['ssm:GetParameter'],
    functions: actors,
    on: 'each parameter that the settings refer to, and no other',
    resources: ({ references }) => parameterResources(references),
    why: 'the same, where they are kept as parameters',
  },
  {
    id: 'SecretKeys',
    actions: ['kms:Decrypt'],
    functions: functionNames,
    on: 'each key in `keyArns`',
    resources: ({ keyArns }) => keyArns,
    why: "reads secrets that are encrypted with a key of yours; AWS's own keys need no right",
  },
];

const clusters: readonly AwsRight[] = [
  {
    id: 'EksClusters',
    actions: ['eks:DescribeCluster'],
    functions: actors,
    on: 'each cluster of EKS that the settings name',
    resources: ({ eksClusters }) =>
      eksClusters.map((name) => sub(`${here}:eks:\${AWS::Region}:\${AWS::AccountId}:cluster/${name}`)),
    why: 'asks where the API server is and whom to trust; what we may do there is decided in the cluster. Not needed where the configuration names `server`',
  },
  {
    id: 'OtherAccounts',
    actions: ['sts:AssumeRole'],
    functions: actors,
    on: 'each role of another account that the settings name',
    resources: ({ assumeRoleArns }) => assumeRoleArns,
    why: 'acts in another account, with the rights that its role has',
  },
];

const cloud: readonly AwsRight[] = [
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
    onlyIf: 'asked of this region',
    why: 'resolves node classes, knows what can be bought, and finds the instances of claims',
    anyResource: 'EC2 knows no resource for its Describe actions',
  },
  {
    id: 'SeePrices',
    actions: ['pricing:GetProducts'],
    functions: readers,
    on: 'everything',
    resources: () => ['*'],
    why: 'reads list prices, so that the cheapest offering comes first; without it they are shown as unknown',
    anyResource: 'the price list knows no resources',
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
    why: 'names what an instance is made from; which of them, the node class says',
  },
  {
    id: 'LaunchWithOurTemplates',
    actions: ['ec2:CreateFleet', 'ec2:RunInstances'],
    functions: ['provision-ec2'],
    on: 'launch templates',
    resources: () => [ec2('launch-template')],
    condition: (settings) => ({ StringEquals: carried(settings) }),
    onlyIf: 'they carry the tag of this deployment',
    why: 'launches by a template that Poolwright has made itself',
  },
  {
    id: 'LaunchTagged',
    actions: ['ec2:CreateFleet', 'ec2:RunInstances', 'ec2:CreateLaunchTemplate'],
    functions: ['provision-ec2'],
    on: 'fleets, instances, volumes, launch templates',
    resources: () => [ec2('fleet'), ec2('instance'), ec2('volume'), ec2('launch-template')],
    condition: (settings) => ({ StringEquals: asked(settings) }),
    onlyIf: 'they are made with the tag of this deployment',
    why: 'makes the instance of a claim. What it makes is marked from its first moment, so nothing is left behind unknown',
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
    onlyIf: 'in the call that makes them, with the tag of this deployment',
    why: 'tags at launch; nothing that exists already can be tagged, so nothing foreign can be made ours, unless `adoption` allows it',
  },
  {
    id: 'TagInterfaces',
    actions: ['ec2:CreateTags'],
    functions: ['provision-ec2'],
    on: 'network interfaces',
    resources: () => [ec2('network-interface')],
    condition: () => ({ StringEquals: { 'ec2:CreateAction': ['CreateFleet', 'RunInstances'] } }),
    onlyIf: 'in the call that makes them',
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
    onlyIf: 'they carry the tag that Karpenter gives to its own, and that of no deployment',
    why: 'makes a machine ours that Karpenter made for a claim: `poolwright adopt`',
  },
  {
    id: 'Terminate',
    actions: ['ec2:TerminateInstances'],
    functions: ['collect-garbage', 'provision-ec2'],
    on: 'instances',
    resources: () => [ec2('instance')],
    condition: (settings) => ({ StringEquals: carried(settings) }),
    onlyIf: 'they carry the tag of this deployment',
    why: 'ends the instance of a claim that is deleted, and what a claim has left behind',
  },
  {
    id: 'DeleteTemplates',
    actions: ['ec2:DeleteLaunchTemplate'],
    functions: ['provision-ec2'],
    on: 'launch templates',
    resources: () => [ec2('launch-template')],
    condition: (settings) => ({ StringEquals: carried(settings) }),
    onlyIf: 'they carry the tag of this deployment',
    why: 'removes templates that nobody has used for a while',
  },
  {
    id: 'GiveNodeRole',
    actions: ['iam:PassRole'],
    functions: ['provision-ec2'],
    on: 'each role in `nodeRoles`',
    resources: ({ nodeRoles }) => nodeRoles.map((name) => sub(`${here}:iam::\${AWS::AccountId}:role/${name}`)),
    condition: () => ({ StringEquals: { 'iam:PassedToService': 'ec2.amazonaws.com' } }),
    onlyIf: 'it is given to EC2',
    why: 'gives instances the role that the node class names',
  },
  {
    id: 'SeeInstanceProfiles',
    actions: ['iam:GetInstanceProfile'],
    functions: readers,
    on: 'instance profiles of the account',
    resources: () => [sub(`${here}:iam::\${AWS::AccountId}:instance-profile/*`)],
    why: 'tells a node class whose profile is missing',
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
    why: 'makes the profile of a node class that names a role; which role it can hold is limited by `GiveNodeRole`',
  },
];

const platform: readonly AwsRight[] = [
  {
    id: 'Logs',
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    functions: functionNames,
    on: 'the log group of the function',
    resources: ({ stage }, name) => [
      sub(`${here}:logs:\${AWS::Region}:\${AWS::AccountId}:log-group:/aws/lambda/poolwright-${stage}-${name}:*`),
    ],
    why: 'writes the log',
  },
  {
    id: 'JoinNetwork',
    actions: [
      'ec2:CreateNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:DeleteNetworkInterface',
      'ec2:AssignPrivateIpAddresses',
      'ec2:UnassignPrivateIpAddresses',
    ],
    functions: actors,
    on: 'everything, and only with `vpc`',
    resources: ({ vpc }) => (vpc === undefined ? [] : ['*']),
    why: 'Lambda itself puts the function into the network, in its name',
    anyResource:
      'Lambda asks for it so, and makes interfaces that nobody can name beforehand; the next statement keeps it from our code',
  },
  {
    id: 'JoinNetworkNotByCode',
    effect: 'Deny',
    actions: [
      'ec2:CreateNetworkInterface',
      'ec2:DeleteNetworkInterface',
      'ec2:AssignPrivateIpAddresses',
      'ec2:UnassignPrivateIpAddresses',
    ],
    functions: actors,
    on: 'everything, and only with `vpc`',
    resources: ({ vpc }) => (vpc === undefined ? [] : ['*']),
    condition: (settings, name) => ({ ArnEquals: { 'lambda:SourceFunctionArn': sub(lambda(settings, name)) } }),
    onlyIf: 'the code of the function asks',
    why: 'takes back what Lambda needs and we do not',
    anyResource: 'it forbids',
  },
];

export const awsRights: readonly AwsRight[] = [
  ...platform,
  ...secrets,
  ...state,
  ...queue,
  ...workflows,
  ...questions,
  ...clusters,
  ...cloud,
];
