/**
 * The manifests of an internal platform as they were designed years ago, with parameters filled in: an API version that is gone, fields
 * that never were, and booleans in quotes. In the words of this project; the shape is the design's.
 */

type Fields = { [field: string]: unknown };

export function designManifests(type: string): Fields[] {
  return [
    {
      apiVersion: 'containerservice.azure.com/v1api20240402preview',
      kind: 'ManagedCluster',
      metadata: { name: 'shop', namespace: 'azure-system' },
      spec: {
        location: 'westeurope',
        owner: { name: 'rg-shop' },
        identity: { type: 'SystemAssigned' },
        nodeProvisioningProfile: { mode: 'Auto' },
        agentPoolProfiles: [
          {
            name: 'systempool',
            mode: 'System',
            count: 1,
            vmSize: 'Standard_B2s',
            enableAutoScaling: 'false',
            minCount: 1,
            maxCount: 3,
          },
        ],
        kubernetesVersion: '1.35',
      },
    },
    {
      apiVersion: 'karpenter.azure.com/v1alpha2',
      kind: 'AKSNodeClass',
      metadata: { name: 'shop-nodeclass' },
      spec: {
        location: 'westeurope',
        resourceGroup: 'rg-shop',
        subnetName: 'aks-subnet',
        instanceTypes: ['Standard_DS2_v2', 'Standard_DS3_v2'],
        osDisk: { sizeGb: 100, type: 'Premium_LRS' },
        userData: '#!/bin/sh\necho joined\n',
      },
    },
    {
      apiVersion: 'karpenter.sh/v1beta1',
      kind: 'NodePool',
      metadata: { name: 'shop-nodepool' },
      spec: {
        template: {
          metadata: { labels: { 'node-pool-type': type, 'cluster-name': 'shop' } },
          spec: {
            nodeClassRef: { kind: 'AKSNodeClass', name: 'shop-nodeclass' },
            requirements: [
              { key: 'karpenter.azure.com/sku-family', operator: 'In', values: ['D'] },
              { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
              {
                key: 'node.kubernetes.io/instance-type',
                operator: 'In',
                values: ['Standard_DS2_v2', 'Standard_DS3_v2'],
              },
            ],
            taints: [{ key: type, value: 'true', effect: 'NoSchedule' }],
          },
        },
        disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s', expireAfter: '2160h' },
        limits: { cpu: '1000', memory: '1000Gi' },
      },
    },
  ];
}

/** The same as a workflow has them, with its placeholders, and with words of another template language. */
export function designTemplates(): Fields[] {
  const [cluster] = designManifests('standard');
  const parameter = (name: string) => `{{inputs.parameters.${name}}}`;
  const choice = (yes: string, no: string) => `{{if eq inputs.parameters.enable-nap "true"}}${yes}{{else}}${no}{{end}}`;
  return [
    {
      ...cluster,
      metadata: { name: parameter('cluster-name'), namespace: 'azure-system' },
      spec: {
        ...(cluster?.spec as Fields),
        owner: { name: `rg-${parameter('cluster-name')}` },
        nodeProvisioningProfile: { mode: choice('Auto', 'Manual') },
        agentPoolProfiles: [
          {
            name: 'systempool',
            mode: 'System',
            count: 1,
            vmSize: parameter('system-vm-size'),
            enableAutoScaling: choice('false', 'true'),
            minCount: 1,
            maxCount: 3,
          },
        ],
      },
    },
  ];
}
