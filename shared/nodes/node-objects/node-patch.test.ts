import { describe, expect, it } from 'vitest';
import type { Taint } from '../claims/spec/types.ts';
import { nodePatch, type WantedOnNode } from './node-patch.ts';
import type { StoredNode } from './node-stages.ts';

const unregistered: Taint = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };
const notReady: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const team: Taint = { key: 'example.com/team', value: 'red', effect: 'NoExecute' };
const owner = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: 'one', uid: 'claim-uid' };

const aNode = (metadata: Partial<StoredNode['metadata']> = {}, spec: StoredNode['spec'] = {}): StoredNode => ({
  metadata: {
    name: 'n',
    uid: 'node-uid',
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...metadata,
  },
  spec,
});

const wanted = (more: Partial<WantedOnNode> = {}): WantedOnNode => ({
  labels: { 'example.com/shelf': '7' },
  annotations: {},
  finalizer: 'karpenter.sh/termination',
  owner,
  taints: [],
  ...more,
});

describe('the patch of a Node', () => {
  it('is nothing when the Node has it all', () => {
    const metadata = {
      labels: { 'example.com/shelf': '7', other: 'x' },
      finalizers: ['karpenter.sh/termination'],
      ownerReferences: [owner],
    };
    expect(nodePatch(aNode(metadata, { taints: [notReady] }), wanted({ taints: [notReady] }))).toBeUndefined();
  });

  it('tests the uid and what it relies on, never the resourceVersion', () => {
    const patch = nodePatch(aNode({ labels: { other: 'x' }, finalizers: ['theirs'] }), wanted()) ?? [];
    expect(patch.filter(({ op }) => op === 'test')).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'node-uid' },
      { op: 'test', path: '/metadata/finalizers', value: ['theirs'] },
      { op: 'test', path: '/metadata/ownerReferences', value: null },
    ]);
  });

  it('adds labels key by key where there are some, and as a whole only where there are none', () => {
    const some = nodePatch(aNode({ labels: { other: 'x' } }), wanted()) ?? [];
    expect(some).toContainEqual({ op: 'add', path: '/metadata/labels/example.com~1shelf', value: '7' });
    const none = nodePatch(aNode(), wanted()) ?? [];
    expect(none).toContainEqual({ op: 'test', path: '/metadata/labels', value: null });
    expect(none).toContainEqual({ op: 'add', path: '/metadata/labels', value: { 'example.com/shelf': '7' } });
  });

  it('takes off and puts on single taints, from the end, so that no place moves', () => {
    const node = aNode({ labels: { 'example.com/shelf': '7' } }, { taints: [unregistered, notReady, team] });
    const patch = nodePatch(node, wanted({ taints: [notReady, { key: 'a', effect: 'NoSchedule' }] })) ?? [];
    expect(patch.filter(({ path }) => path.startsWith('/spec'))).toEqual([
      { op: 'test', path: '/spec/taints/2/key', value: 'example.com/team' },
      { op: 'test', path: '/spec/taints/2/effect', value: 'NoExecute' },
      { op: 'remove', path: '/spec/taints/2' },
      { op: 'test', path: '/spec/taints/0/key', value: 'karpenter.sh/unregistered' },
      { op: 'test', path: '/spec/taints/0/effect', value: 'NoExecute' },
      { op: 'remove', path: '/spec/taints/0' },
      { op: 'add', path: '/spec/taints/-', value: { key: 'a', effect: 'NoSchedule' } },
    ]);
  });
});
