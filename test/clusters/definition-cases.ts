/** Specs of ClusterRequests, and what an API server says of them before anybody else is asked. */
import type { Json } from '../../shared/base/json.ts';

export const requestOf = (spec: object, name = 'web'): Json => ({
  apiVersion: 'poolwright.dev/v1alpha1',
  kind: 'ClusterRequest',
  metadata: { name, namespace: 'default' },
  spec: { location: 'westeurope', ...(spec as { [field: string]: Json }) },
});

export const acceptedRequests: readonly [string, object][] = [
  ['the least', {}],
  ['a name with upper case and underscores', { clusterName: 'Web_1' }],
  ['a resource group with brackets', { resourceGroup: 'rg-(a)_b.c' }],
  ['a static pool', { nodes: 'poolwright', nodePool: { replicas: 3 } }],
  ['an agent pool of fixed size', { nodes: 'agentPools', nodePool: { minCount: 2, maxCount: 2 } }],
  ['a lifetime without a guard', { lifetime: '72h', deleteGuard: false }],
  ['a guard without a lifetime', { deleteGuard: true }],
];

export const refusedRequests: readonly [string, object, string][] = [
  ['a name with a space', { clusterName: 'a b' }, 'spec.clusterName'],
  ['a name that ends with a dash', { clusterName: 'web-' }, 'spec.clusterName'],
  ['a name of 64 characters', { clusterName: 'a'.repeat(64) }, 'spec.clusterName'],
  ['a resource group that ends with a dot', { resourceGroup: 'rg.' }, 'spec.resourceGroup'],
  ['a DNS prefix with an underscore', { dnsPrefix: 'a_b' }, 'spec.dnsPrefix'],
  ['a guard with a lifetime', { lifetime: '72h', deleteGuard: true }, 'remove lifetime, or remove deleteGuard'],
  ['replicas without nodes: poolwright', { nodePool: { replicas: 1 } }, 'set nodes: poolwright'],
  ['maxCount with nap', { nodes: 'nap', nodePool: { maxCount: 3 } }, 'set nodes: agentPools'],
  [
    'more at least than at most',
    { nodes: 'agentPools', nodePool: { minCount: 4, maxCount: 3 } },
    'lower it, or raise maxCount',
  ],
  ['a tier that there is not', { tier: 'Gold' }, 'spec.tier'],
];
