import { describe, expect, it } from 'vitest';
import { builtInPoolTypes } from '../pool-types/built-in.ts';
import type { ClusterRequestSpec } from '../request/schema.ts';
import { resolve } from '../resolved/resolve.ts';
import { mayUse, teamOf } from './callers.ts';
import { checkPolicy } from './check-policy.ts';
import { openPolicy, type Policy } from './policy.ts';

const resolved = (spec: Partial<ClusterRequestSpec> = {}) =>
  resolve(
    {
      apiVersion: 'poolwright.dev/v1alpha1',
      kind: 'ClusterRequest',
      metadata: { name: 'web', namespace: 'team-a' },
      spec: { location: 'westeurope', ...spec },
    },
    builtInPoolTypes,
  );
const check = (policy: Partial<Policy>, spec: Partial<ClusterRequestSpec> = {}, others?: string[]) =>
  checkPolicy({ ...openPolicy, ...policy }, resolved(spec), { others }).map(({ code, field }) => `${code} ${field}`);

describe('a policy', () => {
  it('that says nothing allows everything', () => {
    expect(check({}, {}, ['team-a/one', 'team-a/two'])).toEqual([]);
  });

  it('may be for named teams only', () => {
    expect(check({ onlyNamedTeams: true, teams: { 'team-b': {} } })).toEqual(['TeamNotAllowed metadata.namespace']);
    expect(check({ onlyNamedTeams: true, teams: { 'team-a': {} } })).toEqual([]);
  });

  it('limits the number of clusters, where the others are known', () => {
    const policy = { teams: { 'team-a': { clusters: 2 } } };
    expect(check(policy, {}, ['one'])).toEqual([]);
    expect(check(policy, {}, ['one', 'two'])).toEqual(['TeamQuotaReached metadata.namespace']);
    expect(check(policy, {}, undefined)).toEqual([]);
  });

  it('limits locations and pool types; a team overrides what holds for every team', () => {
    const everyTeam = { locations: ['North Europe'], poolTypes: ['standard'] };
    expect(check({ everyTeam })).toEqual(['LocationNotAllowed spec.location']);
    expect(check({ everyTeam }, { location: 'northeurope', nodePool: { type: 'memory-optimized' } })).toEqual([
      'PoolTypeNotAllowed spec.nodePool.type',
    ]);
    expect(check({ everyTeam, teams: { 'team-a': { locations: ['westeurope'] } } })).toEqual([]);
  });

  it.each<[Partial<ClusterRequestSpec>, string[]]>([
    [{ nodes: 'agentPools', nodePool: { maxCount: 3 } }, []],
    [{ nodes: 'agentPools', nodePool: { maxCount: 4 } }, ['TeamQuotaReached spec.nodePool.maxCount']],
    [{ nodes: 'poolwright', nodePool: { replicas: 4 } }, ['TeamQuotaReached spec.nodePool.replicas']],
    [{ nodes: 'nap' }, ['TeamQuotaReached spec.nodePool.limits']],
    [{ nodes: 'nap', nodePool: { limits: { nodes: 3 } } }, []],
  ])('limits nodes, whoever makes them: %j', (spec, expected) => {
    expect(check({ everyTeam: { nodes: 5 } }, spec)).toEqual(expected);
  });

  it('wants a lifetime', () => {
    const everyTeam = { longestLifetime: 72 * 3600 };
    expect(check({ everyTeam })).toEqual(['LifetimeRequired spec.lifetime']);
    expect(check({ everyTeam }, { lifetime: '73h' })).toEqual(['LifetimeRequired spec.lifetime']);
    expect(check({ everyTeam }, { lifetime: '72h' })).toEqual([]);
  });
});

it('a caller uses the namespace of its team, or of its own name, and an administrator each', () => {
  expect(teamOf({ name: 'ci', admin: false })).toBe('ci');
  expect(mayUse({ name: 'ci', team: 'team-a', admin: false }, 'team-a')).toBe(true);
  expect(mayUse({ name: 'ci', team: 'team-a', admin: false }, 'ci')).toBe(false);
  expect(mayUse({ name: 'root', admin: true }, 'team-b')).toBe(true);
});
