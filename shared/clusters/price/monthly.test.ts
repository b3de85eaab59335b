import { describe, expect, it } from 'vitest';
import { builtInPoolTypes } from '../pool-types/built-in.ts';
import type { ClusterRequestSpec } from '../request/schema.ts';
import { resolve } from '../resolved/resolve.ts';
import { monthlyPrice } from './monthly.ts';
import type { AzurePrices } from './prices.ts';

const resolved = (spec: Partial<ClusterRequestSpec>) =>
  resolve(
    {
      apiVersion: 'poolwright.dev/v1alpha1',
      kind: 'ClusterRequest',
      metadata: { name: 'web', namespace: 'team-a' },
      spec: { location: 'westeurope', ...spec },
    },
    builtInPoolTypes,
  );

const prices: AzurePrices = {
  currency: 'USD',
  sizes: { Standard_D2s_v5: { onDemand: 0.1 }, Standard_D4s_v5: { onDemand: 0.2 } },
  tiers: { Standard: 0.1, Premium: 0.6 },
};
const priceOf = (spec: Partial<ClusterRequestSpec>, of: AzurePrices = prices) =>
  monthlyPrice(resolved(spec), { ok: true, prices: of });

describe('the price of a month', () => {
  it('is that of system nodes, agent pool and tier', () => {
    const nodePool = { vmSizes: ['Standard_D2s_v5'], maxCount: 5 };
    // 2 × 0.2 + 1 to 5 × 0.1 + 0.1, for 730 hours
    const price = priceOf({ nodes: 'agentPools', tier: 'Standard', nodePool });
    expect(price).toMatchObject({ state: 'known', least: 438, most: 730 });
  });

  it('takes the tier Free for free, which is not unknown', () => {
    const price = priceOf({ nodes: 'agentPools' }, { ...prices, tiers: {} });
    expect(price).toMatchObject({ state: 'known', least: 365 });
  });

  it('depends on pods where they make the nodes', () => {
    const price = priceOf({ nodes: 'nap' });
    expect(price).toMatchObject({ state: 'partial', least: 292, most: null });
    expect(price.parts.at(-1)).toMatchObject({ note: 'depends on pods' });
  });

  it('of a static pool is between its cheapest and its dearest size', () => {
    expect(priceOf({ nodes: 'poolwright', nodePool: { replicas: 3 } })).toMatchObject({
      state: 'known',
      least: 511,
      most: 730,
    });
  });

  it('is unknown, and never zero, as soon as a part is', () => {
    const price = priceOf({ tier: 'Premium' }, { ...prices, tiers: { Standard: 0.1 } });
    expect(price).toMatchObject({
      state: 'unknown',
      least: null,
      most: null,
      reason: 'tier Premium: not in the price list',
    });
    expect(priceOf({ systemPool: { vmSize: 'Standard_D8s_v5' } })).toMatchObject({ state: 'unknown', least: null });
  });

  it('is unknown with its reason where nobody can be asked', () => {
    const price = monthlyPrice(resolved({}), { ok: false, reason: 'no host was asked' });
    expect(price).toMatchObject({ state: 'unknown', least: null, reason: 'no host was asked' });
  });
});
