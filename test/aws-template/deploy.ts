/**
 * Puts a part of the packaged template into a stand-in for AWS: queues, the table, the configuration, functions with the very zips, and what
 * triggers them. CloudFormation itself is not at hand, so what refers to what is resolved here.
 */
import { readFileSync } from 'node:fs';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  CreateEventSourceMappingCommand,
  CreateFunctionCommand,
  LambdaClient,
  type Runtime,
  waitUntilFunctionActiveV2,
} from '@aws-sdk/client-lambda';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { type FunctionName, functionResource } from '../../infra/aws/function-names.ts';
import { type AwsConnection, clientOptions } from '../../shared/platforms/aws/client-options.ts';
import { stateTable } from '../../shared/state/dynamodb/item.ts';
import type { Resource, Template } from './package-template.ts';

export interface Deployment {
  /** @param queue As the template calls it. */
  queueUrl(queue: string): string;
  close(): void;
}

export interface DeployOptions {
  connection: Required<AwsConnection>;
  template: Template;
  functions: readonly FunctionName[];
  /** Where the zips are. */
  folder: string;
  /** The configuration. */
  config: object;
  /** Beside those of the template. */
  variables: Record<string, string>;
}

interface Made {
  ref: string;
  arn: string;
}

const role = 'arn:aws:iam::123456789012:role/stand-in';

export async function deploy(options: DeployOptions): Promise<Deployment> {
  const { connection, template, config } = options;
  const lambda = new LambdaClient(clientOptions(connection));
  const made = new Map<string, Made>();
  const resources = (type: string): [string, Resource['Properties']][] =>
    Object.entries(template.Resources)
      .filter(([, resource]) => resource.Type === type)
      .map(([name, { Properties }]) => [name, Properties]);

  await createQueues(connection, resources('AWS::SQS::Queue'), made);
  await createTable(connection, made);
  const [, parameter] = resources('AWS::SSM::Parameter')[0] ?? [];
  const ssm = new SSMClient(clientOptions(connection));
  await ssm.send(
    new PutParameterCommand({ Name: String(parameter?.Name), Type: 'String', Value: JSON.stringify(config) }),
  );
  ssm.destroy();

  for (const name of options.functions) await createFunction(lambda, name, options, made);
  for (const [, { EventSourceArn, FunctionName: target, ...mapping }] of resources('AWS::Lambda::EventSourceMapping')) {
    const function_ = made.get(nameIn(target));
    if (function_ === undefined) continue;
    await lambda.send(
      new CreateEventSourceMappingCommand({
        ...mapping,
        FunctionName: function_.ref,
        EventSourceArn: String(resolve(EventSourceArn, made)),
      }),
    );
  }
  return {
    queueUrl: (queue) => get(made, queue).ref,
    close: () => lambda.destroy(),
  };
}

/** Dead letters first: the others name them. */
async function createQueues(
  connection: AwsConnection,
  queues: [string, Resource['Properties']][],
  made: Map<string, Made>,
): Promise<void> {
  const sqs = new SQSClient(clientOptions(connection));
  const ordered = queues.toSorted(
    ([, one], [, other]) => Number('RedrivePolicy' in one) - Number('RedrivePolicy' in other),
  );
  for (const [name, properties] of ordered) {
    const attributes = Object.entries(properties).map(([key, value]) => {
      const resolved = resolve(value, made);
      return [key, typeof resolved === 'object' ? JSON.stringify(resolved) : String(resolved)];
    });
    const { QueueUrl: ref = '' } = await sqs.send(
      new CreateQueueCommand({ QueueName: name, Attributes: Object.fromEntries(attributes) }),
    );
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: ref, AttributeNames: ['QueueArn'] }),
    );
    made.set(name, { ref, arn: Attributes?.QueueArn ?? '' });
  }
  sqs.destroy();
}

async function createTable(connection: AwsConnection, made: Map<string, Made>): Promise<void> {
  const dynamo = new DynamoDBClient(clientOptions(connection));
  const { partitionKey, sortKey } = stateTable;
  await dynamo.send(
    new CreateTableCommand({
      TableName: 'state',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [partitionKey, sortKey].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
      KeySchema: [
        { AttributeName: partitionKey, KeyType: 'HASH' },
        { AttributeName: sortKey, KeyType: 'RANGE' },
      ],
    }),
  );
  dynamo.destroy();
  made.set('StateTable', { ref: 'state', arn: '' });
}

async function createFunction(
  lambda: LambdaClient,
  name: FunctionName,
  { template, folder, variables, connection }: DeployOptions,
  made: Map<string, Made>,
): Promise<void> {
  const resource = functionResource(name);
  const {
    FunctionName: named,
    Runtime: runtime,
    Handler,
    Timeout,
    MemorySize,
    Environment,
  } = template.Resources[resource]?.Properties ?? {};
  const { Variables } = resolve(Environment, made) as { Variables: Record<string, string> };
  const { FunctionArn: arn = '' } = await lambda.send(
    new CreateFunctionCommand({
      FunctionName: String(named),
      Runtime: runtime as Runtime,
      Handler: String(Handler),
      Timeout: Number(Timeout),
      MemorySize: Number(MemorySize),
      Role: role,
      Code: { ZipFile: readFileSync(`${folder}/${name}.zip`) },
      Environment: { Variables: { ...Variables, AWS_ENDPOINT_URL: connection.endpoint, ...variables } },
    }),
  );
  await waitUntilFunctionActiveV2(
    { client: lambda, maxWaitTime: 30, minDelay: 0.1, maxDelay: 0.5 },
    { FunctionName: String(named) },
  );
  made.set(resource, { ref: String(named), arn });
}

function get(made: Map<string, Made>, name: string): Made {
  const found = made.get(name);
  if (found === undefined) throw new Error(`${name} was not made`);
  return found;
}

const nameIn = (value: unknown): string => (value as { 'Fn::GetAtt'?: [string, string] })['Fn::GetAtt']?.[0] ?? '';

/** With references replaced by what they lead to. */
function resolve(value: unknown, made: Map<string, Made>): unknown {
  if (Array.isArray(value)) return value.map((one) => resolve(one, made));
  if (typeof value !== 'object' || value === null) return value;
  if ('Ref' in value) return get(made, String(value.Ref)).ref;
  if ('Fn::GetAtt' in value) return get(made, nameIn(value)).arn;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner, made)]));
}
