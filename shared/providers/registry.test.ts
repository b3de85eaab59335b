import { afterEach, describe, expect, test } from 'vitest';
import { testContext } from '../../test/stand-ins/provider-context.ts';
import { failedBy } from '../base/problems.ts';
import { ok } from '../base/result.ts';
import type { ProviderManifest } from './manifest.ts';
import { createProviderRegistry, type ProviderRegistry } from './registry.ts';
import { createSimProvider } from './sim/provider.ts';

type Entry = Pick<ProviderManifest, 'load'>;

const url = 'http://127.0.0.1:1';
const sim = { provider: 'sim', options: { url } };

describe('the provider registry', () => {
  const contextOf = () => testContext();
  let opened: ProviderRegistry | undefined;
  const registryOf = (options: Omit<Parameters<typeof createProviderRegistry>[0], 'contextOf'>): ProviderRegistry => {
    const made = createProviderRegistry({ contextOf, ...options });
    if (!made.ok) expect.fail(made.error.message);
    opened = made.value;
    return made.value;
  };
  afterEach(() => opened?.close());

  test('finds the provider of a node class, and what the cluster calls that class', async () => {
    const dev = await registryOf({ clusters: { dev: [sim] } }).forCluster('dev');
    if (!dev.ok) expect.fail(dev.error.message);

    const servedBy = (group: string, kind: string) =>
      dev.value.serving({ nodeClassRef: { group, kind, name: 'default' }, labels: {}, annotations: {} });
    const [served] = servedBy('poolwright.dev', 'SimNodeClass');
    expect(served).toMatchObject({ type: 'sim', provider: { name: 'sim' } });
    expect(served?.resource).toMatchObject({ version: 'v1alpha1', plural: 'simnodeclasses', namespaced: false });
    expect(servedBy('', 'SimNodeClass')).toHaveLength(1);
    expect(servedBy('karpenter.k8s.aws', 'EC2NodeClass')).toEqual([]);
    expect(servedBy('other.dev', 'SimNodeClass')).toEqual([]);
  });

  test('makes one provider per provider and cluster, when it is first asked for, and decorates it', async () => {
    const decorated: string[] = [];
    let loads = 0;
    const entry: Entry = {
      load: async () => {
        loads++;
        return { createProvider: async () => ok(createSimProvider({ url })) };
      },
    };
    const registry = registryOf({
      clusters: { dev: [{ provider: 'lazy', options: {} }], prod: [{ provider: 'lazy', options: {} }] },
      manifests: [{ type: 'lazy', ...entry }],
      decorate: (provider, cluster) => {
        decorated.push(cluster);
        return provider;
      },
    });
    expect(loads).toBe(0);

    const [one, two, other] = await Promise.all([
      registry.get('dev', 'lazy'),
      registry.get('dev', 'lazy'),
      registry.get('prod', 'lazy'),
    ]);

    expect(one.ok && two.ok && other.ok && one.value === two.value && one.value !== other.value).toBe(true);
    expect(decorated).toEqual(['dev', 'prod']);
  });

  test.each([
    ['an unknown provider, by the nearest name', [{ provider: 'sym', options: {} }], 'did you mean "sim"?'],
    ['a provider that is there twice', [sim, sim], 'clusters.dev.providers[1].provider: provider sim is listed twice'],
  ])('refuses %s', (_, dev, part) => {
    const made = createProviderRegistry({ contextOf, clusters: { dev } });

    expect(made).toMatchObject({ ok: false, error: { kind: 'invalid', message: expect.stringContaining(part) } });
  });

  test('names all providers that serve one node class, in the order of the configuration', async () => {
    const entry = (name: string): Entry => ({
      load: async () => ({ createProvider: async () => ok({ ...createSimProvider({ url }), name }) }),
    });
    const clusters = { dev: ['b', 'a'].map((provider) => ({ provider, options: {} })) };

    const dev = await registryOf({
      clusters,
      manifests: [
        { type: 'a', ...entry('a') },
        { type: 'b', ...entry('b') },
      ],
    }).forCluster('dev');

    if (!dev.ok) expect.fail(dev.error.message);
    const nodeClassRef = { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' };
    expect(dev.value.serving({ nodeClassRef, labels: {}, annotations: {} }).map(({ type }) => type)).toEqual([
      'b',
      'a',
    ]);
  });

  test('names what it does not have, and what is nearest', async () => {
    const registry = registryOf({ clusters: { dev: [sim] } });

    expect(await registry.forCluster('devv')).toMatchObject({
      error: { kind: 'not-found', message: expect.stringContaining('did you mean "dev"?') },
    });
    expect(await registry.get('dev', 'sims')).toMatchObject({
      error: { kind: 'not-found', message: expect.stringContaining('did you mean "sim"?') },
    });
    expect(await registry.get('toString', 'sim')).toMatchObject({ error: { kind: 'not-found' } });
  });

  test.each([
    ['no url', {}, 'clusters.dev.providers[0].options.url'],
    ['a url that is none', { url: 'ftp://x' }, 'options.url'],
    ['an unknown option', { url, color: 1 }, 'color'],
    ['a wrong trait', { url, idempotency: 'luck' }, 'options.idempotency'],
  ])('has the sim provider refuse %s', async (_, options, part) => {
    const registry = registryOf({ clusters: { dev: [{ provider: 'sim', options }] } });

    const answer = await registry.forCluster('dev');

    expect(answer).toMatchObject({ ok: false, error: { kind: 'invalid', message: expect.stringContaining(part) } });
  });

  test.each([
    [{ path: 'options.region', message: 'is missing' }, 'providers.office.region'],
    [{ path: '', message: 'SOME_VARIABLE: is empty' }, 'providers.office'],
  ])('tells the mistake %j by the names of the configuration', async (problem, path) => {
    const entry: Entry = {
      load: async () => ({ createProvider: async () => failedBy([problem]) }),
    };
    const config = { provider: 'x', options: {}, name: 'office' };
    const registry = registryOf({ clusters: { dev: [config] }, manifests: [{ type: 'x', ...entry }] });

    expect(await registry.forCluster('dev')).toMatchObject({
      error: {
        kind: 'invalid',
        message: `${path}: ${problem.message}`,
        problems: [{ path, message: problem.message }],
      },
    });
  });

  test('names two of one type in a cluster as the configuration does, and what to do', () => {
    const options = { url };
    const both = ['a', 'b'].map((name) => ({ provider: 'sim', options, name }));
    const made = createProviderRegistry({ clusters: { dev: both }, contextOf: () => testContext() });

    expect(made).toMatchObject({ ok: false, error: { kind: 'invalid' } });
    expect(made.ok || made.error.message).toMatch(
      /clusters\.dev\.providers: a and b are both of type sim.*providers: \[a\]/,
    );
  });

  test('hands traits of the configuration to the sim provider', async () => {
    const options = { url, idempotency: 'none', latenessSeconds: 9 };
    const answer = await registryOf({ clusters: { dev: [{ provider: 'sim', options }] } }).get('dev', 'sim');

    expect(answer).toMatchObject({ value: { traits: { idempotency: 'none', latenessSeconds: 9, writeSeconds: 10 } } });
  });

  test('says which provider could not be loaded, and tries again the next time', async () => {
    let broken = true;
    const entry: Entry = {
      load: async () => {
        if (broken) throw new Error('Cannot find package "some-sdk"');
        return { createProvider: async () => failedBy([{ path: 'options.region', message: 'missing' }]) };
      },
    };
    const registry = registryOf({
      clusters: { dev: [{ provider: 'x', options: {} }] },
      manifests: [{ type: 'x', ...entry }],
    });

    expect(await registry.get('dev', 'x')).toMatchObject({
      error: { kind: 'unavailable', cause: expect.stringContaining('some-sdk') },
    });
    broken = false;
    expect(await registry.get('dev', 'x')).toMatchObject({
      error: { kind: 'invalid', message: 'clusters.dev.providers[0].options.region: missing' },
    });
  });
});
