import { describe, expect, it } from 'vitest';
import type { ServedClaim } from '../../../../shared/providers/contract.ts';
import { type AdmissionRequest, judge } from './admission.ts';

const nodeClasses = [{ group: 'poolwright.dev', version: 'v1alpha1', kind: 'SimNodeClass', plural: 'simnodeclasses' }];
const cluster = { name: 'production', nodeClasses };

const nodeClassRef = { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' };
const good = { nodeClassRef, requirements: [], resources: { requests: { cpu: '1' } } };
const bad = { ...good, requirements: [{ key: 'kubernetes.io/arch', operator: 'Inn', values: ['amd64'] }] };
const worse = { ...bad, expireAfter: 'soon' };

type Metadata = { [field: string]: unknown };
const claim = (spec: object, metadata: Metadata = {}) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name: 'web-1', uid: 'u-1', generation: 1, ...metadata },
  spec,
});

const request = (operation: string, more: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  operation,
  resource: { group: 'karpenter.sh', resource: 'nodeclaims' },
  kind: { group: 'karpenter.sh', kind: 'NodeClaim' },
  ...more,
});

describe('a claim', () => {
  it('that can be served is let pass, and told of as the bridge would', () => {
    expect(judge(cluster, request('CREATE', { object: claim(good) }))).toEqual({
      allowed: true,
      warnings: [],
      news: {
        type: 'dev.poolwright.claim.changed.v1',
        data: {
          cluster: 'production',
          name: 'web-1',
          uid: 'u-1',
          generation: 1,
          deleting: false,
          observedBy: 'webhook',
        },
      },
    });
  });

  it('that can never be served is refused: which field, what is wrong, what to do', () => {
    const verdict = judge(cluster, request('CREATE', { object: claim(bad) }));
    expect(verdict).toMatchObject({ allowed: false });
    expect('message' in verdict && verdict.message).toMatch(/^spec\.requirements\[0\]\.operator: .*Inn.*In/);
    expect(verdict).not.toHaveProperty('news');
  });

  it('of a node class that nobody serves here is none of our business', () => {
    const foreign = { ...bad, nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' } };
    expect(judge(cluster, request('CREATE', { object: claim(foreign) }))).toMatchObject({ allowed: true });
  });

  it('of a shared node class is judged only if it is marked as ours, and so is a pool', () => {
    const sharing = { ...cluster, serves: ({ labels }: ServedClaim) => labels.ours === 'yes' };
    const marked = { labels: { ours: 'yes' } };
    expect(judge(sharing, request('CREATE', { object: claim(bad) }))).toMatchObject({ allowed: true, warnings: [] });
    expect(judge(sharing, request('CREATE', { object: claim(bad, marked) }))).toMatchObject({ allowed: false });
    const pool = (metadata: object) => ({
      ...{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'p', uid: 'p', generation: 1 } },
      spec: { template: { metadata, spec: bad } },
    });
    const ofPools = { resource: { group: 'karpenter.sh', resource: 'nodepools' } };
    expect(judge(sharing, request('CREATE', { ...ofPools, object: pool({}) }))).toMatchObject({ allowed: true });
    expect(judge(sharing, request('CREATE', { ...ofPools, object: pool(marked) }))).toMatchObject({ allowed: false });
  });

  it('is let pass with a warning where something legal is probably not meant', () => {
    const arch = { key: 'kubernetes.io/arch', operator: 'Exists' };
    const verdict = judge(cluster, request('CREATE', { object: claim({ nodeClassRef, requirements: [arch, arch] }) }));
    expect(verdict.allowed).toBe(true);
    expect(verdict.warnings).toEqual([
      'spec.requirements[1].key: kubernetes.io/arch is already used at [0]; both requirements must be met',
      expect.stringContaining('spec.resources.requests is empty'),
    ]);
  });

  it('can always be deleted, and a deletion is told by what was stored', () => {
    const verdict = judge(cluster, request('DELETE', { object: null, oldObject: claim(bad) }));
    expect(verdict).toMatchObject({ allowed: true, news: { data: { name: 'web-1', deleting: true } } });
    expect(judge(cluster, request('DELETE', {}))).toEqual({ allowed: true, warnings: [] });
  });

  it.each([
    ['only its metadata changes', claim(bad, { labels: { a: 'b' } }), claim(bad)],
    ['it is being deleted', claim(worse, { generation: 2, deletionTimestamp: '2026-01-01T00:00:00Z' }), claim(bad)],
    ['what is wrong was wrong before', claim({ ...bad, taints: [] }, { generation: 2 }), claim(bad)],
  ])('that is wrong already can still be changed when %s', (_name, object, oldObject) => {
    expect(judge(cluster, request('UPDATE', { object, oldObject })).allowed).toBe(true);
  });

  it('that is made worse is refused for what is new', () => {
    const object = claim(worse, { generation: 2 });
    const verdict = judge(cluster, request('UPDATE', { object, oldObject: claim(bad) }));
    expect(verdict).toMatchObject({ allowed: false, message: expect.stringMatching(/^spec\.expireAfter: "soon"/) });
    expect('message' in verdict && verdict.message).not.toContain('requirements');
  });

  it('whose metadata alone changes is no news', () => {
    const verdict = judge(cluster, request('UPDATE', { object: claim(good), oldObject: claim(good) }));
    expect(verdict).toEqual({ allowed: true, warnings: [] });
  });

  it('without a uid is let pass and not told of', () => {
    const verdict = judge(cluster, request('CREATE', { object: claim(good, { uid: '' }) }));
    expect(verdict).toEqual({ allowed: true, warnings: [] });
  });

  it('names at most five of its problems', () => {
    const requirements = Array.from({ length: 9 }, (_, index) => ({ key: `a/${index}`, operator: 'Inn' }));
    const verdict = judge(cluster, request('CREATE', { object: claim({ ...good, requirements }) }));
    expect('message' in verdict && verdict.message).toMatch(/; and \d+ more$/);
  });
});

