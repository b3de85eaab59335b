import { describe, expect, it } from 'vitest';
import { httpWorld, token } from './world.ts';

const unauthorised = { authorization: '' };

describe('the token', () => {
  const world = httpWorld();
  const guarded = [
    ['GET', '/metrics'],
    ['GET', '/openapi.json'],
    ['POST', '/v1/events'],
    ['GET', '/v1/claims/production/web-1/decisions'],
    ['GET', '/v1/dead-letters'],
    ['POST', '/v1/dead-letters/replay'],
    ['GET', '/v1/pauses'],
    ['PUT', '/v1/pauses/cluster/production'],
    ['DELETE', '/v1/pauses/cluster/production'],
    ['GET', '/nothing-here'],
    ['POST', '/healthz/'],
    ['GET', '//healthz'],
  ] as const;

  it.each(guarded)('is asked for by %s %s', async (method, path) => {
    const answer = await world.ask(method, path, { headers: unauthorised });

    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="poolwright"');
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.json).toMatchObject({ status: 401, title: 'Not authenticated' });
  });

  it.each([
    ['another token', 'Bearer something-else'],
    ['a token with something behind it', `Bearer ${token}x`],
    ['the beginning of the token', `Bearer ${token.slice(0, -1)}`],
    ['another scheme', `Basic ${token}`],
    ['the bare token', token],
    ['an empty bearer', 'Bearer '],
  ])('is refused when it is %s', async (_name, authorization) => {
    const answer = await world.ask('GET', '/metrics', { headers: { authorization } });

    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"');
    expect(answer.text).not.toContain(token);
    expect(answer.text).not.toContain('something-else');
  });

  it('is taken whatever the case of the scheme', async () => {
    const answer = await world.ask('GET', '/v1/pauses', { headers: { authorization: `bearer ${token}` } });
    expect(answer.status).toBe(200);
  });

  it.each([[undefined], ['']])('shuts everything but health when the host has none (%j)', async (none) => {
    const shut = httpWorld({ token: () => none });

    expect(await shut.get('/v1/pauses')).toMatchObject({
      status: 403,
      json: { detail: expect.stringContaining('has no token') },
    });
    expect((await shut.ask('GET', '/metrics', { headers: { authorization: 'Bearer ' } })).status).toBe(403);
    expect((await shut.get('/healthz')).status).toBe(200);
  });

  it('can change while the host runs', async () => {
    let current = 'first';
    const rotating = httpWorld({ token: () => current });
    const withFirst = () => rotating.ask('GET', '/v1/pauses', { headers: { authorization: 'Bearer first' } });

    expect((await withFirst()).status).toBe(200);
    current = 'second';
    expect((await withFirst()).status).toBe(401);
  });
});

describe('every route of the document', () => {
  const open = ['/healthz', '/readyz'];
  const forClusters = [
    '/v1/events',
    '/v1/webhook/{cluster}',
    '/v1/webhook/{cluster}/{secret}',
    '/v1/webhook-defaults/{cluster}',
    '/v1/webhook-defaults/{cluster}/{secret}',
  ];
  const keys = { tokens: ['the-token-of-a-cluster'], pathSecrets: [], certificateNames: ['production'] };
  const none = async () => {
    throw new Error('nobody was to be asked');
  };
  const questions = { ask: none };
  const workflows = { list: none, inspect: none, retrySetAside: none, restart: none };
  const world = httpWorld({ intake: () => keys, questions, workflows, logs: { read: none } });

  async function* routes(): AsyncGenerator<[method: string, path: string, template: string]> {
    const { paths } = (await world.get('/openapi.json')).json as { paths: Record<string, object> };
    for (const [template, methods] of Object.entries(paths)) {
      const path = template.replace('{cluster}', 'production').replaceAll(/\{\w+\}/g, 'x');
      for (const method of Object.keys(methods)) yield [method.toUpperCase(), path, template];
    }
  }

  it('is shut to those who show nothing', async () => {
    let count = 0;
    for await (const [method, path, template] of routes()) {
      if (open.includes(template)) continue;
      expect.soft((await world.ask(method, path, { headers: unauthorised })).status, `${method} ${path}`).toBe(401);
      count++;
    }
    expect(count).toBeGreaterThan(25);
  });

  it('is shut to a cluster, but for what clusters have to say', async () => {
    for await (const [method, path, template] of routes()) {
      if ([...open, ...forClusters].includes(template)) continue;
      const headers = { authorization: 'Bearer the-token-of-a-cluster', 'content-type': 'application/json' };
      const answer = await world.ask(method, path, { headers, ...(method === 'GET' ? {} : { body: '{}' }) });
      expect.soft(answer.json, `${method} ${path}`).toMatchObject({ status: 403, code: 'ClusterOnly' });
    }
  });
});

