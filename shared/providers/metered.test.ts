import { beforeEach, describe, expect, test } from 'vitest';
import { plainFacts } from '../../test/stand-ins/provider-context.ts';
import { failed, ok, type Result } from '../base/result.ts';
import { manualClock } from '../base/runtime.ts';
import type { Instance, Provider } from './contract.ts';
import { instanceIdOf } from './instance-id.ts';
import { meterProvider, type ProviderCall } from './metered.ts';
import { createSimProvider } from './sim/provider.ts';

const owner = { deployment: 'main', cluster: 'k', claimUid: 'u', attempt: 1 };
const key = { ...owner, claimName: 'c' };
const target = { id: 'i-1', owner };

describe('a metered provider', () => {
  const clock = manualClock();
  const calls: ProviderCall[] = [];
  let timers: { milliseconds: number; fire: () => void; stopped: boolean }[] = [];
  beforeEach(() => {
    calls.length = 0;
    timers = [];
  });
  const patience = new AbortController().signal;
  const base = createSimProvider({ url: 'http://127.0.0.1:1' });
  const metered = (overrides: Partial<Provider>): Provider => {
    const { name, traits, nodeClasses } = base;
    const inner = { name, traits, nodeClasses, ...overrides } as Provider;
    return meterProvider(inner, {
      clock,
      onCall: (call) => calls.push(call),
      readSeconds: 5,
      timer: (milliseconds, fire) => {
        const timer = { milliseconds, fire, stopped: false };
        timers.push(timer);
        return () => {
          timer.stopped = true;
        };
      },
    });
  };

  test('counts and times what went well, and what did not by its kind', async () => {
    const provider = metered({
      find: async () => {
        clock.advance(1500);
        return ok([]);
      },
      get: async () => failed('throttled', 'slow down'),
    });

    expect(await provider.find(key, patience)).toEqual(ok([]));
    expect(await provider.get(owner, 'x', patience)).toMatchObject({ error: { kind: 'throttled' } });

    expect(calls).toEqual([
      { provider: 'sim', method: 'find', seconds: 1.5 },
      { provider: 'sim', method: 'get', seconds: 0, error: 'throttled' },
    ]);
    expect(timers.every(({ stopped }) => stopped)).toBe(true);
  });

  test('passes every method on', async () => {
    const seen: string[] = [];
    const note = (name: string) => async (): Promise<Result<never>> => {
      seen.push(name);
      return failed('invalid', name);
    };
    const methods = ['beginCreate', 'pollCreate', 'beginDelete', 'pollDelete', 'find', 'get', 'list', 'instanceTypes'];
    const provider = metered({
      ...Object.fromEntries(methods.map((name) => [name, note(name)])),
      instanceIds: [{ pattern: '^id of (.*)$' }],
    });
    const request = { owner, claimName: 'c', claim: plainFacts, name: 'n', token: 't', labels: {}, taints: [] };
    const offering = { instanceType: 'a', zone: 'b', capacityType: 'spot' } as const;
    const nodeClass = { name: 'd', spec: {} };

    await provider.beginCreate({ ...request, offering, nodeClass }, patience);
    await provider.pollCreate(null, patience);
    await provider.beginDelete(target, patience);
    await provider.pollDelete(null, patience);
    await provider.find(key, patience);
    await provider.get(owner, 'x', patience);
    await provider.list(owner, undefined, patience);
    await provider.instanceTypes(nodeClass, patience);

    expect(seen).toEqual(methods);
    expect(calls.map(({ method }) => method)).toEqual(methods);
    expect(instanceIdOf(provider, 'id of x')).toBe('x');
  });

  test.each([
    ['a read that hangs', 'unavailable', 5000, (provider: Provider, signal: AbortSignal) => provider.find(key, signal)],
    [
      'a write that hangs',
      'outcome-unknown',
      10_000,
      (provider: Provider, signal: AbortSignal) => provider.beginDelete(target, signal),
    ],
  ] as const)('gives up %s', async (_, kind, milliseconds, call) => {
    let heard = false;
    const hang = (_: unknown, signal: AbortSignal): Promise<never> =>
      new Promise(() => signal.addEventListener('abort', () => (heard = true)));
    const answer = call(metered({ find: hang, beginDelete: hang }), patience);

    expect(timers).toMatchObject([{ milliseconds }]);
    timers[0]?.fire();
    expect(heard).toBe(true);
    timers[1]?.fire();

    expect(await answer).toMatchObject({ ok: false, error: { kind } });
    expect(calls).toMatchObject([{ error: kind }]);
  });

  test('lets the provider itself say what it knows when it is told to stop', async () => {
    const provider = metered({
      beginDelete: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(failed('unavailable', 'nothing was sent')));
        }),
    });
    const controller = new AbortController();

    const answer = provider.beginDelete(target, controller.signal);
    controller.abort();

    expect(await answer).toEqual(failed('unavailable', 'nothing was sent'));
    expect(timers.every(({ stopped }) => stopped)).toBe(true);
  });

  test('hands on a signal that has fired already', async () => {
    const provider = metered({
      find: async (_, signal): Promise<Result<Instance[]>> =>
        signal.aborted ? failed('unavailable', 'stopped') : ok([]),
    });

    expect(await provider.find(key, AbortSignal.abort())).toMatchObject({ ok: false });
  });

  test('counts an exception and lets it through', async () => {
    const provider = metered({ find: () => Promise.reject(new TypeError('a bug')) });

    await expect(provider.find(key, patience)).rejects.toThrow('a bug');
    expect(calls).toMatchObject([{ method: 'find', error: 'thrown' }]);
  });
});
