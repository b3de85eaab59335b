/** The template that osls makes of serverless.yml is what gets deployed, so it is what is looked at. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { reconcilers } from '../../functions/catalog.ts';
import { longestPauseSeconds, noticeReceives } from '../../functions/hosts/aws/queues.ts';
import { eventDeliveries } from '../../infra/aws/configuration.ts';
import { functionNames, functionResource, roleResource } from '../../infra/aws/function-names.ts';
import { awsRights } from '../../infra/aws/rights.ts';
import { type Statement, statementsOf } from '../../infra/aws/roles.ts';
import { settingsFrom } from '../../infra/aws/settings.ts';
import { configSchema } from '../../shared/config/schema.ts';
import { stateTable } from '../../shared/state/dynamodb/item.ts';
import { type Packaged, packageTemplate, type Resource } from './package-template.ts';

const example = readFileSync(join(import.meta.dirname, '../../infra/aws/example.yml'), 'utf8');

/** Everything that can be set, beside what the example sets. */
const full = `${example}
alarmTopicArn: arn:aws:sns:eu-west-1:111122223333:alarms
assumeRoleArns: [arn:aws:iam::111122223333:role/poolwright]
keyArns: [arn:aws:kms:eu-west-1:111122223333:key/1]
vpc: { subnetIds: [subnet-1, subnet-2], securityGroupIds: [sg-1] }
reservedConcurrency: { http: 10 }
secrets: ['secretsmanager:east/token#token', 'ssm:/poolwright/office/ca']
`;

let small: Packaged;
let big: Packaged;

beforeAll(async () => {
  [small, big] = await Promise.all([packageTemplate('main'), packageTemplate('office', full)]);
});

afterAll(() => {
  small?.remove();
  big?.remove();
});

const ofType = (type: string, { template }: Packaged = small): [string, Resource['Properties']][] =>
  Object.entries(template.Resources)
    .filter(([, resource]) => resource.Type === type)
    .map(([name, { Properties }]) => [name, Properties]);

const properties = (name: string, { template }: Packaged = small): Resource['Properties'] => {
  const found = template.Resources[name];
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found.Properties;
};

const arnOf = (resource: string) => ({ 'Fn::GetAtt': [resource, 'Arn'] });

describe('the functions', () => {
  it('are all there, each with a role, a package and a log group of its own', () => {
    expect(
      ofType('AWS::Lambda::Function')
        .map(([name]) => name)
        .sort(),
    ).toEqual(functionNames.map(functionResource).sort());
    for (const name of functionNames) {
      expect(properties(functionResource(name))).toMatchObject({
        FunctionName: `poolwright-main-${name}`,
        Handler: 'index.handler',
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Role: arnOf(roleResource(name)),
        Code: { S3Key: expect.stringMatching(new RegExp(`/${name}\\.zip$`)) },
      });
    }
    const groups = ofType('AWS::Logs::LogGroup').map(([, { LogGroupName }]) => LogGroupName);
    expect(groups.sort()).toEqual(functionNames.map((name) => `/aws/lambda/poolwright-main-${name}`).sort());
    for (const [, { RetentionInDays }] of ofType('AWS::Logs::LogGroup')) expect(RetentionInDays).toBe(30);
    for (const [, { TracingConfig }] of ofType('AWS::Lambda::Function')) expect(TracingConfig).toBeUndefined();
  });

  it('know the table, the queues and each other by their variables', () => {
    for (const name of functionNames) {
      expect(properties(functionResource(name)).Environment).toEqual({
        Variables: {
          POOLWRIGHT_DEPLOYMENT: 'main',
          POOLWRIGHT_CONFIG_PARAMETER: 'ssm:/poolwright/main/config',
          STATE_TABLE: { Ref: 'StateTable' },
          EVENTS_QUEUE_URL: { Ref: 'EventsQueue' },
          EVENTS_DEAD_LETTERS_URL: { Ref: 'EventsDeadLetters' },
          INTERRUPTIONS_QUEUE_URL: { Ref: 'InterruptionsQueue' },
          INTERRUPTIONS_DEAD_LETTERS_URL: { Ref: 'InterruptionsDeadLetters' },
          WORKFLOWS_FUNCTION: 'poolwright-main-workflows',
          WORKFLOWS_ALIAS: 'durable',
          STEPS_FUNCTION: 'poolwright-main-steps',
          PROVISION_FUNCTION_PREFIX: 'poolwright-main-provision-',
        },
      });
    }
  });

  it('run in the network that the settings name, all but the one that needs none', () => {
    for (const name of functionNames) {
      expect(properties(functionResource(name)).VpcConfig).toBeUndefined();
      expect(properties(functionResource(name), big).VpcConfig).toEqual(
        name === 'workflows' ? undefined : { SubnetIds: ['subnet-1', 'subnet-2'], SecurityGroupIds: ['sg-1'] },
      );
    }
  });

  it('take concurrency from the account only where the settings say so', () => {
    const reserved = ({ ReservedConcurrentExecutions: count }: Resource['Properties']) => count;
    expect(
      ofType('AWS::Lambda::Function')
        .map(([, one]) => reserved(one))
        .every((count) => count === undefined),
    ).toBe(true);
    expect(reserved(properties('HttpLambdaFunction', big))).toBe(10);
  });
});

