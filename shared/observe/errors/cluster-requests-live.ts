/** What can stop a request for a cluster while it is carried out, or keep it waiting. */
import { byItself, type ErrorGroup } from './entry.ts';

const about = 'ClusterRequest';
const seen = ['condition', 'cli'] as const;

export const clusterRequestsLive = {
  VcpuQuotaTooSmall: {
    cause: 'The subscription has no quota for the vCPUs that the cluster needs; the message has the numbers.',
    cure: 'Request a higher quota (Azure portal, Quotas, Compute), or use fewer or smaller nodes, another pool type or another location.',
    more: 'Each family of VM sizes has a quota per location, and all families together have another one. An upgrade needs one more node per pool for a while. Azure Service Operator sleeps for up to an hour after this error; Poolwright wakes it.',
    seen,
    about,
  },
  ClusterCountQuota: {
    cause: 'The subscription has as many AKS clusters as it may have.',
    cure: 'Delete clusters that are no longer needed, or ask Azure for a higher limit.',
    seen,
    about,
  },
  LocationOutOfCapacity: {
    cause: 'Azure is out of capacity in this location.',
    cure: 'Use another location, another VM size or other zones, or wait.',
    more: 'Private and public clusters have separate capacity.',
    seen,
    about,
  },
  VmSizeUnavailable: {
    cause: 'Azure does not offer a VM size of the request to this subscription in this location.',
    cure: 'Use a size that `az vm list-skus -l LOCATION` lists without restrictions, or another location.',
    more: 'AKS also has a list of its own, which nobody can read: a size can have quota and no restriction, and still be refused.',
    seen,
    about,
  },
  AzureNameRefused: {
    cause: 'Azure refuses the name of the cluster, its resource group or its DNS prefix.',
    cure: 'Choose another name in `spec.clusterName`, `spec.resourceGroup` or `spec.dnsPrefix`.',
    seen,
    about,
  },
  ClusterNotOurs: {
    cause:
      'The resource group or the cluster exists already in Azure, and this request did not make it. Nothing was changed.',
    cure: 'Use another name, or delete what exists if it is no longer needed.',
    more: 'Azure Service Operator takes over what exists without asking, changes it and deletes it with the request. So Poolwright looks first, and stops. What is its own has the tag `poolwright-cluster-request-uid` with the uid of the request.',
    seen,
    about,
  },
  ProviderNotRegistered: {
    cause: 'The subscription has not registered a resource provider that the cluster needs.',
    cure: 'Register it: `az provider register --namespace NAME`.',
    more: 'Needed are Microsoft.ContainerService, Microsoft.Compute, Microsoft.Network and Microsoft.ManagedIdentity, and for Flux Microsoft.KubernetesConfiguration.',
    seen,
    about,
  },
  IdentityNotReplicated: {
    cause: 'The identity of the cluster is new, and Entra ID does not know it everywhere yet.',
    cure: byItself,
    seen,
    about,
  },
  AzurePermissionMissing: {
    cause: 'The identity that asks Azure lacks a permission.',
    cure: 'Give it the role that the message names. A new role works after some minutes.',
    more: 'With the driver `aso` that is the identity in the credential of the operator; with `arm` it is that of the host.',
    seen,
    about,
  },
  SubscriptionWrong: {
    cause: 'The credential is for another subscription than the one that is asked, or the subscription does not exist.',
    cure: 'Correct the subscription in the credential. One namespace is one subscription.',
    seen,
    about,
  },
  AzurePolicyDenied: {
    cause: 'A policy of the subscription forbids what the request needs.',
    cure: 'Follow the policy that the message names, or have an exemption added to it.',
    seen,
    about,
  },
  AzureScopeLocked: {
    cause: 'A lock in Azure forbids the change.',
    cure: 'Remove the lock (`az lock list` shows it), or use another resource group.',
    seen,
    about,
  },
  WaitingForOwner: {
    cause: 'An object waits for the object that owns it, which is missing or not Ready.',
    cure: 'Look at the owner: what is wrong is there.',
    more: 'A cluster waits for its resource group, a pool for its cluster. `poolwright clusters explain` follows the owners.',
    seen,
    about,
  },
  ReferenceMissing: {
    cause: 'A Secret, ConfigMap or other object that the request refers to is missing.',
    cure: 'Create it in the namespace of the request, or correct the reference.',
    seen,
    about,
  },
  AzureBusy: {
    cause: 'Another operation on the same resource is running in Azure.',
    cure: byItself,
    seen,
    about,
  },
  AzureThrottled: {
    cause: 'Azure throttles the requests of this subscription or of this location.',
    cure: byItself,
    seen,
    about,
  },
  ExportRefused: {
    cause: 'The operator cannot write a Secret or ConfigMap, because one of that name exists that is not its own.',
    cure: 'Delete or rename the one that exists.',
    seen,
    about,
  },
  FluxNotInstalled: {
    cause: 'The extension for Flux could not be installed in the new cluster.',
    cure: 'Check that a node without taints is Ready and can pull images. The installation is repeated.',
    seen,
    about,
  },
  AzureParentMissing: {
    cause: 'Something in Azure that the request needs is missing, such as a subnet or an identity that it names.',
    cure: 'Create it, or correct its ARM id in the request.',
    seen,
    about,
  },
  ChangeNotPossible: {
    cause: 'The field cannot change on a cluster that exists.',
    cure: 'Set it back, or delete the request and create a new one.',
    seen,
    about,
  },
  AzureRequestInvalid: {
    cause: 'Azure refuses a field that Poolwright has no rule for; the message has its own words.',
    cure: 'Change the field that the message is about.',
    seen,
    about,
  },
  AzureRefused: {
    cause: 'Azure refuses the request for a reason that Poolwright does not know; the message has its own words.',
    cure: 'Look up the code in the documentation of AKS.',
    seen,
    about,
  },
  AsoNotInstalled: {
    cause: 'The management cluster lacks kinds of Azure Service Operator.',
    cure: 'Install the operator with a `crdPattern` that includes what the message names.',
    more: 'No kind is installed by default. Needed are `resources.azure.com/*;managedidentity.azure.com/*;containerservice.azure.com/*;authorization.azure.com/*;kubernetesconfiguration.azure.com/*`.',
    seen,
    about,
  },
  AsoCredentialMissing: {
    cause: 'Azure Service Operator has no credential for the namespace of the request.',
    cure: 'Create the Secret `aso-credential` there, or name another one in `spec.aso.credentialFrom`.',
    seen,
    about,
  },
  ClusterRightMissing: {
    cause: 'Poolwright lacks a right in the management cluster; the message names it.',
    cure: 'Apply the ClusterRole for cluster requests, which docs/clusters-platform-team.md shows.',
    seen,
    about,
  },
  DeleteGuarded: {
    cause: 'The request has a delete guard, so its cluster is not deleted.',
    cure: 'Set `deleteGuard: false` first, or delete the request and keep the cluster in Azure.',
    seen,
    about,
  },
  TeamNotAllowed: {
    cause: 'The policy of the platform team does not let this team request clusters.',
    cure: 'Ask the platform team to add the team to `clusterRequests.policy.teams`.',
    seen,
    about,
  },
  TeamQuotaReached: {
    cause: 'The team has as many clusters, or as many nodes in them, as the policy allows.',
    cure: 'Delete a request that is no longer needed, or ask the platform team for more.',
    seen,
    about,
  },
  LocationNotAllowed: {
    cause: 'The policy does not allow this location for the team.',
    cure: 'Use a location that the message lists.',
    seen,
    about,
  },
  PoolTypeNotAllowed: {
    cause: 'The policy does not allow this node pool type for the team.',
    cure: 'Use a pool type that the message lists.',
    seen,
    about,
  },
  LifetimeRequired: {
    cause: 'The policy wants clusters of this team to end by themselves, and after no longer than it says.',
    cure: 'Set `spec.lifetime`, up to what the message says.',
    seen,
    about,
  },
  NotificationFailed: {
    cause: 'A notification about a cluster could not be delivered.',
    cure: 'Check the address and the token of the target in `clusterRequests.notifications`. The cluster itself is not affected.',
    seen: ['log'],
    about,
  },
  NoManagementCluster: {
    cause: 'The host carries out no cluster requests: no cluster of its configuration has `clusterRequests`.',
    cure: 'Add `clusterRequests: {}` to the management cluster in the configuration.',
    seen: ['cli'],
  },
} as const satisfies ErrorGroup;
