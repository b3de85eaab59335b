/**
 * The codes of Azure Resource Manager, of AKS and of Azure Service Operator, in the words of our own catalog: what is wrong, and what to do.
 * Whether waiting can help is decided by the drivers; here it is only told.
 */
import { cutText } from '../../base/text.ts';
import type { AzureSignal, AzureSubject, AzureVerdict } from './azure-code.ts';
import { quotaIn } from './quota-text.ts';

interface Rule extends Pick<AzureVerdict, 'code'> {
  codes?: readonly string[];
  /** In Azure's own words, where the code alone does not tell. */
  text?: RegExp;
  cause: (subject: AzureSubject, said: string, signal: AzureSignal) => string;
  fix: (subject: AzureSubject) => string;
}

const says = (said: string): string => (said === '' ? '' : `: ${said}`);

/** From the top: the first that fits decides, because one code stands for several things. */
const rules: readonly Rule[] = [
  {
    text: /global credential not configured|credential secret not found/i,
    code: 'AsoCredentialMissing',
    cause: ({ namespace }) => `Azure Service Operator has no credential for the namespace ${namespace}`,
    fix: ({ namespace }) =>
      `create the Secret aso-credential in ${namespace}, or name another one in spec.aso.credentialFrom`,
  },
  {
    codes: ['ErrCode_InsufficientVCPUQuota', 'QuotaExceeded', 'ResourceQuotaExceeded'],
    text: /insufficient vcpu quota|exceeding (approved|quota limits)|Total Regional Cores quota/i,
    code: 'VcpuQuotaTooSmall',
    cause: ({ location }, said, { message }) =>
      quotaIn(message)?.cause ?? `the vCPU quota in ${location} is too small${says(said)}`,
    fix: ({ location }) =>
      `request a higher quota for ${location} (Azure portal, Quotas, Compute), or ask for fewer or smaller nodes, another pool type or another location`,
  },
  {
    codes: ['ManagedClusterCountExceedsQuotaLimit'],
    code: 'ClusterCountQuota',
    cause: ({ location }, said) =>
      `the subscription has as many AKS clusters in ${location} as it may have${says(said)}`,
    fix: () => 'delete clusters that nobody needs, ask Azure for a higher limit, or use another location',
  },
  {
    codes: ['AksCapacityHeavyUsage', 'AllocationFailed', 'ZonalAllocationFailed', 'OverconstrainedAllocationRequest'],
    code: 'LocationOutOfCapacity',
    cause: ({ location }, said) => `Azure is out of capacity for this in ${location}${says(said)}`,
    fix: ({ location }) => `use another location than ${location}, another VM size or other zones, or wait`,
  },
  {
    codes: ['SkuNotAvailable', 'RegionIsOfferRestricted'],
    text: /VM size of .* (is|are) not (allowed|available|supported)/i,
    code: 'VmSizeUnavailable',
    cause: ({ location }, said) =>
      `Azure does not offer a VM size of the request to this subscription in ${location}${says(said)}`,
    fix: () =>
      'set spec.systemPool.vmSize or spec.nodePool.vmSizes to a size that it offers (az vm list-skus -l LOCATION), or use another location',
  },
  {
    codes: ['SystemPoolSkuTooLow'],
    code: 'SystemPoolTooSmall',
    cause: (_, said) => `the VM size of the system pool is too small for AKS${says(said)}`,
    fix: () => 'set spec.systemPool.vmSize to Standard_D4s_v5 or larger',
  },
  {
    codes: ['K8sVersionNotSupported', 'AgentPoolK8sVersionNotSupported'],
    code: 'KubernetesVersionUnsupported',
    cause: ({ location }, said) => `AKS does not offer this version of Kubernetes in ${location}${says(said)}`,
    fix: ({ location }) =>
      `set spec.kubernetesVersion to a version that it offers (az aks get-versions -l ${location}), or remove it`,
  },
  {
    codes: ['ReservedResourceName', 'InvalidResourceName', 'NameNotAvailable'],
    text: /DNS prefix .* is invalid/i,
    code: 'AzureNameRefused',
    cause: ({ what }, said) => `Azure refuses a name of ${what}${says(said)}`,
    fix: () => 'set spec.clusterName, spec.dnsPrefix or spec.resourceGroup to another name',
  },
  {
    codes: ['InvalidResourceGroupLocation'],
    code: 'ClusterNotOurs',
    cause: ({ what }) => `${what} exists already, in another location`,
    fix: () => 'set spec.resourceGroup to a name that is free',
  },
  {
    codes: [
      'MissingSubscriptionRegistration',
      'NoRegisteredProviderFound',
      'MissingRegistrationForLocation',
      'SubscriptionNotRegistered',
      'InvalidSubscriptionRegistrationState',
    ],
    code: 'ProviderNotRegistered',
    cause: (_, said) => `the subscription has not registered a resource provider that is needed${says(said)}`,
    fix: () =>
      'register it: az provider register --namespace Microsoft.ContainerService, and the same for Microsoft.ManagedIdentity, Microsoft.KubernetesConfiguration and Microsoft.Network',
  },
  {
    codes: ['PrincipalNotFound'],
    code: 'IdentityNotReplicated',
    cause: () => 'the new identity is not yet known everywhere in Entra ID',
    fix: () => 'none needed: this takes a few minutes',
  },
  {
    codes: [
      'AuthorizationFailed',
      'LinkedAuthorizationFailed',
      'RoleAssignmentUpdateNotPermitted',
      'CustomKubeletIdentityMissingPermissionError',
      'Forbidden',
    ],
    code: 'AzurePermissionMissing',
    cause: ({ what }, said) => `the identity that makes ${what} lacks a permission in Azure${says(said)}`,
    fix: () =>
      'give that identity the role that the message names (Contributor; for roles on subnets also User Access Administrator), then wait some minutes',
  },
  {
    codes: ['SubscriptionMismatch', 'SubscriptionNotFound', 'InvalidSubscriptionId'],
    code: 'SubscriptionWrong',
    cause: ({ namespace }, said) =>
      `the credential of the namespace ${namespace} is for another subscription${says(said)}`,
    fix: ({ namespace }) =>
      `correct AZURE_SUBSCRIPTION_ID in the credential of ${namespace}: one namespace is one subscription`,
  },
  {
    codes: ['RequestDisallowedByPolicy', 'RequestDisallowedByAzure'],
    code: 'AzurePolicyDenied',
    cause: ({ what }, said) => `a policy of the subscription denies ${what}${says(said)}`,
    fix: () =>
      'change the request so that it follows the policy that the message names, or have an exemption added to that policy',
  },
  {
    codes: ['ScopeLocked'],
    code: 'AzureScopeLocked',
    cause: ({ what }, said) => `a lock in Azure forbids changes to ${what}${says(said)}`,
    fix: () => 'remove the lock (az lock list), or use another resource group',
  },
  {
    codes: ['WaitingForOwner'],
    code: 'WaitingForOwner',
    cause: ({ what }) => `${what} waits for the object that owns it, which is missing or not Ready`,
    fix: () => 'look at its owner (kubectl get resourcegroups,managedclusters -n NAMESPACE): what is wrong is there',
  },
  {
    codes: ['ReferenceNotFound', 'SecretNotFound', 'ConfigMapNotFound'],
    code: 'ReferenceMissing',
    cause: ({ what }, said) => `${what} refers to an object or a key that is not there${says(said)}`,
    fix: ({ namespace }) => `create what the message names in ${namespace}, or correct the reference in the request`,
  },
  {
    codes: [
      'ReconciliationBlocked',
      'AnotherOperationInProgress',
      'OperationNotAllowed',
      'AKSOperationPreempted',
      'Conflict',
      'ResourceGroupBeingDeleted',
    ],
    code: 'AzureBusy',
    cause: ({ what }, said) => `another operation on ${what} is running${says(said)}`,
    fix: () => 'none needed: it continues when that operation has ended',
  },
  {
    codes: ['Throttled', 'TooManyRequests', 'SubscriptionRequestsThrottled'],
    code: 'AzureThrottled',
    cause: ({ location }) => `Azure throttles requests in ${location}`,
    fix: () => 'none needed: requests are repeated more slowly',
  },
  {
    codes: ['FailedWritingAdditionalKubernetesObjects'],
    code: 'ExportRefused',
    cause: ({ what }, said) =>
      `the operator cannot write the outputs of ${what}, because an object of that name exists and is not its own${says(said)}`,
    fix: ({ namespace }) => `delete or rename that Secret or ConfigMap in ${namespace}`,
  },
  {
    codes: ['ExtensionOperationFailed', 'ExtensionCreationFailed'],
    code: 'FluxNotInstalled',
    cause: (_, said) => `Flux could not be installed in the new cluster${says(said)}`,
    fix: () => 'check that a node without taints is Ready and can pull images; the installation is repeated',
  },
  {
    codes: [
      'ResourceNotFound',
      'ParentResourceNotFound',
      'ResourceGroupNotFound',
      'NotFound',
      'InvalidResourceReference',
      'AzureResourceNotFound',
    ],
    code: 'AzureParentMissing',
    cause: ({ what }, said) => `something in Azure that ${what} needs is not there${says(said)}`,
    fix: () => 'create what the message names, or correct its ARM id in the request',
  },
  {
    codes: ['PropertyChangeNotAllowed'],
    code: 'ChangeNotPossible',
    cause: ({ what }, said) => `Azure does not let this field of ${what} change${says(said)}`,
    fix: () => 'set the field back, or delete the request and create a new one',
  },
  {
    codes: [
      'BadRequest',
      'BadRequestFormat',
      'InvalidParameter',
      'InvalidParameterValue',
      'MethodNotAllowed',
      'InvalidRequestContent',
      'InvalidTemplate',
      'InvalidResourceType',
      'InvalidValuesForRequestParameters',
      'LocationRequired',
      'MissingRequiredParameter',
      'InvalidRequestFormat',
      'ValidationError',
    ],
    code: 'AzureRequestInvalid',
    cause: ({ what }, said) => `Azure refuses ${what} as invalid${says(said)}`,
    fix: () => 'change the field of the request that the message is about',
  },
];

const longest = 300;

/** Total: what no rule knows is shown in Azure's own words. */
export function judgeAzure(signal: AzureSignal, subject: AzureSubject): AzureVerdict {
  const said = cutText(signal.message, longest);
  const code = signal.reason.toLowerCase();
  const rule =
    rules.find(({ text }) => text?.test(signal.message)) ??
    rules.find(({ codes }) => codes?.some((one) => one.toLowerCase() === code)) ??
    (signal.status === 429 ? rules.find((one) => one.code === 'AzureThrottled') : undefined);
  if (rule !== undefined) {
    return { code: rule.code, cause: rule.cause(subject, said, signal), fix: rule.fix(subject) };
  }
  return {
    code: 'AzureRefused',
    cause: `Azure does not make ${subject.what} (${cutText(signal.reason, 63)})${says(said)}`,
    fix: 'look up the code in the documentation of AKS, and change what it is about',
  };
}
