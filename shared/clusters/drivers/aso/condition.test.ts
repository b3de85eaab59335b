import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { type AsoCondition, type AsoObject, looked, outputsOf, readyCondition } from './condition.ts';

const object = (condition: Partial<AsoCondition> | undefined, more: Partial<AsoObject['metadata']> = {}): AsoObject =>
  ({
    apiVersion: 'containerservice.azure.com/v1api20250801',
    kind: 'ManagedCluster',
    metadata: { name: 'web', namespace: 'team-a', generation: 3, uid: 'u', resourceVersion: '1', ...more },
    spec: {},
    status: {
      conditions:
        condition === undefined
          ? []
          : [{ type: 'Ready', status: 'False', reason: '', message: 'm', observedGeneration: 3, ...condition }],
    },
  }) as unknown as AsoObject;
const look = (condition: Partial<AsoCondition> | undefined, more?: Partial<AsoObject['metadata']>) =>
  looked(object(condition, more), { id: '/x' });

describe('what the operator says', () => {
  it.each([
    ['nothing yet', undefined, { state: 'pending' }],
    ['Ready', { status: 'True' as const, reason: 'Succeeded' }, { state: 'ready', outputs: { id: '/x' } }],
    ['Reconciling', { severity: 'Info' as const, reason: 'Reconciling' }, { state: 'pending' }],
    ['WaitingForOwner', { severity: 'Warning' as const, reason: 'WaitingForOwner' }, { state: 'pending' }],
    [
      'a missing Secret',
      { severity: 'Warning' as const, reason: 'SecretNotFound' },
      { state: 'pending', fault: { kind: 'not-ready', final: false } },
    ],
    [
      'a warning that only a change can mend',
      { severity: 'Warning' as const, reason: 'SkuNotAvailable' },
      { state: 'failed', fault: { kind: 'invalid', severity: 'Warning', final: true } },
    ],
    [
      'a warning about quota, which may stand for ever',
      { severity: 'Warning' as const, reason: 'ErrCode_InsufficientVCPUQuota' },
      { state: 'pending', fault: { kind: 'quota-exceeded', final: false } },
    ],
    [
      'an error: the operator has stopped',
      { severity: 'Error' as const, reason: 'AuthorizationFailed' },
      { state: 'failed', fault: { kind: 'unauthorised', final: true } },
    ],
    [
      'a Secret of somebody else in the way',
      { severity: 'Error' as const, reason: 'FailedWritingAdditionalKubernetesObjects' },
      { state: 'failed', fault: { kind: 'invalid', final: true } },
    ],
    [
      'no credential, under a reason that says nothing',
      { severity: 'Warning' as const, reason: 'UnknownError', message: 'global credential not configured' },
      { state: 'pending', fault: { kind: 'unauthorised', code: 'NoCredential' } },
    ],
  ])('%s', (_, condition, expected) => {
    expect(look(condition)).toMatchObject(expected);
  });

  it('counts for the present generation only', () => {
    const older = { status: 'True' as const, reason: 'Succeeded', observedGeneration: 2 };
    expect(readyCondition(object(older))).toBeUndefined();
    expect(look(older)).toMatchObject({ state: 'pending' });
  });

  it('does not count for an object that is being deleted', () => {
    const ready = { status: 'True' as const, reason: 'Succeeded' };
    expect(look(ready, { deletionTimestamp: '2026-11-19T00:00:00Z' })).toMatchObject({ state: 'pending' });
  });

  it('has outputs only where they are texts', () => {
    const status: JsonObject = {
      id: '/x',
      fqdn: '',
      privateFQDN: 'p.example',
      powerState: { code: 'Running' },
      clientId: 7,
    };
    expect(outputsOf({ ...object(undefined), status } as AsoObject)).toEqual({
      id: '/x',
      fqdn: 'p.example',
      powerState: 'Running',
    });
  });
});
