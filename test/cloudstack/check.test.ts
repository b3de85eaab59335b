/** What the doctor finds at CloudStack: who answers, who we are, which commands are missing, which limits are near. */
import { describe, expect, it } from 'vitest';
import type { Check } from '../../shared/base/checks.ts';
import { failed, ok } from '../../shared/base/result.ts';
import { selfSigned } from '../../sim/kit/self-signed.ts';
import { cloudStackWorld, signal, type WorldOptions } from './world.ts';

const owner = { deployment: 'main', cluster: 'c' };

async function checks(more: WorldOptions = {}): Promise<Check[]> {
  const { provider } = await cloudStackWorld(more);
  return provider.check(owner, signal);
}

const named = (all: readonly Check[], name: string): Check | undefined => all.find((one) => one.name === name);

describe('an account with the usual role', () => {
  it('is named with its server, version and role, and has all that it needs', async () => {
    const all = await checks();
    expect(all.filter(({ state }) => state === 'fail')).toEqual([]);
    expect(named(all, 'endpoint')).toMatchObject({
      state: 'pass',
      message: expect.stringMatching(/client\/api, CloudStack 4\.21/),
    });
    expect(named(all, 'credentials')).toMatchObject({ message: 'kubernetes in domain ROOT/team, role User' });
    expect(named(all, 'commands')).toMatchObject({ state: 'pass', message: expect.stringContaining('listCapacity') });
    expect(named(all, 'limits')).toMatchObject({ state: 'pass' });
  });

  it('writes nothing', async () => {
    const { provider, cloudstack } = await cloudStackWorld();
    await provider.check(owner, signal);
    expect(Object.keys(cloudstack.calls()).filter((command) => !command.startsWith('list'))).toEqual([]);
  });
});

describe('what is missing', () => {
  it('is each command that the role does not allow, with what it is for', async () => {
    const all = await checks({ standIn: { denied: ['deployVirtualMachine', 'createTags', 'listCapacity'] } });
    expect(all.filter(({ state }) => state === 'fail')).toMatchObject([
      {
        name: 'command deployVirtualMachine',
        code: 'CloudStackCommandNotAllowed',
        message: expect.stringContaining('makes an instance'),
        repair: expect.stringContaining('docs/cloudstack-rights.md'),
      },
      { name: 'command createTags' },
    ]);
  });

  it('is a limit that is nearly used up', async () => {
    const all = await checks({ standIn: { settings: { limits: { user_vm: 0 } } } });
    expect(named(all, 'limit instances of account kubernetes')).toMatchObject({
      state: 'warn',
      message: '0 of 0 instances are used',
      code: 'CloudStackQuota',
    });
  });

  it('is the right to expunge, which says what becomes of VMs that are deleted', async () => {
    const all = await checks({ standIn: { settings: { userMayExpunge: false } } });
    expect(named(all, 'expunge')).toMatchObject({ state: 'pass', message: expect.stringContaining('Destroyed') });
    expect(named(await checks(), 'expunge')).toBeUndefined();
  });

  it('is a project that the account does not see', async () => {
    expect(named(await checks({ options: { project: 'x' } }), 'scope')).toMatchObject({
      state: 'fail',
      code: 'ProjectNotFound',
    });
  });

  it.each([
    ['a wrong key', { env: { CLOUDSTACK_API_KEY: 'nobody-has-this-key-0123' } }, 'CloudStackCredentialsInvalid'],
    ['another server', { env: { CLOUDSTACK_API_URL: 'http://127.0.0.1:1/client/api' } }, 'CloudStackUnreachable'],
    [
      'a certificate that is not trusted',
      { standIn: { certificate: selfSigned('127.0.0.1') } },
      'CloudStackTlsNotTrusted',
    ],
  ])('%s ends the check at once', async (_name, more: WorldOptions, code) => {
    expect(await checks(more)).toMatchObject([
      { name: 'credentials', state: 'fail', code, repair: expect.any(String) },
    ]);
  });
});

describe('what is only odd', () => {
  it('is a certificate that is not checked, no TLS at all, and a clock that differs', async () => {
    const careless = { standIn: { certificate: selfSigned('127.0.0.1') }, options: { verifySSL: false } };
    expect(named(await checks(careless), 'tls')).toMatchObject({
      state: 'warn',
      message: expect.stringContaining('not checked'),
    });
    expect(named(await checks(), 'tls')).toMatchObject({
      state: 'warn',
      message: expect.stringContaining('without TLS'),
    });
    const { provider, clock, log } = await cloudStackWorld({
      standIn: { authClock: { now: () => clockOf() + 20 * 60_000, monotonic: () => 0 } },
    });
    const clockOf = () => clock.now();
    expect(named(await provider.check(owner, signal), 'clock')).toMatchObject({
      state: 'warn',
      code: 'CloudStackClockSkew',
    });
    expect(JSON.stringify(log)).toContain('1200');
  });
});

describe('credentials in a Secret', () => {
  const none = { CLOUDSTACK_API_URL: '', CLOUDSTACK_API_KEY: '', CLOUDSTACK_SECRET_KEY: '' };

  it('are read by its name, and again when CloudStack refuses them', async () => {
    let keys = { apiKey: 'an-old-key-0123456789', secretKey: 'an-old-secret-0123456789' };
    let url = '';
    const asked: unknown[] = [];
    const secrets = {
      read: async (secret: { namespace: string; name: string }) => {
        asked.push(secret);
        return ok({ 'api-url': url, 'api-key': `${keys.apiKey}\n`, 'secret-key': keys.secretKey });
      },
    };
    const { provider, cloudstack, clock } = await cloudStackWorld({ env: none, context: { secrets } });
    url = cloudstack.api;
    expect(named(await provider.check(owner, signal), 'credentials')).toMatchObject({ state: 'fail' });
    keys = cloudstack.user;
    clock.advance(6_000);
    expect((await provider.check(owner, signal)).filter(({ state }) => state === 'fail')).toEqual([]);
    const read = asked.length;
    await provider.check(owner, signal);
    expect(asked).toHaveLength(read);
    clock.advance(61_000);
    await provider.check(owner, signal);
    expect(asked.length).toBeGreaterThan(read);
    expect(new Set(asked.map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify({ in: 'secret', namespace: 'karpenter', name: 'cloudstack-credentials' })]),
    );
  });

  it.each([
    [
      'is not there',
      failed('not-found', 'there is no Secret karpenter/cloudstack-credentials'),
      /create it with the keys/,
    ],
    ['may not be read', failed('unauthorised', 'cannot read the Secret'), /the role needs get on this one Secret/],
    ['lacks a key', ok({ 'api-url': 'http://127.0.0.1:1', 'api-key': 'x' }), /has no secret-key; add it/],
    ['has a URL that is none', ok({ 'api-url': 'cloud', 'api-key': 'x', 'secret-key': 'y' }), /api-url is not an http/],
  ])('say so when it %s', async (_name, answer, text) => {
    const all = await checks({ env: none, context: { secrets: { read: async () => answer } } });
    expect(all).toMatchObject([
      { name: 'credentials', code: 'CloudStackCredentialsInvalid', message: expect.stringMatching(text) },
    ]);
  });
});
