/** What the service refuses, forgives and gives up: the rules that a durable library leans on. */
import { beforeEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../../shared/base/runtime.ts';
import { DurableExecutions } from './executions.ts';
import { LambdaStore } from './store.ts';

let clock: ReturnType<typeof manualClock>;
let executions: DurableExecutions;
let arn: string;

beforeEach(() => {
  clock = manualClock();
  executions = new DurableExecutions(new LambdaStore(':memory:'), clock, () => undefined);
  const functionArn = 'arn:aws:lambda:eu-west-1:123456789012:function:f';
  const start = { functionName: 'f', functionArn, version: '1', name: 'one', input: '{}', timeoutSeconds: 100 };
  arn = executions.start(start).arn;
});

const step = (Action: string, more: object = {}) => ({
  Id: 's',
  Type: 'STEP',
  SubType: 'Step',
  Name: 'do',
  Action,
  ...more,
});
const begin = () => executions.beginInvocation(arn).execution;
const status = () => executions.find(arn).status;

describe('checkpoints', () => {
  it('of an older invocation are refused', () => {
    const old = String(begin().token);
    begin();

    expect(() => executions.checkpoint({ arn, token: old, updates: [step('START')] })).toThrow(
      'Invalid Checkpoint Token',
    );
  });

  it('that are sent again after a lost answer are taken once', () => {
    const token = String(begin().token);
    const request = { arn, token, clientToken: 'c', updates: [step('START'), step('SUCCEED', { Payload: '1' })] };
    const first = executions.checkpoint(request);

    expect(executions.checkpoint(request)).toEqual(first);
    expect(first.operations).toMatchObject([{ status: 'SUCCEEDED', attempt: 1, result: '1' }]);
  });

  it('tell what has happened from outside in the meantime', () => {
    const { token } = begin();
    const wait = { Id: 'w', Type: 'WAIT', Action: 'START', WaitOptions: { WaitSeconds: 5 } };
    const first = executions.checkpoint({ arn, token: String(token), updates: [wait] });
    clock.advance(5000);
    executions.passTime();
    const second = executions.checkpoint({ arn, token: first.token, updates: [] });

    expect(second.operations).toMatchObject([{ id: 'w', status: 'SUCCEEDED' }]);
  });

  it.each([
    ['another name', step('SUCCEED', { Name: 'else' }), 'is STEP / do / Step, not STEP / else / Step'],
    ['another kind', { ...step('START'), Type: 'WAIT' }, 'not WAIT'],
    ['a second start', step('START'), 'started already'],
    ['no delay', step('RETRY', { StepOptions: { NextAttemptDelaySeconds: 0 } }), 'must be between 1'],
    ['too much', step('SUCCEED', { Payload: 'x'.repeat(300_000) }), 'must not exceed'],
  ])('with %s for what is there are refused whole', (_title, update, message) => {
    const first = executions.checkpoint({ arn, token: String(begin().token), updates: [step('START')] });
    const other = { ...step('START'), Id: 'other' };

    expect(() => executions.checkpoint({ arn, token: first.token, updates: [other, update] })).toThrow(message);
    expect(executions.state(arn, first.token).map(({ id }) => id)).not.toContain('other');
  });

  it('can not change what is over', () => {
    const updates = [step('START'), step('SUCCEED')];
    const { token } = executions.checkpoint({ arn, token: String(begin().token), updates });

    expect(() => executions.checkpoint({ arn, token, updates: [step('SUCCEED')] })).toThrow('is over');
  });
});

describe('invocations', () => {
  it('that end with nothing to wait for fail the execution', () => {
    executions.endInvocation(begin(), { kind: 'pending' }, () => 0);

    expect(executions.find(arn)).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('no pending operations'),
    });
  });

  it('that are lost come again after a pause, and what they still send is refused', () => {
    const invocation = begin();
    executions.endInvocation(invocation, { kind: 'lost', error: {} }, (failures) => failures * 700);

    expect(executions.store.toWake(clock.now())).toEqual([]);
    expect(executions.store.nextDue()).toBe(clock.now() + 700);
    const late = { arn, token: String(invocation.token), updates: [step('START')] };
    expect(() => executions.checkpoint(late)).toThrow('Invalid Checkpoint Token');
  });

  it('of the past change nothing by their end', () => {
    const first = begin();
    begin();
    executions.endInvocation(first, { kind: 'succeeded', result: '1' }, () => 0);

    expect(status()).toBe('RUNNING');
  });
});

it('gives up an execution whose time is over', () => {
  clock.advance(100_000);
  executions.passTime();

  expect(status()).toBe('TIMED_OUT');
  expect(() => executions.beginInvocation(arn)).toThrow('is over: TIMED_OUT');
});
