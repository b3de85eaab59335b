import { expect, it } from 'vitest';
import { createMetrics } from '../../observe/metrics.ts';
import type { StoredPool } from '../disruption/types.ts';
import { forgetPool, reportPool } from './pool-metrics.ts';

const pool = {
  metadata: { name: 'gpu' },
  spec: { limits: { cpu: '100', nodes: '5' }, disruption: { budgets: [{ nodes: '50%' }] } },
} as unknown as StoredPool;

it('has the usage, the limits and what the budgets allow of a pool, as long as there is one', async () => {
  const metrics = createMetrics();
  reportPool(metrics, 'east', pool, { nodes: 4, resources: { cpu: '1500m', memory: '2Gi', nodes: '4' } }, 0);
  const samples = await metrics.samples();
  const of = (name: string, resource: string) =>
    samples.get(`karpenter_nodepools_${name}{nodepool="gpu",resource_type="${resource}",cluster="east"}`);
  expect([of('usage', 'cpu'), of('usage', 'memory'), of('limit', 'cpu'), of('limit', 'nodes')]).toEqual([
    1.5,
    2 * 1024 ** 3,
    100,
    5,
  ]);
  expect(samples.get('karpenter_nodepools_allowed_disruptions{nodepool="gpu",reason="drifted",cluster="east"}')).toBe(
    2,
  );

  forgetPool(metrics, 'east', 'gpu');
  expect([...(await metrics.samples()).keys()].filter((name) => name.startsWith('karpenter_nodepools'))).toEqual([]);
});
