import { expect, it } from 'vitest';
import type { KubeObject } from '../../shared/kube/contract.ts';
import { clusterRequestNews } from './change-events.ts';

const watched = { cluster: 'management', observedBy: 'bridge' } as const;
const request = (more: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  metadata: {
    name: 'web',
    namespace: 'team-a',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    generation: 1,
    ...more,
  },
});
const news = (object: KubeObject) => clusterRequestNews(watched, { type: 'modified', object });

it('tells of a request with its namespace', () => {
  expect(news(request())).toMatchObject({
    type: 'dev.poolwright.cluster-request.changed.v1',
    data: { ...watched, namespace: 'team-a', name: 'web', uid: 'u', generation: 1, deleting: false },
  });
});

it('has nothing new to tell of what we write ourselves', () => {
  const ours = { 'poolwright.dev/cluster-record': '{}' };
  expect(
    news(request({ resourceVersion: '2', annotations: ours, finalizers: ['poolwright.dev/cluster-request'] })),
  ).toEqual(news(request()));
});

it.each<[string, Partial<KubeObject['metadata']>]>([
  ['another spec', { generation: 2 }],
  ['a deletion', { deletionTimestamp: '2026-01-02T00:00:00Z' }],
  ['a cancellation', { annotations: { 'poolwright.dev/cancel': 'true' } }],
  ['a wish to try again', { annotations: { 'poolwright.dev/retry': '1' } }],
  ['another owner', { annotations: { 'poolwright.dev/carried-out-by': 'kro' } }],
])('tells of %s', (_, more) => {
  expect(news(request(more))?.digest).not.toEqual(news(request())?.digest);
});

it('tells of one that is gone as of a deletion', () => {
  const gone = clusterRequestNews(watched, { type: 'deleted', name: 'web', namespace: 'team-a', uid: 'u' });
  expect(gone).toMatchObject({ data: { namespace: 'team-a', name: 'web', deleting: true } });
});
