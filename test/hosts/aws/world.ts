/**
 * Everything around the functions: a cluster and a cloud, the table of the state, the queues, and the Lambda service with the bundles as
 * they are deployed. Every function runs in processes of its own, which may be killed at any time.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { defined } from '../../../shared/base/defined.ts';
import { startWorld, type World, type WorldOptions } from '../../../sim/scenes/sim.ts';
import { startDynamoDb } from '../../stand-ins/dynamodb/server.ts';
import type { LambdaFaults } from '../../stand-ins/lambda/contract.ts';
import { startEventSource } from './event-source.ts';
import { type Functions, startFunctions } from './functions.ts';
import { httpEvent } from './http-event.ts';
import { type Sqs, startSqs } from './sqs.ts';

export interface AwsHostWorldOptions {
  /** dist/aws, or one like it. */
  folder: string;
  /** Merged over the configuration of the one cluster, which is called `sim`. */
  cluster?: { [key: string]: unknown };
  /** Merged over the whole configuration. */
  config?: { [key: string]: unknown };
  /** Instead of all of it. */
  configText?: string;
  cloud?: WorldOptions['cloud'];
  /** The cluster makes other clusters. */
  aso?: WorldOptions['aso'];
  faults?: LambdaFaults;
  env?: Readonly<Record<string, string>>;
}

export interface AwsHostWorld {
  readonly world: World;
  readonly functions: Functions;
  readonly token: string;
  readonly queues: { sqs: Sqs; events: string; dead: string; interruptions: string; interruptionsDead: string };
  said(): string;
  http(method: string, path: string, options?: { token?: string; body?: unknown }): Promise<HttpAnswer>;
  close(): Promise<void>;
}

export interface HttpAnswer {
  status: number;
  text: string;
  headers: Record<string, unknown>;
}

const quickCloud = { bootSeconds: 0.2, readySeconds: 0.1, deleteSeconds: 0.1 };
export const table = 'poolwright';

export async function startAwsHostWorld(options: AwsHostWorldOptions): Promise<AwsHostWorld> {
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-aws-host-'));
  const world = await startWorld({
    directory: join(directory, 'world'),
    cloud: options.cloud ?? quickCloud,
    ...defined({ aso: options.aso }),
  });
  const dynamo = await startDynamoDb({ tables: [table] });
  const sqs = await startSqs();
  const [events, dead] = [await sqs.createQueue('events'), await sqs.createQueue('events-dead')];
  const interruptions = await sqs.createQueue('interruptions');
  const interruptionsDead = await sqs.createQueue('interruptions-dead');
  const token = 'the-token-of-this-world';
  const config = {
    deployment: 'functions',
    clusters: { sim: { server: world.cluster.url, ...options.cluster } },
    providers: { sim: { type: 'sim', url: world.cloud.url, writeSeconds: 3 } },
    // No bridge tells of Nodes here.
    lifecycle: { lookAgain: '0.5s' },
    ...options.config,
  };
  let text = '';
  const functions = await startFunctions({
    folder: options.folder,
    file: join(directory, 'executions.db'),
    ...defined({ faults: options.faults }),
    env: {
      AWS_ENDPOINT_URL_DYNAMODB: dynamo.url,
      AWS_ENDPOINT_URL_SQS: sqs.url,
      STATE_TABLE: table,
      EVENTS_QUEUE_URL: events,
      EVENTS_DEAD_LETTERS_URL: dead,
      INTERRUPTIONS_QUEUE_URL: interruptions,
      INTERRUPTIONS_DEAD_LETTERS_URL: interruptionsDead,
      POOLWRIGHT_HTTP_TOKEN: token,
      POOLWRIGHT_CONFIG: options.configText ?? JSON.stringify(config),
      ...options.env,
    },
    onOutput: (more) => {
      text += more;
    },
  });
  const source = startEventSource({
    client: sqs.client,
    queueUrl: events,
    invoke: (event) => functions.call('watch-events', event),
  });
  return {
    world,
    functions,
    token,
    queues: { sqs, events, dead, interruptions, interruptionsDead },
    said: () => text,
    async http(method, path, { token: shown = token, body } = {}) {
      const answer = (await functions.call(
        'http',
        httpEvent(method, path, shown, body),
      )) as APIGatewayProxyStructuredResultV2;
      return { status: answer.statusCode ?? 0, text: answer.body ?? '', headers: answer.headers ?? {} };
    },
    async close() {
      await source.close();
      await functions.close();
      await sqs.close();
      await dynamo.close();
      await world.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
