import { describe, expect, it } from 'vitest';
import { designManifests, designTemplates } from '../../../test/clusters/design.ts';
import { convertAll } from './convert.ts';

type Fields = { [field: string]: unknown };
const told = (objects: readonly Fields[]): string[][] =>
  convertAll(objects).map(({ notes }) => notes.map(({ kind, field }) => `${kind} ${field}`));

describe('the manifests of the design', () => {
  it('are told everything that is wrong with them today', () => {
    expect(told(designManifests('standard'))).toEqual([
      [
        'changed apiVersion',
        'changed spec.dnsPrefix',
        'advice spec.nodeProvisioningProfile',
        'changed spec.agentPoolProfiles[0].enableAutoScaling',
        'removed spec.agentPoolProfiles[0].minCount, maxCount',
        'advice spec.agentPoolProfiles[0].vmSize',
        'advice spec.agentPoolProfiles[0].vmSize',
        'advice spec.agentPoolProfiles[0].count',
      ],
      [
        'changed apiVersion',
        'removed spec.location',
        'removed spec.resourceGroup',
        'removed spec.subnetName',
        'changed spec.instanceTypes',
        'changed spec.osDisk.sizeGb',
        'removed spec.osDisk.type',
        'removed spec.userData',
        'advice kind',
      ],
      [
        'changed apiVersion',
        'changed spec.template.spec.nodeClassRef.group',
        'changed spec.disruption.expireAfter',
        'advice spec.template.spec.taints[0]',
        'advice spec.template.spec.requirements[2]',
        'advice kind',
      ],
    ]);
  });

  it('keep what they meant', () => {
    const [cluster, nodeClass, pool] = convertAll(designManifests('memory-optimized')).map(({ object }) => object);

    expect(cluster).toMatchObject({
      apiVersion: 'containerservice.azure.com/v1api20250801',
      spec: { dnsPrefix: 'shop', agentPoolProfiles: [{ enableAutoScaling: false, count: 1 }] },
    });
    expect(nodeClass).toMatchObject({ apiVersion: 'karpenter.azure.com/v1beta1', spec: { osDiskSizeGB: 100 } });
    expect(pool).toMatchObject({
      apiVersion: 'karpenter.sh/v1',
      spec: {
        template: {
          spec: {
            nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'shop-nodeclass' },
            expireAfter: '2160h',
          },
        },
        disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s' },
      },
    });
    expect(pool).not.toHaveProperty('spec.disruption.expireAfter');
  });

  it('as templates: a choice of Go becomes an expression of Argo, and a boolean in quotes is left to their author', () => {
    const [cluster] = convertAll(designTemplates());

    expect(cluster?.object).toMatchObject({
      spec: {
        dnsPrefix: '{{inputs.parameters.cluster-name}}',
        nodeProvisioningProfile: { mode: "{{=inputs.parameters['enable-nap'] == 'true' ? 'Auto' : 'Manual'}}" },
      },
    });
    expect(cluster?.notes.filter(({ kind }) => kind === 'problem').map(({ field }) => field)).toEqual([
      'spec.agentPoolProfiles[0].enableAutoScaling',
    ]);
  });

  it('are converted once: the result changes no more', () => {
    const once = convertAll(designManifests('standard')).map(({ object }) => object);
    const again = convertAll(once);

    expect(again.map(({ object }) => object)).toEqual(once);
    expect(again.flatMap(({ notes }) => notes).filter(({ kind }) => kind !== 'advice')).toEqual([]);
  });

  it('are not touched themselves', () => {
    const given = designManifests('standard');
    convertAll(given);

    expect(given).toEqual(designManifests('standard'));
  });
});

