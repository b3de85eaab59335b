/** The webhook about requests for clusters, and about forms of before. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { ok } from '../../shared/base/result.ts';
import type { Timers } from '../../shared/base/timers.ts';
import { requestAnnotations } from '../../shared/clusters/request/marks.ts';
import type { RequestPlace } from '../../shared/clusters/services.ts';
import { aRequest, requestServices, stored } from './cluster-requests-world.ts';
import { type HttpWorldOptions, httpWorld } from './world.ts';

const requestResource = { group: 'poolwright.dev', version: 'v1alpha1', resource: 'clusterrequests' };

function world(place: Partial<RequestPlace> = {}, http: HttpWorldOptions = {}) {
  const app = httpWorld(http);
  const requests = requestServices(app.services, ['production'], place);
  Object.assign(app.services, { requests });
  const review = async (request: { [field: string]: Json }) => {
    const answer = await app.send('POST', '/v1/webhook/production', {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: 'review-1',
        operation: 'CREATE',
        kind: { group: 'poolwright.dev', version: 'v1alpha1', kind: 'ClusterRequest' },
        resource: requestResource,
        dryRun: false,
        object: null,
        oldObject: null,
        ...request,
      },
    });
    expect(answer.status).toBe(200);
    return answer.json.response as { allowed: boolean; warnings?: string[]; status?: { message: string } };
  };
  const events = async () => (await app.queue.receive(10)).map(({ body }) => JSON.parse(body) as Json);
  return { ...app, requests, place: requests.places[0]!, review, events };
}

/** As the API server has it when it asks. */
const arriving = (spec: object = {}, more: object = {}, generation = 1) => {
  const request = aRequest('web', 'team-a', spec);
  const metadata = { ...request.metadata, uid: 'u-1', generation, creationTimestamp: '2026-01-01T00:00:00Z', ...more };
  return { ...request, metadata } as unknown as { [field: string]: Json };
};
const record = (spec: object) => ({
  ...{ uid: 'u-1', deployment: 'test', attempt: 1, generation: 1, spec: aRequest('web', 'team-a', spec).spec },
  ...{ resolved: {}, versions: {}, begun: ['ResourceGroup'], failures: 0, poolsExist: false },
});
const begun = (spec: object = {}) => ({ annotations: { [requestAnnotations.record]: JSON.stringify(record(spec)) } });

