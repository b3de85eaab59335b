import { describe, expect, it } from 'vitest';
import { failed, ok, type Result } from '../base/result.ts';
import { manualClock } from '../base/runtime.ts';
import { collectingLog } from '../observe/log/log.ts';
import { clusterSettingsSource, notConfigured, parseClusterSettings } from './cluster-settings.ts';
import type { ClusterApi, KubeObject } from './contract.ts';

const defaults = { azure: { clusterName: '' } };

describe('parseClusterSettings', () => {
  it('leaves the choice of a provider to the configuration when nothing is said', () => {
    expect(parseClusterSettings({})).toEqual(ok(defaults));
  });

  it('reads the keys that the chart writes, and minds no others', () => {
    const data = {
      'settings.azure.clusterName': 'prod-1',
      'settings.azure.providerType': 'arc',
      'settings.azure.newer': 'x',
      'settings.other': 'y',
      note: 'mine',
    };
    expect(parseClusterSettings(data)).toEqual(ok({ azure: { clusterName: 'prod-1', providerType: 'arc' } }));
  });

  it('names key, value and what is allowed', () => {
    const parsed = parseClusterSettings({ 'settings.azure.providerType': 'Arc' });
    expect(parsed).toMatchObject({ ok: false, error: { kind: 'invalid' } });
    expect(parsed.ok || parsed.error.message).toBe('settings.azure.providerType is "Arc": must be aks or arc');
  });

  it.each([
    { 'settings.__proto__.polluted': 'yes' },
    { 'settings.azure': 'text', 'settings.azure.providerType': 'arc' },
    { 'settings.': '' },
    { 'settings..': '' },
  ])('is not confused by %o', (data) => {
    parseClusterSettings(data as Record<string, string>);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});

describe('notConfigured', () => {
  const says = (providerType?: 'aks' | 'arc') => ({
    azure: { clusterName: '', ...(providerType ? { providerType } : {}) },
  });

  it('names the type that is missing, what there is, and what to do', () => {
    expect(notConfigured(says('arc'), ['aks', 'sim'], 'east')).toBe(
      'settings.azure.providerType is "arc", but cluster east has no provider of type arc in the configuration of this deployment, only aks; configure one, or set settings.azure.providerType to aks',
    );
  });

  it('finds nothing wrong with a type that is there, with none, or where Azure is not used', () => {
    expect(notConfigured(says('arc'), ['aks', 'arc'], 'east')).toBeUndefined();
    expect(notConfigured(says(), ['aks'], 'east')).toBeUndefined();
    expect(notConfigured(says('aks'), ['ec2', 'sim'], 'east')).toBeUndefined();
  });
});

describe('clusterSettingsSource', () => {
  const world = (providerTypes: string[] = []) => {
    const clock = manualClock();
    const log = collectingLog();
    let answer: Result<{ data?: Record<string, string> }> = failed('not-found', 'none');
    let reads = 0;
    const get = async (_resource: unknown, _ref: unknown, signal?: AbortSignal) => {
      reads++;
      await Promise.resolve();
      return (signal?.aborted ? failed('unavailable', 'given up by the caller') : answer) as Result<KubeObject>;
    };
    const api = { name: 'east', get } as Partial<ClusterApi> as ClusterApi;
    const source = clusterSettingsSource({ api, clock, log, namespace: 'poolwright', providerTypes });
    return {
      ...source,
      clock,
      log,
      reads: () => reads,
      say: (providerType: string) => (answer = ok({ data: { 'settings.azure.providerType': providerType } })),
      fail: (failure: Result<never>) => (answer = failure),
    };
  };
  const typeOf = (answer: Awaited<ReturnType<ReturnType<typeof world>['current']>>) =>
    answer.ok ? answer.value.azure.providerType : answer.error.kind;

  it('reports a type that is not configured until it is changed', async () => {
    const { current, problem, say, log, clock } = world(['aks']);
    say('arc');
    expect(typeOf(await current())).toBe('arc');
    expect(problem()).toMatch(
      /^ConfigMap poolwright\/poolwright-settings: settings\.azure\.providerType is "arc", but/,
    );
    expect(log.lines.filter(({ event }) => event === 'cluster.settings.unusable')).toHaveLength(1);
    say('aks');
    await clock.advance(31_000);
    await current();
    expect(problem()).toBeUndefined();
  });

  it('means the defaults when there is no ConfigMap', async () => {
    expect(await world().current()).toEqual(ok(defaults));
  });

  it('is read to the end though somebody who asked first has gone', async () => {
    const { current, say, log, reads } = world();
    say('arc');
    const person = new AbortController();
    const looked = current(person.signal);
    const launched = current(new AbortController().signal);
    person.abort();
    await looked;
    expect(typeOf(await launched)).toBe('arc');
    expect(reads()).toBe(1);
    expect(log.lines).toEqual([]);
  });

  it('follows a change within half a minute, and says so', async () => {
    const { current, say, clock, log, reads } = world();
    say('aks');
    await current();
    say('arc');
    clock.advance(29_000);
    expect(typeOf(await current())).toBe('aks');
    clock.advance(1_000);
    expect(typeOf(await current())).toBe('arc');
    expect(log.lines.map(({ event }) => event)).toEqual(['cluster.settings.changed']);
    expect(reads()).toBe(2);
  });

  it('keeps the last good one when the new one is wrong, says it once, and in the readiness', async () => {
    const { current, say, clock, log, problem } = world();
    say('arc');
    await current();
    say('aws');
    for (let round = 0; round < 3; round++) {
      clock.advance(30_000);
      expect(typeOf(await current())).toBe('arc');
    }
    expect(problem()).toContain('poolwright/poolwright-settings: settings.azure.providerType is "aws"');
    expect(log.lines.map(({ event }) => event)).toEqual(['cluster.settings.unusable']);
    say('aks');
    clock.advance(30_000);
    expect(typeOf(await current())).toBe('aks');
    expect(problem()).toBeUndefined();
  });

  it('guesses nothing when none was ever good', async () => {
    const { current, say, fail } = world();
    fail(failed('unavailable', 'no answer'));
    expect(typeOf(await current())).toBe('not-ready');
    say('wrong');
    expect(typeOf(await current())).toBe('not-ready');
    say('arc');
  });

  it('keeps what it has while the server is away, and asks again at the next use', async () => {
    const { current, say, fail, clock } = world();
    say('arc');
    await current();
    fail(failed('unavailable', 'no answer'));
    clock.advance(60_000);
    expect(typeOf(await current())).toBe('arc');
    say('aks');
    expect(typeOf(await current())).toBe('aks');
  });

  it('is read once for many who ask', async () => {
    const { current, reads } = world();
    await Promise.all(Array.from({ length: 50 }, () => current()));
    expect(reads()).toBe(1);
  });
});
