import { describe, expect, test } from 'vitest';
import { failed, ok } from '../base/result.ts';
import type { Provider } from './contract.ts';
import { type ClosableProvider, lazyProvider } from './lazy.ts';
import { createSimProvider } from './sim/provider.ts';
import { callOn, factsWith, optionalMethodsOf, wrapProvider } from './wrap.ts';

const sim = createSimProvider({ url: 'http://127.0.0.1:1' });
const patience = new AbortController().signal;

describe('a wrapped provider', () => {
  test('has every method of the one within, and none that it lacks', () => {
    const wrapped = wrapProvider(
      (fact) => sim[fact],
      optionalMethodsOf(sim),
      (method, values) => callOn(sim, method, values),
    );
    const methods = (provider: Provider): string[] =>
      Object.keys(wrapped).filter((name) => typeof provider[name as keyof Provider] === 'function');
    expect(methods(wrapped)).toEqual(methods(sim));
    expect(methods(wrapped)).toContain('beginCreate');
    expect(wrapped.place).toBeUndefined();
    expect(wrapped.check).toBeDefined();
  });

  test('says what is known of the one within now, not when it was wrapped', () => {
    let name = 'one';
    const wrapped = wrapProvider(
      (fact) => factsWith(sim, { name })(fact),
      optionalMethodsOf(sim),
      async () => undefined,
    );
    name = 'two';
    expect(wrapped.name).toBe('two');
    expect(wrapped.instanceIds).toBe(sim.instanceIds);
  });

  test('has every fact of the one within, also those that few have, with some replaced', () => {
    // Whatever the contract has or will have besides methods: nothing here lists it.
    const all = wrapProvider(
      (fact) => fact as never,
      optionalMethodsOf(sim),
      async () => undefined,
    );
    const known = Object.entries(all).filter(([, value]) => typeof value !== 'function');
    expect(known.map(([name]) => name)).toContain('expires');

    const wrapped = wrapProvider(factsWith(all, { name: 'own' }), optionalMethodsOf(sim), async () => undefined);
    expect(Object.entries(wrapped).filter(([, value]) => typeof value !== 'function')).toEqual(
      known.map(([name, value]) => [name, name === 'name' ? 'own' : value]),
    );
  });
});

describe('a provider whose code is loaded by its first call', () => {
  const has = {
    place: false,
    roomToCreate: false,
    resolveNodeClass: true,
    check: true,
    quota: true,
    adopt: true,
    tidy: false,
  } as const;
  const lazy = (load: () => Promise<ClosableProvider>) => lazyProvider(sim, has, load);

  test('answers what is known without it', () => {
    const provider = lazy(() => Promise.reject(new Error('must not be loaded')));
    expect(provider.nodeClasses).toBe(sim.nodeClasses);
    provider.close();
  });

  test('says that it could not be loaded, and tries again with the next call', async () => {
    let loads = 0;
    const quota = async () => ok([]);
    const provider = lazy(async () => {
      if (++loads === 1) throw new Error('Cannot find package "some-sdk"');
      return Object.assign(Object.create(sim) as ClosableProvider, { quota, close: () => undefined });
    });

    expect(await provider.find({ deployment: 'd', cluster: 'c', claimUid: 'u', claimName: 'n' }, patience)).toEqual(
      failed('unavailable', 'the code of provider sim could not be loaded', {
        cause: 'Cannot find package "some-sdk"',
      }),
    );
    expect(await provider.quota?.(patience)).toEqual(ok([]));
    expect(loads).toBe(2);
  });

  test('reports it as a check that failed', async () => {
    const provider = lazy(() => Promise.reject(new Error('no such package')));
    const checks = await provider.check?.({ deployment: 'd', cluster: 'c' }, patience);
    const message = 'the code of provider sim could not be loaded: no such package';
    expect(checks).toEqual([expect.objectContaining({ name: 'code', state: 'fail', message })]);
  });
});
