/** What serverless.yml takes from here: everything that depends on the settings of the deployment. */

import { variableNames } from '../../functions/hosts/aws/variable-names.ts';
import { defined } from '../../shared/base/defined.ts';
import { attribute, ref } from '../../shared/platforms/aws/cloudformation.ts';
import { deployedProviders } from '../../shared/providers/deployed.ts';
import { alarmsFor } from './alarms.ts';
import { functionNames, functionResource, inNetwork, provisionFunction, roleResource } from './function-names.ts';
import { notices, stackOf } from './provider-stacks.ts';
import { rolesFor } from './roles.ts';
import { configName, configReference, readSettings, type Settings } from './settings.ts';

/** What osls hands to a function of a file that it reads. */
interface Osls {
  resolveVariable(name: string): Promise<unknown>;
}

const settingsOf = async ({ resolveVariable }: Osls): Promise<Settings> =>
  readSettings(String(await resolveVariable('sls:stage')));

export const region = async (osls: Osls): Promise<string> => (await settingsOf(osls)).region;

export const logRetentionDays = async (osls: Osls): Promise<number> => (await settingsOf(osls)).logRetentionDays;

/** What osls has no words for, or only for all deployments alike. */
export async function extensions(osls: Osls): Promise<object> {
  const { reservedConcurrency, vpc } = await settingsOf(osls);
  const functions = functionNames.map((name) => {
    const count = reservedConcurrency[name];
    return [
      functionResource(name),
      {
        Properties: {
          ...defined({ ReservedConcurrentExecutions: count }),
          ...(vpc === undefined || !inNetwork(name)
            ? {}
            : { VpcConfig: { SubnetIds: vpc.subnetIds, SecurityGroupIds: vpc.securityGroupIds } }),
        },
      },
    ];
  });
  // Anybody may call the address; nobody but a cluster with thousands of changes a second needs more.
  const gateway = { Properties: { DefaultRouteSettings: { ThrottlingRateLimit: 200, ThrottlingBurstLimit: 400 } } };
  return { extensions: { HttpApiStage: gateway, ...Object.fromEntries(functions) } };
}

export async function environment(osls: Osls): Promise<object> {
  const { stage, deployment, configParameter, variables } = await settingsOf(osls);
  return {
    ...variables,
    // The tag by which rights are limited, whatever the configuration says.
    POOLWRIGHT_DEPLOYMENT: deployment,
    POOLWRIGHT_CONFIG_PARAMETER: configParameter ?? configReference(stage),
    [variableNames.stateTable]: ref('StateTable'),
    [variableNames.eventsQueue]: ref('EventsQueue'),
    [variableNames.eventsDeadLetters]: ref('EventsDeadLetters'),
    [variableNames.interruptionsQueue]: ref('InterruptionsQueue'),
    [variableNames.interruptionsDeadLetters]: ref('InterruptionsDeadLetters'),
    // Names instead of references: a role names the function that has it, and the two cannot wait for each other.
    [variableNames.workflowsFunction]: `poolwright-${stage}-workflows`,
    [variableNames.workflowsAlias]: 'durable',
    [variableNames.stepsFunction]: `poolwright-${stage}-steps`,
    [variableNames.provisionFunctionPrefix]: `poolwright-${stage}-provision-`,
  };
}

/** A function for each provider, which does its steps and has its rights. */
export const provisionFunctions = async (osls: Osls): Promise<object> => {
  const { stage } = await settingsOf(osls);
  return Object.fromEntries(
    deployedProviders.map(({ type, memoryMegabytes }) => {
      const name = provisionFunction(type);
      return [
        name,
        {
          name: `poolwright-${stage}-${name}`,
          handler: 'index.handler',
          role: roleResource(name),
          ...defined({ memorySize: memoryMegabytes }),
          timeout: 120,
          package: { artifact: `dist/aws/${name}.zip` },
        },
      ];
    }),
  );
};

