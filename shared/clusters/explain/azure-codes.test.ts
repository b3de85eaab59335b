import { describe, expect, it } from 'vitest';
import { errors } from '../../observe/errors/catalog.ts';
import { judgeAzure } from './azure-codes.ts';

const subject = { what: 'ManagedCluster web', location: 'westeurope', namespace: 'team-a' };
const judge = (reason: string, message = '', more = {}) => judgeAzure({ reason, message, ...more }, subject);

describe('what a code of Azure means', () => {
  it.each([
    ['ErrCode_InsufficientVCPUQuota', 'VcpuQuotaTooSmall'],
    ['QuotaExceeded', 'VcpuQuotaTooSmall'],
    ['ManagedClusterCountExceedsQuotaLimit', 'ClusterCountQuota'],
    ['AksCapacityHeavyUsage', 'LocationOutOfCapacity'],
    ['SkuNotAvailable', 'VmSizeUnavailable'],
    ['SystemPoolSkuTooLow', 'SystemPoolTooSmall'],
    ['K8sVersionNotSupported', 'KubernetesVersionUnsupported'],
    ['ReservedResourceName', 'AzureNameRefused'],
    ['InvalidResourceGroupLocation', 'ClusterNotOurs'],
    ['MissingSubscriptionRegistration', 'ProviderNotRegistered'],
    ['AuthorizationFailed', 'AzurePermissionMissing'],
    ['PrincipalNotFound', 'IdentityNotReplicated'],
    ['RequestDisallowedByPolicy', 'AzurePolicyDenied'],
    ['ScopeLocked', 'AzureScopeLocked'],
    ['WaitingForOwner', 'WaitingForOwner'],
    ['SecretNotFound', 'ReferenceMissing'],
    ['ReconciliationBlocked', 'AzureBusy'],
    ['SubscriptionMismatch', 'SubscriptionWrong'],
    ['FailedWritingAdditionalKubernetesObjects', 'ExportRefused'],
    ['ExtensionOperationFailed', 'FluxNotInstalled'],
    ['Throttled', 'AzureThrottled'],
  ])('%s is %s', (reason, code) => {
    const verdict = judge(reason, 'in the words of Azure');
    expect(verdict).toMatchObject({ code });
    expect(errors).toHaveProperty(code);
    expect(verdict.cause).not.toBe('');
    expect(verdict.fix).not.toBe('');
  });

  it('is also read from the words, where the code is one for everything', () => {
    expect(
      judge('BadRequest', 'The VM size of Standard_X is not allowed in your subscription in location westeurope.'),
    ).toMatchObject({ code: 'VmSizeUnavailable' });
    expect(
      judge('InvalidParameter', "DNS prefix '' is invalid. DNS prefix must contain between 1 and 54 characters."),
    ).toMatchObject({ code: 'AzureNameRefused' });
    expect(
      judge('Failed', 'global credential not configured, you must use either namespaced or per-resource credentials'),
    ).toMatchObject({ code: 'AsoCredentialMissing' });
  });

  it('of a quota keeps the numbers', () => {
    const aks = 'Insufficient vcpu quota requested 8, remaining 2 for family standardDSv5Family for region westeurope.';
    expect(judge('ErrCode_InsufficientVCPUQuota', aks).cause).toBe(
      'the vCPU quota standardDSv5Family in westeurope has 2 free, and 8 are needed',
    );
    const compute =
      'Operation could not be completed as it results in exceeding approved Total Regional Cores quota. Additional details - Deployment Model: Resource Manager, Location: westeurope, Current Limit: 10, Current Usage: 8, Additional Required: 4';
    expect(judge('QuotaExceeded', compute).cause).toBe(
      'the vCPU quota Total Regional Cores in westeurope has 2 free, and 4 are needed',
    );
  });

  it('of an unknown code is shown in the words of Azure', () => {
    const verdict = judge('SomethingNew', 'no idea');
    expect(verdict).toMatchObject({ code: 'AzureRefused', cause: expect.stringContaining('no idea') });
    expect(verdict.cause).toContain('SomethingNew');
    expect(judge('SomethingNew', '', { status: 429 })).toMatchObject({ code: 'AzureThrottled' });
  });
});
