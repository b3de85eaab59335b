/** The stand-in as the AWS SDK sees it. */

import { type DurableContext, DurableExecutionApiClient, withDurableExecution } from '@aws/durable-execution-sdk-js';
import {
  GetDurableExecutionCommand,
  GetDurableExecutionHistoryCommand,
  InvokeCommand,
  LambdaClient,
  ListDurableExecutionsByFunctionCommand,
  SendDurableExecutionCallbackFailureCommand,
  SendDurableExecutionCallbackHeartbeatCommand,
  SendDurableExecutionCallbackSuccessCommand,
  StopDurableExecutionCommand,
} from '@aws-sdk/client-lambda';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../../shared/base/runtime.ts';
import type { FunctionDefinition } from './contract.ts';
import { type LambdaStandIn, startLambda } from './start.ts';

const clock = manualClock();
let lambda: LambdaStandIn;
let client: LambdaClient;

async function open(functions: Record<string, FunctionDefinition>): Promise<void> {
  lambda = await startLambda({ functions, clock, live: false, suspendsAtOnce: true });
  client = new LambdaClient({
    region: 'eu-west-1',
    endpoint: lambda.url,
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    maxAttempts: 1,
  });
}
afterEach(async () => {
  client.destroy();
  await lambda.close();
});

const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const text = (payload: Uint8Array | undefined): unknown => JSON.parse(Buffer.from(payload ?? []).toString() || 'null');

describe('a plain function', () => {
  const calls: unknown[] = [];
  beforeEach(async () => {
    calls.length = 0;
    await open({
      echo: { run: async (event) => event },
      note: {
        run: async (event) => {
          calls.push(event);
          if (calls.length < 3) throw new Error('not yet');
          return null;
        },
      },
      boom: { run: async () => Promise.reject(new TypeError('broken')) },
      slow: { run: () => new Promise(() => undefined), timeoutSeconds: 0.01 },
      single: { run: () => new Promise(() => undefined), reservedConcurrency: 1, timeoutSeconds: 0.05 },
    });
  });

  it('answers who waits', async () => {
    const answer = await client.send(new InvokeCommand({ FunctionName: 'echo', Payload: bytes({ a: 1 }) }));

    expect(answer).toMatchObject({ StatusCode: 200, ExecutedVersion: '$LATEST' });
    expect(answer.FunctionError).toBeUndefined();
    expect(text(answer.Payload)).toEqual({ a: 1 });
  });

  it.each([
    ['boom', 'TypeError', 'broken'],
    ['slow', 'Sandbox.Timedout', 'Task timed out'],
  ])('that fails (%s) is an answer with a function error', async (name, errorType, message) => {
    const answer = await client.send(new InvokeCommand({ FunctionName: name }));

    expect(answer).toMatchObject({ StatusCode: 200, FunctionError: 'Unhandled' });
    expect(text(answer.Payload)).toMatchObject({ errorType, errorMessage: expect.stringContaining(message) });
  });

  it('is run later for who does not wait, and again when it fails', async () => {
    const answer = await client.send(
      new InvokeCommand({ FunctionName: 'note', InvocationType: 'Event', Payload: bytes(7) }),
    );
    expect(answer.StatusCode).toBe(202);
    await lambda.service.runDue();
    clock.advance(60_000);
    await lambda.service.runDue();
    clock.advance(120_000);
    await lambda.service.runDue();

    expect(calls).toEqual([7, 7, 7]);
    expect(lambda.service.dropped).toEqual([]);
  });

  it.each([
    ['an unknown one', { FunctionName: 'nobody' }, 'ResourceNotFoundException'],
    ['too much', { FunctionName: 'echo', Payload: bytes('x'.repeat(6_300_000)) }, 'RequestTooLargeException'],
    [
      'too much without an answer',
      { FunctionName: 'echo', InvocationType: 'Event', Payload: bytes('x'.repeat(1_100_000)) } as const,
      'RequestTooLargeException',
    ],
    ['no JSON', { FunctionName: 'echo', Payload: Buffer.from('{') }, 'InvalidRequestContentException'],
    ['a named start', { FunctionName: 'echo', DurableExecutionName: 'x' }, 'InvalidParameterValueException'],
  ])('refuses %s', async (_title, input, name) => {
    await expect(client.send(new InvokeCommand(input))).rejects.toMatchObject({ name });
  });

  it('refuses more at once than it may run', async () => {
    const [first, second] = await Promise.allSettled(
      [1, 2].map(() => client.send(new InvokeCommand({ FunctionName: 'single' }))),
    );

    expect(first?.status).toBe('fulfilled');
    expect(second).toMatchObject({ reason: { name: 'TooManyRequestsException', $metadata: { httpStatusCode: 429 } } });
  });
});

