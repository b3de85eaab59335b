import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { accessesOf } from '../../functions/http/kit/api-route.ts';
import { requireCaller } from '../../functions/http/kit/authorization.ts';
import type { HttpEnv } from '../../functions/http/options.ts';
import { routes } from '../../functions/http/routes.ts';
import { roleFor } from '../../shared/identity/access.ts';
import { includes, type Role, roles } from '../../shared/identity/roles.ts';
import { httpWorld } from './world.ts';

const tokens: Record<Role, string> = {
  read: 'the-token-of-a-reader',
  operate: 'the-token-of-an-operator',
  admin: 'the-token-of-an-admin',
};
const members = () =>
  roles.map((role) => ({ name: `a-${role}`, role, team: 'platform', tokens: () => [tokens[role]] }));

const none = async () => {
  throw new Error('not to be called');
};
const everything = {
  members,
  questions: { ask: none },
  workflows: { list: none, inspect: none, retrySetAside: none, restart: none },
  logs: { read: none },
};

const as = (role: Role) => ({ authorization: `Bearer ${tokens[role]}`, 'content-type': 'application/json' });

describe('routes', () => {
  const app = new OpenAPIHono<HttpEnv>();
  const { services } = httpWorld();
  const options = { services, token: () => 'x', ready: none, version: '1', ...everything };
  for (const add of routes) add(app, options);
  const accesses = accessesOf(app);

  it('all declare who may call them', () => {
    const served = app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`);
    expect(served.filter((route) => accesses.get(route) === undefined)).toEqual([]);
    expect(new Set(served).size).toBeGreaterThan(30);
  });

  it('that need no role are health and readiness', () => {
    const open = [...accesses].flatMap(([route, access]) => (access && roleFor(access) === undefined ? [route] : []));
    expect(open).toEqual(['GET /healthz', 'GET /readyz']);
  });

  it('that change something need more than read', () => {
    const changing = [...accesses].filter(([route]) => !route.startsWith('GET '));
    const byReaders = changing.flatMap(([route, access]) => (access === 'read' ? [route] : []));
    expect(byReaders.sort()).toEqual([
      'POST /v1/cluster-requests/plan',
      'POST /v1/plan',
      'POST /v1/providers/:name/check',
    ]);
  });

  it('without a declaration are shut even to an admin', async () => {
    const bare = new OpenAPIHono<HttpEnv>();
    bare.use(requireCaller(bare, options));
    bare.openapi(createRoute({ method: 'get', path: '/bare', responses: { 200: { description: '' } } }), (c) =>
      c.text(''),
    );
    expect((await bare.request('/bare', { headers: as('admin') })).status).toBe(403);
  });
});

describe('a caller with a role', () => {
  it.each(roles)('%s is let in where the role is enough, and nowhere else', async (role) => {
    const world = httpWorld(everything);
    const { paths } = (await world.get('/openapi.json')).json as {
      paths: Record<string, Record<string, { 'x-poolwright-role'?: Role }>>;
    };
    for (const [template, methods] of Object.entries(paths)) {
      const path = template.replace('{cluster}', 'production').replaceAll(/\{\w+\}/g, 'x');
      for (const [method, { 'x-poolwright-role': needed }] of Object.entries(methods)) {
        if (needed === undefined) continue;
        const body = method === 'get' || method === 'delete' ? {} : { body: '{}' };
        const answer = await world.ask(method.toUpperCase(), path, { headers: as(role), ...body });
        const isRefused = answer.json.code === 'RoleTooLow';
        expect.soft(isRefused, `${role} ${method} ${path}: ${answer.status}`).toBe(!includes(role, needed));
      }
    }
  });

  it('read is refused with the role that is needed, and the log has it', async () => {
    const world = httpWorld(everything);
    const answer = await world.ask('PUT', '/v1/pauses/cluster/production', { headers: as('read') });

    expect(answer.json).toMatchObject({ status: 403, code: 'RoleTooLow' });
    expect(answer.json.detail).toContain('needs the role operate');
    expect(world.log.lines).toMatchObject([{ event: 'http.denied', fields: { method: 'PUT' } }]);
    expect((await world.get('/v1/pauses')).json).toEqual({ items: [] });
    expect(JSON.stringify(world.log.lines)).not.toContain(tokens.read);
  });

  it('is told who it is and what it may do', async () => {
    const world = httpWorld(everything);
    expect((await world.ask('GET', '/v1/me', { headers: as('operate') })).json).toEqual({
      name: 'a-operate',
      role: 'operate',
      team: 'platform',
      actions: [
        'pause',
        'resume',
        'replay',
        'retry',
        'restart',
        'request-cluster',
        'change-cluster',
        'cancel-cluster',
        'retry-cluster',
        'delete-cluster',
        'clear',
      ],
    });
    expect((await world.ask('GET', '/v1/me', { headers: as('read') })).json).toMatchObject({ actions: [] });
    expect((await world.get('/v1/me')).json).toMatchObject({ name: 'host-token', role: 'admin' });
  });

  it('sees the checks of /readyz', async () => {
    const world = httpWorld({ ...everything, ready: async () => ({ ready: true, checks: { host: { ok: true } } }) });
    expect((await world.ask('GET', '/readyz', { headers: as('read') })).json).toHaveProperty('checks');
  });

  it('may call a host that has no token of its own', async () => {
    const world = httpWorld({ ...everything, token: () => undefined });
    expect((await world.ask('GET', '/v1/pauses', { headers: as('read') })).status).toBe(200);
    expect((await world.ask('GET', '/v1/pauses', { headers: { authorization: '' } })).status).toBe(401);
  });

  it('may rotate its tokens while the host runs', async () => {
    let valid = ['first-token-of-a-reader'];
    const world = httpWorld({ members: () => [{ name: 'one', role: 'read', tokens: () => valid }] });
    const ask = (token: string) => world.ask('GET', '/v1/me', { headers: { authorization: `Bearer ${token}` } });
    expect((await ask('first-token-of-a-reader')).status).toBe(200);
    valid = ['second-token-of-a-reader'];
    expect((await ask('first-token-of-a-reader')).status).toBe(401);
    expect((await ask('second-token-of-a-reader')).status).toBe(200);
  });
});
