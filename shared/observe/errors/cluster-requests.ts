/** What is wrong with a request for a whole cluster, or with manifests that were written for one. */
import type { ErrorGroup } from './entry.ts';

const about = 'ClusterRequest';
const asMessage = 'Change the field as the message says.';

export const clusterRequests = {
  ClusterRequestInvalid: {
    cause: 'A field of the request is unknown, missing, or of another type.',
    cure: asMessage,
    seen: ['cli'],
    about,
  },
  RequestNameInvalid: {
    cause: 'The name or the namespace of the request is not one that Kubernetes allows.',
    cure: 'Use lowercase letters, digits and dashes. The cluster in Azure may have another name: `spec.clusterName`.',
    seen: ['cli'],
    about,
  },
  ClusterNameInvalid: {
    cause: 'The name of the cluster is not one that Azure allows.',
    cure: 'Use 1 to 63 letters, digits, dashes and underscores, with a letter or digit at both ends.',
    more: 'Kubernetes allows dots and up to 253 characters in a name, Azure does not. Azure allows upper case and underscores, Kubernetes does not.',
    seen: ['cli'],
    about,
  },
  ResourceGroupNameInvalid: {
    cause: 'The name of the resource group is not one that Azure allows.',
    cure: 'Use 1 to 90 letters, digits and `-_.()`, without a dot at the end.',
    seen: ['cli'],
    about,
  },
  NodeResourceGroupInvalid: {
    cause: 'The resource group of the nodes has a name that AKS refuses.',
    cure: 'Use 80 characters at most, or remove the field.',
    more: 'Without the field, AKS names it `MC_<group>_<cluster>_<location>`. If that would have more than 80 characters, Poolwright sets a shorter name.',
    seen: ['cli'],
    about,
  },
  DnsPrefixInvalid: {
    cause: 'The DNS prefix of the API server is not one that Azure allows.',
    cure: 'Use 1 to 54 letters, digits and dashes, or remove the field: the name of the cluster is used then.',
    seen: ['cli'],
    about,
  },
  ClusterRequestsCollide: {
    cause: 'Two requests have the same name, or ask for the same cluster or resource group in Azure.',
    cure: 'Change one of them as the message says.',
    more: 'Azure Service Operator takes over what exists under the same name. Two requests for one cluster would change it back and forth, and the first one that is deleted would delete it for both.',
    seen: ['cli'],
    about,
  },
  LocationInvalid: {
    cause: 'The location is unknown, or AKS is not available there.',
    cure: 'Use a location such as `westeurope`; `az account list-locations` lists them.',
    seen: ['cli'],
    about,
  },
  LifetimeInvalid: {
    cause: 'The lifetime of the cluster is not a duration, or contradicts the delete guard.',
    cure: asMessage,
    seen: ['cli'],
    about,
  },
  KubernetesVersionInvalid: {
    cause: 'The Kubernetes version is not written as AKS writes it.',
    cure: 'Write `"1.35"` or `"1.35.2"`, in quotes and without a v.',
    seen: ['cli'],
    about,
  },
  KubernetesVersionUnsupported: {
    cause: 'AKS does not support this version of Kubernetes, or will soon stop.',
    cure: 'Use a version that the message names, or remove the field.',
    more: 'Without an answer from Azure, Poolwright judges by a list of its own and says as of when it is. A version that is newer than that list is only a warning.',
    seen: ['cli'],
    about,
  },
  TierInvalid: {
    cause: 'The tier of the control plane does not include what the request asks for.',
    cure: asMessage,
    seen: ['cli'],
    about,
  },
  PoolTypeUnknown: {
    cause: 'There is no node pool type with this name.',
    cure: 'Use one that the message lists, or add one with `--pool-types`.',
    seen: ['cli'],
    about,
  },
  VmSizeNotAccepted: {
    cause: 'The node pool type does not accept this VM size.',
    cure: 'Use a size of the type, another type, or add a type with `--pool-types`.',
    seen: ['cli'],
    about,
  },
  VmSizeRetiring: {
    cause: 'Azure has announced the end of this VM size, or it is of an older generation.',
    cure: 'Use the size that the message names. New subscriptions may not get the old one.',
    seen: ['cli'],
    about,
  },
  SystemPoolTooSmall: {
    cause: 'The system pool is smaller than AKS requires or advises.',
    cure: 'Use two nodes or more of Standard_D4s_v5 or larger.',
    seen: ['cli'],
    about,
  },
  NodePoolInvalid: {
    cause: 'Fields of the node pool contradict each other, or have no meaning for the chosen maker of nodes.',
    cure: asMessage,
    seen: ['cli'],
    about,
  },
  NodeLabelRefused: {
    cause: 'AKS or Karpenter refuses this label on nodes.',
    cure: 'Use a key of your own domain, such as `example.com/team`.',
    seen: ['cli'],
    about,
  },
  NodeTaintInvalid: {
    cause: 'A taint is malformed, occurs twice, or has a key that AKS and Karpenter keep for themselves.',
    cure: asMessage,
    seen: ['cli'],
    about,
  },
  NetworkInvalid: {
    cause: 'Fields of the network contradict each other, or are malformed.',
    cure: asMessage,
    seen: ['cli'],
    about,
  },
  NapNetworkUnsupported: {
    cause: 'Node auto-provisioning does not work with this network.',
    cure: 'Use the plugin `azure` with the overlay, or set `nodes: agentPools`.',
    seen: ['cli'],
    about,
  },
  IdentityInvalid: {
    cause: 'The identity does not fit the rest of the request, or needs a role that you have to give it.',
    cure: asMessage,
    seen: ['cli'],
    about,
  },
  AccessInvalid: {
    cause: 'The access to the API of the cluster is malformed, or would lock everyone out.',
    cure: asMessage,
    seen: ['cli'],
    about,
  },
  AddOnInvalid: {
    cause: 'An add-on is malformed, or is written as a raw profile although it has a field.',
    cure: asMessage,
    seen: ['cli'],
    about,
  },
  GitUrlInvalid: {
    cause: 'The URL of the repository is malformed, or contains a credential.',
    cure: 'Write it as `https://host/path` or `ssh://git@host/path`. If it contains a credential, revoke that.',
    seen: ['cli'],
    about,
  },
  GitCredentialsMissing: {
    cause: 'The repository needs credentials, and the request does not name any.',
    cure: 'Set `gitOps.secretRef`, or `gitOps.public: true` for a public repository.',
    seen: ['cli'],
    about,
  },
  GitOpsInvalid: {
    cause: 'A field of the GitOps source is malformed, or contradicts another.',
    cure: asMessage,
    seen: ['cli'],
    about,
  },
  TagInvalid: {
    cause: 'Azure refuses a tag, or it would look like one of Poolwright.',
    cure: asMessage,
    seen: ['cli'],
    about,
  },
  ApiVersionNotServed: {
    cause: 'Azure Service Operator serves no version of a kind that Poolwright can use.',
    cure: 'Upgrade the operator, and check that its `crdPattern` includes the group.',
    seen: ['cli'],
    about,
  },
  ApiVersionLacksField: {
    cause: 'The API version that the operator serves lacks a field that the request needs.',
    cure: 'Upgrade the operator, or change the request as the message says.',
    seen: ['cli'],
    about,
  },
  NothingToConvert: {
    cause: 'The file contains nothing that can be converted.',
    cure: 'Pass a file with a node class for AKS, a NodePool or a ManagedCluster with -f.',
    seen: ['cli'],
  },
  NoClusterRequest: {
    cause: 'The file contains neither a ClusterRequest nor parameters for one.',
    cure: 'Pass a file with one of them with -f.',
    seen: ['cli'],
  },
} as const satisfies ErrorGroup;
