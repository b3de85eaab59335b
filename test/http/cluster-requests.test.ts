import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { failed, ok } from '../../shared/base/result.ts';
import type { Timers } from '../../shared/base/timers.ts';
import { requestAnnotations, requestFinalizer } from '../../shared/clusters/request/marks.ts';
import type { RequestPlace } from '../../shared/clusters/services.ts';
import { failureCodes } from '../../shared/kube/contract.ts';
import type { WorkflowClient } from '../../shared/workflow/contract.ts';
import { aRequest, requestServices, stored } from './cluster-requests-world.ts';
import { type HttpWorldOptions, httpWorld, token } from './world.ts';

const callers = {
  'team-a': { role: 'operate', tokens: ['the-token-of-team-a'] },
  ci: { role: 'operate', team: 'team-a', tokens: ['the-token-of-ci'] },
  'team-b': { role: 'operate', tokens: ['the-token-of-team-b'] },
  viewer: { role: 'read', team: 'team-a', tokens: ['the-token-of-viewer'] },
} as const;
const members = () =>
  Object.entries(callers).map(([name, { tokens, ...rest }]) => ({ name, ...rest, tokens: () => tokens }));

interface Options extends HttpWorldOptions {
  places?: readonly string[];
  place?: Partial<RequestPlace>;
}

