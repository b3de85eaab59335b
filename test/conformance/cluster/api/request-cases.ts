import { expect, test } from 'vitest';
import type { Client } from './cluster-api-suite.ts';
import { aClaim, claims, configMaps, freshName, nodes } from './objects.ts';

export function requestCases(client: Client): void {
  test.each(['/apis/karpenter.sh/v1/nothings', '/apis/nobody.dev/v1/things', '/api/v1/nodes/a/b/c/d'])(
    'nothing at %s: NotFound',
    async (path) => {
      expect((await client().get(path)).code).toBe(404);
    },
  );

  test('a method that a path does not know is not allowed', async () => {
    const { code, body } = await client().call('PATCH', nodes, {}, { 'content-type': 'application/merge-patch+json' });
    expect([code, body.reason]).toEqual([405, 'MethodNotAllowed']);
  });

  test('a body that is not JSON is a bad request', async () => {
    const { code, body } = await client().call('POST', claims, '{"apiVersion":');
    expect([code, body.kind, body.reason]).toEqual([400, 'Status', 'BadRequest']);
  });

  test('a body of another kind is a bad request', async () => {
    const { code } = await client().post(nodes, aClaim(freshName('kind')));
    expect(code).toBe(400);
  });

  test('labels that are no texts are a bad request', async () => {
    const { code } = await client().post(claims, aClaim(freshName('labels'), { labels: { a: 1 } }));
    expect(code).toBe(400);
  });

  test('an unknown content type is an unsupported media type', async () => {
    const { code, body } = await client().call('POST', configMaps, 'a=b', { 'content-type': 'text/plain' });
    expect([code, body.reason]).toEqual([415, 'UnsupportedMediaType']);
    const patch = await client().call('PATCH', `${nodes}/a`, '{}', { 'content-type': 'application/json' });
    expect(patch.code).toBe(415);
  });

  test('a body beyond 3 MiB is too large', async () => {
    const { code, body } = await client().post(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: freshName('large') },
      data: { a: 'x'.repeat(3 * 1024 * 1024) },
    });
    expect([code, body.reason]).toEqual([413, 'RequestEntityTooLarge']);
  });

  test('an answer in a form that the server does not have is not acceptable', async () => {
    expect((await client().get(claims, { accept: 'text/html' })).code).toBe(406);
  });

  test('bodies may be YAML', async () => {
    const name = freshName('yaml');
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  a: "1"\n`;
    const { code, body } = await client().call('POST', configMaps, text, { 'content-type': 'application/yaml' });
    expect([code, body.data]).toEqual([201, { a: '1' }]);
  });

  test.each(['/healthz', '/readyz', '/livez'])('%s says ok', async (path) => {
    expect(await client().get(path)).toMatchObject({ code: 200, body: 'ok' });
  });

  test('discovery names the kinds, their short names and subresources', async () => {
    expect((await client().get('/api')).body.versions).toEqual(['v1']);
    const { body } = await client().get('/api/v1');
    expect(body.kind).toBe('APIResourceList');
    const byName = new Map(body.resources.map((one: { name: string }) => [one.name, one]));
    expect(byName.get('nodes')).toMatchObject({ kind: 'Node', namespaced: false, shortNames: ['no'] });
    expect(byName.has('pods/eviction') && byName.has('nodes/status')).toBe(true);
    expect((await client().get('/version')).body.major).toBe('1');
  });

  test('OpenAPI describes NodeClaims', async () => {
    // The index is JSON, but the real server calls it plain text.
    const { body: text } = await client().get('/openapi/v3');
    const index = typeof text === 'string' ? JSON.parse(text) : text;
    const { serverRelativeURL } = index.paths['apis/karpenter.sh/v1'];
    const { body } = await client().get(serverRelativeURL);
    const schemas = Object.values(body.components.schemas) as { [key: string]: unknown }[];
    const kinds = schemas.flatMap((schema) => schema['x-kubernetes-group-version-kind'] ?? []);
    expect(kinds).toContainEqual({ group: 'karpenter.sh', version: 'v1', kind: 'NodeClaim' });
  });
}
