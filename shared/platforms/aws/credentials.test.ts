import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Aws, startAws } from '../../../sim/aws/start.ts';
import { manualClock } from '../../base/runtime.ts';
import { assumeRole, credentialsFrom, renewCredentials } from './credentials.ts';

let aws: Aws;
const roleArn = 'arn:aws:iam::123456789012:role/poolwright';
beforeEach(async () => {
  aws = await startAws({ roles: [{ arn: roleArn, externalId: 'shared-secret' }] });
});
afterEach(() => aws.close());

const open = (externalId = 'shared-secret', clock = manualClock(Date.now())) => {
  const connection = { region: aws.region, endpoint: aws.url, credentials: aws.credentials };
  const keys = assumeRole(connection, { roleArn, externalId, sessionName: 'test' }, clock);
  return { clock, keys, renew: () => renewCredentials({ ...connection, credentials: keys }) };
};
const taken = (): number => aws.calls()['sts:AssumeRole'] ?? 0;

describe('a role', () => {
  test('is taken on once for all who ask', async () => {
    const { keys } = open();
    const [one, other] = await Promise.all([keys(), keys()]);
    expect(one).toEqual(other);
    expect(one.sessionToken).toBeTruthy();
    expect(taken()).toBe(1);
  });

  test('is taken on again some minutes before it ends', async () => {
    const { keys, clock } = open();
    const ends = (await keys()).expiration?.getTime() ?? 0;
    clock.advance(ends - clock.now() - 301_000);
    await keys();
    expect(taken()).toBe(1);
    clock.advance(2000);
    await keys();
    expect(taken()).toBe(2);
  });

  test('is taken on again at once when AWS no longer takes its keys', async () => {
    const { keys, renew } = open();
    await keys();
    renew();
    await keys();
    expect(taken()).toBe(2);
  });

  test('that was refused is asked for again by the next', async () => {
    const { keys } = open('wrong');
    await expect(keys()).rejects.toThrow();
    await expect(keys()).rejects.toThrow();
    expect(taken()).toBe(2);
  });
});

test('keys of the environment count only as a pair', () => {
  expect(credentialsFrom({ AWS_ACCESS_KEY_ID: 'a' })).toBeUndefined();
  expect(credentialsFrom({ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' })).toEqual({
    accessKeyId: 'a',
    secretAccessKey: 'b',
  });
});
