import type { SQSEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { batchAnswer } from './batch-answer.ts';

const event = { Records: [{ messageId: 'a' }, { messageId: 'b' }, { messageId: 'c' }] } as SQSEvent;

it('names the messages that are to stay on the queue', () => {
  const done = { status: 'fulfilled', value: undefined } as const;
  const failed = { status: 'rejected', reason: new Error('later') } as const;
  expect(batchAnswer(event, [done, failed, done])).toEqual({ batchItemFailures: [{ itemIdentifier: 'b' }] });
  expect(batchAnswer(event, [done, done, done])).toEqual({ batchItemFailures: [] });
});

it('leaves every message there whose outcome is not known', () => {
  expect(batchAnswer(event, []).batchItemFailures).toHaveLength(3);
});
