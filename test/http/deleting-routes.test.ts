/**
 * Every route that is not a GET, and what a call of it can delete or lead to: claims and machines by events, bindings of clusters, dead
 * letters, pauses, marks, workflows. Each is called by everyone who is not allowed to, and about another cluster; what belongs to
 * `production` must be as it was. A new route needs a line here.
 */
import { describe, expect, it } from 'vitest';
import type { WorkflowAbilities } from '../../functions/http/options.ts';
import type { Json } from '../../shared/base/json.ts';
import { ok } from '../../shared/base/result.ts';
import type { ClusterApi, KubeObject } from '../../shared/kube/contract.ts';
import { markUnavailable } from '../../shared/nodes/offerings/unavailable-offerings.ts';
import { pause } from '../../shared/nodes/pauses/pauses.ts';
import { aRequest, requestServices, stored } from './cluster-requests-world.ts';
import { anEvent, httpWorld, token, unreachableCluster } from './world.ts';

type Target = { path: string; body?: Json };

interface Case {
  /** Besides the operator: what the keys of the cluster itself may do. */
  ownCluster?: true;
  /** Takes or changes something of `production`. */
  harm: Target;
  /** The same about `staging`, or about a thing of another name. */
  elsewhere: Target;
}

const workflowId = (cluster: string): string => `${cluster}/u-1/terminate/1`;

const review = (name: string): Json => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'review-1',
    operation: 'CREATE',
    kind: { group: 'karpenter.sh', version: 'v1', kind: 'NodeClaim' },
    resource: { group: 'karpenter.sh', version: 'v1', resource: 'nodeclaims' },
    dryRun: false,
    object: {
      metadata: { name, uid: 'u-1', generation: 1 },
      spec: {
        nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
        requirements: [],
        resources: { requests: { cpu: '1' } },
      },
    },
    oldObject: null,
  },
});

const cases: Record<string, Case> = {
  'POST /v1/events': {
    ownCluster: true,
    harm: { path: '/v1/events', body: anEvent({}, { deleting: true }) },
    elsewhere: { path: '/v1/events', body: anEvent({}, { cluster: 'staging', deleting: true }) },
  },
  'POST /v1/webhook/{cluster}': {
    ownCluster: true,
    harm: { path: '/v1/webhook/production', body: review('web-1') },
    elsewhere: { path: '/v1/webhook/staging', body: review('web-1') },
  },
  'POST /v1/webhook/{cluster}/{secret}': {
    ownCluster: true,
    harm: { path: '/v1/webhook/production/no-secret', body: review('web-1') },
    elsewhere: { path: '/v1/webhook/staging/no-secret', body: review('web-1') },
  },
  'POST /v1/clusters/{name}/confirm': {
    harm: { path: '/v1/clusters/production/confirm' },
    elsewhere: { path: '/v1/clusters/staging/confirm' },
  },
  'POST /v1/claims/{cluster}/{name}/adopt': {
    harm: { path: '/v1/claims/production/web-1/adopt', body: {} },
    elsewhere: { path: '/v1/claims/staging/web-1/adopt', body: {} },
  },
  'POST /v1/dead-letters/drop': {
    harm: { path: '/v1/dead-letters/drop', body: { filter: { cluster: 'production' } } },
    elsewhere: { path: '/v1/dead-letters/drop', body: { filter: { cluster: 'staging' } } },
  },
  'POST /v1/dead-letters/replay': {
    harm: { path: '/v1/dead-letters/replay' },
    elsewhere: { path: '/v1/dead-letters/replay', body: { ids: ['999'] } },
  },
  'DELETE /v1/pauses/{kind}/{name}': {
    harm: { path: '/v1/pauses/cluster/production' },
    elsewhere: { path: '/v1/pauses/cluster/staging' },
  },
  'PUT /v1/pauses/{kind}/{name}': {
    harm: { path: '/v1/pauses/cluster/production', body: { why: 'another reason' } },
    elsewhere: { path: '/v1/pauses/cluster/staging', body: { why: 'another reason' } },
  },
  'DELETE /v1/offerings/unavailable': {
    harm: { path: '/v1/offerings/unavailable?provider=sim' },
    elsewhere: { path: '/v1/offerings/unavailable?provider=other' },
  },
  'POST /v1/cluster-requests': {
    harm: { path: '/v1/cluster-requests?cluster=production', body: aRequest('new') },
    elsewhere: { path: '/v1/cluster-requests?cluster=staging', body: aRequest('new') },
  },
  'PUT /v1/cluster-requests/{cluster}/{namespace}/{name}': {
    harm: { path: '/v1/cluster-requests/production/team-a/web', body: aRequest('web', 'team-a', { tier: 'Standard' }) },
    elsewhere: {
      path: '/v1/cluster-requests/staging/team-a/web',
      body: aRequest('web', 'team-a', { tier: 'Standard' }),
    },
  },
  'DELETE /v1/cluster-requests/{cluster}/{namespace}/{name}': {
    harm: { path: '/v1/cluster-requests/production/team-a/web' },
    elsewhere: { path: '/v1/cluster-requests/staging/team-a/web' },
  },
  'POST /v1/cluster-requests/{cluster}/{namespace}/{name}/cancel': {
    harm: { path: '/v1/cluster-requests/production/team-a/web/cancel' },
    elsewhere: { path: '/v1/cluster-requests/staging/team-a/web/cancel' },
  },
  'POST /v1/cluster-requests/{cluster}/{namespace}/{name}/retry': {
    harm: { path: '/v1/cluster-requests/production/team-a/web/retry' },
    elsewhere: { path: '/v1/cluster-requests/staging/team-a/web/retry' },
  },
  'POST /v1/workflows/{id}/retry': {
    harm: { path: `/v1/workflows/${workflowId('production')}/retry` },
    elsewhere: { path: `/v1/workflows/${workflowId('staging')}/retry` },
  },
  'POST /v1/workflows/{id}/restart': {
    harm: { path: `/v1/workflows/${workflowId('production')}/restart`, body: { force: true } },
    elsewhere: { path: `/v1/workflows/${workflowId('staging')}/restart`, body: { force: true } },
  },
};

