import { describe, expect, it } from 'vitest';
import { templateHash } from './hash.ts';
import type { StoredPool } from './types.ts';

type Template = StoredPool['spec']['template'];
const base: Template = {
  metadata: { labels: { team: 'a' } },
  spec: {
    nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
    requirements: [],
    taints: [
      { key: 'x', effect: 'NoSchedule' },
      { key: 'y', effect: 'NoExecute' },
    ],
    expireAfter: '720h',
  },
};
const withSpec = (spec: Partial<Template['spec']>): Template => ({ ...base, spec: { ...base.spec, ...spec } });

describe('templateHash', () => {
  it.each<[string, Template]>([
    ['requirements', withSpec({ requirements: [{ key: 'a', operator: 'Exists' }] })],
    ['the order of taints', withSpec({ taints: base.spec.taints?.toReversed() ?? [] })],
    ['an empty list', withSpec({ startupTaints: [] })],
    ['empty annotations', { ...base, metadata: { ...base.metadata, annotations: {} } }],
    ['requested resources', withSpec({ resources: { requests: { cpu: '1' } } })],
  ])('does not change with %s', (_, template) => {
    expect(templateHash(template)).toBe(templateHash(base));
  });

  it.each<[string, Template]>([
    ['labels', { ...base, metadata: { labels: { team: 'b' } } }],
    ['annotations', { ...base, metadata: { ...base.metadata, annotations: { note: 'x' } } }],
    ['a taint', withSpec({ taints: [{ key: 'x', effect: 'NoSchedule' }] })],
    ['startup taints', withSpec({ startupTaints: [{ key: 's', effect: 'NoSchedule' }] })],
    ['the node class', withSpec({ nodeClassRef: { ...base.spec.nodeClassRef, name: 'other' } })],
    ['expireAfter', withSpec({ expireAfter: 'Never' })],
    ['terminationGracePeriod', withSpec({ terminationGracePeriod: '5m' })],
  ])('changes with %s', (_, template) => {
    expect(templateHash(template)).not.toBe(templateHash(base));
  });
});