/** Every timer that ends no instances: those of `reconcile`. */
export const reconcileSchedules = async (osls: Osls): Promise<object[]> =>
  schedulesOf(await settingsOf(osls), (timer) => timer !== garbageCollection);

export const garbageSchedules = async (osls: Osls): Promise<object[]> =>
  schedulesOf(await settingsOf(osls), (timer) => timer === garbageCollection);

const garbageCollection = 'garbage-collection';

const schedulesOf = ({ timerMinutes }: Settings, wanted: (timer: string) => boolean): object[] =>
  Object.entries(timerMinutes)
    .filter(([timer]) => wanted(timer))
    .map(([timer, minutes]) => ({
      schedule: { rate: [minutes === 1 ? 'rate(1 minute)' : `rate(${minutes} minutes)`], input: { timer } },
    }));

export const roles = async (osls: Osls): Promise<object> => ({
  Resources: rolesFor(await settingsOf(osls)),
  Outputs: Object.fromEntries(actingRoles().map((role) => [`${role}Arn`, { Value: attribute(role, 'Arn') }])),
});

/** Of the providers of this cloud: whoever lets them into a cluster or an account needs their names. */
const actingRoles = (): string[] =>
  deployedProviders
    .filter(({ type }) => stackOf(type) !== undefined)
    .map(({ type }) => roleResource(provisionFunction(type)));

export const alarms = async (osls: Osls): Promise<object> => ({ Resources: alarmsFor(await settingsOf(osls)) });

/** The configuration itself; there is none where a parameter of the user's own holds it. */
export async function configuration(osls: Osls): Promise<object> {
  const { stage, configText, configTier } = await settingsOf(osls);
  if (configText === undefined) return { Resources: {} };
  const parameter = {
    Type: 'AWS::SSM::Parameter',
    Properties: {
      Name: configName(stage),
      Description: 'The configuration of Poolwright. The stack writes it: change it in infra/aws/<stage>.yml',
      Type: 'String',
      Tier: configTier,
      Value: configText,
    },
  };
  return { Resources: { Configuration: parameter } };
}

/** What the roles of the functions are in a cluster; what that may do there, the cluster says. */
export const clusterGroup = 'poolwright';

/** The way of every function that talks to clusters into each of EKS. */
export async function clusterAccess(osls: Osls): Promise<object> {
  const { entryClusters } = await settingsOf(osls);
  const entries = entryClusters.flatMap((cluster, index) =>
    functionNames.filter(inNetwork).map((name) => [
      `${roleResource(name)}In${index}`,
      {
        Type: 'AWS::EKS::AccessEntry',
        Properties: {
          ClusterName: cluster,
          PrincipalArn: attribute(roleResource(name), 'Arn'),
          KubernetesGroups: [clusterGroup],
        },
      },
    ]),
  );
  return { Resources: Object.fromEntries(entries) };
}

export function interruptions(): object {
  const queue = attribute('InterruptionsQueue', 'Arn');
  const rules = Object.entries(notices).map(([name, pattern]) => [
    `${name}Rule`,
    {
      Type: 'AWS::Events::Rule',
      Properties: {
        Description: `Sends to Poolwright: ${pattern['detail-type'][0]}`,
        EventPattern: pattern,
        Targets: [{ Id: 'interruptions', Arn: queue }],
      },
    },
  ]);
  const policy = {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: [ref('InterruptionsQueue')],
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Sid: 'OurRules',
            Effect: 'Allow',
            Principal: { Service: 'events.amazonaws.com' },
            Action: 'sqs:SendMessage',
            Resource: queue,
            Condition: {
              ArnEquals: { 'aws:SourceArn': Object.keys(notices).map((name) => attribute(`${name}Rule`, 'Arn')) },
            },
          },
          {
            Sid: 'NothingUnencrypted',
            Effect: 'Deny',
            Principal: '*',
            Action: 'sqs:*',
            Resource: queue,
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          },
        ],
      },
    },
  };
  return { Resources: { ...Object.fromEntries(rules), InterruptionsQueuePolicy: policy } };
}
