import { describe, expect, it } from 'vitest';
import { builtInPoolTypes } from '../pool-types/built-in.ts';
import type { ClusterRequestSpec } from '../request/schema.ts';
import { checkRequest } from './validate.ts';

const findingsFor = (spec: Partial<ClusterRequestSpec>) =>
  checkRequest(
    {
      apiVersion: 'poolwright.dev/v1alpha1',
      kind: 'ClusterRequest',
      metadata: { name: 'web', namespace: 'team-a' },
      spec: { location: 'westeurope', ...spec },
    },
    { types: builtInPoolTypes, today: '2026-11-19' },
  ).findings.filter(({ code }) => code === 'ManagementClusterNeeded');

const git = { url: 'https://git.example/fleet', kustomizations: [{ name: 'infra', path: './infra' }] };

describe('a request that the driver arm carries out', () => {
  it.each([
    ['the Flux of a management cluster', { gitOps: { ...git, mode: 'remote' } }, 'spec.gitOps.mode', 'error'],
    ['a Secret for GitOps', { gitOps: { ...git, secretRef: { name: 'git' } } }, 'spec.gitOps.secretRef', 'error'],
    ['nodes of Poolwright with local accounts', { nodes: 'poolwright' }, 'spec.access.disableLocalAccounts', 'error'],
    ['a credential of the operator', { aso: { credentialFrom: 'team' } }, 'spec.aso.credentialFrom', 'warning'],
  ] as const)('is told of %s', (_, spec, field, severity) => {
    expect(findingsFor({ ...(spec as Partial<ClusterRequestSpec>), driver: 'arm' })).toMatchObject([
      { field, severity },
    ]);
    expect(findingsFor(spec as Partial<ClusterRequestSpec>)).toEqual([]);
  });

  it('needs nothing else', () => {
    const access = { disableLocalAccounts: true, azureRBAC: true };
    expect(findingsFor({ driver: 'arm' })).toEqual([]);
    expect(findingsFor({ driver: 'arm', nodes: 'poolwright', access, gitOps: { ...git, public: true } })).toEqual([]);
  });
});
