import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manualClock } from '../../base/runtime.ts';
import type { Answered, Channel, ChannelOptions } from './channel.ts';
import { type ConnectionOptions, connectDriver } from './connect.ts';
import { addressOf } from './endpoint.ts';
import type { ServerSaid } from './status.ts';

const never = new AbortController().signal;

/** A process with its clock, and channels that answer as told. */
function world(said?: ServerSaid) {
  const clock = manualClock();
  const opened: ChannelOptions[] = [];
  let closed = 0;
  let calls = 0;
  const waits: number[] = [];
  const ended: object[] = [];
  const states: string[] = [];
  const open = (options: ChannelOptions): Channel => {
    opened.push(options);
    return {
      call: async () => {
        calls += 1;
        const answer = said === undefined ? { ok: true, value: { vms: [] } } : { ok: false, said, abandoned: false };
        return answer as unknown as Answered<never>;
      },
      close: () => {
        closed += 1;
      },
    };
  };
  const timers = {
    after: (milliseconds: number, callback: () => void) => {
      waits.push(milliseconds);
      clock.advance(milliseconds);
      queueMicrotask(callback);
      return () => undefined;
    },
  };
  const reports = { ended: (one: object) => ended.push(one), breaker: (state: string) => states.push(state) };
  const connect = (changes: Partial<ConnectionOptions> = {}) =>
    connectDriver(
      { name: 'a', type: 'mock', address: 'a:1', rate: { burst: 1000, perSecond: 1000 }, ...changes },
      { clock, random: () => 0, timers, reports, open },
    );
  return { connect, opened, waits, ended, states, clock, calls: () => calls, closed: () => closed };
}

describe('a connection to a provider server', () => {
  it('is one channel for all who use the server, until the last one has gone', async () => {
    const { connect, opened, closed } = world();
    const [one, two, other] = [connect(), connect(), connect({ address: 'b:1' })];
    expect(opened.map(({ address }) => address)).toEqual(['a:1', 'b:1']);
    await one.close();
    await one.close();
    expect(closed()).toBe(0);
    await two.close();
    await other.close();
    expect(closed()).toBe(2);
    expect((await connect().list(never)).ok).toBe(true);
  });

  it('keeps to so many calls per second, whoever makes them', async () => {
    const { connect, waits, clock } = world();
    const rate = { burst: 2, perSecond: 10 };
    const [one, two] = [connect({ rate }), connect({ rate })];
    const from = clock.monotonic();
    for (let calls = 0; calls < 11; calls++) await (calls % 2 === 0 ? one : two).list(never);
    expect(waits.length).toBeGreaterThan(5);
    expect(clock.monotonic() - from).toBeGreaterThanOrEqual(900);
  });

  it('sends a caller away for whom there is no room soon, with the time to come back', async () => {
    const { connect, calls } = world();
    const driver = connect({ rate: { burst: 1, perSecond: 0.1 } });
    expect((await driver.list(never)).ok).toBe(true);
    const answer = await driver.list(never);
    expect(answer).toMatchObject({ ok: false, error: { kind: 'throttled', retryAfterSeconds: expect.any(Number) } });
    expect(calls()).toBe(1);
  });

  it('leaves a server alone that is in trouble, and says so to whoever counts', async () => {
    const { connect, calls, ended, states } = world({ code: 14, details: 'away' });
    const driver = connect({ breaker: { failures: 3 }, tries: 1 });
    for (let looks = 0; looks < 5; looks++) await driver.list(never);
    expect(calls()).toBe(3);
    expect(states.at(-1)).toBe('open');
    expect(ended[0]).toMatchObject({ call: 'ListVMs', code: 14, type: 'mock', server: 'a' });
  });

  it('takes a look at a task that blocks for one at a task that goes on', async () => {
    const { connect, states } = world({ code: 4, details: 'Deadline exceeded' });
    const driver = connect({ breaker: { failures: 2 } });
    for (let looks = 0; looks < 5; looks++) {
      expect(await driver.task('task-1', never)).toEqual({ ok: true, value: { done: false } });
    }
    expect(states.at(-1)).toBe('closed');
  });

  it.each([
    ['No connection established. Last error: self-signed certificate in certificate chain', 'ProviderTlsRefused'],
    ["No connection established. Last error: Hostname/IP does not match certificate's altnames", 'ProviderTlsRefused'],
    ['No connection established. Last error: Protocol error', 'NotAProviderServer'],
    ['Received HTTP status code 404', 'NotAProviderServer'],
  ])('says what is in the way: %s', async (details, code) => {
    const { connect } = world({ code: 14, details });
    const answer = await connect({ tries: 1 }).delete('vm-1', never);
    expect(answer).toMatchObject({ ok: false, error: { kind: 'unavailable', code } });
  });

  it('reads the token of a file with each call', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'poolwright-token-'));
    const tokenFile = join(folder, 'token');
    const { connect, opened } = world();
    connect({ tokenFile });
    const token = opened[0]?.token;
    expect(await token?.()).toMatchObject({ ok: false, error: { kind: 'unauthorised' } });
    writeFileSync(tokenFile, 'first\n');
    expect(await token?.()).toEqual({ ok: true, value: 'first' });
    writeFileSync(tokenFile, 'second\n');
    expect(await token?.()).toEqual({ ok: true, value: 'second' });
    rmSync(folder, { recursive: true });
  });
});

it.each([
  ['provider.virt.svc:9443', 'provider.virt.svc:9443'],
  ['grpcs://provider:9443/', 'provider:9443'],
  ['https://10.0.0.1:9090', '10.0.0.1:9090'],
  ['[::1]:9443', '[::1]:9443'],
  ['dns:///provider:9443', 'dns:///provider:9443'],
  ['provider', undefined],
  ['provider:0', undefined],
  ['provider:99999', undefined],
  ['https://provider:9443/path', undefined],
  ['user@provider:9443', undefined],
])('an endpoint %s is at %s', (endpoint, address) => {
  expect(addressOf(endpoint)).toBe(address);
});
