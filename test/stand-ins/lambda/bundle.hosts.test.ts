/** Functions in processes of their own, on a real clock: killed, restarted, and gone on with from a file. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Bundle, bundle } from './bundle.ts';
import { type LambdaStandIn, startLambda } from './start.ts';

let directory: string;
let lambda: LambdaStandIn | undefined;
let bundles: Bundle[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'poolwright-lambda-'));
});
afterEach(async () => {
  for (const one of bundles) await one.close();
  bundles = [];
  await lambda?.close();
  lambda = undefined;
  await rm(directory, { recursive: true });
});

async function make(code: string, env: Record<string, string> = {}): Promise<Bundle> {
  const file = join(directory, `f${bundles.length}.mjs`);
  await writeFile(file, code);
  const made = bundle({ file, env, maxEnvironments: 2 });
  bundles.push(made);
  return made;
}

const invoke = async (functionName: string, payload: unknown) => {
  const request = { functionName, type: 'RequestResponse', payload: JSON.stringify(payload) } as const;
  const answer = await lambda?.service.invoke(request);
  return { error: answer?.functionError, answer: JSON.parse(answer?.payload ?? 'null') };
};

it('keeps an environment for the next invocation, and makes a new one after a kill', async () => {
  const made = await make(
    'let n = 0; export const handler = async (event) => ({ event, n: ++n, pid: process.pid, own: process.env.OWN });',
    {
      OWN: 'yes',
    },
  );
  lambda = await startLambda({ functions: { counter: { run: made.run } } });

  const first = await invoke('counter', 'a');
  const second = await invoke('counter', 'b');
  expect(first.answer).toMatchObject({ event: 'a', n: 1, own: 'yes' });
  expect(second.answer).toMatchObject({ event: 'b', n: 2, pid: first.answer.pid });
  expect(made.pids()).toEqual([first.answer.pid]);
  made.kill();
  expect((await invoke('counter', 'c')).answer).toMatchObject({ event: 'c', n: 1 });
});

it('tells who waits that the process is gone, or that there is no handler', async () => {
  const dying = await make("export const handler = () => process.kill(process.pid, 'SIGKILL');");
  const empty = await make('export const other = 1;');
  lambda = await startLambda({ functions: { dying: { run: dying.run }, empty: { run: empty.run } } });

  expect(await invoke('dying', null)).toMatchObject({
    error: 'Unhandled',
    answer: { errorType: 'Runtime.ExitError', errorMessage: expect.stringContaining('signal: killed') },
  });
  expect((await invoke('empty', null)).answer).toMatchObject({ errorType: 'Runtime.HandlerNotFound' });
});

it('carries an execution through kills of its function and a restart of the service', async () => {
  const file = join(directory, 'lambda.db');
  const sdk = import.meta.resolve('@aws/durable-execution-sdk-js');
  const code = `
    import { appendFileSync } from 'node:fs';
    import { withDurableExecution } from '${sdk}';
    const once = { retryStrategy: () => ({ shouldRetry: false }) };
    export const handler = withDurableExecution(async (event, durable) => {
      await durable.step('mark', async () => appendFileSync(event.log, 'marked '), once);
      await durable.wait('pause', { seconds: 1 });
      return durable.step('end', async () => 'ended', once);
    });`;
  const start = async (): Promise<Bundle> => {
    const url = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
    lambda = await startLambda({ file });
    const made = await make(code, { ...url, AWS_ENDPOINT_URL_LAMBDA: lambda.url });
    lambda.service.define('flow', { durable: {}, run: made.run });
    return made;
  };
  const first = await start();
  const log = join(directory, 'log.txt');
  const { executionArn = '' } =
    (await lambda?.service.invoke({
      functionName: 'flow',
      qualifier: 'live',
      type: 'Event',
      payload: JSON.stringify({ log }),
      executionName: 'one',
    })) ?? {};
  const until = async (isSo: () => boolean): Promise<void> => {
    await expect.poll(isSo, { interval: 10 }).toBe(true);
  };
  const names = () => lambda?.service.executions.store.operations(executionArn).map(({ name }) => name);
  await until(() => first.pids().length > 0);
  first.kill();
  await until(() => names()?.includes('pause') ?? false);
  first.kill();
  await lambda?.close();
  await start();
  await until(() => lambda?.service.countRunning() === 0);

  expect(lambda?.service.executions.find(executionArn)).toMatchObject({ status: 'SUCCEEDED', result: '"ended"' });
});
