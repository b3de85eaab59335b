import { describe, expect, it } from 'vitest';
import { failed, ok, type Result } from '../../base/result.ts';
import { builtInPoolTypes } from '../pool-types/built-in.ts';
import type { ClusterRequestSpec } from '../request/schema.ts';
import { type Resolved, resolve } from '../resolved/resolve.ts';
import { tagsOf } from '../resolved/tags.ts';
import type { AzureFacts, VmSize } from './azure-facts.ts';
import { findingsOf, preflight } from './preflight.ts';

const signal = new AbortController().signal;
const owner = { deployment: 'office', namespace: 'team-a', name: 'web', uid: 'u-1' };

const resolved = (spec: Partial<ClusterRequestSpec> = {}): Resolved =>
  resolve(
    {
      apiVersion: 'poolwright.dev/v1alpha1',
      kind: 'ClusterRequest',
      metadata: { name: 'web', namespace: 'team-a' },
      spec: { location: 'westeurope', ...spec },
    },
    builtInPoolTypes,
  );

const size = (name: string, quotaCores: number, more: Partial<VmSize> = {}): VmSize => ({
  name,
  family: 'standardDSv5Family'.toLowerCase(),
  cpu: quotaCores,
  quotaCores,
  memoryMiB: quotaCores * 4096,
  zones: ['1', '2', '3'],
  ...more,
});

const good: AzureFacts = {
  subscription: 's-1',
  locations: async () => ok(['westeurope', 'northeurope']),
  registrations: async () =>
    ok(
      Object.fromEntries(
        ['ContainerService', 'Compute', 'Network', 'ManagedIdentity', 'KubernetesConfiguration'].map((one) => [
          `microsoft.${one.toLowerCase()}`,
          'Registered',
        ]),
      ),
    ),
  versions: async () =>
    ok([
      { minor: '1.35', patches: ['1.35.1', '1.35.2'], supportPlans: ['KubernetesOfficial', 'AKSLongTermSupport'] },
      { minor: '1.37', patches: ['1.37.0'], supportPlans: ['KubernetesOfficial'], preview: true },
    ]),
  sizes: async () => ok([size('Standard_D2s_v5', 2), size('Standard_D4s_v5', 4)]),
  usages: async () =>
    ok({ cores: [100, 10, 'Total Regional vCPUs'], standarddsv5family: [50, 10, 'Standard DSv5 Family vCPUs'] }),
  prices: async () => failed('unavailable', 'not asked'),
  group: async () => ok(undefined),
  cluster: async () => ok(undefined),
};

const look = (facts: Partial<AzureFacts> = {}, spec: Partial<ClusterRequestSpec> = {}) =>
  preflight(resolved(spec), { azure: { ...good, ...facts }, management: 'none', owner }, signal);
const states = (report: Awaited<ReturnType<typeof look>>) =>
  Object.fromEntries(report.checks.map(({ name, state }) => [name, state]));
const about = async (name: string, facts: Partial<AzureFacts> = {}, spec: Partial<ClusterRequestSpec> = {}) =>
  (await look(facts, spec)).checks.filter((one) => one.name === name);

describe('preflight', () => {
  it('finds nothing against a request that fits, and calls that likely', async () => {
    const report = await look({}, { kubernetesVersion: '1.35' });
    expect(new Set(report.checks.map(({ state }) => state))).toEqual(new Set(['likely']));
    expect(report.blocking).toEqual([]);
    expect(findingsOf(report)).toEqual([]);
  });

  it.each(['locations', 'versions', 'sizes', 'usages', 'registrations', 'group'] as const)(
    'never passes a check whose source does not answer: %s',
    async (source) => {
      const report = await look({ [source]: async (): Promise<Result<never>> => failed('unavailable', 'no route') });
      const silent = report.checks.filter(({ state }) => state === 'skipped');
      expect(silent.length).toBeGreaterThan(0);
      expect(silent.every(({ text }) => text.includes('no route'))).toBe(true);
      expect(report.blocking).toEqual([]);
    },
  );

  it('names every check that needs Azure where there is no Azure to ask', async () => {
    const report = await preflight(resolved(), { azure: { unavailable: 'no credential' }, management: 'none' }, signal);
    expect(states(report)).toEqual({
      location: 'skipped',
      'kubernetes-version': 'skipped',
      'vm-sizes': 'skipped',
      quota: 'skipped',
      names: 'skipped',
      'resource-providers': 'skipped',
    });
  });
});

describe('a location', () => {
  it('without AKS is unlikely, with what was meant', async () => {
    const [check] = await about('location', {}, { location: 'westeuropa' });
    expect(check).toMatchObject({
      state: 'unlikely',
      code: 'LocationInvalid',
      fix: expect.stringContaining('write westeurope, or'),
    });
  });
});

describe('a version', () => {
  it.each([
    ['1.20', 'unlikely'],
    ['1.35.9', 'unlikely'],
    ['1.35.2', 'likely'],
    ['1.37', 'warning'],
  ])('%s is %s', async (kubernetesVersion, state) => {
    expect(await about('kubernetes-version', {}, { kubernetesVersion })).toMatchObject([{ state }]);
  });

  it('without the support plan is unlikely', async () => {
    const spec = { kubernetesVersion: '1.37', supportPlan: 'AKSLongTermSupport', tier: 'Premium' } as const;
    expect(await about('kubernetes-version', {}, spec)).toMatchObject([{ state: 'unlikely' }]);
  });
});

