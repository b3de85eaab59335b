import { describe, expect, it } from 'vitest';
import { requestAnnotations, requestFinalizer } from '../request/marks.ts';
import type { StoredRequest } from '../store/contract.ts';
import { wantedWorkflow } from './phase.ts';
import { recordAnnotation } from './record.ts';

const now = Date.UTC(2026, 10, 19, 12);
const record = recordAnnotation({
  uid: 'u-1',
  deployment: 'office',
  attempt: 1,
  generation: 1,
  spec: { location: 'westeurope' },
  resolved: {} as never,
  versions: {},
  begun: [],
  failures: 0,
  poolsExist: false,
});
interface Given {
  metadata?: Partial<StoredRequest['metadata']>;
  ready?: [status: 'True' | 'False', reason: string];
  observedGeneration?: number;
  retryAt?: string;
}
function request({ metadata, ready, observedGeneration = 1, retryAt }: Given): StoredRequest {
  const conditions =
    ready === undefined
      ? []
      : [
          {
            type: 'Ready',
            status: ready[0],
            reason: ready[1],
            message: '',
            lastTransitionTime: '2026-11-19T00:00:00Z',
          },
        ];
  return {
    apiVersion: '',
    kind: '',
    metadata: {
      name: 'web',
      namespace: 'team-a',
      uid: 'u-1',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-11-19T00:00:00Z',
      annotations: record,
      ...metadata,
    },
    spec: { location: 'westeurope' },
    ...(ready === undefined && retryAt === undefined
      ? {}
      : { status: { observedGeneration, conditions, ...(retryAt === undefined ? {} : { retryAt }) } }),
  };
}
const annotated = (more: Record<string, string>) => ({ annotations: { ...record, ...more } });

describe('the workflow that a request needs', () => {
  it.each<[string, Given, ReturnType<typeof wantedWorkflow>]>([
    ['a new one', {}, 'provision-cluster'],
    ['one that is under way', { ready: ['False', 'Provisioning'] }, 'provision-cluster'],
    ['one that is ready', { ready: ['True', 'Ready'] }, undefined],
    ['a ready one without a record', { ready: ['True', 'Ready'], metadata: { annotations: {} } }, 'provision-cluster'],
    ['a ready one that has changed', { ready: ['True', 'Ready'], metadata: { generation: 2 } }, 'provision-cluster'],
    ['one that has failed', { ready: ['False', 'SkuNotAvailable'] }, undefined],
    [
      'one that has failed and may be tried again later',
      { ready: ['False', 'QuotaExceeded'], retryAt: '2026-11-19T12:00:01Z' },
      undefined,
    ],
    [
      'one that has failed and may be tried again now',
      { ready: ['False', 'QuotaExceeded'], retryAt: '2026-11-19T12:00:00Z' },
      'provision-cluster',
    ],
    [
      'one that somebody wants to be tried again',
      { ready: ['False', 'SkuNotAvailable'], metadata: annotated({ [requestAnnotations.retry]: '1' }) },
      'provision-cluster',
    ],
    [
      'a cancelled one that does not say so',
      { metadata: annotated({ [requestAnnotations.cancel]: 'true' }) },
      'provision-cluster',
    ],
    [
      'a cancelled one that says so',
      { ready: ['False', 'Cancelled'], metadata: annotated({ [requestAnnotations.cancel]: 'true' }) },
      undefined,
    ],
    ['one that was cancelled once', { ready: ['False', 'Cancelled'] }, 'provision-cluster'],
    [
      'one that somebody else carries out',
      { ready: ['False', 'CarriedOutElsewhere'], metadata: annotated({ [requestAnnotations.carriedOutBy]: 'kro' }) },
      undefined,
    ],
    ['one that somebody else has carried out', { ready: ['False', 'CarriedOutElsewhere'] }, 'provision-cluster'],
    ['a deleted one that nothing was begun for', { metadata: { deletionTimestamp: 'x' } }, undefined],
    [
      'a deleted one',
      { ready: ['True', 'Ready'], metadata: { deletionTimestamp: 'x', finalizers: [requestFinalizer] } },
      'delete-cluster',
    ],
  ])('%s', (_, given, expected) => {
    expect(wantedWorkflow(request(given), now)).toBe(expected);
  });
});
