/** The roles that the provider needs in Azure. Nothing here is for convenience: taking a right away breaks what its `why` says. */
import type { AzureRoles } from '../../platforms/azure/role.ts';

const aksPools = 'shared/providers/aks/client/agent-pools.ts';
const aks = 'Microsoft.ContainerService/managedClusters';

export const roles = {
  aks: {
    title: 'Poolwright agent pools of AKS',
    at: 'each AKS cluster that the host serves',
    rights: [
      {
        action: `${aks}/agentPools/read`,
        why: 'finds the pool of a claim, and lists the pools of this deployment, for garbage collection and adoption',
        usedIn: aksPools,
      },
      { action: `${aks}/agentPools/write`, why: 'creates the one-node agent pool of a claim', usedIn: aksPools },
      {
        action: `${aks}/agentPools/delete`,
        why: 'deletes the pool with its claim, and a failed pool before the next size is tried',
        usedIn: aksPools,
      },
      {
        action: `${aks}/listClusterUserCredential/action`,
        why: 'reads the address and certificate authority of the API server; the cluster itself decides the permissions there. Not needed where the configuration names `server`',
        usedIn: 'shared/providers/aks/client/cluster-access.ts',
      },
    ],
  },
} as const satisfies AzureRoles;