describe('health and readiness', () => {
  it('answer without a token', async () => {
    const world = httpWorld();
    expect(await world.ask('GET', '/healthz', { headers: unauthorised })).toMatchObject({
      status: 200,
      json: { status: 'ok', version: '1.2.3' },
    });
    expect(await world.ask('GET', '/readyz', { headers: unauthorised })).toMatchObject({
      status: 200,
      json: { ready: true },
    });
  });

  it('show the details only to the holder of the token', async () => {
    const checks = { 'cluster production': { ok: false, message: 'connection refused' } };
    const world = httpWorld({ ready: async () => ({ ready: false, checks }) });

    const stranger = await world.ask('GET', '/readyz', { headers: unauthorised });
    expect(stranger).toMatchObject({ status: 503 });
    expect(stranger.json).toEqual({ ready: false });
    expect(await world.get('/readyz')).toMatchObject({ status: 503, json: { ready: false, checks } });
  });

  it('take a check that throws for "not ready", and log it', async () => {
    const world = httpWorld({ ready: () => Promise.reject(new Error('the disk is gone')) });

    const answer = await world.get('/readyz');
    expect(answer).toMatchObject({ status: 503, json: { ready: false } });
    expect(answer.text).not.toContain('disk');
    expect(world.log.lines).toMatchObject([{ event: 'http.failed' }]);
  });
});

describe('requests that fit no route', () => {
  const world = httpWorld();

  it.each([
    ['/v1/event', '/v1/events'],
    ['/metric', '/metrics'],
    ['/v1/dead-leters', '/v1/dead-letters'],
    ['/v1/claims/production/web-1/decision', '/v1/claims/{cluster}/{name}/decisions'],
    ['/v1/pause/cluster/production', '/v1/pauses/{kind}/{name}'],
  ])('%s is told the nearest path', async (path, near) => {
    expect(await world.get(path)).toMatchObject({
      status: 404,
      json: { detail: `This path does not exist. The closest match is ${near}.` },
    });
  });

  it('are pointed to the description when nothing is near', async () => {
    expect(await world.get('/favicon.ico')).toMatchObject({
      status: 404,
      json: { detail: expect.stringContaining('/openapi.json') },
    });
  });

  it.each([
    ['DELETE', '/v1/events', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['POST', '/v1/pauses/cluster/production', 'DELETE, PUT'],
    ['PATCH', '/v1/dead-letters', 'GET, HEAD'],
  ])('%s %s is told what the path answers to', async (method, path, allow) => {
    const answer = await world.ask(method, path);

    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it('do not find workflows where the engine can not tell of them', async () => {
    expect((await world.get('/v1/workflows')).status).toBe(404);
  });
});

describe('an unexpected error', () => {
  it('is logged and answered without its internals', async () => {
    const world = httpWorld({
      decorate: (queue) => ({ ...queue, deadLetters: () => Promise.reject(new Error('secret path /var/lib/x')) }),
    });

    const answer = await world.get('/v1/dead-letters?limit=3');

    expect(answer).toMatchObject({ status: 500, json: { title: 'Internal error' } });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.text).not.toContain('secret');
    expect(world.log.lines).toMatchObject([
      { event: 'http.failed', fields: { method: 'GET', path: '/v1/dead-letters', instance: answer.json.instance } },
    ]);
    expect(JSON.stringify(world.log.lines)).not.toContain(token);
  });
});

it('answers are never cached or sniffed', async () => {
  const { headers } = await httpWorld().get('/v1/pauses');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});