function world({ places = ['production'], place: more, ...http }: Options = {}) {
  const started: string[] = [];
  const client: WorkflowClient = {
    ensure: async ({ workflow, key }) => {
      started.push(`${workflow.name} ${key}`);
      return { id: `${key}/1`, epoch: 1, started: true };
    },
    signal: async (key, name) => void started.push(`${name} ${key}`),
    latest: async () => undefined,
  };
  const app = httpWorld({ members, client, ...http });
  const requests = requestServices(app.services, places, more);
  Object.assign(app.services, { requests });
  const place = requests.places[0]!;
  const as = (who: keyof typeof callers | undefined) => ({
    authorization: `Bearer ${who === undefined ? token : callers[who].tokens[0]}`,
    'content-type': 'application/json',
  });
  const call = (method: string, path: string, body?: Json, who?: keyof typeof callers) =>
    app.ask(method, `/v1/cluster-requests${path}`, {
      headers: as(who),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return { ...app, requests, place, started, call };
}

const read = async ({ store }: RequestPlace, name = 'web', namespace = 'team-a') => {
  const found = await store.get({ namespace, name });
  return found.ok ? found.value : undefined;
};

describe('a host without cluster requests', () => {
  it('says so to each of them, with a code of its own', async () => {
    const { ask } = httpWorld();
    const headers = { 'content-type': 'application/json' };
    for (const [method, path, body] of [
      ['GET', '/v1/cluster-requests'],
      ['POST', '/v1/cluster-requests', aRequest()],
      ['POST', '/v1/cluster-requests/plan', aRequest()],
      ['GET', '/v1/cluster-requests/production/team-a/web'],
      ['DELETE', '/v1/cluster-requests/production/team-a/web'],
    ] as const) {
      const answer = await ask(method, path, body === undefined ? {} : { headers, body: JSON.stringify(body) });
      expect.soft(answer.json, `${method} ${path}`).toMatchObject({
        status: 404,
        code: 'NoManagementCluster',
        detail: expect.stringContaining('carries out no cluster requests'),
      });
    }
  });
});

describe('creating a request', () => {
  it('into a namespace that the management cluster lacks names it, and what to do', async () => {
    const code = failureCodes.namespaceMissing;
    const create = async () => failed('unavailable', 'namespaces "team-a" not found (HTTP 404)', { code });
    const { call, place } = world();
    Object.assign(place.store, { create });
    expect((await call('POST', '', aRequest())).json).toMatchObject({
      status: 400,
      code: 'NamespaceMissing',
      detail: expect.stringMatching(/production has no namespace team-a.*kubectl create namespace team-a/),
    });
  });

  it('stores it, answers with it, and begins the work at once', async () => {
    const { call, started, place } = world();
    const made = await call('POST', '', aRequest());
    expect(made.json).toMatchObject({ cluster: 'production', request: { metadata: { name: 'web' } }, findings: [] });
    expect(made.status).toBe(201);
    const uid = (await read(place))?.metadata.uid;
    expect(started[0]).toBe(`provision-cluster production/${uid}/provision-cluster`);
  });

  it('twice with the same spec is once, whatever the order of its fields', async () => {
    const { call, place } = world();
    const first = await call('POST', '', aRequest('web', 'team-a', { tags: { a: '1', b: '2' } }));
    const again = await call('POST', '', aRequest('web', 'team-a', { tags: { b: '2', a: '1' } }));
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.json.request).toEqual(first.json.request);
    const page = await place.store.list();
    expect(page.ok && page.value.items).toHaveLength(1);
  });

  it('with another spec under the same name is refused, and names what differs', async () => {
    const { call } = world();
    await call('POST', '', aRequest());
    const other = await call('POST', '', aRequest('web', 'team-a', { location: 'northeurope' }));
    expect(other.json).toMatchObject({ status: 409, code: 'ClusterRequestExists' });
    expect(other.json.detail).toContain('spec.location');
  });

  it('racing with itself makes one', async () => {
    const { call } = world();
    const answers = await Promise.all([1, 2, 3].map(() => call('POST', '', aRequest())));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
  });

  it('takes the flat parameters of a platform, in both spellings, for the team of the caller', async () => {
    const { call, place } = world();
    const kebab = {
      'cluster-name': 'Web_1',
      location: 'westeurope',
      'enable-nap': 'true',
      'node-pool-type': 'standard',
    };
    const camel = { clusterName: 'jobs', location: 'westeurope', enableNAP: false, kubernetesVersion: '1.35' };
    expect((await call('POST', '', kebab, 'ci')).status).toBe(201);
    expect((await call('POST', '', camel, 'ci')).status).toBe(201);
    expect((await read(place, 'web-1'))?.spec).toMatchObject({ clusterName: 'Web_1', nodes: 'nap' });
    expect((await read(place, 'jobs'))?.spec).toMatchObject({ nodes: 'agentPools' });
  });

  it('names each wrong field with code and fix, and stores nothing', async () => {
    const { call, place } = world();
    const bad = aRequest('web', 'team-a', { location: 'westeurope', nodePool: { type: 'standart' }, tier: 'Gold' });
    const answer = await call('POST', '', bad);
    expect(answer.status).toBe(400);
    const { findings } = answer.json as unknown as { findings: { code: string; field: string; fix: string }[] };
    expect(findings.map(({ code, field }) => `${code} ${field}`)).toContain('PoolTypeUnknown spec.nodePool.type');
    expect(findings.every(({ fix }) => fix !== '')).toBe(true);
    expect(await read(place)).toBeUndefined();
    const parameters = await call('POST', '', { clusterName: 'x', location: 'westeurope', enableNap: 'maybe' });
    expect(parameters.json).toMatchObject({ status: 400, code: 'ClusterRequestInvalid' });
  });

  it('is refused where another request of the team has the cluster already', async () => {
    const { call } = world();
    await call('POST', '', aRequest('web', 'team-a', { clusterName: 'shop', resourceGroup: 'rg-shop' }));
    const answer = await call(
      'POST',
      '',
      aRequest('other', 'team-a', { clusterName: 'Shop', resourceGroup: 'rg-shop' }),
    );
    expect(answer.json).toMatchObject({ status: 400, code: 'ClusterRequestsCollide' });
  });

  it('obeys the policy', async () => {
    const finding = {
      severity: 'error',
      field: 'spec.location',
      code: 'LocationNotAllowed',
      cause: 'no',
      fix: 'another',
    } as const;
    const { call } = world({ place: { policy: { check: async () => ok([finding]) } } });
    expect((await call('POST', '', aRequest())).json).toMatchObject({ status: 400, code: 'LocationNotAllowed' });
    // The workflow judges again, so an unanswered policy keeps nobody from asking.
    const silent = world({ place: { policy: { check: async () => failed('unavailable', 'no answer') } } });
    expect((await silent.call('POST', '', aRequest())).status).toBe(201);
  });

  it('is not lost when the engine does not answer', async () => {
    const down: WorkflowClient = {
      ensure: async () => Promise.reject(new Error('the engine is down')),
      signal: async () => undefined,
      latest: async () => undefined,
    };
    const { call, place, log } = world({ client: down });
    expect((await call('POST', '', aRequest())).status).toBe(201);
    expect(await read(place)).toBeDefined();
    expect(log.lines.map(({ event }) => event)).toContain('cluster-request.start.late');
  });

  it('asks for the place where there are several', async () => {
    const { call } = world({ places: ['production', 'staging'] });
    expect((await call('POST', '', aRequest())).json).toMatchObject({ status: 400, code: 'InvalidRequest' });
    expect((await call('POST', '?cluster=staging', aRequest())).json).toMatchObject({ cluster: 'staging' });
    expect((await call('POST', '?cluster=stagin', aRequest())).json.detail).toContain('did you mean "staging"');
  });
});

describe('teams', () => {
  it('see and change their own requests alone; an admin those of all', async () => {
    const { call, place } = world();
    await stored(place);
    await stored(place, aRequest('web', 'team-b'));
    const names = async (who?: keyof typeof callers) =>
      ((await call('GET', '', undefined, who)).json.items as { namespace: string }[]).map(({ namespace }) => namespace);
    expect(await names('team-a')).toEqual(['team-a']);
    expect(await names('ci')).toEqual(['team-a']);
    expect(await names('team-b')).toEqual(['team-b']);
    expect(await names()).toEqual(['team-a', 'team-b']);
  });

  it.each([
    ['GET', '?namespace=team-a', undefined],
    ['GET', '/production/team-a/web', undefined],
    ['GET', '/production/team-a/web?watch=poll', undefined],
    ['GET', '/production/team-a/web/explain', undefined],
    ['POST', '', aRequest('new')],
    ['POST', '/plan', aRequest('new')],
    ['PUT', '/production/team-a/web', aRequest('web', 'team-a', { tier: 'Standard' })],
    ['POST', '/production/team-a/web/cancel', undefined],
    ['POST', '/production/team-a/web/retry', undefined],
    ['DELETE', '/production/team-a/web', undefined],
  ])('%s %s is refused to another team', async (method, path, body) => {
    const { call, place } = world();
    const before = await stored(place);
    const answer = await call(method, path, body, 'team-b');
    expect(answer.json).toMatchObject({ status: 403, code: 'OtherTeam' });
    expect(await read(place)).toEqual(before);
    expect(await read(place, 'new')).toBeUndefined();
  });

  it('with the role read change nothing of their own', async () => {
    const { call, place } = world();
    const before = await stored(place);
    expect((await call('DELETE', '/production/team-a/web', undefined, 'viewer')).json).toMatchObject({
      code: 'RoleTooLow',
    });
    expect((await call('GET', '/production/team-a/web', undefined, 'viewer')).status).toBe(200);
    expect(await read(place)).toEqual(before);
  });
});

describe('reading', () => {
  it('pages through every place', async () => {
    const { call, requests } = world({ places: ['production', 'staging'] });
    for (const place of requests.places) for (const name of ['a', 'b', 'c']) await stored(place, aRequest(name));
    const seen: string[] = [];
    let after = '';
    for (let pages = 0; pages < 10; pages++) {
      const { items, next } = (await call('GET', `?limit=2${after}`)).json as unknown as {
        items: { cluster: string; name: string }[];
        next?: string;
      };
      seen.push(...items.map(({ cluster, name }) => `${cluster}/${name}`));
      if (next === undefined) break;
      after = `&after=${encodeURIComponent(next)}`;
    }
    expect(seen).toEqual(['production/a', 'production/b', 'production/c', 'staging/a', 'staging/b', 'staging/c']);
    expect((await call('GET', '?after=nonsense')).json).toMatchObject({ status: 400, code: 'InvalidRequest' });
  });

  it('shows the object without our own notes, and 404 for what is not there', async () => {
    const { call, place } = world();
    const { uid, resourceVersion } = (await stored(place)).metadata;
    const annotations = { [requestAnnotations.record]: '{"a":1}', note: 'mine' };
    await place.store.patchMetadata(
      { namespace: 'team-a', name: 'web' },
      { annotations },
      { uid: uid!, resourceVersion },
    );
    const found = await call('GET', '/production/team-a/web');
    expect(found.json.request).toMatchObject({ metadata: { annotations: { note: 'mine' } } });
    expect(found.text).not.toContain(requestAnnotations.record);
    expect((await call('GET', '/production/team-a/wep')).json).toMatchObject({
      status: 404,
      code: 'UnknownClusterRequest',
    });
    expect((await call('GET', '/elsewhere/team-a/web')).json).toMatchObject({ status: 404, code: 'UnknownCluster' });
  });

  it('says 503 and when to come back while the store can not be read', async () => {
    const store = { get: async () => failed('throttled', 'too many requests', { retryAfterSeconds: 7 }) };
    const { call } = world({ place: { store: store as never } });
    const answer = await call('GET', '/production/team-a/web');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '7']);
  });

  it('explains with a code, a cause and a fix', async () => {
    const { call, place } = world();
    await stored(place, aRequest('web', 'team-a', { nodePool: { type: 'standart' } }));
    const answer = await call('GET', '/production/team-a/web/explain');
    expect(answer.json).toMatchObject({ diagnosis: { code: 'PoolTypeUnknown', field: 'spec.nodePool.type' } });
    expect((answer.json.lines as string[])[1]).toContain('standart');
  });
});