/** They ask, and change nothing; a test below sees to it. */
const questions: Record<string, Target> = {
  'POST /v1/plan': { path: '/v1/plan', body: { cluster: 'production' } },
  'POST /v1/cluster-requests/plan': { path: '/v1/cluster-requests/plan?cluster=production', body: aRequest('new') },
  'POST /v1/providers/{name}/check': { path: '/v1/providers/sim/check' },
  'POST /v1/webhook-defaults/{cluster}': { path: '/v1/webhook-defaults/production', body: review('web-1') },
  'POST /v1/webhook-defaults/{cluster}/{secret}': {
    path: '/v1/webhook-defaults/production/secret-of-production',
    body: review('web-1'),
  },
};

const keys = (cluster: string) => ({
  tokens: [`key-of-${cluster}`],
  pathSecrets: [`secret-of-${cluster}`],
  certificateNames: [cluster],
});

/** `production` with something of everything that a route can take away. */
async function open() {
  const calls: string[] = [];
  const claim = {
    metadata: { name: 'web-1', uid: 'u-1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' }, requirements: [] },
    status: {
      providerID: 'sim:///zone-a/i-1',
      conditions: [
        { type: 'Launched', status: 'True', reason: 'Launched', lastTransitionTime: '2026-01-01T00:00:00Z' },
      ],
    },
  };
  const api: ClusterApi = {
    ...unreachableCluster(),
    get: async <T extends KubeObject>() => ok(claim as unknown as T),
  };
  const instance = { id: 'i-1', providerID: 'sim:///zone-a/i-1', attempt: 1, instanceType: 'a', zone: 'zone-a' };
  const restarted = async (id: string) => {
    calls.push(`restart ${id}`);
    return { id: id.replace(/1$/, '2'), epoch: 2 };
  };
  const workflows: WorkflowAbilities = {
    list: async () => ({ items: [] }),
    inspect: async (id) => ({
      ...{ id, key: id.slice(0, -2), epoch: 1, workflow: 'terminate', version: 1, status: 'set-aside', startedAt: 0 },
      ...{ group: id.split('/')[0] ?? '', input: null, history: [], signals: [] },
    }),
    retrySetAside: restarted,
    restart: restarted,
  };
  const world = httpWorld({
    api,
    workflows,
    logs: { read: async () => ({ lines: [] }) as never },
    intake: keys,
    questions: {
      ask: async ({ name }, input) => {
        const { cluster, dryRun } = input as { cluster?: string; dryRun?: boolean };
        if (name === 'adopt-claim' && !dryRun) calls.push(`adopt in ${cluster}`);
        return ok({ uid: 'u-1', need: 'foreign', instances: [instance], tags: {}, done: !dryRun } as never);
      },
    },
  });
  const { services, queue } = world;
  for (const cluster of services.clusters) {
    const confirmIdentity = async () => {
      calls.push(`confirm ${cluster.name}`);
      return ok('uid');
    };
    Object.assign(cluster, { confirmIdentity });
  }
  const requests = requestServices(services);
  Object.assign(services, { requests });
  for (const place of requests.places) await stored(place);
  await queue.send(['a letter'], { group: 'production' });
  for (const message of await queue.receive(1)) await queue.deadLetter(message, 'why');
  await pause(services, { kind: 'cluster', name: 'production' }, 'maintenance');
  const offering = { instanceType: 'c4', zone: 'a', capacityType: 'spot' } as const;
  await markUnavailable(services, 'sim', offering, { message: 'sold out', kind: 'no-capacity' } as never, 600);

  /** All that there is of `production`, and what was done about it. */
  const ofProduction = async () => ({
    state: (await services.state.list('')).items.filter(
      ({ key }) => !key.includes('staging') && !key.startsWith('audit/'),
    ),
    letters: (await queue.deadLetters({ limit: 100 })).items,
    waiting: waiting(),
    calls: calls.filter((one) => one.includes('production')),
  });
  /** Nothing takes events from this queue, so what was sent is what waits. */
  const sent: string[] = [];
  const send = queue.send.bind(queue);
  services.events.send = async (bodies, options) => {
    if (options?.group !== 'staging') sent.push(...bodies);
    return send(bodies, options);
  };
  const waiting = (): string[] => [...sent];

  const call = async (method: string, { path, body }: Target, headers: Record<string, string>, names: string[] = []) =>
    world.app.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
      { certificateNames: names },
    );
  return { ...world, ofProduction, call };
}