describe('triggers', () => {
  it('both queues tell Lambda which messages of a batch failed, and start no more functions than they should', () => {
    const mappings = ofType('AWS::Lambda::EventSourceMapping').map(([, mapping]) => mapping);
    const expected = [
      ['EventsQueue', 'watch-events'],
      ['InterruptionsQueue', 'watch-interruptions'],
    ] as const;
    expect(mappings).toHaveLength(expected.length);
    for (const [queue, name] of expected) {
      expect(mappings).toContainEqual({
        EventSourceArn: arnOf(queue),
        FunctionName: arnOf(functionResource(name)),
        BatchSize: 10,
        MaximumBatchingWindowInSeconds: 0,
        Enabled: true,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 20 },
      });
    }
  });

  it('a message stays invisible for as long as its function may run, and longer', () => {
    for (const [queue, name] of [
      ['EventsQueue', 'watch-events'],
      ['InterruptionsQueue', 'watch-interruptions'],
    ] as const) {
      const visibility = Number(properties(queue).VisibilityTimeout);
      expect(visibility).toBeGreaterThanOrEqual(Number(properties(functionResource(name)).Timeout));
    }
  });

  it('every timer has a schedule that names it, and its function may be called by it', () => {
    const schedules = ofType('AWS::Events::Rule').filter(([, rule]) => rule.ScheduleExpression !== undefined);
    const ticks = schedules.map(([, { ScheduleExpression, Targets }]) => {
      const [{ Arn, Input }] = Targets as [{ Arn: { 'Fn::GetAtt': [string] }; Input: string }];
      return [Arn['Fn::GetAtt'][0], JSON.parse(Input).timer, ScheduleExpression];
    });
    const reconcile = functionResource('reconcile');
    expect(ticks.sort()).toEqual(
      [
        [functionResource('collect-garbage'), 'garbage-collection', 'rate(2 minutes)'],
        [reconcile, 'cluster-requests', 'rate(5 minutes)'],
        [reconcile, 'expiration', 'rate(1 minute)'],
        [reconcile, 'machine-providers', 'rate(5 minutes)'],
        [reconcile, 'node-classes', 'rate(1 minute)'],
        [reconcile, 'offerings', 'rate(5 minutes)'],
        [reconcile, 'ownership', 'rate(1 minute)'],
        [reconcile, 'pools', 'rate(1 minute)'],
        [reconcile, 'resync', 'rate(1 minute)'],
        [reconcile, 'virtual-machines', 'rate(5 minutes)'],
      ].sort(),
    );
    const permitted = ofType('AWS::Lambda::Permission').map(([, { SourceArn }]) => JSON.stringify(SourceArn));
    for (const [name] of schedules) expect(permitted).toContain(JSON.stringify(arnOf(name)));
  });

  it('the names of the schedules are timers that the functions know', () => {
    const known = reconcilers.map(({ every }) => every).sort();
    expect(Object.keys(settingsFrom('main', {}).timerMinutes).sort()).toEqual(known);
  });

  it('a tick that failed or is late is not made up for', () => {
    const configs = ofType('AWS::Lambda::EventInvokeConfig').map(([, config]) => config);
    for (const name of ['reconcile', 'collect-garbage'] as const) {
      expect(configs).toContainEqual(
        expect.objectContaining({
          FunctionName: { Ref: functionResource(name) },
          MaximumEventAgeInSeconds: 60,
          MaximumRetryAttempts: 0,
        }),
      );
    }
  });

  it('the gateway sends every path to one function, and not more than it should', () => {
    expect(ofType('AWS::ApiGatewayV2::Route').map(([, { RouteKey }]) => RouteKey)).toEqual(['$default']);
    expect(ofType('AWS::ApiGatewayV2::Integration').map(([, one]) => one)).toEqual([
      expect.objectContaining({ IntegrationUri: arnOf('HttpLambdaFunction'), PayloadFormatVersion: '2.0' }),
    ]);
    expect(properties('HttpApiStage').DefaultRouteSettings).toEqual({
      ThrottlingRateLimit: 200,
      ThrottlingBurstLimit: 400,
    });
    expect(Number(properties('HttpLambdaFunction').Timeout)).toBeLessThan(30);
  });
});

