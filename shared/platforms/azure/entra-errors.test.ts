import { describe, expect, it } from 'vitest';
import type { CredentialOptions } from './credential-options.ts';
import { type LastAnswer, tokenFailure } from './entra-errors.ts';

const secret: CredentialOptions = { type: 'client-secret', tenant: 't', clientId: 'c', secret: { variable: 'V' } };
const federated: CredentialOptions = { type: 'workload-identity', tenant: 't', clientId: 'c', tokenFile: 'f' };
const managed: CredentialOptions = { type: 'managed-identity' };
const authority = 'https://login.microsoftonline.com';
const of = (credential: CredentialOptions, text: string, last: LastAnswer = {}) =>
  tokenFailure(new Error(text), credential, last, authority);

describe('what keeps a token from us', () => {
  it.each<[string, CredentialOptions, string, RegExp]>([
    [
      'a tenant that there is not',
      secret,
      "AADSTS90002: Tenant 'x' not found.",
      /tenant does not exist.*AZURE_TENANT_ID/,
    ],
    [
      'an identity of another tenant',
      secret,
      'AADSTS700016: Application not found in the directory',
      /AZURE_CLIENT_ID/,
    ],
    ['a wrong secret', secret, 'AADSTS7000215: Invalid client secret provided.', /client secret is wrong/],
    ['an expired secret', secret, 'AADSTS7000222: The provided client secret keys are expired.', /has expired/],
    [
      'a subject that is not trusted',
      federated,
      'AADSTS700213: No matching federated identity record',
      /federated credential/,
    ],
    [
      'a federated token that is too old',
      federated,
      'AADSTS700024: Client assertion is not within its valid time',
      /clock/,
    ],
    ['a policy', secret, 'AADSTS53003: Access has been blocked', /conditional access/],
  ])('%s', (_, credential, text, expected) => {
    const failure = of(credential, text, { status: 400 });
    expect(failure.kind).toBe('unauthorised');
    expect(failure.message).toMatch(expected);
  });

  it('is found on the wire where the library keeps it to itself', () => {
    const failure = of(secret, 'endpoints_resolution_error', {
      status: 400,
      text: '{"error_description":"AADSTS90002: no"}',
    });
    expect(failure.message).toContain('tenant does not exist');
  });

  it('may be an identity that is not assigned', () => {
    expect(of(managed, 'x', { status: 400 }).message).toContain('no identity is assigned');
    expect(of({ ...managed, clientId: 'me' }, 'x', { status: 400 }).message).toContain(
      'me is not assigned to this app or VM',
    );
    expect(of(managed, 'x', { broken: 'GET http://169.254.169.254/: no connection' }).message).toContain(
      'the identity endpoint does not respond',
    );
  });

  it('may be nobody who is logged in', () => {
    expect(of({ type: 'default' }, 'ChainedTokenCredential failed').message).toContain('az login');
  });

  it('passes when Entra ID does not answer, is busy or broken', () => {
    const broken = { broken: `POST ${authority}/t/oauth2/v2.0/token: connect ECONNREFUSED` };
    for (const credential of [secret, federated, managed, { type: 'default' } as const]) {
      expect(of(credential, 'network_error', broken).kind).toBe('unavailable');
    }
    expect(of(secret, 'x', { status: 503 }).kind).toBe('unavailable');
    expect(of(secret, 'x', { status: 429, retryAfterSeconds: 9 })).toMatchObject({
      kind: 'throttled',
      retryAfterSeconds: 9,
    });
  });

  it('shows neither assertions nor secrets, even where a library does', () => {
    const jwt = `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.c1`;
    const text = JSON.stringify(of(secret, `sent client_secret=hunter2&client_assertion=${jwt} and ${jwt}`));
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain('bbbb');
  });
});
