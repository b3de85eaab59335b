/** Rules of built-in kinds that the product writes or reads. */
import { expect, test } from 'vitest';
import type { Client } from './cluster-api-suite.ts';
import { aClaim, aNode, aPod, budgets, claims, events, freshName, leases, nodes, pods } from './objects.ts';

export function builtInCases(client: Client): void {
  const aLease = (spec: object) => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: freshName('lease') },
    spec,
  });
  const anEvent = (namespace?: string) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: freshName('event') },
    involvedObject: {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      name: 'x',
      ...(namespace ? { namespace } : {}),
    },
    reason: 'Launched',
    message: 'is there',
    type: 'Normal',
  });

  test('times of a Lease need microseconds', async () => {
    const good = await client().post(leases, aLease({ renewTime: '2026-01-01T00:00:00.000000Z' }));
    expect(good.code).toBe(201);
    const bad = await client().post(leases, aLease({ renewTime: '2026-01-01T00:00:00Z' }));
    expect([bad.code, bad.body.reason]).toEqual([400, 'BadRequest']);
  });

  test.each([
    ['leaseDurationSeconds', 0],
    ['leaseTransitions', -1],
  ])('a Lease whose %s is %i is Invalid', async (field, value) => {
    const { code, body } = await client().post(leases, aLease({ [field]: value }));
    expect([code, body.details.causes[0].field]).toEqual([422, `spec.${field}`]);
  });

  test('an Event about what has no namespace stands in default and nowhere else', async () => {
    expect((await client().post(events, anEvent())).code).toBe(201);
    const elsewhere = await client().post('/api/v1/namespaces/kube-system/events', anEvent());
    expect([elsewhere.code, elsewhere.body.details.causes[0].field]).toEqual([422, 'involvedObject.namespace']);
    expect((await client().post(events, anEvent('kube-system'))).code).toBe(422);
  });

  test('a budget can not have both limits', async () => {
    const { code, body } = await client().post(budgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: freshName('budget') },
      spec: { minAvailable: 1, maxUnavailable: 1, selector: {} },
    });
    expect([code, body.details.causes[0].field]).toEqual([422, 'spec']);
  });

  test('an owner needs all that names it, and only one controls', async () => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'x' };
    const nameless = await client().post(claims, aClaim(freshName('owned'), { ownerReferences: [owner] }));
    expect([nameless.code, nameless.body.details.causes[0].field]).toEqual([422, 'metadata.ownerReferences.uid']);
    const two = ['u', 'v'].map((uid) => ({ ...owner, uid, controller: true }));
    expect((await client().post(nodes, aNode(freshName('owned'), { ownerReferences: two }))).code).toBe(422);
  });

  test('a finalizer of a Node needs a domain', async () => {
    const { code, body } = await client().post(nodes, aNode(freshName('held'), { finalizers: ['mine'] }));
    expect([code, body.details.causes[0].field]).toEqual([422, 'metadata.finalizers[0]']);
  });

  test('taints are unique by key and effect, and their effect is one of three', async () => {
    const name = freshName('tainted');
    await client().post(nodes, aNode(name));
    const taint = { key: 'a', effect: 'NoSchedule' };
    const twice = await client().merge(`${nodes}/${name}`, { spec: { taints: [taint, taint] } });
    expect([twice.code, twice.body.details.causes[0].reason]).toEqual([422, 'FieldValueDuplicate']);
    const unknown = await client().merge(`${nodes}/${name}`, { spec: { taints: [{ ...taint, effect: 'Never' }] } });
    expect([unknown.code, unknown.body.details.causes[0].field]).toEqual([422, 'metadata.taints[0].effect']);
  });

  test('a pod on a node ends when its kubelet says so, and its grace can only be shortened', async () => {
    const name = freshName('pod');
    const pod = aPod(name, 'node-a') as { spec: object };
    await client().post(pods, { ...pod, spec: { ...pod.spec, terminationGracePeriodSeconds: 30 } });
    const { code, body } = await client().delete(`${pods}/${name}`);
    expect([code, body.metadata.deletionGracePeriodSeconds]).toEqual([200, 30]);
    const grace = async (gracePeriodSeconds: number): Promise<number> =>
      (await client().delete(`${pods}/${name}`, { gracePeriodSeconds })).body.metadata.deletionGracePeriodSeconds;
    expect([await grace(10), await grace(20)]).toEqual([10, 10]);
    expect((await client().get(`${pods}/${name}`)).body.metadata.deletionTimestamp).toMatch(/Z$/);
    await client().delete(`${pods}/${name}`, { gracePeriodSeconds: 0 });
    expect((await client().get(`${pods}/${name}`)).code).toBe(404);
  });

  test('a pod that is on no node goes at once', async () => {
    const name = freshName('pod');
    const pod = aPod(name, '') as { spec: object };
    await client().post(pods, {
      ...pod,
      spec: { ...pod.spec, nodeName: undefined, terminationGracePeriodSeconds: 30 },
    });
    await client().delete(`${pods}/${name}`);
    expect((await client().get(`${pods}/${name}`)).code).toBe(404);
  });

  test('a question about rights is answered and not stored', async () => {
    const { code, body } = await client().post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { verb: 'list', resource: 'pods' } },
    });
    expect([code, body.status.allowed]).toEqual([201, true]);
  });

  test.each([
    '/apis/apps/v1/deployments',
    '/apis/apps/v1/daemonsets',
    '/api/v1/persistentvolumeclaims',
    '/api/v1/persistentvolumes',
    '/apis/scheduling.k8s.io/v1/priorityclasses',
    '/apis/storage.k8s.io/v1/volumeattachments',
  ])('%s is served', async (path) => {
    const { code, body } = await client().get(path);
    expect([code, body.kind]).toEqual([200, expect.stringMatching(/List$/)]);
  });
}