/** Time passes as soon as somebody waits for it; what is to happen then happens first. */
function jumping(then: (waited: number) => Promise<void> | void = () => undefined) {
  let waited = 0;
  const timers: Timers = {
    after(milliseconds, callback) {
      let cancelled = false;
      waited += milliseconds;
      void Promise.resolve(then(waited)).then(() => (cancelled ? undefined : callback()));
      return () => {
        cancelled = true;
      };
    },
  };
  return { timers, waited: () => waited };
}

describe('a watch', () => {
  const bump = async (place: RequestPlace) => {
    const request = await read(place);
    const { uid = '', resourceVersion = '' } = request?.metadata ?? {};
    const change = { annotations: { step: String(Number(request?.metadata.annotations?.step ?? 0) + 1) } };
    await place.store.patchMetadata({ namespace: 'team-a', name: 'web' }, change, { uid, resourceVersion });
  };

  it('by poll answers at once with what the caller has not seen', async () => {
    const time = jumping();
    const { call, place } = world({ timers: time.timers });
    await stored(place);
    expect((await call('GET', '/production/team-a/web?watch=poll')).status).toBe(200);
    expect(time.waited()).toBe(0);
  });

  it('by poll answers when the request changes', async () => {
    const time = jumping((waited) => (waited === 3000 ? bump(here.place) : undefined));
    const here = world({ timers: time.timers });
    const { resourceVersion } = (await stored(here.place)).metadata;
    const answer = await here.call('GET', `/production/team-a/web?watch=poll&resourceVersion=${resourceVersion}`);
    expect(answer.json.request).toMatchObject({ metadata: { annotations: { step: '1' } } });
    expect(time.waited()).toBe(3000);
  });

  it('by poll answers after 25 seconds at the latest, with the same', async () => {
    const time = jumping();
    const { call, place } = world({ timers: time.timers });
    const { resourceVersion } = (await stored(place)).metadata;
    const answer = await call('GET', `/production/team-a/web?watch=poll&resourceVersion=${resourceVersion}`);
    expect(answer.json.request).toMatchObject({ metadata: { resourceVersion } });
    expect(time.waited()).toBe(25_000);
  });

  it('by stream is a poll where the platform can not stream, and the content type says so', async () => {
    const { call, place } = world({ timers: jumping().timers });
    await stored(place);
    const answer = await call('GET', '/production/team-a/web?watch=stream');
    expect(answer.headers.get('content-type')).toContain('application/json');
  });

  it('by stream tells each change, lives on in silence, and ends when the request is gone', async () => {
    const time = jumping(async (waited) => {
      if (waited === 2000) await bump(here.place);
      if (waited !== 40_000) return;
      const uid = (await read(here.place))?.metadata.uid ?? '';
      await here.place.store.delete({ namespace: 'team-a', name: 'web' }, { uid });
    });
    const here = world({ timers: time.timers, canStream: true });
    await stored(here.place);
    const answer = await here.call('GET', '/production/team-a/web?watch=stream');
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const events = answer.text.split('\n\n').filter((one) => one !== '');
    expect(events.map((one) => one.split('\n')[0])).toEqual([
      'event: request',
      'event: request',
      ': still here',
      ': still here',
      'event: gone',
    ]);
    expect(answer.text).toMatch(/^id: \S+$/m);
  });

  it('by stream goes on from what was seen last', async () => {
    const time = jumping(async (waited) => (waited === 5000 ? void (await remove()) : undefined));
    const here = world({ timers: time.timers, canStream: true });
    const { uid = '', resourceVersion } = (await stored(here.place)).metadata;
    const remove = () => here.place.store.delete({ namespace: 'team-a', name: 'web' }, { uid });
    const answer = await here.ask('GET', '/v1/cluster-requests/production/team-a/web?watch=stream', {
      headers: { 'last-event-id': resourceVersion },
    });
    expect(answer.text).toBe('event: gone\ndata: {}\n\n');
  });

  it('is refused beyond the number that a host bears, and a place is free again afterwards', async () => {
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const here = world({ timers: jumping(() => gate).timers });
    const { resourceVersion } = (await stored(here.place)).metadata;
    const path = `/production/team-a/web?watch=poll&resourceVersion=${resourceVersion}`;
    const running = Array.from({ length: 64 }, () => here.call('GET', path));
    expect((await here.call('GET', path)).json).toMatchObject({ status: 429, code: 'TooManyWatches' });
    go();
    expect(new Set((await Promise.all(running)).map(({ status }) => status))).toEqual(new Set([200]));
    expect((await here.call('GET', path)).status).toBe(200);
  });
});

