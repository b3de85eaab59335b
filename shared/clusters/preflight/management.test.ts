import { describe, expect, it } from 'vitest';
import type { Json } from '../../base/json.ts';
import { failed, ok } from '../../base/result.ts';
import type { ClusterApi, ObjectRef, Resource } from '../../kube/contract.ts';
import { builtInPoolTypes } from '../pool-types/built-in.ts';
import type { ClusterRequestSpec } from '../request/schema.ts';
import { resolve } from '../resolved/resolve.ts';
import { checkCredential, checkOperator, checkRights, neededKinds } from './management.ts';

const signal = new AbortController().signal;
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

/** A cluster that answers what it is told to. */
const cluster = (answers: {
  get?: (resource: Resource, ref: ObjectRef) => ReturnType<ClusterApi['get']>;
  allowed?: (attributes: { [name: string]: Json }) => boolean;
}): ClusterApi =>
  ({
    name: 'management',
    get: async (resource: Resource, ref: ObjectRef) => answers.get?.(resource, ref) ?? failed('not-found', 'none'),
    create: async (_: Resource, review: { spec: { resourceAttributes: { [name: string]: Json } } }) =>
      ok({ status: { allowed: answers.allowed?.(review.spec.resourceAttributes) ?? true } }),
  }) as unknown as ClusterApi;

const definition = (...versions: string[]) =>
  ok({ spec: { versions: versions.map((name) => ({ name, served: true })) } }) as never;

describe('the operator', () => {
  const kinds = neededKinds(resolved({ nodes: 'agentPools' }));

  it('is asked for the kinds of the manifests, and no others', () => {
    expect(kinds).toEqual(['ResourceGroup', 'UserAssignedIdentity', 'ManagedCluster', 'ManagedClustersAgentPool']);
    expect(neededKinds(resolved({ gitOps: { url: 'https://example.com/a', public: true } }))).toContain(
      'FluxConfiguration',
    );
  });

  it('that is not installed is named with the pattern that installs it', async () => {
    const { checks } = await checkOperator(cluster({}), kinds, signal);
    expect(checks).toMatchObject([{ state: 'unlikely', code: 'AsoNotInstalled' }]);
    expect(checks[0]?.fix).toContain('containerservice.azure.com/*');
  });

  it('tells which versions it serves, and whether one can be used', async () => {
    const serving = (version: string) =>
      cluster({
        get: async (_, { name }) =>
          name.startsWith('managedclusters.')
            ? definition(version)
            : definition('v1api20200601', 'v1api20230131', 'v1api20240402preview'),
      });
    const old = await checkOperator(serving('v1api20240402preview'), kinds, signal);
    expect(old.checks).toMatchObject([{ state: 'likely', text: expect.stringContaining('v1api20240402preview') }]);
    expect(old.served.ManagedCluster).toEqual(['v1api20240402preview']);
    const unknown = await checkOperator(serving('v1api19990101'), kinds, signal);
    expect(unknown.checks).toMatchObject([{ state: 'unlikely', code: 'ApiVersionNotServed' }]);
  });

  it('that cannot be asked is skipped', async () => {
    const silent = cluster({ get: async () => failed('unavailable', 'no route') });
    expect((await checkOperator(silent, kinds, signal)).checks).toMatchObject([{ state: 'skipped' }]);
  });
});

describe('a credential', () => {
  const having = (...names: string[]) =>
    cluster({
      get: async (_, { name, namespace }) =>
        names.includes(`${namespace}/${name}`) ? (ok({}) as never) : failed('not-found', 'none'),
    });

  it.each([
    ['of the namespace', {}, ['team-a/aso-credential'], 'likely'],
    ['of the operator', {}, ['azureserviceoperator-system/aso-controller-settings'], 'likely'],
    ['nowhere', {}, [], 'unlikely'],
    ['that the request names', { aso: { credentialFrom: 'other' } }, ['team-a/other'], 'likely'],
    [
      'that the request names, but another is there',
      { aso: { credentialFrom: 'other' } },
      ['team-a/aso-credential'],
      'unlikely',
    ],
  ])('%s', async (_name, spec, secrets, state) => {
    expect(await checkCredential(having(...secrets), resolved(spec), signal)).toMatchObject([{ state }]);
  });

  it('that may not be looked for is skipped, not passed', async () => {
    const shut = cluster({ get: async () => failed('unauthorised', 'forbidden') });
    expect(await checkCredential(shut, resolved(), signal)).toMatchObject([{ state: 'skipped' }]);
  });
});

it('names each right that is missing', async () => {
  const api = cluster({ allowed: ({ resource, verb }) => !(resource === 'managedclusters' && verb === 'delete') });
  expect(await checkRights(api, ['ResourceGroup', 'ManagedCluster'], 'team-a', signal)).toMatchObject([
    {
      state: 'unlikely',
      code: 'ClusterRightMissing',
      text: 'this host may not: delete managedclusters.containerservice.azure.com in team-a',
    },
  ]);
});