describe('durable execution', () => {
  it('belongs to `workflows` alone, which is called by an alias', () => {
    const durable = ofType('AWS::Lambda::Function').filter(([, { DurableConfig }]) => DurableConfig !== undefined);
    expect(durable.map(([name, { DurableConfig }]) => [name, DurableConfig])).toEqual([
      ['WorkflowsLambdaFunction', { ExecutionTimeout: 30 * 86_400, RetentionPeriodInDays: 7 }],
    ]);
    expect(properties('WorkflowsDurableLambdaAlias')).toMatchObject({
      Name: 'durable',
      FunctionName: { Ref: 'WorkflowsLambdaFunction' },
    });
  });

  it('no queue starts it: what a queue starts must end within 15 minutes', () => {
    for (const [, { FunctionName }] of ofType('AWS::Lambda::EventSourceMapping')) {
      expect(JSON.stringify(FunctionName)).not.toContain('Workflows');
    }
  });
});

describe('what is kept', () => {
  it('every queue is encrypted, and each that is worked on has dead letters', () => {
    for (const [, queue] of ofType('AWS::SQS::Queue')) expect(queue.SqsManagedSseEnabled).toBe(true);
    for (const [queue, dead] of [
      ['EventsQueue', 'EventsDeadLetters'],
      ['InterruptionsQueue', 'InterruptionsDeadLetters'],
    ] as const) {
      expect(properties(queue).RedrivePolicy).toMatchObject({
        deadLetterTargetArn: arnOf(dead),
        maxReceiveCount: expect.any(Number),
      });
      // The age of a message counts from its first queue on.
      expect(Number(properties(dead).MessageRetentionPeriod)).toBeGreaterThan(
        Number(properties(queue).MessageRetentionPeriod),
      );
    }
    expect(properties('InterruptionsQueue').MessageRetentionPeriod).toBe(300);
    expect(properties('WorkflowsLambdaFunction').DeadLetterConfig).toEqual({
      TargetArn: arnOf('WorkflowsDeadLetters'),
    });
  });

  it('our own limit of deliveries decides before that of the queue, because it says why', () => {
    const allowed = (queue: string): number =>
      (properties(queue).RedrivePolicy as { maxReceiveCount: number }).maxReceiveCount;
    expect(allowed('EventsQueue')).toBe(eventDeliveries);
    expect(eventDeliveries).toBeGreaterThan(configSchema.parse({}).queue.maxReceives);
    expect(allowed('InterruptionsQueue')).toBeGreaterThan(noticeReceives);
  });

  it('a notice of interruption is tried for the two minutes that there are, and given up before the queue drops it', () => {
    const pauses = Array.from({ length: noticeReceives - 1 }, (_, n) =>
      Math.min(2 ** n, longestPauseSeconds.interruptions),
    );
    const seconds = pauses.reduce((sum, pause) => sum + pause, 0);
    expect(seconds).toBeGreaterThan(120);
    expect(seconds).toBeLessThan(Number(properties('InterruptionsQueue').MessageRetentionPeriod) - 60);
  });

  it('the table is as the driver of the state wants it, is paid by use, and outlives the stack', () => {
    expect(properties('StateTable')).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: stateTable.partitionKey, KeyType: 'HASH' },
        { AttributeName: stateTable.sortKey, KeyType: 'RANGE' },
      ],
      TimeToLiveSpecification: { AttributeName: stateTable.timeToLive, Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
    expect(small.template.Resources.StateTable).toMatchObject({
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
    });
  });

  it('the configuration is a parameter, with the name of the deployment in it', () => {
    expect(JSON.parse(String(properties('Configuration').Value))).toEqual({ deployment: 'main' });
    expect(JSON.parse(String(properties('Configuration', big).Value))).toMatchObject({
      deployment: 'office',
      clusters: { east: expect.any(Object) },
    });
  });
});

