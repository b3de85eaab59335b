/**
 * The rules by which errors of ARM are read. They are tried from the top, because one code (`OperationNotAllowed`) stands for
 * quota as well as for "somebody else is at work here".
 */
import type { ErrorKind } from '../../base/result.ts';

/** What was asked for, as far as an error needs it. */
export interface AzureRequest {
  /** A lost answer to a write may hide that it was done; a read has nothing to hide. */
  write: boolean;
  /** For people: `agent pool gpu1 of cluster east`. */
  what: string;
  /** A 404 about this resource means that it is not there; about anything else, that the configuration is wrong. */
  poolName?: string;
  /** A list is empty when nothing is in it; when it is not there, the cluster is not. */
  list?: boolean;
  /** Sold-out spot capacity comes back sooner than a size that is closed to a subscription. */
  spot?: boolean;
  /** The right that the call needs, for when ARM does not name it. */
  action?: string;
}

const hour = 3600;
/** For so long an offering is passed over; karpenter-provider-azure uses the same times. */
const closedOnDemandSeconds = 23 * hour;
const quotaSeconds = 600;

export interface AzureSignal {
  codes: readonly string[];
  text: string;
  status: number | undefined;
  asked: AzureRequest;
}

/** What code has to tell apart within a kind: `code` of the failure. */
export const azureCodes = {
  spotQuota: 'azure-spot-quota',
  regionalQuota: 'azure-regional-quota',
  familyQuota: 'azure-family-quota',
  sizeClosed: 'azure-size-closed',
  noSubscription: 'azure-no-subscription',
  noResourceGroup: 'azure-no-resource-group',
  noCluster: 'azure-no-cluster',
} as const;

export interface Rule {
  when(seen: AzureSignal): boolean;
  kind: ErrorKind;
  code?(seen: AzureSignal): string | undefined;
  /** How long the offering is passed over, or the call is not repeated, when ARM does not say. */
  pause?(seen: AzureSignal): number;
  /** What is wrong and what to do, before what ARM says itself. */
  say?(seen: AzureSignal): string;
  /** All that ARM says is in what we say: it is not said twice. */
  saysAll?(seen: AzureSignal): boolean;
}

const code = (...names: string[]) => {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  return ({ codes }: AzureSignal): boolean => codes.some((one) => wanted.has(one));
};
const text =
  (pattern: RegExp) =>
  (seen: AzureSignal): boolean =>
    pattern.test(seen.text);
const either =
  (...tests: ((seen: AzureSignal) => boolean)[]) =>
  (seen: AzureSignal): boolean =>
    tests.some((test) => test(seen));