describe('a durable function', () => {
  const run = async (input: { wait: string }, durable: DurableContext): Promise<unknown> => {
    const first = await durable.step('first', async () => 'one', { retryStrategy: () => ({ shouldRetry: false }) });
    await durable.wait('pause', { seconds: 30 });
    const [answer, id] = await durable.createCallback<string>(input.wait, {
      timeout: { seconds: 60 },
      heartbeatTimeout: { seconds: 20 },
    });
    ids.push(id);
    return { first, answer: await answer };
  };
  const ids: string[] = [];

  beforeEach(async () => {
    ids.length = 0;
    await open({});
    const handler = withDurableExecution(run, { durableExecutionClient: new DurableExecutionApiClient(client) });
    lambda.service.define('flow', { durable: {}, run: (event, context) => handler(event as never, context as never) });
  });

  const start = (name: string, wait = 'answer') =>
    client.send(
      new InvokeCommand({
        FunctionName: 'flow',
        Qualifier: 'live',
        InvocationType: 'Event',
        DurableExecutionName: name,
        Payload: bytes({ wait }),
      }),
    );
  const describeExecution = (DurableExecutionArn: string | undefined) =>
    client.send(new GetDurableExecutionCommand({ DurableExecutionArn }));

  /** Until it waits for its callback. */
  async function toCallback(): Promise<string> {
    const { DurableExecutionArn: arn = '' } = await start('one');
    await lambda.service.runDue();
    clock.advance(30_000);
    await lambda.service.runDue();
    return arn;
  }

  it('goes on over waits, and ends with what its callback was told', async () => {
    const arn = await toCallback();
    expect(await describeExecution(arn)).toMatchObject({ Status: 'RUNNING', DurableExecutionName: 'one' });
    await client.send(
      new SendDurableExecutionCallbackSuccessCommand({ CallbackId: ids[0], Result: Buffer.from('yes') }),
    );
    await lambda.service.runDue();

    const ended = await describeExecution(arn);
    expect(ended).toMatchObject({ Status: 'SUCCEEDED', Result: JSON.stringify({ first: 'one', answer: 'yes' }) });
    expect(ended.EndTimestamp?.getTime()).toBe(clock.now());
    await expect(
      client.send(new SendDurableExecutionCallbackSuccessCommand({ CallbackId: ids[0] })),
    ).rejects.toMatchObject({ name: 'CallbackTimeoutException' });
  });

  it('fails with what its callback was told', async () => {
    const arn = await toCallback();
    await client.send(
      new SendDurableExecutionCallbackFailureCommand({ CallbackId: ids[0], Error: { ErrorMessage: 'no' } }),
    );
    await lambda.service.runDue();

    expect(await describeExecution(arn)).toMatchObject({ Status: 'FAILED', Error: { ErrorMessage: 'no' } });
  });

  it('waits for its callback as long as that shows that it lives, and no longer than it may', async () => {
    const arn = await toCallback();
    for (let beat = 0; beat < 3; beat++) {
      clock.advance(15_000);
      await client.send(new SendDurableExecutionCallbackHeartbeatCommand({ CallbackId: ids[0] }));
      await lambda.service.runDue();
    }
    expect(await describeExecution(arn)).toMatchObject({ Status: 'RUNNING' });
    clock.advance(15_000);
    await lambda.service.runDue();

    expect(await describeExecution(arn)).toMatchObject({
      Status: 'FAILED',
      Error: { ErrorType: 'CallbackTimeoutError' },
    });
  });

  it('is started once under a name, and never with another payload', async () => {
    const first = await start('one');
    expect((await start('one')).DurableExecutionArn).toBe(first.DurableExecutionArn);
    await expect(start('one', 'else')).rejects.toMatchObject({ name: 'DurableExecutionAlreadyStartedException' });
    await expect(start('a/b')).rejects.toMatchObject({ name: 'InvalidParameterValueException' });
  });

  it('is not started without a version', async () => {
    const unqualified = new InvokeCommand({ FunctionName: 'flow', InvocationType: 'Event', DurableExecutionName: 'x' });
    await expect(client.send(unqualified)).rejects.toThrow('unqualified');
  });

  it('is stopped, and then nothing of it goes on', async () => {
    const arn = await toCallback();
    await client.send(new StopDurableExecutionCommand({ DurableExecutionArn: arn, Error: { ErrorMessage: 'enough' } }));
    clock.advance(100_000);
    await lambda.service.runDue();

    expect(await describeExecution(arn)).toMatchObject({ Status: 'STOPPED', Error: { ErrorMessage: 'enough' } });
    expect(lambda.service.countRunning()).toBe(0);
  });

  it('is listed by name and by status, page by page', async () => {
    for (const name of ['a', 'b', 'c']) {
      await start(name);
      clock.advance(1);
    }
    const list = async (more: object) => {
      const command = new ListDurableExecutionsByFunctionCommand({ FunctionName: 'flow', Qualifier: 'live', ...more });
      const { DurableExecutions = [], NextMarker } = await client.send(command);
      return { names: DurableExecutions.map((one) => one.DurableExecutionName), next: NextMarker };
    };

    expect(await list({ MaxItems: 2 })).toEqual({ names: ['a', 'b'], next: '2' });
    expect(await list({ MaxItems: 2, Marker: '2' })).toEqual({ names: ['c'] });
    expect(await list({ DurableExecutionName: 'b', Statuses: ['RUNNING'] })).toEqual({ names: ['b'] });
    expect(await list({ Statuses: ['FAILED', 'STOPPED'] })).toEqual({ names: [] });
  });

  it('tells its history', async () => {
    const arn = await toCallback();
    const command = new GetDurableExecutionHistoryCommand({ DurableExecutionArn: arn, IncludeExecutionData: true });
    const { Events = [] } = await client.send(command);

    expect(Events.map(({ EventType, Name }) => (Name ? `${EventType} ${Name}` : EventType))).toEqual([
      'ExecutionStarted',
      'StepStarted first',
      'StepSucceeded first',
      'WaitStarted pause',
      'InvocationCompleted',
      'WaitSucceeded pause',
      'CallbackStarted answer',
      'InvocationCompleted',
    ]);
    expect(Events[2]?.StepSucceededDetails?.Result?.Payload).toBe('"one"');
    expect(Events[3]?.WaitStartedDetails).toMatchObject({ Duration: 30 });
  });
});
