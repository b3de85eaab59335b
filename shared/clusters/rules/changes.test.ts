import { expect, it } from 'vitest';
import { builtInPoolTypes } from '../pool-types/built-in.ts';
import type { ClusterRequestSpec } from '../request/schema.ts';
import { resolve } from '../resolved/resolve.ts';
import { changesBetween } from './changes.ts';

type Spec = Partial<ClusterRequestSpec>;
const resolved = (spec: Spec) =>
  resolve(
    {
      apiVersion: 'poolwright.dev/v1alpha1',
      kind: 'ClusterRequest',
      metadata: { name: 'shop', namespace: 'team-a' },
      spec: { location: 'westeurope', ...spec },
    },
    builtInPoolTypes,
  );
const changes = (before: Spec, after: Spec): string[] =>
  changesBetween(resolved(before), resolved(after)).map((one) => `${one.class} ${one.field}`);

it('to write a default out changes nothing', () => {
  const spelledOut: Spec = {
    location: 'West Europe',
    clusterName: 'shop',
    nodes: 'nap',
    nodePool: { type: 'standard' },
    network: { plugin: 'azure', policy: 'cilium' },
    systemPool: { count: 2 },
  };

  expect(changes({}, spelledOut)).toEqual([]);
});

it.each<[Spec, Spec, string[]]>([
  [{ kubernetesVersion: '1.35' }, { kubernetesVersion: '1.36' }, ['in-place spec.kubernetesVersion']],
  [{ kubernetesVersion: '1.35.1' }, { kubernetesVersion: '1.35.4' }, ['in-place spec.kubernetesVersion']],
  [{ kubernetesVersion: '1.35' }, { kubernetesVersion: '1.37' }, ['new-cluster spec.kubernetesVersion']],
  [{ kubernetesVersion: '1.36' }, { kubernetesVersion: '1.35' }, ['new-cluster spec.kubernetesVersion']],
  [{ kubernetesVersion: '1.35.4' }, { kubernetesVersion: '1.35.1' }, ['new-cluster spec.kubernetesVersion']],
  [{}, { addOns: { azurePolicy: true } }, ['in-place spec.addOns.azurePolicy']],
  [{}, { addOns: { workloadIdentity: false } }, ['new-cluster spec.addOns.workloadIdentity']],
  [{ addOns: { workloadIdentity: false } }, {}, ['in-place spec.addOns.workloadIdentity']],
  [{}, { tags: { team: 'a' } }, ['in-place spec.tags.team']],
  [{}, { gitOps: { url: 'https://a.example/b' } }, ['in-place spec.gitOps']],
  [
    { gitOps: { url: 'https://a.example/b' } },
    { gitOps: { url: 'https://a.example/c' } },
    ['in-place spec.gitOps.url'],
  ],
  [
    { gitOps: { url: 'https://a.example/b' } },
    { gitOps: { url: 'https://a.example/b', mode: 'remote' } },
    ['new-cluster spec.gitOps.mode'],
  ],
  [{}, { network: { podCidr: '10.2.0.0/16' } }, ['new-cluster spec.network.podCidr']],
  [{}, { network: { authorizedIPRanges: ['1.2.3.4'] } }, ['in-place spec.network.authorizedIPRanges']],
  [{}, { dnsPrefix: 'other' }, ['new-cluster spec.dnsPrefix']],
  [{}, { identity: { type: 'SystemAssigned' } }, ['new-cluster spec.identity.type']],
  [{}, { systemPool: { vmSize: 'Standard_D8s_v5' } }, ['new-cluster spec.systemPool.vmSize']],
  [{}, { systemPool: { count: 3 } }, ['in-place spec.systemPool.count']],
  [{ nodes: 'agentPools' }, { nodes: 'nap' }, ['in-place spec.nodes']],
  [{ nodes: 'nap' }, { nodes: 'agentPools' }, ['new-cluster spec.nodes']],
  [{ nodePool: { osDiskSizeGB: 64 } }, { nodePool: { osDiskSizeGB: 128 } }, ['new-nodes spec.nodePool.osDiskSizeGB']],
  [{ nodes: 'poolwright' }, { nodes: 'poolwright', nodePool: { replicas: 4 } }, ['in-place spec.nodePool.replicas']],
  [{}, { driver: 'arm' }, ['new-cluster spec.driver']],
])('from %j to %j', (before, after, expected) => {
  expect(changes(before, after)).toEqual(expected);
});

it('another pool type is other nodes, and no other cluster', () => {
  const found = changesBetween(resolved({}), resolved({ nodePool: { type: 'memory-optimized' } }));

  expect(found.length).toBeGreaterThan(2);
  expect(found.filter((one) => one.class === 'new-cluster')).toEqual([]);
});

it('what cannot change says why', () => {
  for (const { why } of changesBetween(resolved({}), resolved({ location: 'eastus', driver: 'arm', dnsPrefix: 'x' }))) {
    expect(why).not.toBe('');
  }
});
