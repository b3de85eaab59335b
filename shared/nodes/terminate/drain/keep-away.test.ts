import { describe, expect, it } from 'vitest';
import type { Taint } from '../../claims/spec/types.ts';
import type { StoredNode } from '../../node-objects/node-stages.ts';
import { keepAwayPatch, mayRelease } from './keep-away.ts';

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

  it('lets our finalizer go with it, and no other one, if nobody has deleted the node', () => {
    const node = aNode([], {});
    node.metadata.finalizers = ['example.com/theirs', 'karpenter.sh/termination'];
    expect(keepAwayPatch(node, true).slice(-3)).toEqual([
      { op: 'test', path: '/metadata/deletionTimestamp', value: null },
      { op: 'test', path: '/metadata/finalizers', value: ['example.com/theirs', 'karpenter.sh/termination'] },
      { op: 'replace', path: '/metadata/finalizers', value: ['example.com/theirs'] },
    ]);
    expect(mayRelease(node)).toBe(true);
  });

  it('does not ask for a write of its own to let the finalizer go, nor touch a node that is being deleted', () => {
    const node = aNode([ours], { [label]: 'karpenter' });
    node.metadata.finalizers = ['karpenter.sh/termination'];
    expect(keepAwayPatch(node, true)).toEqual([]);
    expect(mayRelease(node)).toBe(false);
    const deleted = aNode([], {});
    Object.assign(deleted.metadata, {
      finalizers: ['karpenter.sh/termination'],
      deletionTimestamp: '2026-01-02T00:00:00Z',
    });
    expect(mayRelease(deleted)).toBe(false);
  });

  it('replaces another value of the same taint', () => {
    const patch = keepAwayPatch(aNode([{ ...ours, value: 'soon' }, other], { [label]: 'karpenter' }));
    expect(patch.at(-1)).toEqual({ op: 'add', path: '/spec/taints', value: [other, ours] });
  });

  it("does nothing twice, and leaves somebody else's label as it is", () => {
    expect(keepAwayPatch(aNode([other, ours], { [label]: 'true' }))).toEqual([]);
  });
});
