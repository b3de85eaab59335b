import { describe, expect, it } from 'vitest';
import { looksLikeParameters, requestFromParameters } from './parameters.ts';

const all = {
  'cluster-name': 'shop',
  location: 'westeurope',
  'node-pool-type': 'standard',
  'enable-nap': 'true',
  'dry-run': 'false',
  'kubernetes-version': '1.35',
  'primary-vm-size': 'Standard_DS2_v2',
  'secondary-vm-size': 'Standard_DS3_v2',
  'sku-family': 'D',
  'max-cpu': '1000',
  'max-memory': '1000Gi',
  'system-vm-size': 'Standard_B2s',
};

describe('parameters of a workflow', () => {
  it('amount to a request, all twelve', () => {
    expect(requestFromParameters(all, 'team-a')).toEqual({
      ok: true,
      value: {
        apiVersion: 'poolwright.dev/v1alpha1',
        kind: 'ClusterRequest',
        metadata: { name: 'shop', namespace: 'team-a' },
        spec: {
          location: 'westeurope',
          kubernetesVersion: '1.35',
          nodes: 'nap',
          nodePool: {
            type: 'standard',
            vmSizes: ['Standard_DS2_v2', 'Standard_DS3_v2'],
            family: 'D',
            limits: { cpu: '1000', memory: '1000Gi' },
          },
          systemPool: { vmSize: 'Standard_B2s' },
          dryRun: false,
        },
      },
    });
  });

  it('without NAP mean agent pools', () => {
    const made = requestFromParameters({ ...all, 'enable-nap': false }, 'team-a');

    expect(made).toMatchObject({ value: { spec: { nodes: 'agentPools' } } });
  });
});

describe('fields of an API', () => {
  it('are the same in camel case, with real booleans', () => {
    const made = requestFromParameters(
      {
        clusterName: 'Shop_1',
        location: 'westeurope',
        nodePoolType: 'standard',
        enableNAP: true,
        dryRun: true,
        kubernetesVersion: '1.35',
      },
      'team-a',
    );

    expect(made).toMatchObject({
      ok: true,
      value: { metadata: { name: 'shop-1' }, spec: { clusterName: 'Shop_1', nodes: 'nap', dryRun: true } },
    });
  });

  it.each<[string, { [name: string]: unknown }, string]>([
    ['unknown', { clusterNam: 'x' }, 'clusterNam'],
    ['given twice', { 'cluster-name': 'x' }, 'cluster-name'],
    ['a flag that is none', { enableNAP: 'yes' }, 'enableNAP'],
    ['a version that YAML has made a number of', { kubernetesVersion: 1.3 }, 'kubernetesVersion'],
    ['a list', { location: ['westeurope'] }, 'location'],
  ])('%s', (_, more, path) => {
    const made = requestFromParameters({ clusterName: 'shop', location: 'westeurope', ...more }, 'team-a');

    expect(made.ok ? [] : made.problems.map((one) => one.path)).toContain(path);
  });

  it('that are missing are named, all of them', () => {
    const made = requestFromParameters({ dryRun: true }, 'team-a');

    expect(made.ok ? [] : made.problems.map((one) => one.path)).toEqual(['clusterName', 'location']);
  });
});

it('an object of Kubernetes is no list of parameters', () => {
  expect(looksLikeParameters({ clusterName: 'a' })).toBe(true);
  for (const other of [{ kind: 'X', location: 'a' }, { apiVersion: 'v1', location: 'a' }, {}, [], null, 'location']) {
    expect(looksLikeParameters(other)).toBe(false);
  }
});
