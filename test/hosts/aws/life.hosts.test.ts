/** A claim's whole life on the functions as they are deployed: from its event to Ready, and from its deletion to nothing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeEvent } from '../../../events/make.ts';
import { buildAwsEntries } from '../../../scripts/package/build.ts';
import type { StoredClaim } from '../../../shared/nodes/steps/claim-access.ts';
import { conditionStatus } from '../../nodes/world.ts';
import { type Claims, claimsOf } from '../azure/claims.ts';
import { neededEntries } from './entries.ts';
import { type AwsHostWorld, startAwsHostWorld } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'poolwright-aws-life-'));
let world: AwsHostWorld;
let claims: Claims;

beforeAll(async () => {
  await buildAwsEntries(folder, neededEntries);
  world = await startAwsHostWorld({ folder });
  claims = claimsOf(world.world.cluster.url, world.said);
});
afterAll(async () => {
  claims?.close();
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

const isReady = (claim: StoredClaim | undefined): boolean => conditionStatus(claim, 'Ready') === 'True';
const isGone = (claim: StoredClaim | undefined): boolean => claim === undefined;

function eventOf({ metadata }: StoredClaim, deleting: boolean) {
  const { name, uid } = metadata;
  const data = { cluster: 'sim', name, uid, deleting, observedBy: 'bridge' as const };
  const attributes = { id: `${uid}-${deleting}`, time: Date.now(), source: '/test', subject: `sim/${name}` };
  return makeEvent('dev.poolwright.claim.changed.v1', data, attributes);
}

async function tell(claim: StoredClaim, deleting: boolean, times = 1): Promise<void> {
  for (let time = 0; time < times; time++) {
    const answer = await world.http('POST', '/v1/events', { body: eventOf(claim, deleting) });
    expect(answer).toMatchObject({ status: 202 });
  }
}

const tick = (timer: string) => world.functions.call('reconcile', { timer });

it('takes a claim from its event to Ready and back to nothing, also when the event comes thrice', async () => {
  const claim = await claims.create('one');
  await tell(claim, false, 3);
  const ready = await claims.look('one', isReady);
  expect(ready?.status?.providerID).toMatch(/^sim:/);
  expect(world.world.cloud.living).toBe(1);
  const { text } = await world.http('GET', '/v1/workflows');
  const { items } = JSON.parse(text) as { items: { id: string; workflow: string }[] };
  expect(items.map(({ workflow }) => workflow)).toEqual(['launch']);
  const inspected = await world.http('GET', `/v1/workflows/${encodeURIComponent(items[0]?.id ?? '')}`);
  expect(inspected).toMatchObject({ status: 200, text: expect.stringContaining('beginCreate') });

  await claims.delete('one');
  await tell(claim, true);
  await claims.look('one', isGone);
  expect(world.world.cloud.living).toBe(0);
});

it('starts a workflow once more by request, buys nothing by that, and says where the log is', async () => {
  const claim = await claims.create('again');
  await tell(claim, false);
  await claims.look('again', isReady);
  const path = `/v1/workflows?cluster=sim&uid=${claim.metadata.uid}`;
  const newest = async () => JSON.parse((await world.http('GET', path)).text).items[0];
  await expect.poll(newest).toMatchObject({ status: 'completed' });
  const { id, epoch } = await newest();

  const restarted = await world.http('POST', `/v1/workflows/${encodeURIComponent(id)}/restart`);
  expect([restarted.status, JSON.parse(restarted.text)]).toMatchObject([200, { epoch: epoch + 1 }]);
  await expect.poll(newest).toMatchObject({ epoch: epoch + 1, status: 'completed' });
  expect(world.world.cloud.living).toBe(1);

  const log = await world.http('GET', '/v1/logs?claim=again');
  expect(log.status).toBe(404);
  expect(JSON.parse(log.text).detail).toMatch(/^The log of this host is in CloudWatch. Query it with:\nfor group in /);
  await claims.delete('again');
  await tell(claim, true);
  await claims.look('again', isGone);
});

it('needs no event, and goes on when every process is killed in the middle of a launch', async () => {
  await claims.create('two');
  await tick('resync');
  await claims.look('two', (claim) => claim?.metadata.annotations?.['poolwright.dev/attempt'] !== undefined);
  world.functions.kill();
  await claims.look('two', isReady);
  expect(world.world.cloud.living).toBe(1);
  await claims.delete('two');
  await tick('resync');
  await claims.look('two', isGone);
  expect(world.world.cloud.living).toBe(0);
});

it('puts apart what it can not use, with the reason, and handles the rest of the batch', async () => {
  const claim = await claims.create('three');
  const { sqs, events, dead } = world.queues;
  const bodies = ['no JSON', JSON.stringify(eventOf(claim, false)), '{"specversion":"1.0"}'];
  const Entries = bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
  await sqs.client.send(new SendMessageBatchCommand({ QueueUrl: events, Entries }));
  await claims.look('three', isReady);
  const letters = JSON.parse((await world.http('GET', '/v1/dead-letters')).text) as {
    items: { body: string; reason: string }[];
  };
  const reasons = letters.items.map(({ body, reason }) => [body, reason]);
  expect(new Map(reasons as [string, string][])).toEqual(
    new Map([
      ['no JSON', expect.stringContaining('JSON')],
      ['{"specversion":"1.0"}', expect.stringMatching(/\S/)],
    ]),
  );
  const left = await sqs.client.send(new ReceiveMessageCommand({ QueueUrl: dead, MaxNumberOfMessages: 10 }));
  expect(left.Messages ?? []).toHaveLength(2);
  await claims.delete('three');
  await tick('resync');
  await claims.look('three', isGone);
});

it('tells whether it is ready, to the holder of the token', async () => {
  // Its patience with a cluster is short, and here everything shares one machine.
  await expect
    .poll(async () => JSON.parse((await world.http('GET', '/readyz')).text))
    .toMatchObject({ ready: true, checks: { 'owner of sim': { ok: true } } });
  expect(await world.http('GET', '/v1/clusters', { token: '' })).toMatchObject({ status: 401 });
  expect(await world.http('GET', '/v1/clusters', { token: 'another' })).toMatchObject({ status: 401 });
});

it('runs every timer, and says which there are to one that it does not know', async () => {
  const usual = ['ownership', 'resync', 'pools', 'node-classes', 'expiration', 'offerings'];
  for (const timer of [...usual, 'cluster-requests', 'machine-providers']) await tick(timer);
  await world.functions.call('collect-garbage', {});
  await expect(tick('nonsense')).rejects.toThrow(/ownership, resync, .*it sent/);
  await expect(world.functions.call('reconcile', {})).rejects.toThrow(/must send/);
});

it('fails a tick that could not be done, so that the alarm on failures hears of it', async () => {
  const lost = await startAwsHostWorld({ folder, env: { STATE_TABLE: 'nowhere' } });
  try {
    const call = (name: string, timer: string) => lost.functions.call(name, { timer });
    await expect(call('reconcile', 'resync')).rejects.toThrow(/resync: cluster sim: the state in DynamoDB table/);
    await expect(call('collect-garbage', 'garbage-collection')).rejects.toThrow(/cluster sim: the state in DynamoDB/);
  } finally {
    await lost.close();
  }
}, 60_000);

it('has questions about a provider answered by the function that holds its rights', async () => {
  const claim = await claims.create('asked');
  await tell(claim, false);
  const ready = await claims.look('asked', isReady);

  const checked = await world.http('POST', '/v1/providers/sim/check');
  const listed = await world.http('GET', '/v1/instances?cluster=sim');
  const adopted = await world.http('POST', '/v1/claims/sim/asked/adopt');

  expect(JSON.parse(checked.text)).toMatchObject({ checks: [{ state: 'pass' }, { state: 'pass' }] });
  expect(JSON.parse(listed.text)).toMatchObject({
    items: [{ claimName: 'asked', claim: 'present', providerID: ready?.status?.providerID }],
  });
  expect(adopted).toMatchObject({ status: 409, text: expect.stringContaining('already belongs to this deployment') });
  const question = { question: 'check-provider', input: { provider: 'sim' } };
  await expect(world.functions.call('steps', question)).rejects.toThrow('this function runs the steps of no provider');
  const nonsense = { question: 'nonsense', input: { provider: 'sim' } };
  await expect(world.functions.call('provision-sim', nonsense)).rejects.toThrow('there is no question nonsense');

  await claims.delete('asked');
  await tell(claim, true);
  await claims.look('asked', isGone);
});

it('does the steps of its own provider alone', async () => {
  const payload = { id: 'sim/u/launch/1', execution: 1, input: { provider: 'sim' } };
  await expect(world.functions.call('steps', { activity: 'choose', payload })).rejects.toThrow(
    'this function runs the steps of no provider, but received a step of provider sim (sim)',
  );
  const nobodys = { activity: 'choose', payload: { ...payload, input: {} } };
  await expect(world.functions.call('provision-sim', nobodys)).rejects.toThrow(
    'this function runs the steps of sim, but received a step of no provider',
  );
  await expect(world.functions.call('steps', { hello: 1 })).rejects.toThrow('from the workflow function');
});

describe('with a configuration that is wrong', () => {
  let wrong: AwsHostWorld;
  beforeAll(async () => {
    const configText = 'clusters:\n  a: { server: nowhere, token: very-secret }\n';
    wrong = await startAwsHostWorld({ folder, configText });
  });
  afterAll(() => wrong?.close());

  const mistake = /POOLWRIGHT_CONFIG:2: clusters\.a\.server must be an http/;

  it('is alive and not ready, and tells the holder of the token why', async () => {
    expect(await wrong.http('GET', '/healthz', { token: '' })).toMatchObject({ status: 200 });
    expect(await wrong.http('GET', '/readyz')).toMatchObject({ status: 503, text: expect.stringMatching(mistake) });
    const stranger = await wrong.http('GET', '/v1/clusters', { token: 'another' });
    expect(stranger.status).toBe(503);
    expect(stranger.text).not.toMatch(mistake);
  });

  it('fails what would have done something, and puts events off', async () => {
    await expect(wrong.functions.call('reconcile', { timer: 'resync' })).rejects.toThrow(mistake);
    const step = { activity: 'choose', payload: { id: 'a/u/launch/1', execution: 1, input: {} } };
    await expect(wrong.functions.call('steps', step)).rejects.toThrow(mistake);
    const { sqs, events } = wrong.queues;
    const before = wrong.functions.lambda.service.count('poolwright-test-watch-events');
    await sqs.client.send(
      new SendMessageBatchCommand({ QueueUrl: events, Entries: [{ Id: '1', MessageBody: '{"an":"event"}' }] }),
    );
    await expect.poll(() => wrong.functions.lambda.service.count('poolwright-test-watch-events')).toBe(before + 1);
    await expect.poll(() => counts(wrong)).toEqual({ visible: '0', hidden: '1' });
  });

  it('says it in the log, and no secret with it', () => {
    expect(wrong.said()).toMatch(/host\.misconfigured.*clusters\.a\.server/);
    expect(wrong.said()).not.toContain('very-secret');
  });
});

it('puts no event apart for a cluster that has just come into the configuration', async () => {
  let text = '';
  const parameters = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    response.end(JSON.stringify({ Parameter: { Value: text } }));
  });
  await new Promise<void>((resolve) => parameters.listen(0, '127.0.0.1', resolve));
  const AWS_ENDPOINT_URL_SSM = `http://127.0.0.1:${(parameters.address() as AddressInfo).port}`;
  const env = { POOLWRIGHT_CONFIG: '', POOLWRIGHT_CONFIG_PARAMETER: '/config', AWS_ENDPOINT_URL_SSM };
  const changing = await startAwsHostWorld({ folder, env });
  const late = claimsOf(changing.world.cluster.url, changing.said);
  const configOf = (cluster: string) =>
    JSON.stringify({
      deployment: 'functions',
      clusters: { [cluster]: { server: changing.world.cluster.url } },
      providers: { sim: { type: 'sim', url: changing.world.cloud.url, writeSeconds: 3 } },
      lifecycle: { lookAgain: '0.5s' },
    });
  try {
    text = configOf('other');
    await changing.functions.call('watch-events', { Records: [] });
    text = configOf('sim');
    const event = eventOf(await late.create('late'), false);
    const Entries = [{ Id: '1', MessageBody: JSON.stringify(event) }];
    await changing.queues.sqs.client.send(new SendMessageBatchCommand({ QueueUrl: changing.queues.events, Entries }));
    await late.look('late', isReady);
    expect(changing.said()).not.toContain('event.dead-lettered');
  } finally {
    late.close();
    await changing.close();
    parameters.close();
  }
});

async function counts({ queues: { sqs, events } }: AwsHostWorld) {
  const { Attributes: found } = await sqs.client.send(
    new GetQueueAttributesCommand({ QueueUrl: events, AttributeNames: ['All'] }),
  );
  return {
    visible: found?.ApproximateNumberOfMessages,
    hidden: found?.ApproximateNumberOfMessagesNotVisible,
  };
}
