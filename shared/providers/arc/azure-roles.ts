/** The roles that the provider needs in Azure. Nothing here is for convenience: taking a right away breaks what its `why` says. */
import type { AzureRoles } from '../../platforms/azure/role.ts';

const arcPools = 'shared/providers/arc/client/agent-pools.ts';
const arc = 'Microsoft.HybridContainerService/provisionedClusterInstances';

export const roles = {
  arc: {
    title: 'Poolwright agent pools of AKS on Azure Arc',
    at: 'each connected cluster that is served',
    rights: [
      {
        action: `${arc}/read`,
        why: 'learns the custom location of the cluster, where the configuration does not name it',
        usedIn: 'shared/providers/arc/custom-location.ts',
      },
      {
        action: `${arc}/agentPools/read`,
        why: 'finds the pool of a claim, and lists the pools that are ours, for garbage collection and adoption',
        usedIn: arcPools,
      },
      { action: `${arc}/agentPools/write`, why: 'makes the agent pool of one node for a claim', usedIn: arcPools },
      {
        action: `${arc}/agentPools/delete`,
        why: 'deletes the pool with its claim, and pools that failed before the next size is tried',
        usedIn: arcPools,
      },
      {
        action: `${arc}/listUserKubeconfig/action`,
        why: 'asks where the API server is and whom to trust; not needed where the configuration names `server` or a kubeconfig',
        usedIn: 'shared/providers/arc/client/cluster-access.ts',
      },
    ],
  },
  arcLocation: {
    title: 'Poolwright sizes of a custom location',
    at: 'the custom location of each connected cluster',
    rights: [
      {
        action: 'Microsoft.HybridContainerService/skus/read',
        why: 'reads which VM sizes the location offers',
        usedIn: 'shared/providers/arc/custom-location.ts',
      },
      {
        action: 'Microsoft.ExtendedLocation/customLocations/deploy/action',
        why: 'Azure asks for it when a pool is made in the location',
        usedIn: arcPools,
      },
    ],
  },
} as const satisfies AzureRoles;