describe('a request for a cluster at admission', () => {
  it('that is right is allowed, and its event is on the queue', async () => {
    const { review, events } = world();
    expect(await review({ object: arriving() })).toEqual({ uid: 'review-1', allowed: true });
    expect(await events()).toMatchObject([
      {
        type: 'dev.poolwright.cluster-request.changed.v1',
        data: { cluster: 'production', namespace: 'team-a', name: 'web', uid: 'u-1', deleting: false },
      },
    ]);
  });

  it.each<[string, object, RegExp]>([
    ['a pool type', { nodePool: { type: 'standart' } }, /spec\.nodePool\.type.*write standard, or.*PoolTypeUnknown/],
    ['a location', { location: 'west_europe!' }, /spec\.location.*LocationInvalid/],
    ['a version', { kubernetesVersion: '1.19' }, /KubernetesVersionUnsupported/],
    ['a name in Azure', { clusterName: 'a b' }, /spec\.clusterName.*ClusterNameInvalid/],
    ['a credential in a URL', { gitOps: { url: 'https://a:hunter22@example.com/x' } }, /GitUrlInvalid/],
    ['a driver', { driver: 'arm' }, /spec\.driver.*DriverNotAvailable/],
  ])('with %s that cannot be is refused, with field, cause, fix and code', async (_what, spec, message) => {
    const { review, events } = world();
    const answer = await review({ object: arriving(spec) });
    expect(answer).toMatchObject({ allowed: false, status: { message: expect.stringMatching(message) } });
    expect(answer.status?.message).not.toContain('hunter22');
    expect(await events()).toEqual([]);
  });

  it('is refused by the policy, which knows the uid and the time that it gets', async () => {
    let asked: unknown;
    const finding = {
      severity: 'error',
      field: 'spec.location',
      code: 'LocationNotAllowed',
      cause: 'c',
      fix: 'f',
    } as const;
    const policy: RequestPlace['policy'] = {
      check: async ({ request }) => {
        asked = request.metadata;
        return ok([finding]);
      },
    };
    expect(await world({ policy }).review({ object: arriving() })).toMatchObject({ allowed: false });
    expect(asked).toMatchObject({ uid: 'u-1', creationTimestamp: '2026-01-01T00:00:00Z' });
  });

  it('is refused where another request has the cluster, and where something exists that is not its own', async () => {
    const { review, place } = world();
    await stored(place, aRequest('other', 'team-a', { clusterName: 'shop', resourceGroup: 'rg-shop' }));
    expect(await review({ object: arriving({ clusterName: 'shop', resourceGroup: 'rg-shop' }) })).toMatchObject({
      allowed: false,
      status: { message: expect.stringContaining('ClusterRequestsCollide') },
    });
    const served = {
      ResourceGroup: ['v1api20200601'],
      ManagedCluster: ['v1api20250801'],
      UserAssignedIdentity: ['v1api20230131'],
    };
    Object.assign(place.driver, {
      served: async () => ok(served),
      observe: async ({ kind }: { kind: string }) => ok(kind === 'ManagedCluster' ? { spec: {} } : undefined),
    });
    expect(await review({ object: arriving() })).toMatchObject({
      allowed: false,
      status: { message: expect.stringMatching(/spec\.clusterName: the cluster web exists.*ClusterNotOurs/) },
    });
  });

  it('is judged by the rules alone when a store does not answer in time', async () => {
    const timers: Timers = {
      after: (_, run) => {
        queueMicrotask(run);
        return () => undefined;
      },
    };
    const store = { list: () => new Promise(() => undefined) } as never;
    const { review } = world({ store }, { timers });
    expect(await review({ object: arriving() })).toMatchObject({ allowed: true });
    expect(await review({ object: arriving({ nodePool: { type: 'x' } }) })).toMatchObject({ allowed: false });
  });

  it('is allowed with a warning in a cluster for which nothing is carried out', async () => {
    const { review, services } = world();
    Object.assign(services, { requests: undefined });
    const answer = await review({ object: arriving({ nodePool: { type: 'x' } }) });
    expect(answer).toMatchObject({ allowed: true, warnings: [expect.stringContaining('set clusterRequests')] });
  });

  it('has warnings that kubectl shows', async () => {
    const answer = await world().review({ object: arriving({ gitOps: { url: 'https://example.com/fleet' } }) });
    expect(answer).toMatchObject({ allowed: true, warnings: [expect.stringContaining('GitCredentialsMissing')] });
  });
});

describe('a change of a request at admission', () => {
  const change = (before: object, after: object, more: object = {}) => ({
    operation: 'UPDATE',
    oldObject: arriving(before, more, 1),
    object: arriving(after, more, 2),
  });

  it('that the cluster cannot follow is refused once it has been begun, and allowed before', async () => {
    const { review } = world();
    expect(await review(change({}, { location: 'northeurope' }))).toMatchObject({ allowed: true });
    expect(await review(change({}, { location: 'northeurope' }, begun()))).toMatchObject({
      allowed: false,
      status: { message: expect.stringMatching(/spec\.location.*ChangeNotPossible/) },
    });
    expect(await review(change({}, { kubernetesVersion: '1.36' }, begun()))).toMatchObject({ allowed: true });
    expect(await review(change({}, { kubernetesVersion: '1.34' }, begun()))).toMatchObject({ allowed: false });
  });

  it('of something else is not refused for what was wrong already', async () => {
    const { review } = world();
    const wrong = { nodePool: { type: 'x' } };
    expect(await review(change(wrong, { ...wrong, tags: { a: 'b' } }))).toMatchObject({
      allowed: true,
      warnings: [expect.stringContaining('PoolTypeUnknown')],
    });
    expect(await review(change(wrong, { ...wrong, location: '!' }))).toMatchObject({ allowed: false });
    const moved = { location: 'northeurope' };
    expect(await review(change(moved, { ...moved, tier: 'Standard' }, begun()))).toMatchObject({ allowed: true });
  });

  it('to what it was is allowed, and so is a deletion, with a word about the guard', async () => {
    const { review, events } = world();
    expect(await review(change({ location: 'northeurope' }, {}, begun()))).toMatchObject({ allowed: true });
    await events();
    const oldObject = arriving({ deleteGuard: true });
    expect(await review({ operation: 'DELETE', oldObject })).toMatchObject({
      allowed: true,
      warnings: [expect.stringContaining('DeleteGuarded')],
    });
    expect(await events()).toMatchObject([{ data: { deleting: true } }]);
  });

  it('survives whatever stands in the objects', async () => {
    const { review } = world();
    for (const object of [null, {}, { spec: 7 }, { metadata: [], spec: { location: 5 } }] as Json[]) {
      for (const operation of ['CREATE', 'UPDATE', 'DELETE', 'CONNECT']) {
        expect(typeof (await review({ operation, object, oldObject: object })).allowed).toBe('boolean');
      }
    }
  });
});

