/**
 * Every right that Poolwright needs in Azure, and why: the one list. The role definitions that Bicep deploys (`roles.json`) and
 * the page in docs/ are made from it, and a test holds it against the code. Nothing here is for convenience: taking one away
 * breaks what its `why` says.
 */

export interface AzureRight {
  readonly action: string;
  readonly why: string;
  /** Which file makes the call. */
  readonly usedIn: string;
}

export type AzureRoleName = 'aks' | 'arc' | 'arcLocation' | 'subscription' | 'subnet';

/** A role of our own, given at one place and no higher. */
export interface AzureRole {
  readonly title: string;
  readonly at: string;
  readonly rights: readonly AzureRight[];
}

const aksPools = 'shared/providers/aks/client/agent-pools.ts';
const arcPools = 'shared/providers/arc/client/agent-pools.ts';
const aks = 'Microsoft.ContainerService/managedClusters';
const arc = 'Microsoft.HybridContainerService/provisionedClusterInstances';

export const azureRoles: Record<AzureRoleName, AzureRole> = {
  aks: {
    title: 'Poolwright agent pools of AKS',
    at: 'each AKS cluster that is served',
    rights: [
      {
        action: `${aks}/agentPools/read`,
        why: 'finds the pool of a claim, and lists the pools that are ours, for garbage collection and adoption',
        usedIn: aksPools,
      },
      { action: `${aks}/agentPools/write`, why: 'makes the agent pool of one node for a claim', usedIn: aksPools },
      {
        action: `${aks}/agentPools/delete`,
        why: 'deletes the pool with its claim, and pools that failed before the next size is tried',
        usedIn: aksPools,
      },
      {
        action: `${aks}/listClusterUserCredential/action`,
        why: 'asks where the API server is and whom to trust; what we may do there is decided in the cluster. Not needed where the configuration names `server`',
        usedIn: 'shared/providers/aks/client/cluster-access.ts',
      },
    ],
  },
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
  subscription: {
    title: 'Poolwright sizes, quotas and operations',
    at: 'the subscription of each cluster',
    rights: [
      {
        action: 'Microsoft.Compute/skus/read',
        why: 'reads sizes, zones and restrictions: what can be bought at all',
        usedIn: 'shared/providers/agent-pools/catalogue/resource-skus.ts',
      },
      {
        action: 'Microsoft.Compute/locations/usages/read',
        why: 'reads quotas, so that a size without quota is passed over before it is tried',
        usedIn: 'shared/providers/agent-pools/catalogue/quota.ts',
      },
      {
        action: 'Microsoft.ContainerService/locations/operations/read',
        why: 'follows a create or delete of AKS to its end',
        usedIn: 'shared/platforms/azure/operation.ts',
      },
      {
        action: 'Microsoft.ContainerService/locations/operationresults/read',
        why: 'the same, where Azure names the result instead of the state',
        usedIn: 'shared/platforms/azure/operation.ts',
      },
      {
        action: 'Microsoft.HybridContainerService/Locations/operationStatuses/read',
        why: 'follows a create or delete of Arc to its end',
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
        why: 'Azure asks for it when a pool is put into a subnet of its own',
        usedIn: 'shared/providers/aks/client/body.ts',
      },
    ],
  },
};

/** A role of Azure's own: there is none smaller that can be given for data. */
export interface DataRole {
  readonly title: string;
  /** The id that every Azure tenant knows it by. */
  readonly id: string;
  readonly on: string;
  readonly why: string;
}

export type DataRoleName =
  | 'storageBlobDataOwner'
  | 'storageQueueDataContributor'
  | 'storageTableDataContributor'
  | 'serviceBusDataSender'
  | 'serviceBusDataReceiver'
  | 'keyVaultSecretsUser'
  | 'monitoringMetricsPublisher';

export const dataRoles: Record<DataRoleName, DataRole> = {
  storageBlobDataOwner: {
    title: 'Storage Blob Data Owner',
    id: 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b',
    on: 'the storage account',
    why: 'the Functions host keeps its locks and timers in blobs, Durable Functions its leases and large payloads, and the package lies there',
  },
  storageQueueDataContributor: {
    title: 'Storage Queue Data Contributor',
    id: '974c5e8b-45b9-4653-ba55-5f855dd0fb88',
    on: 'the storage account',
    why: 'the queues of Durable Functions',
  },
  storageTableDataContributor: {
    title: 'Storage Table Data Contributor',
    id: '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3',
    on: 'the storage account',
    why: 'the state, and the histories of Durable Functions',
  },
  serviceBusDataSender: {
    title: 'Azure Service Bus Data Sender',
    id: '69a216fc-b8fb-44d8-bc22-1f3c2cd27a39',
    on: 'the queue of events',
    why: 'sources send events; what is tried later is sent as a copy',
  },
  serviceBusDataReceiver: {
    title: 'Azure Service Bus Data Receiver',
    id: '4f6d3b9b-027b-4f4c-9142-0e5a2a2247e0',
    on: 'the queue of events',
    why: 'the trigger receives events; dead letters are listed and replayed',
  },
  keyVaultSecretsUser: {
    title: 'Key Vault Secrets User',
    id: '4633458b-17de-408a-b874-0445c86b69e6',
    on: 'the key vault',
    why: 'app settings refer to secrets',
  },
  monitoringMetricsPublisher: {
    title: 'Monitoring Metrics Publisher',
    id: '3913510d-42f4-4e42-8a64-420c390055eb',
    on: 'Application Insights',
    why: 'logs and traces are sent by identity; there is no key for them',
  },
};