describe('other kinds', () => {
  const pool = (spec: object) => ({ metadata: { name: 'p', uid: 'u-2', generation: 3 }, spec: { template: { spec } } });
  const ofPools = { resource: { group: 'karpenter.sh', resource: 'nodepools' } };

  it('a pool is judged by the claims that would be made from it', () => {
    expect(judge(cluster, request('CREATE', { ...ofPools, object: pool(good) }))).toMatchObject({
      allowed: true,
      news: { type: 'dev.poolwright.pool.changed.v1', data: { name: 'p', generation: 3 } },
    });
    expect(judge(cluster, request('CREATE', { ...ofPools, object: pool(bad) }))).toMatchObject({
      allowed: false,
      message: expect.stringMatching(/^spec\.template\.spec\.requirements\[0\]\.operator: /),
    });
  });

  it('a claim of another provisioner is not commented on', () => {
    const spec = {
      ...good,
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'a' },
      resources: {},
    };
    expect(judge(cluster, request('CREATE', { object: claim(spec) })).warnings ?? []).toEqual([]);
  });

  it('a pool is not warned of requests, which its template has no place for', () => {
    const { nodeClassRef: ref } = good;
    const arch = { key: 'kubernetes.io/arch', operator: 'Exists' };
    const object = pool({ nodeClassRef: ref, requirements: [arch, arch] });
    expect(judge(cluster, request('CREATE', { ...ofPools, object })).warnings).toEqual([
      'spec.template.spec.requirements[1].key: kubernetes.io/arch is already used at [0]; both requirements must be met',
    ]);
  });

  it('a node class of ours is told of with its kind', () => {
    const resource = { group: 'poolwright.dev', resource: 'simnodeclasses' };
    const object = { metadata: { name: 'default', uid: 'u-3', generation: 1 }, spec: {} };
    expect(judge(cluster, request('CREATE', { resource, object }))).toMatchObject({
      news: { type: 'dev.poolwright.node-class.changed.v1', data: { group: 'poolwright.dev', kind: 'SimNodeClass' } },
    });
  });

  it.each([
    ['a kind that we do not know', { resource: { group: 'apps', resource: 'deployments' }, object: claim(bad) }],
    ['a subresource', { subResource: 'status', object: claim(bad) }],
  ])('%s is let pass, and is no news', (_name, more) => {
    expect(judge(cluster, request('CREATE', more))).toEqual({ allowed: true, warnings: [] });
  });

  it('whatever the server sends, there is an answer', () => {
    for (const object of [undefined, null, 1, 'x', [], {}, { metadata: 1 }, { metadata: null, spec: [] }, claim([])]) {
      for (const operation of ['CREATE', 'UPDATE', 'DELETE', 'CONNECT', '']) {
        for (const more of [{}, ofPools]) {
          expect(judge(cluster, request(operation, { ...more, object, oldObject: object }))).toHaveProperty('allowed');
        }
      }
    }
  });
});
