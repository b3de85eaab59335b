/** The webhook and the intake as clusters call them: who may say what, and what becomes of it. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import type { Queue } from '../../shared/queue/contract.ts';
import { anEvent, type HttpWorldOptions, httpWorld, token } from './world.ts';

const keys = {
  production: { tokens: ['production-old', 'production-new'], pathSecrets: ['path-secret'] },
  staging: { tokens: ['staging-token'], pathSecrets: [] },
};

const open = (more: HttpWorldOptions = {}) =>
  httpWorld({
    intake: (cluster) => ({
      ...(cluster === 'production' ? keys.production : keys.staging),
      certificateNames: [cluster],
    }),
    ...more,
  });

const spec = {
  nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' },
  requirements: [] as Json[],
  resources: { requests: { cpu: '1' } },
};

const review = (request: { [field: string]: Json } = {}, more: { [field: string]: Json } = {}) =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'review-1',
      operation: 'CREATE',
      kind: { group: 'karpenter.sh', version: 'v1', kind: 'NodeClaim' },
      resource: { group: 'karpenter.sh', version: 'v1', resource: 'nodeclaims' },
      dryRun: false,
      object: { metadata: { name: 'web-1', uid: 'u-1', generation: 1 }, spec },
      oldObject: null,
      ...request,
    },
    ...more,
  });

const json = { 'content-type': 'application/json' };
const none = { ...json, authorization: '' };
const bearer = (value: string) => ({ ...json, authorization: `Bearer ${value}` });
const hook = '/v1/webhook/production';

const waiting = async (queue: Queue): Promise<Json[]> =>
  (await queue.receive(100)).map(({ body, group }) => {
    const event = JSON.parse(body) as { data: { cluster: string } };
    // Whose share of the queue it takes.
    expect(group).toBe(event.data.cluster);
    return event as Json;
  });

describe('the webhook', () => {
  it('answers, and has put the event of the bridge on the queue by then', async () => {
    const world = open();
    const answer = await world.ask('POST', hook, { headers: bearer('production-new'), body: review() });
    expect(answer).toMatchObject({
      status: 200,
      json: {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid: 'review-1', allowed: true },
      },
    });
    expect(await waiting(world.queue)).toMatchObject([
      {
        type: 'dev.poolwright.claim.changed.v1',
        source: '/webhook/production',
        subject: 'production/web-1',
        data: { cluster: 'production', uid: 'u-1', deleting: false, observedBy: 'webhook' },
      },
    ]);
  });

  it.each([
    ['a refused one', { object: { metadata: { name: 'a', uid: 'u' }, spec: { ...spec, expireAfter: 'soon' } } }, false],
    ['a dry run', { dryRun: true }, true],
    ['a kind that we do not know', { resource: { group: 'x', version: 'v1', resource: 'y' } }, true],
  ])('puts nothing on the queue for %s', async (_name, request, allowed) => {
    const world = open();
    const answer = await world.ask('POST', hook, { headers: bearer('production-new'), body: review(request) });
    expect(answer).toMatchObject({ status: 200, json: { response: { allowed } } });
    expect(await waiting(world.queue)).toEqual([]);
  });

  it('says what is wrong as a Status that kubectl shows', async () => {
    const object = { metadata: { name: 'a', uid: 'u' }, spec: { ...spec, expireAfter: 'soon' } };
    const answer = await open().ask('POST', hook, { headers: bearer('production-new'), body: review({ object }) });
    expect(answer.json.response).toMatchObject({
      status: { code: 422, reason: 'Invalid', message: expect.stringMatching(/^spec\.expireAfter: /) },
    });
  });

  it('tells of a deletion by what was stored', async () => {
    const world = open();
    const oldObject = { metadata: { name: 'web-1', uid: 'u-1' }, spec };
    const body = review({ operation: 'DELETE', object: null, oldObject });
    await world.ask('POST', hook, { headers: bearer('production-new'), body });
    expect(await waiting(world.queue)).toMatchObject([{ data: { name: 'web-1', deleting: true } }]);
  });

  it('answers though the queue does not, or fails', async () => {
    const timers = {
      after: (_milliseconds: number, run: () => void) => {
        queueMicrotask(run);
        return () => undefined;
      },
    };
    const stuck = open({ timers, decorate: (queue) => ({ ...queue, send: () => new Promise(() => undefined) }) });
    expect(await stuck.ask('POST', hook, { headers: bearer('production-new'), body: review() })).toMatchObject({
      status: 200,
      json: { response: { allowed: true } },
    });
    const failing = open({ decorate: (queue) => ({ ...queue, send: () => Promise.reject(new Error('disk full')) }) });
    expect((await failing.ask('POST', hook, { headers: bearer('production-new'), body: review() })).status).toBe(200);
    expect(failing.log.lines).toMatchObject([{ event: 'webhook.event.lost' }]);
  });

  it.each([
    [
      'a review of an old version',
      review({}, { apiVersion: 'admission.k8s.io/v1beta1' }),
      400,
      /admissionReviewVersions: \[v1\]/,
    ],
    ['something else', '{"kind":"Pod"}', 400, /request is missing/],
    ['no JSON', 'x', 400, /not JSON/],
    ['a body without end', `{"a":"${'x'.repeat(5 * 1024 * 1024)}"}`, 413, /too big/],
  ])('refuses %s clearly', async (_name, body, status, detail) => {
    const answer = await open().ask('POST', hook, { headers: bearer('production-new'), body });
    expect(answer).toMatchObject({ status, json: { detail: expect.stringMatching(detail) } });
  });
});

describe('a cluster', () => {
  it.each([
    ['either of its tokens', hook, bearer('production-old'), 200],
    ['the new token', hook, bearer('production-new'), 200],
    ['the secret in the path', `${hook}/path-secret`, none, 200],
    ['the token of the host', hook, bearer(token), 200],
    ['another secret in the path', `${hook}/path-secret2`, none, 401],
    ['a token in the path', `${hook}/production-new`, none, 401],
    ['the path secret as a token', hook, bearer('path-secret'), 401],
    ['nothing', hook, none, 401],
    ['the token of another cluster', hook, bearer('staging-token'), 403],
    ['its secret in the path of another', '/v1/webhook/staging/path-secret', none, 401],
  ])('at its webhook with %s', async (_name, path, headers, status) => {
    const answer = await open().ask('POST', path, { headers, body: review() });
    expect(answer.status).toBe(status);
    expect(answer.text).not.toMatch(/production-old|production-new|path-secret|staging-token/);
  });

  it('is known by a certificate that the host has verified', async () => {
    const { app } = open();
    const ask = (certificateNames: string[]) =>
      app.fetch(new Request(`http://127.0.0.1${hook}`, { method: 'POST', headers: json, body: review() }), {
        certificateNames,
      });
    expect((await ask(['somebody', 'production'])).status).toBe(200);
    expect((await ask(['staging'])).status).toBe(403);
    expect((await ask([])).status).toBe(401);
  });

  it('may send events about itself, and is told both names when it speaks of another', async () => {
    const world = open();
    const send = (body: Json) =>
      world.ask('POST', '/v1/events', { headers: bearer('staging-token'), body: JSON.stringify(body) });
    const own = anEvent({}, { cluster: 'staging' });
    expect(await send(own)).toMatchObject({ status: 202, json: { accepted: 1 } });
    expect(await send(anEvent())).toMatchObject({
      status: 403,
      json: {
        type: 'urn:poolwright:problem:foreign-cluster',
        detail: expect.stringMatching(
          /is authenticated as cluster "staging" and must not send events about cluster "production"/,
        ),
      },
    });
    expect(await send([anEvent(), anEvent()])).toMatchObject({
      status: 403,
      json: {
        detail: expect.stringMatching(
          /^No event .* cluster "staging" and must not send events about cluster "production"/,
        ),
      },
    });
    expect(await send([own, anEvent()])).toMatchObject({
      status: 202,
      json: { accepted: 1, rejected: [{ index: 1 }] },
    });
    expect(await waiting(world.queue)).toHaveLength(2);
  });

  it('is not believed when source and data name two clusters, whoever says it', async () => {
    const world = open();
    const answer = await world.send('POST', '/v1/events', anEvent({ source: '/bridge/staging' }));
    expect(answer).toMatchObject({ status: 403, json: { detail: expect.stringMatching(/"staging".*"production"/) } });
  });

  it('may do nothing else', async () => {
    for (const [method, path] of [
      ['GET', '/v1/pauses'],
      ['GET', '/metrics'],
      ['PUT', '/v1/pauses/cluster/production'],
    ]) {
      const answer = await open().ask(method ?? '', path ?? '', { headers: bearer('production-new') });
      expect(answer).toMatchObject({ status: 403, json: { type: 'urn:poolwright:problem:cluster-only' } });
    }
  });

  it('that is not configured has no webhook', async () => {
    const answer = await open().ask('POST', '/v1/webhook/productoin', { headers: bearer(token), body: review() });
    expect(answer).toMatchObject({ status: 404, json: { detail: expect.stringMatching(/did you mean "production"/) } });
  });

  it('never finds its path secret in a log', async () => {
    const world = open();
    Object.assign(world.services.metrics.admissions, {
      inc: () => {
        throw new Error('broken');
      },
    });
    expect((await world.ask('POST', `${hook}/path-secret`, { headers: none, body: review() })).status).toBe(500);
    expect(world.log.lines).toMatchObject([{ event: 'http.failed', fields: { path: `${hook}/[redacted]` } }]);
    expect(JSON.stringify(world.log.lines)).not.toContain('path-secret');
  });
});
