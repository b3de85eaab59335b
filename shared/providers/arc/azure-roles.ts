/** The roles that the provider needs in Azure. Nothing here is for convenience: taking a right away breaks what its `why` says. */
import type { AzureRoles } from '../../platforms/azure/role.ts';

const arcPools = 'shared/providers/arc/client/agent-pools.ts';
const arc = 'Microsoft.HybridContainerService/provisionedClusterInstances';

export const roles = {
  arc: {
    title: 'Poolwright agent pools of AKS on Azure Arc',
    at: 'each connected cluster that the host serves',
    rights: [
      {
        action: `${arc}/read`,
        why: 'reads the custom location of the cluster, if the configuration does not name it',
        usedIn: 'shared/providers/arc/custom-location.ts',
      },
      {
        action: `${arc}/agentPools/read`,
        why: 'finds the pool of a claim, and lists the pools of this deployment, for garbage collection and adoption',
        usedIn: arcPools,
      },
      { action: `${arc}/agentPools/write`, why: 'creates the one-node agent pool of a claim', usedIn: arcPools },
      {
        action: `${arc}/agentPools/delete`,
        why: 'deletes the pool with its claim, and a failed pool before the next size is tried',
        usedIn: arcPools,
      },
      {
        action: `${arc}/listUserKubeconfig/action`,
        why: 'reads the address and certificate authority of the API server; not needed where the configuration names `server` or a kubeconfig',
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
        why: 'Azure requires it when a pool is created in the location',
        usedIn: arcPools,
      },
    ],
  },
} as const satisfies AzureRoles;