describe('a form of before at admission', () => {
  const classes = { group: 'karpenter.azure.com', version: 'v1beta1', resource: 'aksnodeclasses' };
  const kind = (version: string) => ({ group: 'karpenter.azure.com', version, kind: 'AKSNodeClass' });
  const nodeClasses = [
    { group: 'karpenter.azure.com', version: 'v1beta1', kind: 'AKSNodeClass', plural: 'aksnodeclasses' },
  ];
  const withClasses = (): HttpWorldOptions => ({
    cluster: { providers: [{ name: 'azure', nodeClasses } as never], serving: () => [{ name: 'azure' } as never] },
  });
  const nodeClass = (spec: Json, annotations: { [key: string]: Json } = {}) => ({
    metadata: { name: 'web', uid: 'u', generation: 1, annotations },
    spec,
  });
  const applied = (spec: Json) => ({
    'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ spec }),
  });

  it('is refused for fields that the API server has dropped, and names the command that converts them', async () => {
    const { review } = world({}, withClasses());
    const old = { location: 'westeurope', osDisk: { sizeGb: 100 } };
    const answer = await review({ resource: classes, kind: kind('v1beta1'), object: nodeClass({}, applied(old)) });
    expect(answer).toMatchObject({ allowed: false });
    expect(answer.status?.message).toMatch(/^spec\.location: .*poolwright convert -f FILE/);
    expect(answer.status?.message).toContain('spec.osDisk');
  });

  it('without such fields is allowed, with a warning about its version', async () => {
    const { review } = world({}, withClasses());
    const today = { resource: classes, kind: kind('v1beta1'), object: nodeClass({ imageFamily: 'Ubuntu' }) };
    expect(await review(today)).toEqual({ uid: 'review-1', allowed: true });
    expect(await review({ ...today, requestKind: kind('v1alpha2') })).toMatchObject({
      allowed: true,
      warnings: [expect.stringContaining('poolwright convert')],
    });
  });

  it('of a NodePool is refused where an API server still takes it', async () => {
    const { review } = world({}, withClasses());
    const spec = {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'web' },
      requirements: [],
    };
    const pool = {
      resource: { group: 'karpenter.sh', version: 'v1', resource: 'nodepools' },
      kind: { group: 'karpenter.sh', version: 'v1', kind: 'NodePool' },
      object: { metadata: { name: 'web', uid: 'u', generation: 1 }, spec: { template: { spec } } },
    };
    expect(await review(pool)).toMatchObject({ allowed: true });
    const old = { ...pool, requestKind: { group: 'karpenter.sh', version: 'v1beta1', kind: 'NodePool' } };
    expect(await review(old)).toMatchObject({
      allowed: false,
      status: { message: expect.stringMatching(/^apiVersion: v1beta1 of NodePool.*poolwright convert -f FILE/) },
    });
    // Of another provisioner that serves the same kind.
    const options = withClasses();
    const theirs = world({}, { cluster: { ...options.cluster, serving: () => [] } });
    expect(await theirs.review(old)).toMatchObject({ allowed: true });
  });
});
