import { afterEach, beforeEach, expect, it } from 'vitest';
import { manualClock } from '../../shared/base/runtime.ts';
import { openSecrets, type Secrets } from '../../shared/platforms/aws/secrets.ts';
import { type Answer, awsError, type ScriptedAws, startScriptedAws } from './scripted-aws.ts';

let aws: ScriptedAws;
let answer: () => Answer;
let clock: ReturnType<typeof manualClock>;
let secrets: Secrets;
beforeEach(async () => {
  aws = await startScriptedAws(() => answer());
  clock = manualClock();
  secrets = openSecrets({ connection: aws.connection, clock, keepSeconds: 300 });
});
afterEach(() => aws.close());

const holding = (SecretString: string) => (): Answer => ({ body: { SecretString } });
const problemOf = async (reference: string) => {
  const read = await secrets.read(reference);
  return read.ok ? 'none' : `${read.error.kind}: ${read.error.message}`;
};

it('asks Secrets Manager for a secret, and the Parameter Store for a parameter with its text decrypted', async () => {
  answer = holding('s3cret');
  expect(await secrets.read('secretsmanager:pool/dev')).toEqual({ ok: true, value: 's3cret' });
  answer = () => ({ body: { Parameter: { Value: 'also s3cret' } } });
  expect(await secrets.read('ssm:/pool/dev')).toEqual({ ok: true, value: 'also s3cret' });
  expect(aws.asked).toEqual([
    { action: 'GetSecretValue', body: { SecretId: 'pool/dev' } },
    { action: 'GetParameter', body: { Name: '/pool/dev', WithDecryption: true } },
  ]);
});

it('takes one key of a JSON object, and says nothing of its content where there is none', async () => {
  answer = holding('{"token":"abc","port":1}');
  expect(await secrets.read('secretsmanager:a#token')).toEqual({ ok: true, value: 'abc' });
  expect(await problemOf('secretsmanager:a#port')).toBe(
    'invalid: the secret secretsmanager:a#port has no text under the key "port"',
  );
  answer = holding('not {json');
  expect(await problemOf('secretsmanager:b#x')).toBe(
    'invalid: the secret secretsmanager:b#x is not JSON, so it has no key "x"',
  );
});

it('keeps what it read for a while, and asks once for all who wait', async () => {
  answer = holding('one');
  await Promise.all([secrets.read('secretsmanager:a'), secrets.read('secretsmanager:a')]);
  clock.advance(299_000);
  expect(await secrets.read('secretsmanager:a')).toEqual({ ok: true, value: 'one' });
  expect(aws.asked).toHaveLength(1);
  answer = holding('two');
  clock.advance(2_000);
  expect(await secrets.read('secretsmanager:a')).toEqual({ ok: true, value: 'two' });
});

it('asks again at once when what it gave was refused', async () => {
  answer = holding('one');
  await secrets.read('secretsmanager:a');
  answer = holding('two');
  expect(await secrets.read('secretsmanager:a', { renew: true })).toEqual({ ok: true, value: 'two' });
});

it('keeps what it has when it cannot be read again', async () => {
  answer = holding('one');
  await secrets.read('secretsmanager:a');
  answer = () => awsError('AccessDeniedException');
  clock.advance(301_000);
  expect(await secrets.read('secretsmanager:a')).toEqual({ ok: true, value: 'one' });
});

it('names the right that is missing', async () => {
  answer = () => awsError('AccessDeniedException', 'User: arn:aws:iam::1:x is not authorized to perform: kms:Decrypt');
  expect(await problemOf('secretsmanager:a')).toContain('unauthorised: the secret secretsmanager:a');
  expect(await problemOf('secretsmanager:a')).toContain('lacks the permission kms:Decrypt');
  answer = () => awsError('AccessDeniedException');
  expect(await problemOf('ssm:/a')).toContain('lacks the permission ssm:GetParameter');
});

it.each([
  ['ssm:/a', 'ParameterNotFound', 'not-found: the secret ssm:/a is not in the Parameter Store of eu-west-1'],
  ['secretsmanager:a', 'ResourceNotFoundException', 'is not in Secrets Manager of eu-west-1'],
  ['secretsmanager:a', 'InvalidRequestException', 'is marked for deletion'],
  ['secretsmanager:a', 'DecryptionFailure', 'needs kms:Decrypt'],
  ['secretsmanager:a', 'SomethingElse', "unavailable: the secret secretsmanager:a can't be read now"],
])('says of %s and %s what it means', async (reference, code, text) => {
  answer = () => awsError(code);
  expect(await problemOf(reference)).toContain(text);
});

it('refuses an empty secret, and bytes', async () => {
  answer = holding('');
  expect(await problemOf('secretsmanager:a')).toContain('is empty');
  answer = () => ({ body: { SecretBinary: 'AAAA' } });
  expect(await problemOf('secretsmanager:a')).toContain('must contain text, and contains none');
});

it('asks in the region of an ARN', async () => {
  answer = () => awsError('ResourceNotFoundException');
  const arn = 'arn:aws:secretsmanager:us-east-2:111122223333:secret:a-AbCdEf';
  expect(await problemOf(arn)).toContain('of us-east-2');
});