const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
const operator = bearer(token);
const methodOf = (route: string): string => route.split(' ')[0] ?? '';

type Stranger = [who: string, headers: Record<string, string>, certificates?: string[]];
const strangers: Stranger[] = [
  ['no key', {}],
  ['an invented token', bearer('something-else')],
  ['the token in another scheme', { authorization: `Basic ${token}` }],
  ['the path secret as a token', bearer('secret-of-production')],
  ['the key of another cluster', bearer('key-of-staging')],
  ['the certificate of another cluster', {}, ['staging']],
];
const ownKeys: Stranger[] = [
  ['the key of the cluster', bearer('key-of-production')],
  ['the certificate of the cluster', {}, ['production']],
];

it('the routes that are no GET are those with a case here', async () => {
  const { paths } = (await (await open()).get('/openapi.json')).json as { paths: Record<string, object> };
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const changing = routes.filter((route) => methodOf(route) !== 'GET');
  expect(changing.sort()).toEqual([...Object.keys(cases), ...Object.keys(questions)].sort());
});

describe.each(Object.entries(cases))('%s', (route, { harm, elsewhere, ownCluster }) => {
  const method = methodOf(route);

  it.each([...strangers, ...(ownCluster ? [] : ownKeys)])('does nothing for %s', async (_who, headers, names) => {
    const world = await open();
    const before = await world.ofProduction();
    const { status } = await world.call(method, harm, headers, names);
    expect([401, 403]).toContain(status);
    expect(await world.ofProduction()).toEqual(before);
  });

  it('does what it is for when the operator calls', async () => {
    const world = await open();
    const before = await world.ofProduction();
    const answer = await world.call(method, harm, operator);
    expect(answer.ok, await answer.text()).toBe(true);
    expect(await world.ofProduction()).not.toEqual(before);
  });

  it('leaves a cluster alone when the call is about another', async () => {
    const world = await open();
    const before = await world.ofProduction();
    await world.call(method, elsewhere, operator);
    expect(await world.ofProduction()).toEqual(before);
  });
});

const forClusters = Object.entries(cases).filter(([, { ownCluster }]) => ownCluster);

describe.each(forClusters)('%s', (route, { harm, elsewhere }) => {
  const method = methodOf(route);

  it.each(ownKeys)('takes from %s what is about itself alone', async (_who, headers, names) => {
    const world = await open();
    const before = await world.ofProduction();
    expect((await world.call(method, elsewhere, headers, names)).status).toBe(403);
    expect(await world.ofProduction()).toEqual(before);
    expect((await world.call(method, harm, headers, names)).ok).toBe(true);
    expect(await world.ofProduction()).not.toEqual(before);
  });
});

it('takes the path secret of a cluster at its own webhook and nowhere else', async () => {
  const world = await open();
  const before = await world.ofProduction();
  const body = review('web-1');
  const at = (path: string) => world.call('POST', { path, body }, {});
  expect((await at('/v1/webhook/production/secret-of-staging')).status).toBe(401);
  expect((await at('/v1/events/secret-of-production')).status).toBe(401);
  expect(await world.ofProduction()).toEqual(before);
  expect((await at('/v1/webhook/production/secret-of-production')).status).toBe(200);
  expect(await world.ofProduction()).not.toEqual(before);
});

it('questions and every GET change nothing, whoever asks', async () => {
  const world = await open();
  const before = await world.ofProduction();
  const { paths } = (await world.get('/openapi.json')).json as { paths: Record<string, object> };
  for (const [template, methods] of Object.entries(paths)) {
    if (!('get' in methods)) continue;
    const id = encodeURIComponent(workflowId('production'));
    const path = template
      .replace('{cluster}', 'production')
      .replace('{namespace}', 'team-a')
      .replace('{name}', 'web-1')
      .replace('{id}', id);
    await world.call('GET', { path }, operator);
  }
  for (const [route, target] of Object.entries(questions)) await world.call(methodOf(route), target, operator);
  expect(await world.ofProduction()).toEqual(before);
});