describe('changing a request', () => {
  const path = '/production/team-a/web';

  it('replaces the spec and begins the work', async () => {
    const { call, place, started } = world();
    await stored(place);
    const answer = await call('PUT', path, aRequest('web', 'team-a', { tier: 'Standard' }));
    expect(answer.json.request).toMatchObject({ spec: { tier: 'Standard' }, metadata: { generation: 2 } });
    expect(started[0]).toContain('provision-cluster');
    expect((await call('PUT', path, aRequest('web', 'team-a', { tier: 'Gold' }))).status).toBe(400);
    expect((await call('PUT', path, aRequest('other', 'team-a'))).json).toMatchObject({ code: 'InvalidRequest' });
    expect((await call('PUT', '/production/team-a/none', aRequest('none'))).status).toBe(404);
  });

  it('refuses what cannot change on a cluster that exists, and changes nothing', async () => {
    const { call, place } = world();
    await begun(place);
    const answer = await call('PUT', path, aRequest('web', 'team-a', { location: 'northeurope' }));
    expect(answer.json).toMatchObject({ status: 400, code: 'ChangeNotPossible' });
    expect(answer.json.detail).toContain('spec.location');
    expect((await read(place))?.spec.location).toBe('westeurope');
  });

  it('cancels once, and retry lifts it', async () => {
    const { call, place, started } = world();
    await stored(place);
    expect((await call('POST', `${path}/cancel`)).json).toMatchObject({ changed: true });
    expect((await call('POST', `${path}/cancel`)).json).toMatchObject({ changed: false });
    expect((await read(place))?.metadata.annotations).toEqual({ [requestAnnotations.cancel]: 'true' });
    started.length = 0;
    expect((await call('POST', `${path}/retry`)).json).toMatchObject({ changed: true });
    const annotations = (await read(place))?.metadata.annotations ?? {};
    expect(Object.keys(annotations)).toEqual([requestAnnotations.retry]);
    expect(started).toHaveLength(3);
  });

  it('has nothing to cancel or to retry once the cluster is ready', async () => {
    const { call, place } = world();
    const { metadata } = await stored(place);
    const condition = { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: '' } as const;
    const follows = { uid: metadata.uid!, resourceVersion: metadata.resourceVersion };
    await place.store.patchStatus({ namespace: 'team-a', name: 'web' }, { conditions: [condition] }, follows);
    expect((await call('POST', `${path}/cancel`)).json).toMatchObject({ status: 409, code: 'NothingToCancel' });
    expect((await call('POST', `${path}/retry`)).json).toMatchObject({ status: 409, code: 'NothingToRetry' });
  });
});

