import { expect, test } from 'vitest';
import { defined } from '../../../base/defined.ts';
import { ok } from '../../../base/result.ts';
import type { Ec2Calls } from '../calls/calls.ts';
import { readParameters } from './images.ts';

test.each([
  ['/mine/ami', undefined],
  ['/mine/ami:3', ':3'],
  ['/mine/ami:stable', ':stable'],
  ['arn:aws:ssm:eu-west-1:123456789012:parameter/mine/ami', undefined],
  ['arn:aws:ssm:eu-west-1:123456789012:parameter/mine/ami:3', ':3'],
])('the parameter %s is known by what was asked for', async (name, Selector) => {
  const ARN = 'arn:aws:ssm:eu-west-1:123456789012:parameter/mine/ami';
  const found = { Name: '/mine/ami', ARN, Value: ' ami-1\n', ...defined({ Selector }) };
  const ssm = async () => ok({ Parameters: [found] });
  const read = await readParameters({ ssm: ssm as unknown as Ec2Calls['ssm'] }, [name], AbortSignal.timeout(60_000));
  expect(read.ok && read.value[name]).toBe('ami-1');
});
