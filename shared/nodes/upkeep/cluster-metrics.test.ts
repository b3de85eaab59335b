import { expect, it } from 'vitest';
import { createMetrics } from '../../observe/metrics.ts';
import { labels } from '../claims/spec/well-known.ts';
import type { StoredClaim } from '../steps/claim-access.ts';
import { ClusterMetrics } from './cluster-metrics.ts';

const aClaim = (name: string, registered = true) =>
  ({
    metadata: {
      name,
      uid: name,
      labels: { [labels.nodePool]: 'gpu', [labels.zone]: 'zone-a', [labels.instanceType]: 'big' },
    },
    spec: {},
    status: {
      capacity: { cpu: '4', memory: '8Gi', 'nvidia.com/gpu': '1' },
      allocatable: { cpu: '3900m', memory: '7Gi', 'nvidia.com/gpu': '1' },
      conditions: registered ? [{ type: 'Registered', status: 'True' }] : [],
    },
  }) as unknown as StoredClaim;

it('sums up the nodes with the same labels, and forgets those that are gone', async () => {
  const metrics = createMetrics();
  const all = new ClusterMetrics(metrics, 'east');
  for (const name of ['a', 'b']) all.add(aClaim(name));
  all.add(aClaim('c', false));
  all.write();
  const where =
    'nodepool="gpu",instance_type="big",zone="zone-a",capacity_type="",arch="",os="",cluster="east",resource_type=';
  const samples = await metrics.samples();
  expect(samples.get(`karpenter_nodes_allocatable{${where}"cpu"}`)).toBe(7.8);
  expect(samples.get(`karpenter_nodes_allocatable{${where}"nvidia.com/gpu"}`)).toBe(2);
  expect(samples.get(`karpenter_nodes_system_overhead{${where}"memory"}`)).toBe(2 * 1024 ** 3);
  expect(samples.get('karpenter_cluster_state_node_count{cluster="east"}')).toBe(2);

  all.clear();
  all.write();
  expect([...(await metrics.samples()).keys()].filter((name) => name.startsWith('karpenter_nodes_all'))).toEqual([]);
});