/** As a request is whose cluster has been begun: held, and with its record. */
async function begun(place: RequestPlace, spec: object = {}) {
  const request = await stored(place, aRequest('web', 'team-a', spec));
  const uid = request.metadata.uid!;
  const record = {
    ...{ uid, deployment: 'test', attempt: 1, generation: 1, spec: request.spec, resolved: {}, versions: {} },
    ...{ begun: ['ResourceGroup'], failures: 0, poolsExist: false },
  };
  const change = {
    annotations: { [requestAnnotations.record]: JSON.stringify(record) },
    finalizers: [requestFinalizer],
  };
  const { resourceVersion } = request.metadata;
  await place.store.patchMetadata({ namespace: 'team-a', name: 'web' }, change, { uid, resourceVersion });
}

describe('deleting a request', () => {
  const path = '/production/team-a/web';

  it('removes one for which nothing was made at once, and begins the removal of one with a cluster', async () => {
    const { call, place, started } = world();
    await stored(place);
    expect((await call('DELETE', path)).json).toMatchObject({ gone: true, keepsCluster: false });
    expect(await read(place)).toBeUndefined();
    await begun(place);
    const answer = await call('DELETE', path);
    expect(answer.json).toMatchObject({ gone: false, keepsCluster: false });
    expect(answer.status).toBe(202);
    expect((await read(place))?.metadata.deletionTimestamp).toBeDefined();
    expect(started[0]).toContain('delete-cluster');
    expect((await call('DELETE', path)).status).toBe(202);
    expect((await call('POST', '', aRequest())).json.detail).toContain('being deleted');
    expect((await call('POST', `${path}/cancel`)).status).toBe(409);
    expect((await call('PUT', path, aRequest('web', 'team-a', { tier: 'Standard' }))).status).toBe(409);
  });

  it('with a guard needs a word, and changes nothing without it', async () => {
    const { call, place } = world();
    await begun(place, { deleteGuard: true });
    const before = await read(place);
    const refused = await call('DELETE', path);
    expect(refused.json).toMatchObject({ status: 409, code: 'DeleteGuarded' });
    expect(refused.json.detail).toContain('guard=keep');
    expect((await call('DELETE', `${path}?guard=yes`)).status).toBe(400);
    expect(await read(place)).toEqual(before);
  });

  it('keeps the cluster or lifts the guard, as the caller says', async () => {
    const kept = world();
    await begun(kept.place, { deleteGuard: true });
    expect((await kept.call('DELETE', `${path}?guard=keep`)).json).toMatchObject({ keepsCluster: true });
    expect((await read(kept.place))?.spec.deleteGuard).toBe(true);
    const lifted = world();
    await begun(lifted.place, { deleteGuard: true });
    expect((await lifted.call('DELETE', `${path}?guard=lift`)).json).toMatchObject({ keepsCluster: false });
    expect((await read(lifted.place))?.spec.deleteGuard).toBe(false);
    const never = world();
    await begun(never.place);
    expect((await never.call('DELETE', `${path}?guard=keep`)).json).toMatchObject({ keepsCluster: true });
    expect((await read(never.place))?.spec.deleteGuard).toBe(true);
  });

  it('is decided anew when a guard is set in between', async () => {
    const { call, place } = world();
    await begun(place);
    const { store } = place;
    let raced = false;
    const racing = {
      ...store,
      delete: async (...args: Parameters<typeof store.delete>) => {
        if (!raced) {
          raced = true;
          const { uid = '', resourceVersion = '' } = (await read(place))?.metadata ?? {};
          const spec = { ...aRequest().spec, deleteGuard: true };
          await store.replaceSpec({ namespace: 'team-a', name: 'web' }, spec, { uid, resourceVersion });
        }
        return store.delete(...args);
      },
    };
    Object.assign(place, { store: racing });
    expect((await call('DELETE', path)).json).toMatchObject({ status: 409, code: 'DeleteGuarded' });
    expect((await read(place))?.metadata.deletionTimestamp).toBeUndefined();
  });
});