describe('sizes and quota', () => {
  const usages =
    (family: number, region: number): AzureFacts['usages'] =>
    async () =>
      ok({
        cores: [100, 100 - region, 'Total Regional vCPUs'],
        standarddsv5family: [50, 50 - family, 'Standard DSv5 Family vCPUs'],
      });

  it('says which quota lacks how much, before ten minutes of waiting', async () => {
    const [check] = await about('quota', { usages: usages(4, 90) });
    expect(check).toMatchObject({ state: 'unlikely', code: 'VcpuQuotaTooSmall' });
    expect(check?.text).toContain(
      'Standard DSv5 Family vCPUs of westeurope has 4 vCPUs free (46 of 50 in use), and 8 are needed',
    );
  });

  it('looks at the quota of the location as well as at that of the family', async () => {
    expect((await about('quota', { usages: usages(40, 4) }))[0]?.text).toContain('Total Regional vCPUs');
  });

  it('counts agent pools, and warns if autoscaling or an upgrade would not fit', async () => {
    const spec: Partial<ClusterRequestSpec> = {
      nodes: 'agentPools',
      nodePool: { vmSizes: ['Standard_D4s_v5'], minCount: 1, maxCount: 5 },
    };
    // 2 system nodes and 1 of the pool at first: 12. At most 3 and 6 with surge: 36.
    expect(await about('quota', { usages: usages(11, 90) }, spec)).toMatchObject([{ state: 'unlikely' }]);
    expect(await about('quota', { usages: usages(12, 90) }, spec)).toMatchObject([{ state: 'warning' }]);
    expect(await about('quota', { usages: usages(36, 90) }, spec)).toMatchObject([{ state: 'likely' }]);
  });

  it('takes a quota that nobody names for no limit', async () => {
    expect(await about('quota', { usages: async () => ok({}) })).toMatchObject([{ state: 'likely' }]);
  });

  it('refuses a size that is not offered or restricted, and a zone that it does not have', async () => {
    const spec = (vmSize: string, zones: string[] = []) => ({ systemPool: { vmSize, zones } });
    expect(await about('vm-sizes', {}, spec('Standard_D4s_v9'))).toMatchObject([
      { code: 'VmSizeUnavailable', field: 'spec.systemPool.vmSize' },
    ]);
    const restricted = async () =>
      ok([size('Standard_D2s_v5', 2), size('Standard_D4s_v5', 4, { restricted: 'not here' })]);
    expect(await about('vm-sizes', { sizes: restricted })).toMatchObject([
      { state: 'unlikely', text: expect.stringContaining('not here') },
    ]);
    const zonal = async () => ok([size('Standard_D2s_v5', 2), size('Standard_D4s_v5', 4, { restrictedZones: ['3'] })]);
    const found = await about('vm-sizes', { sizes: zonal }, spec('Standard_D4s_v5', ['1', '3']));
    expect(found).toMatchObject([{ field: 'spec.systemPool.zones', fix: 'use zones 1, 2' }]);
  });

  it('only warns where node auto-provisioning has other sizes to choose from', async () => {
    const sizes = async () => ok([size('Standard_D4s_v5', 4)]);
    expect(await about('vm-sizes', { sizes })).toMatchObject([{ state: 'warning', field: 'spec.nodePool.vmSizes' }]);
  });
});

describe('names', () => {
  const there =
    (tags: Record<string, string>, location = 'westeurope') =>
    async () =>
      ok({ location, tags });

  it('that somebody else uses stop the request', async () => {
    expect(await about('names', { group: there({ team: 'b' }) })).toMatchObject([
      { state: 'unlikely', code: 'ClusterNotOurs', field: 'spec.resourceGroup' },
    ]);
  });

  it('with the tags of this request are its own', async () => {
    const ours = there(tagsOf(owner));
    expect(await about('names', { group: ours, cluster: ours })).toMatchObject([{ state: 'likely' }]);
    const other = there(tagsOf({ ...owner, uid: 'u-2' }));
    expect(await about('names', { group: ours, cluster: other })).toMatchObject([
      { code: 'ClusterNotOurs', field: 'spec.clusterName' },
    ]);
  });

  it('of a group in another location cannot be used', async () => {
    expect(await about('names', { group: there(tagsOf(owner), 'northeurope') })).toMatchObject([
      { code: 'ChangeNotPossible' },
    ]);
  });
});

it('names each resource provider that is not registered', async () => {
  const registrations: AzureFacts['registrations'] = async () =>
    ok({
      'microsoft.compute': 'Registered',
      'microsoft.network': 'Registered',
      'microsoft.managedidentity': 'Registering',
    });
  const texts = (await about('resource-providers', { registrations })).map(({ fix }) => fix);
  expect(texts).toEqual([
    'az provider register --namespace Microsoft.ContainerService',
    'az provider register --namespace Microsoft.ManagedIdentity',
  ]);
});
