import { describe, expect, it } from 'vitest';
import { failed, ok } from '../../base/result.ts';
import { manualClock } from '../../base/runtime.ts';
import { type AzureToken, createCredential, type TokenIssuer } from './credential.ts';

const hour = 3_600_000;

function world(lifetimeMs = hour) {
  const clock = manualClock();
  let issued = 0;
  let failing = false;
  let release: (() => void) | undefined;
  let gate: Promise<void> | undefined;
  const seen: { fresh: boolean; claims?: string | undefined }[] = [];
  const issuer: TokenIssuer = {
    issue: async (_scope, options) => {
      seen.push(options);
      await gate;
      if (failing) return failed('unauthorised', 'no');
      issued += 1;
      const value: AzureToken = { token: `t${issued}`, expiresAt: clock.now() + lifetimeMs };
      return ok(value);
    },
  };
  const credential = createCredential(issuer, clock);
  const token = async (scope = 's') => {
    const result = await credential.token(scope);
    return result.ok ? result.value.token : result.error.kind;
  };
  return {
    clock,
    credential,
    token,
    seen,
    fail: (on: boolean) => (failing = on),
    hold: () => {
      gate = new Promise((resolve) => {
        release = resolve;
      });
    },
    release: () => {
      gate = undefined;
      release?.();
    },
  };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a token', () => {
  it('is fetched once for all who wait, and serves until shortly before its end', async () => {
    const { token, clock, seen } = world();
    expect(await Promise.all([token(), token(), token()])).toEqual(['t1', 't1', 't1']);
    clock.advance(50 * 60_000);
    expect(await token()).toBe('t1');
    expect(seen).toHaveLength(1);
  });

  it('is renewed in the background while the old one still serves', async () => {
    const { token, clock } = world();
    await token();
    clock.advance(56 * 60_000);
    expect(await token()).toBe('t1');
    await settled();
    expect(await token()).toBe('t2');
  });

  it('is waited for when the old one is over', async () => {
    const { token, clock } = world();
    await token();
    clock.advance(hour - 10_000);
    expect(await token()).toBe('t2');
  });

  it('is one per audience', async () => {
    const { token } = world();
    expect([await token('a'), await token('b'), await token('a')]).toEqual(['t1', 't2', 't1']);
  });

  it('is believed for a minute although a clock that runs ahead calls it expired', async () => {
    const { token, seen, clock } = world(-hour);
    await token();
    await token();
    expect(seen).toHaveLength(1);
    clock.advance(61_000);
    expect(await token()).toBe('t2');
  });

  it('that could not be renewed is no failure before it is over', async () => {
    const { token, clock, fail } = world();
    await token();
    fail(true);
    clock.advance(57 * 60_000);
    expect(await token()).toBe('t1');
    await settled();
    clock.advance(2 * 60_000);
    expect(await token()).toBe('t1');
    clock.advance(2 * 60_000);
    expect(await token()).toBe('unauthorised');
  });
});

describe('a refusal', () => {
  it('by the issuer is remembered for some seconds', async () => {
    const { token, clock, fail, seen } = world();
    fail(true);
    expect([await token(), await token()]).toEqual(['unauthorised', 'unauthorised']);
    expect(seen).toHaveLength(1);
    fail(false);
    clock.advance(5000);
    expect(await token()).toBe('t1');
  });

  it('by the server leads to one fresh token for all', async () => {
    const { credential, token, seen } = world();
    await token();
    const renewed = await Promise.all([credential.renew('s', 't1', 'claims'), credential.renew('s', 't1')]);
    expect(renewed.map((one) => one?.token)).toEqual(['t2', 't2']);
    expect(seen[1]).toEqual({ fresh: true, claims: 'claims' });
    expect((await credential.renew('s', 't1'))?.token).toBe('t2');
    expect(seen).toHaveLength(2);
  });

  it('of the fresh token as well is left alone for a while, so that nobody storms Entra ID', async () => {
    const { credential, token, seen, clock } = world();
    await token();
    expect((await credential.renew('s', 't1'))?.token).toBe('t2');
    expect(await credential.renew('s', 't2')).toBeUndefined();
    expect(seen).toHaveLength(2);
    clock.advance(30_000);
    expect((await credential.renew('s', 't2'))?.token).toBe('t3');
  });

  it('that can not be mended leaves no token', async () => {
    const { credential, token, fail } = world();
    await token();
    fail(true);
    expect(await credential.renew('s', 't1')).toBeUndefined();
  });

  it('that is an exception is a failure like any other', async () => {
    const credential = createCredential({ issue: () => Promise.reject(new Error('no such package')) }, manualClock());
    expect(await credential.token('s')).toMatchObject({ error: { kind: 'unavailable', cause: 'no such package' } });
  });
});

it('lets a caller go while the others wait on', async () => {
  const { credential, token, hold, release } = world();
  hold();
  const patient = token();
  const stop = new AbortController();
  const impatient = credential.token('s', stop.signal);
  stop.abort();
  expect(await impatient).toMatchObject({ error: { kind: 'unavailable' } });
  release();
  expect(await patient).toBe('t1');
});