export const rules: readonly Rule[] = [
  // Spot has one quota for all families.
  {
    when: text(/low ?priority ?cores|spot.{0,40}quota/i),
    kind: 'quota-exceeded',
    code: () => azureCodes.spotQuota,
    pause: () => hour,
    say: () =>
      'the quota for spot cores of this subscription and region is used up; request an increase, or allow on-demand',
  },
  {
    when: text(/total regional cores|regional vcpu quota/i),
    kind: 'quota-exceeded',
    code: () => azureCodes.regionalQuota,
    pause: () => quotaSeconds,
    say: ({ text }) =>
      `the quota for all cores of this subscription in the region is used up${numbers(text)}; request an increase`,
  },
  {
    when: either(
      text(/family (v?cpu|cores?) quota|cores quota|vcpu quota/i),
      code('ErrCode_InsufficientVCPUQuota', 'InsufficientVCPUQuota', 'QuotaExceeded'),
    ),
    kind: 'quota-exceeded',
    code: () => azureCodes.familyQuota,
    // A limit of zero is no matter of waiting for a machine to go away.
    pause: ({ text }) => (limitIn(text) === 0 ? hour : quotaSeconds),
    say: ({ text }) =>
      `the quota for cores of ${familyIn(text)} is used up${numbers(text)}; request an increase, or allow other sizes`,
  },
  {
    when: code('SkuNotAvailable', 'NotAvailableForSubscription'),
    kind: 'insufficient-capacity',
    code: () => azureCodes.sizeClosed,
    pause: ({ asked }) => (asked.spot === true ? hour : closedOnDemandSeconds),
    say: () => 'this size is not available here',
  },
  {
    when: either(text(/not allowed in your subscription/i), code('VMSizeNotSupported')),
    kind: 'insufficient-capacity',
    // The text alone may be about one zone.
    code: (seen) => (code('VMSizeNotSupported')(seen) ? azureCodes.sizeClosed : undefined),
    pause: () => closedOnDemandSeconds,
    say: () => 'this size is not offered to the subscription in this region',
  },
  {
    when: either(
      code(
        'AllocationFailed',
        'ZonalAllocationFailed',
        'OverconstrainedAllocationRequest',
        'OverconstrainedZonalAllocationRequest',
        'AvailabilityZoneNotSupported',
        'InsufficientCapacity',
        'SpotAllocationFailed',
      ),
      text(/allocation failed|sufficient capacity/i),
    ),
    kind: 'insufficient-capacity',
    pause: () => hour,
    say: () => 'Azure is out of capacity for this size here',
  },
  {
    when: either(
      code('InsufficientSubnetSize', 'SubnetIsFull'),
      text(/subnet .{0,200}(is full|not enough ip|does not have enough)/i),
    ),
    kind: 'quota-exceeded',
    pause: () => quotaSeconds,
    say: () => 'the subnet has no free addresses; use a larger one',
  },
  {
    when: either(
      code('MaxAgentPoolCountReached', 'AgentPoolLimitExceeded'),
      text(/(maximum|limit).{0,60}(agent ?pools|node ?pools)/i),
    ),
    kind: 'quota-exceeded',
    pause: () => quotaSeconds,
    say: () => 'the cluster has reached its maximum number of agent pools',
  },

  {
    when: code('MissingSubscriptionRegistration', 'NoRegisteredProviderFound'),
    kind: 'invalid',
    say: ({ text }) => {
      const namespace = /namespace '([^']+)'/i.exec(text)?.[1] ?? 'the resource provider';
      return `the subscription is not registered for ${namespace}: az provider register --namespace ${namespace}`;
    },
  },
  {
    when: code('ReadOnlyDisabledSubscription', 'SubscriptionDisabled'),
    kind: 'unauthorised',
    say: () => 'the subscription is disabled; its owner must enable it again',
  },
  {
    when: code('ScopeLocked'),
    kind: 'unauthorised',
    say: () => 'a lock on the cluster or its resource group forbids this; remove the lock',
  },
  {
    when: code('RequestDisallowedByPolicy', 'RequestDisallowedByAzure'),
    kind: 'invalid',
    say: () => 'a policy of the subscription forbids this; change the node class or request an exemption',
  },
  {
    when: code('InvalidAuthenticationTokenTenant'),
    kind: 'unauthorised',
    say: ({ text }) => {
      const [have, need] = [...text.matchAll(/sts\.windows\.net\/([0-9a-f-]{36})/gi)].map(([, id]) => id);
      const names =
        need === undefined ? '' : ` (the token is for tenant ${have}, the subscription belongs to tenant ${need})`;
      return `the identity and the subscription are in different tenants${names}; set AZURE_TENANT_ID or tenant to the tenant of the subscription`;
    },
  },
  {
    when: code('AuthorizationFailed', 'LinkedAuthorizationFailed', 'AuthorizationPermissionMismatch', 'Forbidden'),
    kind: 'unauthorised',
    say: missingRight,
    saysAll: text(/client '[^']+'.* perform action '[^']+'.* over scope '[^']+' or the scope is invalid/i),
  },
  {
    when: code('SubscriptionNotFound', 'InvalidSubscriptionId'),
    kind: 'invalid',
    code: () => azureCodes.noSubscription,
    say: () =>
      'there is no such subscription, or the identity has no access to it; check ARM_SUBSCRIPTION_ID, the tenant and the role assignments',
  },
  {
    when: code('ResourceGroupNotFound'),
    kind: 'invalid',
    code: () => azureCodes.noResourceGroup,
    say: () => 'there is no such resource group; check ARM_RESOURCE_GROUP or resourceGroup',
  },
  {
    when: (seen) => seen.status === 404 && isAboutParent(seen),
    kind: 'invalid',
    code: ({ text }) => (isCluster(resourceIn(text)) ? azureCodes.noCluster : undefined),
    say: ({ text }) =>
      `there is no such cluster${resourceIn(text) === undefined ? '' : ` (${resourceIn(text)})`}; check AZURE_CLUSTER_NAME or clusterName, and the resource group`,
  },
  { when: code('AgentPoolNotFound'), kind: 'not-found' },

  {
    when: text(/power ?state|cluster is (stopped|stopping)|in stopped state/i),
    kind: 'not-ready',
    say: () => 'the cluster is stopped; start it',
  },
  {
    when: either(
      code(
        'OperationPreempted',
        'AnotherOperationInProgress',
        'ConcurrentOperationInProgress',
        'EtagMismatch',
        'PreconditionFailed',
        'ConcurrentUpdate',
      ),
      text(/in[ -]progress|another operation|wait for it to finish|is being (deleted|created|updated)/i),
    ),
    kind: 'conflict',
  },
  {
    when: code(
      'TooManyRequests',
      'SubscriptionRequestsThrottled',
      'ResourceRequestsThrottled',
      'OperationThrottled',
      'TenantRequestsThrottled',
    ),
    kind: 'throttled',
  },
];

