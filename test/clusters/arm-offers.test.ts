/** What is asked of Azure before a cluster is made, over the real client, at the stand-in: no check may be skipped, and none may pass that cannot. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../shared/base/runtime.ts';
import { builtInPoolTypes } from '../../shared/clusters/pool-types/built-in.ts';
import { findingsOf, preflight, skippedOf } from '../../shared/clusters/preflight/preflight.ts';
import { monthlyPrice } from '../../shared/clusters/price/monthly.ts';
import type { ClusterRequestSpec } from '../../shared/clusters/request/schema.ts';
import { resolve } from '../../shared/clusters/resolved/resolve.ts';
import { aksFacts } from '../../shared/platforms/azure/catalog/aks-facts.ts';
import { connectAzure } from '../../shared/platforms/azure/connection.ts';
import { pricesPath } from '../../sim/arm/server.ts';
import { mustBe } from '../cli/cluster-world.ts';
import { type ArmWorld, startArmWorld } from '../conformance/cluster-drivers/arm-harness.ts';
import { bringAll, stagesFor } from '../conformance/cluster-drivers/harness.ts';

let world: ArmWorld;
let facts: ReturnType<typeof aksFacts>;
const signal = new AbortController().signal;
beforeEach(async () => {
  world = await startArmWorld();
  const { url, certificate, clientId, tenant, secret, subscription } = world.arm;
  const connection = connectAzure(
    {
      credential: { type: 'client-secret', clientId, tenant, secret: { variable: 'SECRET' } },
      cloud: {
        authorityHost: url,
        armEndpoint: url,
        audience: 'https://management.azure.com',
        pricesUrl: `${url}${pricesPath}`,
      },
      certificateAuthority: certificate,
    },
    { clock: systemClock, env: { SECRET: secret } },
  );
  facts = aksFacts(connection, subscription);
});
afterEach(() => world.close());

const resolved = (spec: Partial<ClusterRequestSpec> = {}) =>
  resolve(
    {
      apiVersion: '',
      kind: '',
      metadata: { name: 'web', namespace: 'team-a' },
      spec: { location: 'westeurope', kubernetesVersion: '1.35', ...spec },
    },
    builtInPoolTypes,
  );
const asked = (spec?: Partial<ClusterRequestSpec>) =>
  preflight(resolved(spec), { azure: facts, management: 'none' }, signal);

describe('every check', () => {
  it.each(['standard', 'memory-optimized', 'compute-optimized'])('is asked, and passes: %s', async (type) => {
    const report = await asked({ nodePool: { type } });
    expect(skippedOf(report)).toEqual([]);
    expect(report.checks.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'location likely',
      'kubernetes-version likely',
      ...Array.from(
        { length: report.checks.filter(({ name }) => name === 'vm-sizes').length },
        () => 'vm-sizes likely',
      ),
      ...Array.from({ length: report.checks.filter(({ name }) => name === 'quota').length }, () => 'quota likely'),
      'names likely',
      'resource-providers likely',
    ]);
  });

  it.each([
    ['a location without AKS', { location: 'westeuropa' }, 'LocationInvalid'],
    ['a version that is not offered', { kubernetesVersion: '1.30' }, 'KubernetesVersionUnsupported'],
    ['a size that is not listed', { systemPool: { vmSize: 'Standard_D4s_v9' } }, 'VmSizeUnavailable'],
    ['more cores than the quota', { systemPool: { count: 90 } }, 'VcpuQuotaTooSmall'],
  ])('finds %s', async (_what, spec, code) => {
    expect(findingsOf(await asked(spec)).map((one) => one.code)).toContain(code);
  });

  it('finds names that are taken, and cores that are in use', async () => {
    const before = mustBe(await facts.usages('westeurope', signal));
    await bringAll(world, world.driver, stagesFor());
    const { resourceGroup, clusterName } = resolved();
    expect([resourceGroup, clusterName]).toEqual(['rg-web', 'web']);
    expect(findingsOf(await asked()).map(({ code, field }) => `${code} ${field}`)).toEqual(
      expect.arrayContaining(['ClusterNotOurs spec.resourceGroup', 'ClusterNotOurs spec.clusterName']),
    );
    const after = mustBe(await facts.usages('westeurope', signal));
    expect(after.cores?.[1]).toBeGreaterThan(before.cores?.[1] ?? 0);
  });
});

it('the price of what is asked for is known', async () => {
  const prices = mustBe(await facts.prices('westeurope', signal));
  const price = monthlyPrice(resolved({ tier: 'Standard', nodes: 'agentPools' }), { ok: true, prices });
  expect(price).toMatchObject({ state: 'known', currency: 'USD' });
  expect(price.least).toBeGreaterThan(73);
});
