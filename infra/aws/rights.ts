/**
 * Every right that the functions need in AWS, and why: the one list. The roles in the template and the page in docs/ are made from it. Nothing
 * here is for convenience: taking one away breaks what its `why` says. What a provider needs at its cloud is in `aws-stack.ts` of its folder. What the
 * functions may do inside a cluster is another list.
 */
import { attribute, type Cfn, sub } from '../../shared/platforms/aws/cloudformation.ts';
import type { StackRight } from '../../shared/platforms/aws/stack-right.ts';
import { type FunctionName, functionNames, inNetwork, provisionFunctions } from './function-names.ts';
import { providerStacks } from './provider-stacks.ts';
import { parameterResources, secretResources } from './references.ts';
import { configReference, type Settings } from './settings.ts';

/** A right of the stack, with all settings to depend on. */
export type AwsRight = StackRight<Settings>;

const here = `arn:\${AWS::Partition}`;
const lambda = (settings: Settings, name: string): string =>
  `${here}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:poolwright-${settings.stage}-${name}`;

/** They talk to clusters and keep state; `workflows` leaves the clusters to those whom it invokes. */
const actors = functionNames.filter(inNetwork);
/** They start workflows: one that runs already is looked at, and one that nobody has on record is ended. */
const starters: FunctionName[] = ['watch-events', 'reconcile'];
/** They ask whether a workflow still runs, and tell it to look again. */
const wakers: FunctionName[] = [...starters, 'steps', ...provisionFunctions];
const queue: readonly AwsRight[] = [
  {
    id: 'TakeEvents',
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ChangeMessageVisibility'],
    functions: ['watch-events'],
    on: 'the queue of events',
    resources: () => [attribute('EventsQueue', 'Arn')],
    why: 'Lambda receives messages with the role of the function, and the function postpones messages that it handles later',
  },
  {
    id: 'KeepEventsApart',
    actions: ['sqs:SendMessage'],
    functions: ['watch-events'],
    on: 'the dead letters of events',
    resources: () => [attribute('EventsDeadLetters', 'Arn')],
    why: 'dead-letters a message that cannot be used, with the reason',
  },
  {
    id: 'SendEvents',
    actions: ['sqs:SendMessage'],
    functions: ['http'],
    on: 'the queue of events',
    resources: () => [attribute('EventsQueue', 'Arn')],
    why: 'queues the changes that bridges and webhooks report, and replayed dead letters',
  },
  {
    id: 'SeeQueues',
    actions: ['sqs:GetQueueAttributes'],
    functions: ['http'],
    on: 'the queue of events and its dead letters',
    resources: () => [attribute('EventsQueue', 'Arn'), attribute('EventsDeadLetters', 'Arn')],
    why: 'reports how many messages are queued, and whether the queue is reachable',
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
    why: 'Lambda receives messages with the role of the function',
  },
  {
    id: 'KeepInterruptionsApart',
    actions: ['sqs:SendMessage'],
    functions: ['watch-interruptions'],
    on: 'the dead letters of interruptions',
    resources: () => [attribute('InterruptionsDeadLetters', 'Arn')],
    why: 'dead-letters a message that cannot be used, with the reason',
  },
];

const state: readonly AwsRight[] = [
  {
    id: 'State',
    actions: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem', 'dynamodb:Query'],
    functions: functionNames,
    on: 'the table of the state',
    resources: () => [attribute('StateTable', 'Arn')],
    why: 'epochs and mailboxes of workflows, unavailable offerings, decisions, caches and pauses. No function may scan the table or change the table itself',
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
    why: 'starts the durable execution of a claim; `http` needs it for `poolwright workflows restart`',
  },
  {
    id: 'WakeWorkflows',
    actions: ['lambda:SendDurableExecutionCallbackSuccess'],
    functions: wakers,
    on: 'executions of `workflows`',
    resources: executions,
    why: 'wakes a waiting execution',
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
    why: 'checks whether the recorded execution still runs, and shows what it does and waits for: `explain`, the HTTP API',
  },
  {
    id: 'StopWorkflows',
    actions: ['lambda:StopDurableExecution'],
    functions: [...starters, 'http'],
    on: 'executions of `workflows`',
    resources: executions,
    why: 'stops an execution that is not on record, or that a user restarts, before another one starts',
  },
  {
    id: 'Checkpoints',
    actions: ['lambda:CheckpointDurableExecution', 'lambda:GetDurableExecutionState'],
    functions: ['workflows'],
    on: 'its own executions',
    resources: (settings) => [sub(`${lambda(settings, 'workflows')}:*/durable-execution/*/*`)],
    why: 'stores and reads the progress of an execution',
  },
  {
    id: 'RunSteps',
    actions: ['lambda:InvokeFunction'],
    functions: ['workflows'],
    on: '`steps` and the functions of the providers',
    resources: stepFunctions,
    why: 'calls, for every step, the function that has the permissions for it; `workflows` has none itself',
  },
  {
    id: 'KeepFailedStarts',
    actions: ['sqs:SendMessage'],
    functions: ['workflows'],
    on: 'the dead letters of workflows',
    resources: () => [attribute('WorkflowsDeadLetters', 'Arn')],
    why: 'Lambda sends a start request there that it could not deliver for hours',
  },
];

const questions: readonly AwsRight[] = [
  {
    id: 'AskProviders',
    actions: ['lambda:InvokeFunction'],
    functions: ['http'],
    on: '`steps` and the functions of the providers',
    resources: stepFunctions,
    why: 'calls the function that has the permissions at the provider, for `get offerings`, `plan`, `doctor` and `adopt`. `http` has no permission at any cloud itself',
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
    why: 'the same, if they are stored as parameters',
  },
  {
    id: 'SecretKeys',
    actions: ['kms:Decrypt'],
    functions: functionNames,
    on: 'each key in `keyArns`',
    resources: ({ keyArns }) => keyArns,
    why: 'decrypts secrets that use your own key; AWS managed keys need no permission',
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
    why: 'reads the address and certificate authority of the API server; the cluster itself decides the permissions there. Not needed where the configuration names `server`',
  },
  {
    id: 'OtherAccounts',
    actions: ['sts:AssumeRole'],
    functions: actors,
    on: 'each role of another account that the settings name',
    resources: ({ assumeRoleArns }) => assumeRoleArns,
    why: 'acts in another account, with the permissions of that role',
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
    why: 'Lambda attaches the function to the network, with the role of the function',
    anyResource:
      'Lambda requires it, and the ids of the interfaces are not known in advance. `JoinNetworkNotByCode` denies it to the code of the function',
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
    onlyIf: 'the code of the function makes the call',
    why: 'denies to the code of the function what only Lambda itself needs',
    anyResource: 'it is a Deny statement',
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
  ...providerStacks.flatMap(({ rights }) => rights),
];
