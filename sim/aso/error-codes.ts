/** What the operator makes of an answer of Azure: whether it goes on trying, how fast, and how bad it calls it. */

export type Pace = 'slow' | 'very-slow' | 'never';

const slow: ReadonlySet<string> = new Set([
  'AnotherOperationInProgress',
  'AuthorizationFailed',
  'AllocationFailed',
  'Conflict',
  'CustomKubeletIdentityMissingPermissionError',
  'FailedIdentityOperation',
  'InvalidResourceReference',
  'InvalidSubscriptionRegistrationState',
  'LinkedAuthorizationFailed',
  'MissingRegistrationForLocation',
  'MissingSubscriptionRegistration',
  'NoRegisteredProviderFound',
  'NotFound',
  'ParentResourceNotFound',
  'PrincipalNotFound',
  'ResourceGroupNotFound',
  'ResourceNotFound',
  'ResourceQuotaExceeded',
  'RequestDisallowedByPolicy',
  'SubscriptionNotRegistered',
]);
const verySlow: ReadonlySet<string> = new Set([
  'BadRequest',
  'BadRequestFormat',
  'InvalidParameter',
  'InvalidParameterValue',
  'InvalidResourceGroupLocation',
  'MethodNotAllowed',
  'ReservedResourceName',
  'RegionIsOfferRestricted',
  'ScopeLocked',
  'SkuNotAvailable',
  'SubscriptionNotFound',
]);
const never: ReadonlySet<string> = new Set([
  'K8sVersionNotSupported',
  'PropertyChangeNotAllowed',
  'InvalidRequestContent',
  'InvalidTemplate',
  'InvalidResourceType',
  'InvalidValuesForRequestParameters',
  'LocationRequired',
  'MissingRequiredParameter',
  'PasswordTooLong',
]);

/** @param status Of the HTTP answer; 0 for an operation that failed. */
export function paceOf(code: string, status: number): Pace {
  if (never.has(code) || code.startsWith('PrivateIPAddress')) return 'never';
  if (slow.has(code)) return 'slow';
  if (verySlow.has(code) || status === 400) return 'very-slow';
  return 'slow';
}
