import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../events/catalog.ts';
import { httpWorld } from './world.ts';

const workflows = {
  list: async () => ({ items: [] }),
  inspect: async () => undefined,
  retrySetAside: async () => ({ id: 'none/1', epoch: 1 }),
  restart: async () => ({ id: 'none/1', epoch: 1 }),
};

const logs = { read: async () => ({ items: [], next: '1:0', uids: [] }) };

describe('the OpenAPI document', () => {
  it('has the schemas of events and bodies as plain JSON Schema', async () => {
    const { json } = await httpWorld({ workflows, logs }).get('/openapi.json');
    expect(json).toMatchObject({
      components: {
        schemas: {
          ClaimChangedV1: { title: 'Claim changed', type: 'object', required: expect.arrayContaining(['data']) },
        },
      },
      paths: {
        '/v1/plan': {
          post: { requestBody: { content: { 'application/json': { schema: { type: 'object', properties: {} } } } } },
        },
      },
    });
  });

  it('describes every route, with a summary and the answers', async () => {
    const { json } = await httpWorld({ workflows, logs }).get('/openapi.json');
    const paths = json.paths as Record<string, Record<string, { summary?: string; responses: object }>>;

    expect(json.openapi).toBe('3.1.0');
    expect(
      Object.entries(paths)
        .flatMap(([path, methods]) => Object.keys(methods).map((one) => `${one} ${path}`))
        .sort(),
    ).toEqual([
      'delete /v1/cluster-requests/{cluster}/{namespace}/{name}',
      'delete /v1/offerings/unavailable',
      'delete /v1/pauses/{kind}/{name}',
      'get /healthz',
      'get /metrics',
      'get /openapi.json',
      'get /readyz',
      'get /v1/audit',
      'get /v1/checks',
      'get /v1/claims/{cluster}/{name}/decisions',
      'get /v1/claims/{cluster}/{name}/explain',
      'get /v1/cluster-requests',
      'get /v1/cluster-requests/{cluster}/{namespace}/{name}',
      'get /v1/cluster-requests/{cluster}/{namespace}/{name}/diff',
      'get /v1/cluster-requests/{cluster}/{namespace}/{name}/explain',
      'get /v1/clusters',
      'get /v1/dead-letters',
      'get /v1/dead-letters/{id}',
      'get /v1/events/{id}/explain',
      'get /v1/instances',
      'get /v1/logs',
      'get /v1/me',
      'get /v1/node-classes/{cluster}/{name}/explain',
      'get /v1/offerings',
      'get /v1/offerings/unavailable',
      'get /v1/pauses',
      'get /v1/pools/{cluster}/{name}/explain',
      'get /v1/providers',
      'get /v1/workflows',
      'get /v1/workflows/{id}',
      'post /v1/claims/{cluster}/{name}/adopt',
      'post /v1/cluster-requests',
      'post /v1/cluster-requests/plan',
      'post /v1/cluster-requests/{cluster}/{namespace}/{name}/cancel',
      'post /v1/cluster-requests/{cluster}/{namespace}/{name}/retry',
      'post /v1/clusters/{name}/confirm',
      'post /v1/dead-letters/drop',
      'post /v1/dead-letters/replay',
      'post /v1/events',
      'post /v1/plan',
      'post /v1/providers/{name}/check',
      'post /v1/webhook-defaults/{cluster}',
      'post /v1/webhook-defaults/{cluster}/{secret}',
      'post /v1/webhook/{cluster}',
      'post /v1/webhook/{cluster}/{secret}',
      'post /v1/workflows/{id}/restart',
      'post /v1/workflows/{id}/retry',
      'put /v1/cluster-requests/{cluster}/{namespace}/{name}',
      'put /v1/pauses/{kind}/{name}',
    ]);
    for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
      expect(operation.summary).toBeTruthy();
      expect(Object.keys(operation.responses)).not.toHaveLength(0);
    }
  });

  it('has a schema per event, and no reference leads nowhere', async () => {
    const { json, text } = await httpWorld().get('/openapi.json');
    const { schemas } = json.components as { schemas: Record<string, { title?: string }> };

    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(['ClaimChangedV1', 'Problem', 'Rejection']));
    expect(Object.keys(schemas).filter((name) => name.endsWith('V1'))).toHaveLength(eventTypes.length);
    for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) expect(schemas).toHaveProperty(name!);
  });

  it('asks for the token everywhere but at health', async () => {
    const { json } = await httpWorld().get('/openapi.json');
    const paths = json.paths as Record<string, Record<string, { security?: unknown }>>;

    expect(json.security).toEqual([{ token: [] }]);
    const open = Object.entries(paths).filter(([, methods]) => Object.values(methods).some(({ security }) => security));
    expect(open.map(([path]) => path).sort()).toEqual(['/healthz', '/readyz']);
  });

  it('names every operation once, the role that it takes, and the address that it came from', async () => {
    const { json } = await httpWorld({ workflows, logs }).get('/openapi.json');
    const paths = json.paths as Record<string, Record<string, { operationId?: string; access?: string }>>;
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    const names = operations.map(({ operationId }) => operationId);

    expect(names.every((name) => /^[a-z][A-Za-z]+$/.test(name ?? ''))).toBe(true);
    expect(new Set(names).size).toBe(names.length);
    expect(operations.filter(({ access }) => access !== undefined)).toEqual([]);
    expect(json.servers).toEqual([{ url: '/' }]);
  });

  it('says of a body that it is required exactly where a request without one is refused', async () => {
    const world = httpWorld({ workflows, logs });
    const paths = (await world.get('/openapi.json')).json.paths as Record<
      string,
      Record<string, { requestBody?: { required?: boolean } }>
    >;
    for (const [template, methods] of Object.entries(paths)) {
      const path = template.replaceAll(/\{\w+\}/g, 'x');
      for (const [method, { requestBody }] of Object.entries(methods)) {
        if (requestBody === undefined) continue;
        const { status } = await world.ask(method.toUpperCase(), path);
        expect.soft(requestBody.required ?? false, `${method} ${template}`).toBe(status === 415);
      }
    }
  });

  it('has the methods that each path allows: no more, no fewer', async () => {
    const world = httpWorld({ workflows, logs });
    const paths = (await world.get('/openapi.json')).json.paths as Record<string, object>;
    const all = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'];
    for (const [template, operations] of Object.entries(paths)) {
      const path = template.replaceAll(/\{\w+\}/g, 'some-unlikely-name');
      const allowed = Object.keys(operations).map((method) => method.toUpperCase());
      if (allowed.includes('GET')) allowed.push('HEAD');
      for (const method of all) {
        const { status, headers } = await world.ask(method, path);
        expect.soft(status === 405, `${method} ${template}: ${status}`).toBe(!allowed.includes(method));
        if (status === 405) expect.soft(headers.get('allow'), template).toBe([...allowed].sort().join(', '));
      }
    }
  });
});