const pool = (spec: Fields, disruption: Fields = {}): Fields => ({
  apiVersion: 'karpenter.sh/v1beta1',
  kind: 'NodePool',
  metadata: { name: 'p' },
  spec: {
    template: {
      spec: { nodeClassRef: { apiVersion: 'karpenter.azure.com/v1alpha2', kind: 'AKSNodeClass', name: 'c' }, ...spec },
    },
    disruption,
  },
});
const nodeClass = (spec: Fields): Fields => ({
  apiVersion: 'karpenter.azure.com/v1alpha2',
  kind: 'AKSNodeClass',
  metadata: { name: 'c' },
  spec,
});

describe('NodePool v1beta1', () => {
  it('gets the names of today for consolidation', () => {
    const [converted] = convertAll([pool({}, { consolidationPolicy: 'WhenUnderutilized' })]);

    expect(converted?.object).toMatchObject({
      spec: { disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' } },
    });
  });

  it('hands sizes and kubelet settings of its class over to where they belong', () => {
    const [changedClass, changedPool] = convertAll([
      nodeClass({ instanceTypes: ['Standard_D4s_v5'], kubelet: { podPidsLimit: 5 } }),
      pool({
        kubelet: { maxPods: 50, podPidsLimit: 9, cpuCFSQuota: true, podsPerCore: 4 },
        resources: { requests: {} },
      }),
    ]);

    expect(changedClass?.object).toMatchObject({
      spec: { maxPods: 50, kubelet: { podPidsLimit: 5, cpuCFSQuota: true } },
    });
    expect(changedPool?.object).toMatchObject({
      spec: {
        template: {
          spec: {
            requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['Standard_D4s_v5'] }],
          },
        },
      },
    });
    expect(changedPool?.notes.filter(({ kind }) => kind === 'removed').map(({ field }) => field)).toEqual([
      'spec.template.spec.kubelet.podsPerCore',
      'spec.template.spec.resources',
    ]);
  });

  it('without a node class is a problem, and no guess', () => {
    const [converted] = convertAll([
      { apiVersion: 'karpenter.sh/v1beta1', kind: 'NodePool', spec: { template: { spec: {} } } },
    ]);

    expect(converted?.notes).toContainEqual(
      expect.objectContaining({ kind: 'problem', field: 'spec.template.spec.nodeClassRef' }),
    );
  });

  it('with names of JavaScript in the place of fields is told about them like about any other', () => {
    const [odd, noClass] = convertAll([
      nodeClass({ constructor: 1, toString: 2 }),
      pool({ nodeClassRef: { kind: 'constructor', name: 'c' } }),
    ]);

    expect(odd?.notes.map(({ kind, field, text }) => [kind, field, typeof text])).toEqual([
      ['changed', 'apiVersion', 'string'],
      ['removed', 'spec.constructor', 'string'],
      ['removed', 'spec.toString', 'string'],
    ]);
    expect(noClass?.notes).toContainEqual(expect.objectContaining({ kind: 'problem' }));
  });

  it.each([undefined, null, 7, 'x', [], [1]])('with a spec that is %j does not stop the conversion', (spec) => {
    for (const kind of ['NodePool', 'AKSNodeClass', 'ManagedCluster']) {
      const apiVersion = {
        NodePool: 'karpenter.sh/v1',
        AKSNodeClass: 'karpenter.azure.com/v1',
        ManagedCluster: 'containerservice.azure.com/v1',
      }[kind];
      expect(() => convertAll([{ apiVersion, kind, spec }])).not.toThrow();
    }
  });
});

it('AKSNodeClass: a disk that no node can have is a problem', () => {
  const [converted] = convertAll([nodeClass({ osDisk: { sizeGb: 9999 }, colour: 'red' })]);

  expect(converted?.notes.map(({ kind, field }) => `${kind} ${field}`)).toEqual([
    'changed apiVersion',
    'problem spec.osDisk.sizeGb',
    'removed spec.colour',
  ]);
});

it('objects of other kinds come back as they are', () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };

  expect(convertAll([secret])).toEqual([{ object: secret, notes: [] }]);
});
