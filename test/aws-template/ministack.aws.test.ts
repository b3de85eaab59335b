/**
 * The zip of `npm run package:aws`, as it is, in a Lambda that is not ours: SQS brings messages to the watcher, which tells the good from the
 * bad and from those whose cluster is away. Its durable executions are too thin for ours (no names, and a start tells nothing), so what
 * the watcher starts goes to our own stand-in.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LambdaClient, ListDurableExecutionsByFunctionCommand } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeEvent } from '../../events/make.ts';
import { bundleAws } from '../../scripts/package/aws.ts';
import { awsEntries } from '../../scripts/package/build.ts';
import { systemClock, systemIds } from '../../shared/base/runtime.ts';
import { clientOptions } from '../../shared/platforms/aws/client-options.ts';
import type { Queue } from '../../shared/queue/contract.ts';
import { openSqsQueue } from '../../shared/queue/sqs/queue.ts';
import { startWorld, type World } from '../../sim/scenes/sim.ts';
import { type AwsStandIn, startMinistack } from '../aws/stand-ins.ts';
import { claimsOf } from '../hosts/azure/claims.ts';
import { type LambdaStandIn, startLambda } from '../stand-ins/lambda/start.ts';
import { deploy } from './deploy.ts';
import { packageTemplate } from './package-template.ts';
import { type SwitchableProxy, startSwitchableProxy } from './switchable-proxy.ts';

const giveUpMs = 120_000;
const workflows = 'poolwright-main-workflows';
const endings: (() => unknown)[] = [];
let ministack: AwsStandIn;
let executions: LambdaStandIn;
let near: World;
let far: World;
let proxy: SwitchableProxy;
let queue: Queue;
let lambda: LambdaClient;

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'poolwright-ministack-'));
  endings.push(() => rmSync(directory, { recursive: true, force: true }));
  const folder = join(directory, 'dist');
  // All of them, because the bytes of one depend on which others there are.
  const problems = await bundleAws({ folder, entries: awsEntries() });
  expect(problems).toEqual([]);
  const packaged = await packageTemplate('main');
  endings.push(packaged.remove);
  near = await startWorld({ directory: join(directory, 'near') });
  far = await startWorld({ directory: join(directory, 'far') });
  proxy = await startSwitchableProxy(far.cluster.url);
  // Whatever is started is kept, and never run.
  executions = await startLambda({
    functions: { [workflows]: { durable: {}, run: async () => undefined } },
    live: false,
  });
  // Its functions run on the Node of this test.
  ministack = await startMinistack({ PATH: `${dirname(process.execPath)}:${process.env.PATH}` });
  endings.push(
    () => near.close(),
    () => far.close(),
    () => proxy.close(),
    () => executions.close(),
    () => ministack.stop(),
  );
  const { endpoint, region, credentials } = ministack;
  const connection = { endpoint, region, credentials };
  const deployment = await deploy({
    connection,
    template: packaged.template,
    functions: ['watch-events'],
    folder,
    config: {
      deployment: 'main',
      clusters: { near: { server: near.cluster.url }, far: { server: proxy.url } },
      providers: { sim: { type: 'sim', url: near.cloud.url } },
    },
    variables: { AWS_ENDPOINT_URL_LAMBDA: executions.url },
  });
  lambda = new LambdaClient(clientOptions({ endpoint: executions.url, region, credentials }));
  endings.push(deployment.close, () => lambda.destroy());
  queue = openSqsQueue({
    connection,
    queue: deployment.queueUrl('EventsQueue'),
    deadLetterQueue: deployment.queueUrl('EventsDeadLetters'),
    clock: systemClock,
    options: { visibilitySeconds: 5, maxReceives: 10, maxBodyBytes: 65_536 },
    waitSeconds: 1,
  });
}, 300_000);

afterAll(async () => {
  for (const end of endings.reverse()) await end();
});

/** Looks until it is so. */
async function until(what: string, look: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + giveUpMs; Date.now() < end; await pause(200)) {
    if (await look()) return;
  }
  throw new Error(`${what} did not come about; the stand-in said:\n${ministack.log()}`);
}

async function started(): Promise<number> {
  const list = new ListDurableExecutionsByFunctionCommand({ FunctionName: workflows, Qualifier: 'durable' });
  return (await lambda.send(list)).DurableExecutions?.length ?? 0;
}

async function aClaimIn(world: World, name: string): Promise<string> {
  const claims = claimsOf(world.cluster.url, () => ministack.log());
  const { metadata } = await claims.create(name);
  claims.close();
  return metadata.uid;
}

const claimChanged = (cluster: string, name: string, uid: string): string =>
  JSON.stringify(
    makeEvent(
      'dev.poolwright.claim.changed.v1',
      { cluster, name, uid, deleting: false, observedBy: 'bridge' },
      { id: systemIds.next(), time: Date.now(), source: '/test', subject: `${cluster}/${name}` },
    ),
  );

it('of one batch the good is acted on, the bad is kept apart with its reason, and what cannot be done yet comes again', async () => {
  const [first, second] = [await aClaimIn(near, 'first'), await aClaimIn(far, 'second')];
  await queue.send([
    'this is not JSON',
    claimChanged('near', 'first', first),
    claimChanged('far', 'second', second),
    claimChanged('nowhere', 'third', '11111111-2222-3333-4444-555555555555'),
  ]);

  await until('two dead letters', async () => (await queue.deadLetters()).items.length === 2);
  await until('an execution for the good one', async () => (await started()) === 1);
  const { items: dead } = await queue.deadLetters();
  const reasons = new Map(dead.map(({ body, reason }) => [body.startsWith('{') ? 'an event' : body, reason]));
  expect(reasons.get('this is not JSON')).toMatch(/JSON/);
  expect(reasons.get('an event')).toBe('cluster nowhere is not in the configuration');

  // The last one is neither lost nor dead: it is tried until its cluster answers.
  const tries = proxy.turnedAway();
  await until('a second try', () => proxy.turnedAway() > tries);
  expect(await started()).toBe(1);
  proxy.open();
  await until('an execution for the last one', async () => (await started()) === 2);
  await until('an empty queue', async () => {
    const { ready, delayed, inFlight } = await queue.stats();
    return ready + delayed + inFlight === 0;
  });
  expect((await queue.stats()).dead).toBe(2);
}, 300_000);
