/**
 * What an error code of Azure means for a request. Azure Service Operator hands most of them on as warnings that stand for ever, so each
 * code has to say whether waiting can help: `final` is what only a change of the request, or of what is in its way, can mend.
 */
import type { ErrorKind } from '../../base/result.ts';
import type { Fault } from './contract.ts';

interface Meaning {
  readonly kind: ErrorKind;
  readonly final: boolean;
}

const wait = (kind: ErrorKind): Meaning => ({ kind, final: false });
const change = (kind: ErrorKind = 'invalid'): Meaning => ({ kind, final: true });

const codes: Readonly<Record<string, Meaning>> = {
  // Quota: it may be raised while we wait.
  ErrCode_InsufficientVCPUQuota: wait('quota-exceeded'),
  InsufficientVCPUQuota: wait('quota-exceeded'),
  QuotaExceeded: wait('quota-exceeded'),
  ResourceQuotaExceeded: wait('quota-exceeded'),
  ManagedClusterCountExceedsQuotaLimit: wait('quota-exceeded'),
  // Capacity.
  AksCapacityHeavyUsage: wait('insufficient-capacity'),
  AllocationFailed: wait('insufficient-capacity'),
  ZonalAllocationFailed: wait('insufficient-capacity'),
  OverconstrainedAllocationRequest: wait('insufficient-capacity'),
  // Rights, and what an administrator sets up.
  AuthorizationFailed: wait('unauthorised'),
  LinkedAuthorizationFailed: wait('unauthorised'),
  CustomKubeletIdentityMissingPermissionError: wait('unauthorised'),
  RequestDisallowedByPolicy: wait('unauthorised'),
  ScopeLocked: wait('unauthorised'),
  SubscriptionMismatch: change('unauthorised'),
  MissingSubscriptionRegistration: wait('unauthorised'),
  MissingRegistrationForLocation: wait('unauthorised'),
  NoRegisteredProviderFound: wait('unauthorised'),
  SubscriptionNotRegistered: wait('unauthorised'),
  InvalidSubscriptionRegistrationState: wait('unauthorised'),
  SubscriptionNotFound: wait('unauthorised'),
  // A new identity takes minutes until every part of Azure knows it.
  PrincipalNotFound: wait('not-ready'),
  FailedIdentityOperation: wait('not-ready'),
  // Something else is under way there.
  AnotherOperationInProgress: wait('conflict'),
  OperationNotAllowed: wait('conflict'),
  AKSOperationPreempted: wait('conflict'),
  Conflict: wait('conflict'),
  ReconciliationBlocked: wait('conflict'),
  Throttled: wait('throttled'),
  TooManyRequests: wait('throttled'),
  // What it belongs to is not there yet, or is gone.
  NotFound: wait('not-ready'),
  ParentResourceNotFound: wait('not-ready'),
  ResourceGroupNotFound: wait('not-ready'),
  ResourceNotFound: wait('not-ready'),
  InvalidResourceReference: wait('not-ready'),
  // What was asked for will never do.
  BadRequest: change(),
  BadRequestFormat: change(),
  InvalidParameter: change(),
  InvalidParameterValue: change(),
  InvalidResourceGroupLocation: change('conflict'),
  InvalidRequestContent: change(),
  InvalidTemplate: change(),
  InvalidResourceType: change(),
  InvalidValuesForRequestParameters: change(),
  K8sVersionNotSupported: change(),
  LocationRequired: change(),
  LocationNotAvailableForResourceType: change(),
  MissingRequiredParameter: change(),
  MethodNotAllowed: change(),
  PropertyChangeNotAllowed: change(),
  RoleAssignmentExists: wait('conflict'),
  RoleAssignmentUpdateNotPermitted: change(),
  ResourceGroupBeingDeleted: wait('conflict'),
  RegionIsOfferRestricted: change(),
  ReservedResourceName: change(),
  SkuNotAvailable: change(),
  SystemPoolSkuTooLow: change(),
  VMSizeNotSupported: change(),
  AgentPoolK8sVersionNotSupported: change(),
};

/** Of several codes in one answer the known one says more. */
export const isKnownCode = (code: string): boolean => codes[code] !== undefined && !vague.has(code);

/** Texts that stand behind codes that say nothing. */
const texts: readonly (readonly [RegExp, string, Meaning])[] = [
  [/quota/i, 'QuotaExceeded', wait('quota-exceeded')],
  [/is not allowed in your subscription/i, 'SkuNotAvailable', change()],
  [
    /credential (secret )?not (found|configured)|global credential not configured/i,
    'NoCredential',
    wait('unauthorised'),
  ],
];

/** The codes whose text has to be read: they stand for several things. */
const vague = new Set(['BadRequest', 'InvalidParameter', 'OperationNotAllowed', 'Failed', 'UnknownError', '']);

/** @param severity As the operator says it; `Error` means that it has stopped trying. */
export function azureFault(code: string, message: string, severity?: Fault['severity']): Fault {
  const read =
    vague.has(code) || codes[code] === undefined ? texts.find(([pattern]) => pattern.test(message)) : undefined;
  // A code that nobody knows is waited for: the deadline of the stage ends that.
  const { kind, final } = read?.[2] ?? codes[code] ?? wait('unavailable');
  return {
    kind,
    code: read?.[1] ?? (code || 'UnknownError'),
    message,
    ...(severity === undefined ? {} : { severity }),
    final: final || severity === 'Error',
  };
}
