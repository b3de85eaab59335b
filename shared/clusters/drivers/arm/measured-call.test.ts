import { expect, it } from 'vitest';
import { resourceTypeOf } from './measured-call.ts';

const group = '/subscriptions/s/resourceGroups/rg';
const cluster = `${group}/providers/Microsoft.ContainerService/managedClusters/web`;

it.each([
  [group, 'Microsoft.Resources/resourceGroups'],
  ['/subscriptions/s/resourcegroups', 'Microsoft.Resources/resourceGroups'],
  [`${group}/resources`, 'Microsoft.Resources/resources'],
  [`${group}/providers/Microsoft.Resources/tags/default`, 'Microsoft.Resources/tags'],
  [cluster, 'Microsoft.ContainerService/managedClusters'],
  [`${cluster}/agentPools`, 'Microsoft.ContainerService/managedClusters/agentPools'],
  [`${cluster}/listClusterAdminCredential`, 'Microsoft.ContainerService/managedClusters/listClusterAdminCredential'],
  [
    `${cluster}/providers/Microsoft.KubernetesConfiguration/extensions/flux`,
    'Microsoft.KubernetesConfiguration/extensions',
  ],
])('%s is of the type %s', (path, type) => {
  expect(resourceTypeOf(path)).toBe(type);
});
