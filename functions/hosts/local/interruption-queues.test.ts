import { expect, it } from 'vitest';
import { systemClock } from '../../../shared/base/runtime.ts';
import { type ConfigInput, resolveConfig } from '../../../shared/config/load.ts';
import { interruptionQueues } from './interruption-queues.ts';

const server = 'http://127.0.0.1:1';
const ec2 = { type: 'ec2', region: 'eu-west-1' } as const;

function queuesOf(config: ConfigInput, env: Record<string, string> = {}) {
  const resolved = resolveConfig(config);
  if (!resolved.ok) throw new Error(resolved.text);
  return interruptionQueues(resolved.config, env, systemClock);
}

it('a queue that several clusters share is received from once', () => {
  const queues = queuesOf({
    providers: { ec2: { ...ec2, interruptionQueue: 'q' } },
    clusters: { east: { server }, west: { server } },
  });
  expect(queues).toEqual([{ queue: 'q', connection: { region: 'eu-west-1' } }]);
});

it("a cluster's own queue comes before its provider's, and its own region with it", () => {
  const queues = queuesOf({
    providers: { ec2: { ...ec2, interruptionQueue: 'q' } },
    clusters: { east: { server, aws: { interruptionQueue: 'own', region: 'us-west-2' } }, west: { server } },
  });
  expect(queues.map(({ queue, connection }) => [queue, connection.region])).toEqual([
    ['own', 'us-west-2'],
    ['q', 'eu-west-1'],
  ]);
});

it('no queue is received from where none is named, or where no provider of that kind serves a cluster', () => {
  expect(queuesOf({ providers: { ec2 }, clusters: { east: { server } } })).toEqual([]);
  const sim = { type: 'sim', url: server } as const;
  const providers = { ec2: { ...ec2, interruptionQueue: 'q' }, sim };
  expect(queuesOf({ providers, clusters: { east: { server, providers: ['sim'] } } })).toEqual([]);
});

it('the URL of a queue says in which region it is, and the URL of a stand-in where its service is', () => {
  const at = (interruptionQueue: string) =>
    queuesOf({ providers: { ec2: { ...ec2, interruptionQueue } }, clusters: { east: { server } } })[0]?.connection;
  expect(at('https://sqs.us-east-2.amazonaws.com/123456789012/q')).toEqual({ region: 'us-east-2' });
  expect(at('http://127.0.0.1:4566/000000000000/q')).toEqual({
    region: 'eu-west-1',
    endpoint: 'http://127.0.0.1:4566',
  });
});

it('keys come from the environment, and a role is taken on where the provider has one', () => {
  const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' };
  const clusters = { east: { server } };
  const own = queuesOf({ providers: { ec2: { ...ec2, interruptionQueue: 'q' } }, clusters }, env);
  expect(own[0]?.connection.credentials).toEqual({ accessKeyId: 'id', secretAccessKey: 'key' });
  const roleArn = 'arn:aws:iam::123456789012:role/poolwright';
  const assumed = queuesOf({ providers: { ec2: { ...ec2, interruptionQueue: 'q', roleArn } }, clusters }, env);
  expect(assumed[0]?.connection.credentials).toBeTypeOf('function');
});
