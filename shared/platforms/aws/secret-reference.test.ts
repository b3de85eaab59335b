import { expect, it } from 'vitest';
import { isSecretReference, parseSecretReference } from './secret-reference.ts';

const account = '111122223333';

it.each([
  [
    `arn:aws:secretsmanager:eu-west-1:${account}:secret:pool/dev-AbCdEf#token`,
    {
      store: 'secretsmanager',
      id: `arn:aws:secretsmanager:eu-west-1:${account}:secret:pool/dev-AbCdEf`,
      region: 'eu-west-1',
      key: 'token',
    },
  ],
  ['secretsmanager:pool/dev', { store: 'secretsmanager', id: 'pool/dev' }],
  ['ssm:/pool/dev#token', { store: 'ssm', id: '/pool/dev', key: 'token' }],
  [
    `arn:aws-us-gov:ssm:us-gov-west-1:${account}:parameter/pool/dev`,
    { store: 'ssm', id: `arn:aws-us-gov:ssm:us-gov-west-1:${account}:parameter/pool/dev`, region: 'us-gov-west-1' },
  ],
])('understands %s', (text, expected) => {
  expect(isSecretReference(text)).toBe(true);
  expect(parseSecretReference(text)).toEqual({ ok: true, value: { text, ...expected } });
});

it.each(['eyJhbGciOi.x.y', '/etc/poolwright/token', '-----BEGIN CERTIFICATE-----', 'arn:aws:iam::1:role/x', ''])(
  'takes %j for no reference',
  (text) => {
    expect(isSecretReference(text)).toBe(false);
  },
);

it.each([
  ['secretsmanager:', 'does not have a valid name for Secrets Manager'],
  ['ssm:/with space', 'does not have a valid name for the Parameter Store'],
  ['ssm:/pool#', 'ends with "#"'],
  ['arn:aws:secretsmanager:eu-west-1:12:secret:x', 'is not the ARN of a secret'],
  ['plain', 'does not name a store'],
])('says what is wrong with %j', (text, problem) => {
  const parsed = parseSecretReference(text);
  expect(parsed).toMatchObject({ ok: false, error: { kind: 'invalid' } });
  expect(parsed.ok ? '' : parsed.error.message).toContain(problem);
  expect(parsed.ok ? '' : parsed.error.message).toContain(JSON.stringify(text));
});