describe('a plan', () => {
  const prices = { currency: 'USD', sizes: { Standard_D4s_v5: { onDemand: 0.192 } }, tiers: {} };

  it('has manifests, findings and the price, and creates nothing', async () => {
    const { call, place } = world({ place: { prices: async () => ok(prices) } });
    const answer = await call('POST', '/plan', aRequest());
    expect(answer.json).toMatchObject({
      name: 'web',
      valid: true,
      checked: false,
      monthlyPrice: { state: 'partial', currency: 'USD', least: 280.32 },
    });
    expect((answer.json.stages as unknown[]).length).toBeGreaterThan(3);
    expect(await read(place)).toBeUndefined();
  });

  it('says why a price is unknown, and never says zero', async () => {
    const without = await world().call('POST', '/plan', aRequest());
    expect(without.json.monthlyPrice).toMatchObject({ state: 'unknown', least: null, reason: expect.any(String) });
    const silent = world({ place: { prices: async () => failed('unavailable', 'the price list does not answer') } });
    expect((await silent.call('POST', '/plan', aRequest())).json.monthlyPrice).toMatchObject({
      state: 'unknown',
      reason: 'the price list does not answer',
    });
  });

  it('asks Azure on request alone, and says what did not answer', async () => {
    let asked = 0;
    const quota = {
      severity: 'error',
      field: 'spec.nodePool',
      code: 'VcpuQuotaTooSmall',
      cause: 'c',
      fix: 'f',
    } as const;
    const check = async () => {
      asked += 1;
      return ok({ findings: [quota], skipped: ['names: no route'] });
    };
    const { call } = world({ place: { preflight: { asksAzure: true, check } } });
    expect((await call('POST', '/plan', aRequest())).json).toMatchObject({ valid: true });
    expect(asked).toBe(0);
    const checked = await call('POST', '/plan?check=true', aRequest());
    expect(checked.json).toMatchObject({
      valid: false,
      checked: true,
      unanswered: ['names: no route'],
      stages: [],
      findings: [{ code: quota.code }],
    });
    const silence = async () => failed('unavailable', 'Azure is silent');
    const silent = world({ place: { preflight: { asksAzure: true, check: silence } } });
    expect((await silent.call('POST', '/plan?check=true', aRequest())).json).toMatchObject({
      valid: true,
      checked: false,
      unanswered: ['Azure is silent'],
    });
    expect((await world().call('POST', '/plan?check=true', aRequest())).json).toMatchObject({ checked: false });
    const without = world({
      place: { preflight: { asksAzure: false, check: async () => ok({ findings: [], skipped: [] }) } },
    });
    expect((await without.call('POST', '/plan?check=true', aRequest())).json).toMatchObject({ checked: false });
  });

  it('of an invalid request says what is wrong', async () => {
    const answer = await world().call('POST', '/plan', aRequest('web', 'team-a', { nodePool: { type: 'x' } }));
    expect(answer.json).toMatchObject({ valid: false, monthlyPrice: null, findings: [{ code: 'PoolTypeUnknown' }] });
  });
});

