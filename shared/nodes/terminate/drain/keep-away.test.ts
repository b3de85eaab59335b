import { describe, expect, it } from 'vitest';
import type { Taint } from '../../claims/spec/types.ts';
import type { StoredNode } from '../../node-objects/node-stages.ts';
import { keepAwayPatch } from './keep-away.ts';

const label = 'node.kubernetes.io/exclude-from-external-load-balancers';
const ours: Taint = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' };
const other: Taint = { key: 'gpu', value: 'yes', effect: 'NoExecute' };

const aNode = (taints?: Taint[], labels?: Record<string, string>): StoredNode => ({
  metadata: {
    name: 'n1',
    uid: 'uid-1',
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...(labels ? { labels } : {}),
  },
  spec: taints ? { taints } : {},
});

describe('keeping pods away', () => {
  it('tests the node and its taints, and nothing that a kubelet writes', () => {
    expect(keepAwayPatch(aNode([other], { a: 'b' }))).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'uid-1' },
      { op: 'test', path: '/spec/taints', value: [other] },
      { op: 'add', path: '/spec/taints', value: [other, ours] },
      {
        op: 'add',
        path: '/metadata/labels/node.kubernetes.io~1exclude-from-external-load-balancers',
        value: 'karpenter',
      },
    ]);
  });

  it('expects no taints and no labels where there were none', () => {
    expect(keepAwayPatch(aNode())).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'uid-1' },
      { op: 'test', path: '/spec/taints', value: null },
      { op: 'add', path: '/spec/taints', value: [ours] },
      { op: 'test', path: '/metadata/labels', value: null },
      { op: 'add', path: '/metadata/labels', value: { [label]: 'karpenter' } },
    ]);
  });

  it('replaces another value of the same taint', () => {
    const patch = keepAwayPatch(aNode([{ ...ours, value: 'soon' }, other], { [label]: 'karpenter' }));
    expect(patch.at(-1)).toEqual({ op: 'add', path: '/spec/taints', value: [other, ours] });
  });

  it("does nothing twice, and leaves somebody else's label as it is", () => {
    expect(keepAwayPatch(aNode([other, ours], { [label]: 'true' }))).toEqual([]);
  });
});
