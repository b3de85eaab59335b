import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { selfSigned } from '../../../sim/kit/self-signed.ts';
import { testContext } from '../../../test/stand-ins/provider-context.ts';
import type { Json } from '../../base/json.ts';
import { manualClock } from '../../base/runtime.ts';
import { forgetSecrets, redactSecrets } from '../../base/secrets/known-secrets.ts';
import { credentialSource } from './access/source.ts';
import { readCloudStackOptions } from './options.ts';

const env = {
  CLOUDSTACK_API_URL: 'https://cloud.example/client/api',
  CLOUDSTACK_API_KEY: 'a-key-0123456789',
  CLOUDSTACK_SECRET_KEY: 'a-secret-0123456789',
};
const read = (options: Json = {}, more: Record<string, string> = env) => readCloudStackOptions(options, more, 'east');
const problems = (options: Json, more: Record<string, string> = env): string[] => {
  const answer = read(options, more);
  return answer.ok ? [] : (answer.error.problems ?? []).map(({ path, message }) => `${path} ${message}`);
};

describe('what is used where nothing is said', () => {
  it('are the usual variables, checked certificates, and the name of the cluster', () => {
    expect(read()).toEqual({
      ok: true,
      value: expect.objectContaining({
        apiUrl: env.CLOUDSTACK_API_URL,
        credentials: {
          in: 'keys',
          apiKey: { variable: 'CLOUDSTACK_API_KEY' },
          secretKey: { variable: 'CLOUDSTACK_SECRET_KEY' },
        },
        verifySSL: true,
        clusterName: 'east',
        requestsPerSecond: 25,
        cacheSeconds: 300,
        customIds: false,
        expunge: true,
      }),
    });
  });

  it('is the Secret of the cluster, without keys anywhere else', () => {
    expect(read({}, {})).toMatchObject({
      value: { credentials: { in: 'secret', namespace: 'karpenter', name: 'cloudstack-credentials' } },
    });
    expect(read({ credentials: { namespace: 'kube-system', secretName: 'mine' } }, {})).toMatchObject({
      value: { credentials: { in: 'secret', namespace: 'kube-system', name: 'mine' } },
    });
  });

  it.each([
    ['false', false],
    ['0', false],
    ['True', true],
    ['', true],
  ])('is what CLOUDSTACK_VERIFY_SSL=%s says', (text, verifySSL) => {
    expect(read({}, { ...env, CLOUDSTACK_VERIFY_SSL: text })).toMatchObject({ value: { verifySSL } });
  });

  it('is overridden by options', () => {
    const options = { apiUrl: 'http://127.0.0.1/client/api', verifySSL: false, clusterName: 'west' };
    expect(read(options, { ...env, CLOUDSTACK_VERIFY_SSL: 'true' })).toMatchObject({ value: options });
  });
});

describe('what is refused', () => {
  it.each<[Json, Record<string, string>, RegExp]>([
    [{ apiUrl: 'cloud.example' }, env, /^options\.apiUrl must be the http:\/\/ or https:\/\/ URL/],
    [{ apiUrl: 'https://user:pw@cloud.example/client/api' }, env, /without user or query/],
    [{}, { ...env, CLOUDSTACK_API_URL: 'ftp://x' }, /CLOUDSTACK_API_URL: must be/],
    [
      {},
      { CLOUDSTACK_API_KEY: 'k' },
      /^options\.credentials\.secretKeyFile is missing; the API key alone is not enough/,
    ],
    [{}, { CLOUDSTACK_SECRET_KEY: 'k' }, /^options\.credentials\.apiKeyFile is missing/],
    [{}, { CLOUDSTACK_API_KEY: 'k', CLOUDSTACK_SECRET_KEY: 's' }, /^options\.apiUrl is missing/],
    [{}, { ...env, CLOUDSTACK_VERIFY_SSL: 'maybe' }, /must be true or false; found "maybe"/],
    [{ certificateAuthority: '/nowhere/ca.pem' }, env, /the file cannot be read/],
    [{ certificateAuthority: 'package.json' }, env, /must be the PEM of a certificate/],
    [{ project: 'p', domain: 'd', account: 'a' }, env, /^options\.account cannot be combined with project/],
    [{ domain: 'd' }, env, /^options\.account is missing; a domain alone names nobody/],
    [{ account: 'a' }, env, /^options\.domain is missing; an account is found by its name in a domain/],
    [{ requestsPerSecond: 0 }, env, /^options\.requestsPerSecond /],
    [{ priceTable: { perVcpu: -1 } }, env, /^options\.priceTable\.perVcpu /],
    [{ prices: true }, env, /prices/],
  ])('%j with %j', (options, more, text) => {
    expect(problems(options, more)).toEqual(expect.arrayContaining([expect.stringMatching(text)]));
  });

  it('is both an authority and no check at all', () => {
    const { cert } = selfSigned('127.0.0.1');
    expect(problems({ certificateAuthority: cert, verifySSL: false })).toEqual([
      expect.stringContaining('options.verifySSL cannot be false together with certificateAuthority'),
    ]);
    expect(read({ certificateAuthority: cert })).toMatchObject({ value: { certificateAuthority: cert } });
  });
});

describe('keys', () => {
  const signal = new AbortController().signal;

  it('in files are read again after a minute, and every one of them is kept out of texts', async () => {
    forgetSecrets();
    onTestFinished(forgetSecrets);
    const folder = mkdtempSync(join(tmpdir(), 'cloudstack-keys-'));
    const [apiKeyFile, secretKeyFile] = [join(folder, 'api'), join(folder, 'secret')];
    writeFileSync(apiKeyFile, 'the-first-key-0123\n');
    writeFileSync(secretKeyFile, 'the-first-secret-0123\n');
    const options = read({ credentials: { apiKeyFile, secretKeyFile } });
    if (!options.ok) throw new Error(options.error.message);
    const clock = manualClock();
    const source = credentialSource(options.value, testContext({ clock }));
    expect(await source.get(signal)).toMatchObject({
      value: { apiKey: 'the-first-key-0123', secretKey: 'the-first-secret-0123' },
    });
    writeFileSync(secretKeyFile, 'the-second-secret-0123');
    expect(await source.get(signal)).toMatchObject({ value: { secretKey: 'the-first-secret-0123' } });
    clock.advance(60_000);
    expect(await source.get(signal)).toMatchObject({ value: { secretKey: 'the-second-secret-0123' } });
    expect(redactSecrets('the-first-secret-0123, the-second-secret-0123, the-first-key-0123')).not.toContain('the-');
  });

  it('that can not be read any more stay as they were, and at the first time are told by where they are', async () => {
    const options = read({ credentials: { apiKeyFile: '/nowhere/api', secretKeyFile: '/nowhere/secret' } });
    if (!options.ok) throw new Error(options.error.message);
    expect(await credentialSource(options.value, testContext()).get(signal)).toMatchObject({
      error: {
        kind: 'unauthorised',
        reason: 'CloudStackCredentialsInvalid',
        message: expect.stringContaining('/nowhere/api'),
      },
    });
  });

  it('that are a reference which the platform has not replaced are told as such', async () => {
    const reference = '@Microsoft.KeyVault(SecretUri=https://v/secrets/s)';
    const more = { ...env, CLOUDSTACK_SECRET_KEY: reference };
    const options = read({}, more);
    if (!options.ok) throw new Error(options.error.message);
    expect(await credentialSource(options.value, testContext({ env: more })).get(signal)).toMatchObject({
      error: { message: expect.stringContaining('Key Vault reference that the platform has not resolved') },
    });
  });
});
