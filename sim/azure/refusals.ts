/** The errors of Azure, with their codes and the words in them that clients look for. */
import type { Problem } from './answer.ts';
import type { AzureCluster } from './clusters.ts';

const guidance = 'Read more about improving likelihood of allocation success at http://aka.ms/allocation-guidance';

export const allocationFailed = (): Problem => ({
  code: 'AllocationFailed',
  message: `Allocation failed. We do not have sufficient capacity for the requested VM size in this region. ${guidance}`,
});

export const zonalAllocationFailed = (): Problem => ({
  code: 'ZonalAllocationFailed',
  message: `Allocation failed. We do not have sufficient capacity for the requested VM size in this zone. ${guidance}`,
});

export const overconstrained = (): Problem => ({
  code: 'OverconstrainedAllocationRequest',
  message:
    'Allocation failed. VM(s) with the following constraints cannot be allocated, because the condition is too restrictive. ' +
    'Please remove some constraints and try again. Constraints applied are: Differencing (Ephemeral) Disks, VM Size.',
});

export const skuNotAvailable = (vmSize: string, location: string): Problem => ({
  code: 'SkuNotAvailable',
  message:
    `The requested VM size for resource 'Following SKUs have failed for Capacity Restrictions: ${vmSize}' is currently not ` +
    `available in location '${location}'. Please try another size or deploy to a different location or different zone.`,
});

interface QuotaFacts {
  location: string;
  limit: number;
  usage: number;
  required: number;
}

const quotaNumbers = ({ location, limit, usage, required }: QuotaFacts): string =>
  `Location: ${location}, Current Limit: ${limit}, Current Usage: ${usage}, Additional Required: ${required}, ` +
  `(Minimum) New Limit Required: ${usage + required}.`;

/** `name` as in the usages; `cores` and `lowPriorityCores` are the two that count all families. */
export function quotaExceeded(name: string, facts: QuotaFacts): Problem {
  const what =
    name === 'cores' ? 'Total Regional Cores' : name === 'lowPriorityCores' ? 'LowPriorityCores' : `${name} Cores`;
  return {
    code: 'OperationNotAllowed',
    message:
      `Operation could not be completed as it results in exceeding approved ${what} quota. ` +
      `Additional details - Deployment Model: Resource Manager, ${quotaNumbers(facts)} ` +
      'Submit a request for Quota increase, or free cores that are in use.',
  };
}

/** The same in the words of the AKS resource provider. */
export const quotaExceededOfAks = (name: string, { location, limit, usage, required }: QuotaFacts): Problem => ({
  code: 'ErrCode_InsufficientVCPUQuota',
  message:
    `Insufficient vcpu quota requested ${required}, remaining ${Math.max(0, limit - usage)} for family ${name} ` +
    `for region ${location}.`,
});

/** Another pool of the cluster is being made, changed or deleted. */
export const poolOperationInProgress = (cluster: AzureCluster, what: string, pool: string): Problem => ({
  code: 'OperationNotAllowed',
  message:
    `Operation is not allowed because there's an in progress ${what} node pool operation on agent pool ${pool} ` +
    `in the managed cluster ${cluster.name}. Please wait for it to finish before starting a new operation.`,
});

/** Something else is going on in the cluster. */
export const clusterOperationInProgress = (what: string): Problem => ({
  code: 'OperationNotAllowed',
  message:
    `Operation is not allowed: Another operation (${what}) is in progress, please wait for it to finish before starting ` +
    'a new operation. See https://aka.ms/aks-pending-operation for more details',
});

export const arcOperationInProgress = (pool: string): Problem => ({
  code: 'Conflict',
  message: `The agent pool ${pool} has an operation in progress; another operation is in progress, try again later.`,
});

/** What a sold-out size makes Azure say. */
export const soldOut = (zone: string): Problem => (zone === '' ? allocationFailed() : zonalAllocationFailed());

/** A quota of which nobody knows the numbers. */
export const outOfQuota = (spot: boolean): Problem =>
  quotaExceeded(spot ? 'lowPriorityCores' : 'standardDSv5Family', {
    location: 'eastus',
    limit: 0,
    usage: 0,
    required: 2,
  });
