/** The roles that AKS and Arc both need in Azure. Nothing here is for convenience: taking a right away breaks what its `why` says. */
import type { AzureRoles } from '../../platforms/azure/role.ts';

export const roles = {
  subscription: {
    title: 'Poolwright sizes, quotas and operations',
    at: 'the subscription of each cluster',
    rights: [
      {
        action: 'Microsoft.Compute/skus/read',
        why: 'reads sizes, zones and restrictions: which offerings exist',
        usedIn: 'shared/platforms/azure/catalog/resource-skus.ts',
      },
      {
        action: 'Microsoft.Compute/locations/usages/read',
        why: 'reads quotas, so that a size without quota is skipped before it is tried',
        usedIn: 'shared/platforms/azure/catalog/usages.ts',
      },
      {
        action: 'Microsoft.ContainerService/locations/operations/read',
        why: 'follows a create or delete in AKS until it finishes',
        usedIn: 'shared/platforms/azure/operation.ts',
      },
      {
        action: 'Microsoft.ContainerService/locations/operationresults/read',
        why: 'the same, where Azure names the result instead of the state',
        usedIn: 'shared/platforms/azure/operation.ts',
      },
      {
        action: 'Microsoft.HybridContainerService/Locations/operationStatuses/read',
        why: 'follows a create or delete in Arc until it finishes',
        usedIn: 'shared/platforms/azure/operation.ts',
      },
    ],
  },
  subnet: {
    title: 'Poolwright joins subnets',
    at: 'each subnet in the parameter `subnetIds`: those that node classes name',
    rights: [
      {
        action: 'Microsoft.Network/virtualNetworks/subnets/join/action',
        why: 'Azure requires it when a pool uses its own subnet',
        usedIn: 'shared/providers/aks/client/body.ts',
      },
    ],
  },
} as const satisfies AzureRoles;
