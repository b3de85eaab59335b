/** The small pure parts of the steps: what a call that failed means, how a stage is written, what a record says. */
import { describe, expect, it } from 'vitest';
import { builtInPoolTypes } from '../pool-types/built-in.ts';
import { requestAnnotations } from '../request/marks.ts';
import { resolve } from '../resolved/resolve.ts';
import type { StoredRequest } from '../store/contract.ts';
import { effective } from './effective.ts';
import { failedCall } from './progress.ts';
import { type RequestRecord, recordAnnotation, recordOf } from './record.ts';
import { changeStage, pendingStages, statusChange } from './status.ts';

const now = Date.UTC(2026, 10, 19, 12);
const request = (spec: StoredRequest['spec'] = { location: 'westeurope' }): StoredRequest => ({
  apiVersion: '',
  kind: '',
  metadata: {
    name: 'web',
    namespace: 'team-a',
    uid: 'u-1',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2026-11-19T00:00:00Z',
  },
  spec,
});
const recordFor = (spec: StoredRequest['spec']): RequestRecord => ({
  uid: 'u-1',
  deployment: 'office',
  attempt: 2,
  generation: 1,
  spec,
  resolved: resolve(request(spec) as never, builtInPoolTypes),
  versions: {},
  begun: [],
  failures: 0,
  poolsExist: false,
});

describe('a call that failed', () => {
  it.each([
    ['conflict', 'pending', 'Conflict'],
    ['outcome-unknown', 'pending', 'OutcomeUnknown'],
    ['throttled', 'pending', 'Throttled'],
    ['invalid', 'failed', 'Invalid'],
  ] as const)('of the kind %s is %s', (kind, state, code) => {
    expect(failedCall({ kind, message: 'no' }, 'apply of x')).toMatchObject({ state, fault: { kind, code } });
  });

  it('has the code of whoever refused it', () => {
    expect(failedCall({ kind: 'invalid', message: 'no', code: 'SkuNotAvailable' }, 'x')).toMatchObject({
      fault: { code: 'SkuNotAvailable', message: 'x: no' },
    });
  });
});

describe('a stage', () => {
  const stages = pendingStages([{ stage: 'ResourceGroup' }, { stage: 'ManagedCluster' }]);

  it('keeps when it began, and says how long it took', () => {
    const begun = changeStage(stages, 'ManagedCluster', { state: 'Running', waitingFor: 'Azure' }, now, 1800);
    expect(begun[1]).toEqual({
      name: 'ManagedCluster',
      state: 'Running',
      startedAt: '2026-11-19T12:00:00Z',
      deadline: '2026-11-19T12:30:00Z',
      waitingFor: 'Azure',
    });
    const held = changeStage(
      begun,
      'ManagedCluster',
      { state: 'Waiting', code: 'QuotaExceeded', message: 'no' },
      now + 5000,
      1800,
    );
    expect(held[1]).toMatchObject({
      startedAt: '2026-11-19T12:00:00Z',
      deadline: '2026-11-19T12:30:00Z',
      code: 'QuotaExceeded',
    });
    const ended = changeStage(held, 'ManagedCluster', { state: 'Succeeded' }, now + 90_000, 1800);
    expect(ended[1]).toEqual({
      name: 'ManagedCluster',
      state: 'Succeeded',
      startedAt: '2026-11-19T12:00:00Z',
      finishedAt: '2026-11-19T12:01:30Z',
      seconds: 90,
    });
    expect(ended[0]).toEqual({ name: 'ResourceGroup', state: 'Pending' });
  });

  it('that says the same as before is no change', () => {
    const with1 = { ...request(), status: { stage: 'ResourceGroup' as const, stages } };
    expect(statusChange(with1, { stage: 'ResourceGroup', stages, retryAt: null })).toBeUndefined();
    expect(statusChange(with1, { stage: 'ManagedCluster', retryAt: null })).toEqual({ stage: 'ManagedCluster' });
  });
});

describe('a record', () => {
  const record = recordFor({ location: 'westeurope' });
  const having = (text: string | undefined): StoredRequest => ({
    ...request(),
    metadata: {
      ...request().metadata,
      annotations: text === undefined ? {} : { [requestAnnotations.record]: text },
    },
  });

  it('is read back', () => {
    const text = recordAnnotation(record)[requestAnnotations.record];
    expect(recordOf(having(text))).toEqual(JSON.parse(JSON.stringify(record)));
  });

  it.each([
    ['none', undefined],
    ['no JSON', '{'],
    ['null', 'null'],
    ['of another request', JSON.stringify({ ...record, uid: 'u-2' })],
    ['without an attempt', JSON.stringify({ ...record, attempt: 'one' })],
    ['without what was resolved', JSON.stringify({ ...record, resolved: [] })],
  ])('that is %s says nothing', (_, text) => {
    expect(recordOf(having(text))).toBeUndefined();
  });
});

describe('what a request amounts to', () => {
  it('keeps the defaults of its day, and follows what its author changes', () => {
    const record = recordFor({ location: 'westeurope' });
    const older = {
      ...record,
      resolved: { ...record.resolved, dnsPrefix: 'chosen-then', upgradeChannel: 'stable' as const },
    };
    const { resolved, changes } = effective(
      request({ location: 'westeurope', upgradeChannel: 'patch' }),
      older,
      builtInPoolTypes,
    );
    expect(resolved).toMatchObject({ dnsPrefix: 'chosen-then', upgradeChannel: 'patch' });
    expect(changes.map(({ field }) => field)).toEqual(['spec.upgradeChannel']);
  });

  it('is what its spec says where nothing was begun', () => {
    expect(effective(request(), undefined, builtInPoolTypes)).toMatchObject({
      changes: [],
      resolved: { dnsPrefix: 'web' },
    });
  });
});