it('the list of clusters also has the requests that are being built, of the own team', async () => {
  const { get, ask, place } = world();
  await stored(place);
  await stored(place, aRequest('web', 'team-b'));
  const ready = await stored(place, aRequest('done'));
  const condition = { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: '' } as const;
  const { uid = '', resourceVersion } = ready.metadata;
  await place.store.patchStatus(ready.metadata, { conditions: [condition] }, { uid, resourceVersion });
  const named = ({ json }: { json: { [key: string]: Json } }) =>
    (json.requests as { namespace: string; name: string }[]).map(({ namespace, name }) => `${namespace}/${name}`);
  expect(named(await get('/v1/clusters'))).toEqual(['team-a/web', 'team-b/web']);
  const headers = { authorization: 'Bearer the-token-of-ci' };
  expect(named(await ask('GET', '/v1/clusters', { headers }))).toEqual(['team-a/web']);
  expect((await httpWorld().get('/v1/clusters')).json).not.toHaveProperty('requests');
});

it('the audit log has who requested, changed and deleted', async () => {
  const { call, get } = world();
  await call('POST', '', aRequest(), 'ci');
  await call('POST', '/production/team-a/web/retry', undefined, 'ci');
  await call('DELETE', '/production/team-a/web', undefined, 'ci');
  const { items } = (await get('/v1/audit')).json as unknown as { items: { action: string; caller: string }[] };
  expect(items.map(({ action, caller }) => `${action} ${caller}`).sort()).toEqual([
    'delete-cluster ci',
    'request-cluster ci',
    'retry-cluster ci',
  ]);
});