it('the functions that talk to clusters are let into those of EKS, by the group that the cluster gives rights to', () => {
  const entries = ofType('AWS::EKS::AccessEntry', big).map(([, entry]) => entry);
  expect(entries).toEqual(
    functionNames
      .filter((name) => name !== 'workflows')
      .map((name) => ({
        ClusterName: 'east',
        PrincipalArn: arnOf(roleResource(name)),
        KubernetesGroups: ['poolwright'],
      })),
  );
  expect(ofType('AWS::EKS::AccessEntry')).toEqual([]);
});

describe('interruptions', () => {
  const rules = () => ofType('AWS::Events::Rule').filter(([, rule]) => rule.EventPattern !== undefined);

  it('five kinds of notices reach the queue', () => {
    const kinds = rules().map(([, { EventPattern }]) => {
      const { source, 'detail-type': type } = EventPattern as { source: string[]; 'detail-type': string[] };
      return `${source.join()} / ${type.join()}`;
    });
    expect(kinds.sort()).toEqual([
      'aws.ec2 / EC2 Capacity Reservation Instance Interruption Warning',
      'aws.ec2 / EC2 Instance Rebalance Recommendation',
      'aws.ec2 / EC2 Instance State-change Notification',
      'aws.ec2 / EC2 Spot Instance Interruption Warning',
      'aws.health / AWS Health Event',
    ]);
    for (const [, { Targets }] of rules())
      expect(Targets).toEqual([{ Id: 'interruptions', Arn: arnOf('InterruptionsQueue') }]);
  });

  it('nobody but these rules may send to it', () => {
    const { PolicyDocument } = properties('InterruptionsQueuePolicy') as {
      PolicyDocument: { Statement: Record<string, unknown>[] };
    };
    const allowed = PolicyDocument.Statement.filter(({ Effect }) => Effect === 'Allow');
    expect(allowed).toEqual([
      expect.objectContaining({
        Principal: { Service: 'events.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Condition: { ArnEquals: { 'aws:SourceArn': rules().map(([name]) => arnOf(name)) } },
      }),
    ]);
  });
});

describe('alarms', () => {
  const watched = (packaged: Packaged) =>
    ofType('AWS::CloudWatch::Alarm', packaged).map(([, { MetricName, Dimensions }]) => {
      if (Dimensions === undefined) return `${MetricName}`;
      const [{ Value }] = Dimensions as [{ Value: { Ref?: string; 'Fn::GetAtt'?: [string] } }];
      return `${MetricName} ${Value.Ref ?? Value['Fn::GetAtt']?.[0]}`;
    });

  it('watch every dead-letter queue, both queues, and the failures of every function', () => {
    expect(watched(small)).toEqual(
      expect.arrayContaining([
        'ApproximateNumberOfMessagesVisible EventsDeadLetters',
        'ApproximateNumberOfMessagesVisible InterruptionsDeadLetters',
        'ApproximateNumberOfMessagesVisible WorkflowsDeadLetters',
        'ApproximateAgeOfOldestMessage EventsQueue',
        'ApproximateAgeOfOldestMessage InterruptionsQueue',
        ...functionNames.map((name) => `Errors ${functionResource(name)}`),
        'Throttles WorkflowsLambdaFunction',
      ]),
    );
    expect(properties('InterruptionsWaitAlarm').Threshold).toBe(60);
  });

  it('hear what a function that works only says in its log', () => {
    const filters = new Map(
      ofType('AWS::Logs::MetricFilter').map(([, { LogGroupName, FilterPattern, MetricTransformations }]) => {
        const [{ MetricNamespace, MetricName }] = MetricTransformations as [Record<string, string>];
        const group = properties((LogGroupName as { Ref: string }).Ref).LogGroupName;
        return [`${MetricNamespace} ${MetricName}`, [group, FilterPattern]];
      }),
    );
    const garbage = '/aws/lambda/poolwright-main-collect-garbage';
    expect(Object.fromEntries(filters)).toEqual({
      'Poolwright/main garbage.stopped': [garbage, '{ $.event = "garbage.stopped" }'],
      'Poolwright/main garbage.undecided': [garbage, '{ $.event = "garbage.undecided" && $.reason NOT EXISTS }'],
      'Poolwright/main resync.failed': ['/aws/lambda/poolwright-main-reconcile', '{ $.event = "resync.failed" }'],
      'Poolwright/main owner.read-only': ['/aws/lambda/poolwright-main-reconcile', '{ $.event = "owner.read-only" }'],
      'Poolwright/main cluster.unreachable': [
        '/aws/lambda/poolwright-main-reconcile',
        '{ $.event = "cluster.unreachable" }',
      ],
    });
    for (const name of [
      'GarbageStoppedAlarm',
      'GarbageUndecidedAlarm',
      'ResyncFailedAlarm',
      'OwnerReadOnlyAlarm',
      'ClusterUnreachableAlarm',
    ]) {
      const { Namespace, MetricName, Threshold, Period } = properties(name);
      expect(filters.has(`${Namespace} ${MetricName}`)).toBe(true);
      expect([Threshold, Period]).toEqual([0, 300]);
    }
    expect(properties('GarbageStoppedAlarm').EvaluationPeriods).toBe(1);
    expect(properties('ResyncFailedAlarm').EvaluationPeriods).toBe(3);
  });

  it('tell the topic of the settings', () => {
    for (const [, alarm] of ofType('AWS::CloudWatch::Alarm', big)) {
      expect(alarm.AlarmActions).toEqual(['arn:aws:sns:eu-west-1:111122223333:alarms']);
    }
    for (const [, alarm] of ofType('AWS::CloudWatch::Alarm')) expect(alarm.AlarmActions).toBeUndefined();
  });
});

describe('rights', () => {
  const statements = (packaged: Packaged): { role: string; statement: Statement }[] =>
    ofType('AWS::IAM::Role', packaged).flatMap(([role, { Policies }]) => {
      const [{ PolicyDocument }] = Policies as [{ PolicyDocument: { Statement: Statement[] } }];
      return PolicyDocument.Statement.map((statement) => ({ role, statement }));
    });

  it('are those of the list, for every function, and there is no other role', () => {
    for (const [packaged, settings] of [
      [small, settingsFrom('main', {})],
      [big, settingsFrom('office', parse(full))],
    ] as const) {
      const roles = ofType('AWS::IAM::Role', packaged);
      expect(roles.map(([name]) => name).sort()).toEqual(functionNames.map(roleResource).sort());
      for (const name of functionNames) {
        const { Policies, ManagedPolicyArns } = properties(roleResource(name), packaged);
        expect(ManagedPolicyArns).toBeUndefined();
        expect(Policies).toEqual([
          {
            PolicyName: 'poolwright',
            PolicyDocument: {
              Version: '2012-10-17',
              Statement: JSON.parse(JSON.stringify(statementsOf(name, settings))),
            },
          },
        ]);
      }
    }
  });

  it('name no action by a wildcard, and everything only where there is a reason', () => {
    const reasoned = new Set(awsRights.filter(({ anyResource }) => anyResource !== undefined).map(({ id }) => id));
    const all = [...statements(small), ...statements(big)];
    expect(all.length).toBeGreaterThan(100);
    for (const { statement } of all) {
      for (const action of statement.Action) expect(action).toMatch(/^[a-z0-9]+:[A-Z]\w+$/);
      if (statement.Resource.includes('*')) expect(reasoned).toContain(statement.Sid);
    }
    const everywhere = all
      .filter(({ statement }) => statement.Resource.includes('*'))
      .map(({ statement }) => statement.Sid);
    expect([...new Set(everywhere)].sort()).toEqual(['JoinNetwork', 'JoinNetworkNotByCode', 'SeeEc2', 'SeePrices']);
  });

  it('fit into what IAM takes as policies of a role', () => {
    for (const [, { Policies }] of ofType('AWS::IAM::Role', big))
      expect(JSON.stringify(Policies).length).toBeLessThan(10_240);
  });

  it('let only two functions end instances, and only those that carry the tag of the deployment', () => {
    const ends = statements(big).filter(({ statement }) => statement.Action.includes('ec2:TerminateInstances'));
    expect(ends.map(({ role }) => role).sort()).toEqual(['CollectGarbageRole', 'ProvisionEc2Role']);
    for (const { statement } of ends) {
      expect(statement.Condition).toEqual({ StringEquals: { 'aws:ResourceTag/poolwright.dev/deployment': 'office' } });
    }
  });

  it('let one function launch, and nothing of it without the tag', () => {
    const launches = statements(big).filter(({ statement }) => statement.Action.includes('ec2:RunInstances'));
    expect(new Set(launches.map(({ role }) => role))).toEqual(new Set(['ProvisionEc2Role']));
    for (const { statement } of launches) {
      const makes = /:(fleet|instance|volume|launch-template)\/\*/.test(JSON.stringify(statement.Resource));
      expect(statement.Condition !== undefined).toBe(makes);
    }
    const tags = statements(big).filter(({ statement }) => statement.Action.includes('ec2:CreateTags'));
    for (const { statement } of tags) expect(statement.Condition?.StringEquals).toHaveProperty('ec2:CreateAction');
  });

  it('give a role only to EC2, and only those that the settings name', () => {
    const passes = statements(big).filter(({ statement }) => statement.Action.includes('iam:PassRole'));
    expect(passes.map(({ statement }) => statement)).toEqual([
      expect.objectContaining({
        Resource: [{ 'Fn::Sub': expect.stringMatching(/:role\/poolwright-node-east$/) }],
        Condition: { StringEquals: { 'iam:PassedToService': 'ec2.amazonaws.com' } },
      }),
    ]);
    expect(statements(small).some(({ statement }) => statement.Action.includes('iam:PassRole'))).toBe(false);
  });

  it('open the secrets that are referred to, and no others', () => {
    const secrets = statements(big).filter(
      ({ role, statement }) => role === 'HttpRole' && statement.Action.includes('secretsmanager:GetSecretValue'),
    );
    expect(JSON.stringify(secrets.map(({ statement }) => statement.Resource))).toMatch(/:secret:east\/token-\?{6}"/);
    const parameters = statements(big).filter(
      ({ role, statement }) => role === 'HttpRole' && statement.Sid === 'SecretParameters',
    );
    const [only] = parameters.map(({ statement }) => JSON.stringify(statement.Resource));
    expect(only?.match(/parameter[^"]+/g)).toEqual([
      'parameter/poolwright/office/ca',
      'parameter/poolwright/office/east-intake',
      'parameter/poolwright/office/http-token',
    ]);
  });

  it('give `workflows` nothing in any cloud', () => {
    const services = statements(big)
      .filter(({ role }) => role === 'WorkflowsRole')
      .flatMap(({ statement }) => statement.Action.map((action) => action.split(':')[0]));
    expect(new Set(services)).toEqual(new Set(['logs', 'ssm', 'kms', 'dynamodb', 'lambda', 'sqs']));
  });
});

it('holds no secret and no account', () => {
  const account = /(?<!\d)\d{12}(?!\d)/;
  expect(small.text).not.toMatch(account);
  expect(big.text.replaceAll('111122223333', '')).not.toMatch(account);
  for (const { text } of [small, big])
    expect(text).not.toMatch(/AKIA|BEGIN [A-Z ]*PRIVATE KEY|"(password|secret|token)":/i);
});