export function missingRight({ text, asked }: AzureSignal): string {
  const action = /perform action '([^']+)'/i.exec(text)?.[1] ?? asked.action;
  const scope = /over scope '([^']+)'/i.exec(text)?.[1];
  const who = /client '([^']+)'/i.exec(text)?.[1];
  const identity = who === undefined ? 'the identity' : `the identity ${who}`;
  if (action === undefined) return `${identity} was refused; check its role assignments and its tenant`;
  return `${identity} lacks the permission ${action}${scope === undefined ? '' : ` on ${scope}`}; assign it a role with that permission (a new assignment takes several minutes)`;
}

/** `The Resource 'Microsoft.ContainerService/managedClusters/east' under resource group 'gpu' was not found.` */
function resourceIn(text: string): string | undefined {
  return /resource '([^']+)'/i.exec(text)?.[1];
}

/** The cluster itself, and nothing that is within it. */
const isCluster = (resource = ''): boolean =>
  /^Microsoft\.(Kubernetes\/connectedClusters|ContainerService\/managedClusters)\/[^/]+$/i.test(resource);

function isAboutParent(seen: AzureSignal): boolean {
  if (code('ParentResourceNotFound')(seen)) return true;
  const named = resourceIn(seen.text);
  if (named === undefined) return seen.asked.list === true && seen.codes.some((one) => one !== '');
  return seen.asked.poolName === undefined || !/\/agentPools\/[^/]+$/i.test(named);
}

function familyIn(text: string): string {
  const name = /(\w+ ?family)/i.exec(text.replaceAll('Family vCPUs', 'Family'))?.[1];
  return name === undefined ? 'this size' : name;
}

function limitIn(text: string): number | undefined {
  const found = /(?:current )?limit(?: is)?:? (\d+)/i.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** The numbers that a person needs to ask for the right quota. */
function numbers(text: string): string {
  const parts = [
    ['limit', /(?:current )?limit(?: is)?:? (\d+)/i],
    ['used', /current usage:? (\d+)/i],
    ['left', /(?:remaining|left regional vcpu quota):? (\d+)/i],
    ['needed', /(?:additional required|requested(?: quota)?):? (\d+)/i],
  ] as const;
  const known = parts.flatMap(([name, pattern]) => {
    const found = pattern.exec(text)?.[1];
    return found === undefined ? [] : [`${name} ${found}`];
  });
  return known.length === 0 ? '' : ` (${known.join(', ')})`;
}
