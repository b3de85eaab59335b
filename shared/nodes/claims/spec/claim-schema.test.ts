import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseNode, parseNodeClaim, parseNodePool } from './claim-schema.ts';

const claim = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: {
    name: 'gpu-1',
    uid: 'u-1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    managedFields: [{ manager: 'kubectl' }],
  },
  spec: {
    nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
    requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
    resources: { requests: { cpu: 2, memory: '4Gi' } },
    taints: [{ key: 'sku', value: 'gpu', effect: 'NoSchedule' }],
    somethingNew: { kept: true },
  },
  status: { conditions: [{ type: 'Launched', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
};

describe('a claim', () => {
  test('is read with every field it came with', () => {
    const parsed = parseNodeClaim(claim);
    expect(parsed).toMatchObject({ ok: true, claim });
  });

  test('with an object where a word belongs is refused in words, whatever fields the object has', () => {
    const effect = { toString: 'NoSchedule', valueOf: 1 };
    const parsed = parseNodeClaim({ ...claim, spec: { ...claim.spec, taints: [{ key: 'sku', effect }] } });
    expect(parsed).toMatchObject({
      ok: false,
      problems: [{ path: 'spec.taints[0].effect', message: expect.stringContaining('is not') }],
    });
  });

  test('may have nulls, which count as absent, and no requirements', () => {
    const parsed = parseNodeClaim({
      metadata: { name: 'a', uid: 'u', creationTimestamp: null, labels: null },
      spec: { nodeClassRef: { kind: 'K', name: 'n' }, requirements: null },
      status: null,
    });
    expect(parsed).toEqual({
      ok: true,
      claim: {
        metadata: { name: 'a', uid: 'u' },
        spec: { nodeClassRef: { group: '', kind: 'K', name: 'n' }, requirements: [] },
      },
    });
  });

  test('with a senseless wish can still be read', () => {
    const requirements = [{ key: '!', operator: 'Whatever', values: [], minValues: -3 }];
    expect(parseNodeClaim({ ...claim, spec: { ...claim.spec, requirements } }).ok).toBe(true);
  });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, ''],
    ['a text', 'claim', ''],
    ['no metadata', { spec: claim.spec }, 'metadata'],
    ['an empty name', { ...claim, metadata: { name: '', uid: 'u' } }, 'metadata.name'],
    ['no uid', { ...claim, metadata: { name: 'a' } }, 'metadata.uid'],
    [
      'a time that is none',
      { ...claim, metadata: { ...claim.metadata, deletionTimestamp: 'soon' } },
      'metadata.deletionTimestamp',
    ],
    ['no node class', { ...claim, spec: {} }, 'spec.nodeClassRef'],
    [
      'a bad effect',
      { ...claim, spec: { ...claim.spec, taints: [{ key: 'a', effect: 'No' }] } },
      'spec.taints[0].effect',
    ],
    [
      'a long value',
      { ...claim, metadata: { ...claim.metadata, labels: { 'a/b': 'x'.repeat(64) } } },
      'metadata.labels["a/b"]',
    ],
    [
      'values that are no texts',
      { ...claim, spec: { ...claim.spec, requirements: [{ key: 'a', operator: 'In', values: [1] }] } },
      'spec.requirements[0].values[0]',
    ],
  ])('with %s is refused, with the place', (_, input, path) => {
    const parsed = parseNodeClaim(input);
    expect(parsed).toMatchObject({ ok: false, problems: [{ path, message: expect.any(String) }] });
  });

  test('that is nested without end is refused, not followed', () => {
    let deep: unknown = 'end';
    for (let level = 0; level < 5000; level++) deep = { deep };
    expect(parseNodeClaim({ ...claim, extra: deep })).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining('levels deep') }],
    });
  });

  test('that was damaged anywhere is read or refused, never thrown at', () => {
    const damage = fc.jsonValue({ maxDepth: 3 });
    const path = fc.constantFrom('metadata', 'spec', 'status');
    fc.assert(
      fc.property(
        path,
        fc.option(
          fc.constantFrom('name', 'labels', 'requirements', 'nodeClassRef', 'taints', 'conditions', 'resources'),
        ),
        damage,
        (part, field, value) => {
          const broken: unknown = {
            ...claim,
            [part]: field === null ? value : { ...claim[part as 'spec'], [field]: value },
          };
          const parsed = parseNodeClaim(broken);
          expect(parsed.ok || parsed.problems.length > 0).toBe(true);
        },
      ),
    );
  });
});

test('a pool is read, and its template checked like a claim', () => {
  const pool = {
    metadata: { name: 'p', uid: 'u' },
    spec: { template: { spec: claim.spec }, limits: { cpu: '1k' }, weight: 10 },
  };
  expect(parseNodePool(pool)).toMatchObject({ ok: true, value: pool });
  expect(parseNodePool({ ...pool, spec: { template: { spec: {} } } })).toMatchObject({
    ok: false,
    problems: [{ path: 'spec.template.spec.nodeClassRef' }],
  });
});

test('a node is read with what a kubelet may leave out', () => {
  const node = {
    metadata: { name: 'n', uid: 'u' },
    spec: { providerID: 'sim://1', podCIDR: '10.0.0.0/24' },
    status: { allocatable: { cpu: '4' }, conditions: [{ type: 'Ready', status: 'False' }] },
  };
  expect(parseNode(node)).toEqual({ ok: true, value: node });
  expect(parseNode({ metadata: { name: 'n', uid: 'u' } }).ok).toBe(true);
  expect(parseNode({ ...node, spec: { taints: 'x' } })).toMatchObject({
    ok: false,
    problems: [{ path: 'spec.taints' }],
  });
});
