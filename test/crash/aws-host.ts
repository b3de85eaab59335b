/**
 * The crash test on Lambda: the bundles as they are deployed, each in processes of its own. What AWS keeps stays up: the Lambda
 * service with its executions, DynamoDB, SQS and the schedules; and the bridge, which tells of the cluster's events. A kill ends every
 * process of every function at once; others are lost between an effect and its checkpoint, by chance.
 */
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { maxEventBytes } from '../../events/envelope.ts';
import { type AwsEntry, awsEntries, buildAwsEntries, provisionerEntry } from '../../scripts/package/build.ts';
import { systemClock } from '../../shared/base/runtime.ts';
import { openSqsQueue } from '../../shared/queue/sqs/queue.ts';
import { startEventSource } from '../hosts/aws/event-source.ts';
import { type Functions, startFunctions } from '../hosts/aws/functions.ts';
import { startSqs } from '../hosts/aws/sqs.ts';
import { startDynamoDb } from '../stand-ins/dynamodb/server.ts';
import { seededLambdaFaults } from './aws-faults.ts';
import { followCluster } from './bridge.ts';
import type { Provider } from './options.ts';
import type { HostProcess } from './processes.ts';

export interface AwsHostOptions {
  /** Where bundles, executions and the log go. */
  directory: string;
  /** The configuration file. */
  config: string;
  /** The cluster's API as the bridge meets it. */
  clusterUrl: string;
  env: Record<string, string>;
  seed: number;
  provider: Provider;
}

export interface AwsHost {
  launch(): HostProcess;
  /** How many processes were lost between an effect and its checkpoint. */
  readonly died: number;
  close(): Promise<void>;
}

const table = 'poolwright';
const visibilitySeconds = 10;
const region = 'eu-west-1';

/** At AWS once a minute at most; here more often, so that a run ends in minutes. */
const schedules: readonly { timer: string; everyMs: number }[] = [
  { timer: 'ownership', everyMs: 10_000 },
  { timer: 'resync', everyMs: 2000 },
  { timer: 'offerings', everyMs: 5000 },
  { timer: 'node-classes', everyMs: 10_000 },
  { timer: 'garbage-collection', everyMs: 3000 },
];

export async function awsHost(options: AwsHostOptions): Promise<AwsHost> {
  const { directory, config, clusterUrl, seed, provider } = options;
  const folder = join(directory, 'bundles');
  mkdirSync(directory, { recursive: true });
  await buildAwsEntries(folder, entriesFor(provider));
  const dynamo = await startDynamoDb({ tables: [table] });
  const sqs = await startSqs();
  const events = await sqs.createQueue('events', { VisibilityTimeout: String(visibilitySeconds) });
  const dead = await sqs.createQueue('events-dead');
  const log = createWriteStream(join(directory, '..', 'host.log'), { flags: 'a' });
  let died = 0;
  const functions = await startFunctions({
    folder,
    file: join(directory, 'executions.db'),
    faults: seededLambdaFaults(seed, () => died++),
    env: {
      AWS_ENDPOINT_URL_DYNAMODB: dynamo.url,
      AWS_ENDPOINT_URL_SQS: sqs.url,
      STATE_TABLE: table,
      EVENTS_QUEUE_URL: events,
      EVENTS_DEAD_LETTERS_URL: dead,
      POOLWRIGHT_CONFIG: config,
      ...options.env,
    },
    onOutput: (text) => void log.write(text),
  });
  const queue = openSqsQueue({
    connection: { region, endpoint: sqs.url, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } },
    queue: events,
    deadLetterQueue: dead,
    clock: systemClock,
    options: { visibilitySeconds, maxReceives: 10, maxBodyBytes: maxEventBytes },
  });
  const bridge = followCluster(clusterUrl, queue);
  const source = startEventSource({
    client: sqs.client,
    queueUrl: events,
    invoke: (event) => functions.call('watch-events', event),
  });
  const stopped = new AbortController();
  const ticking = schedules.map((schedule) => tick(functions, schedule, stopped.signal));
  return {
    launch: () => ({
      // The service itself does not end.
      failed: new Promise<never>(() => undefined),
      kill: async () => functions.kill(),
      stop: async () => undefined,
    }),
    get died() {
      return died;
    },
    async close() {
      stopped.abort();
      await bridge.close();
      await source.close();
      await Promise.all(ticking);
      await functions.close();
      await sqs.close();
      await dynamo.close();
      log.end();
    },
  };
}

/** The functions that this run needs, with the provisioner of its one provider. */
const entriesFor = (provider: Provider): AwsEntry[] => [
  ...awsEntries().filter((entry) => entry.provider === undefined && !/^(http|watch-interruptions)$/.test(entry.name)),
  provisionerEntry(provider),
];

/** A tick that fails is followed by the next one, as on the platform. */
async function tick(functions: Functions, { timer, everyMs }: (typeof schedules)[number], signal: AbortSignal) {
  const name = timer === 'garbage-collection' ? 'collect-garbage' : 'reconcile';
  while (!signal.aborted) {
    await functions.call(name, { timer }).catch(() => undefined);
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
