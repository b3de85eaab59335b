/** Whatever comes in, the answer is a Status with a reason, never a crash or an internal error. */
import { fc, test } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { TestClient } from '../../test/conformance/cluster/api/client.ts';
import { aClaim, aNode, claims, nodes } from '../../test/conformance/cluster/api/objects.ts';
import { type ClusterApi, startClusterApi } from './server.ts';

let api: ClusterApi;
let client: TestClient;

beforeAll(async () => {
  api = await startClusterApi({ file: ':memory:', port: 0 });
  client = new TestClient(api);
  await client.post(claims, aClaim('stable', { finalizers: ['a.b/c'] }));
  await client.post(nodes, aNode('stable', { finalizers: ['a.b/c'] }));
});

afterAll(() => api.close());

const names = ['metadata', 'spec', 'status', 'labels', 'finalizers', 'name', 'taints', 'conditions', 'constructor'];
const key = fc.oneof(fc.constantFrom(...names, '__proto__', 'toString', '$patch', ''), fc.string({ maxLength: 5 }));
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1, 1e308, '', 'delete', 'a/b'),
    fc.string({ maxLength: 8 }),
    fc.array(tie('value'), { maxLength: 3 }),
    // Entries become text at once: an object built from them would lose `__proto__`.
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => ({ entries })),
  ),
})).value;

/** JSON text, in which every key is what it says. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(',')}]`;
  if (typeof value === 'object' && value !== null && 'entries' in value && Array.isArray(value.entries)) {
    return `{${value.entries.map(([name, item]) => `${JSON.stringify(name)}:${textOf(item)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

const patchTypes = ['json-patch+json', 'merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'];

describe('any body', () => {
  test.prop([json, fc.constantFrom(claims, nodes)], { numRuns: 200 })('can be posted', async (body, path) => {
    const { code } = await client.call('POST', path, textOf(body));
    expect([201, 400, 409, 422]).toContain(code);
  });

  test.prop([json, fc.constantFrom(claims, nodes), fc.constantFrom(...patchTypes), fc.boolean()], { numRuns: 300 })(
    'can be a patch',
    async (body, path, type, status) => {
      const target = `${path}/stable${status ? '/status' : ''}?fieldManager=fuzz&force=true`;
      const { code } = await client.call('PATCH', target, textOf(body), { 'content-type': `application/${type}` });
      expect([200, 400, 409, 415, 422]).toContain(code);
      expect((await client.get(`${path}/stable`)).code).toBe(200);
    },
  );

  test.prop([fc.string({ maxLength: 30 }), fc.constantFrom('labelSelector', 'fieldSelector', 'continue', 'limit')], {
    numRuns: 150,
  })('can be a query', async (text, name) => {
    const { code } = await client.get(`${claims}?${name}=${encodeURIComponent(text)}`);
    expect([200, 400, 410]).toContain(code);
  });

  test.prop([fc.uint8Array({ maxLength: 40 })], { numRuns: 100 })('can pretend to be protobuf', async (bytes) => {
    const response = await fetch(`${api.url}/api/v1/namespaces`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
      body: Buffer.concat([Buffer.from('k8s\0\n\x0f\n\x02v1\x12\x09Namespace\x12'), bytes]),
    });
    await response.text();
    expect([201, 400, 409, 415, 422]).toContain(response.status);
  });
});

test('a body that is nested without end is a bad request', async () => {
  const deep = `${'{"spec":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
  expect((await client.call('POST', claims, deep)).code).toBe(400);
});

test('inherited names are fields like any other', async () => {
  const path = `${nodes}/stable/status`;
  expect((await client.merge(path, { toString: 'mine', status: { x: 1 } })).body.toString).not.toBe('mine');
  expect((await client.jsonPatch(path, [])).code).toBe(200);
  const labels = { constructor: 'a' };
  await client.post(nodes, aNode('inherited', { labels }));
  const { body } = await client.get(`${nodes}?labelSelector=constructor`);
  expect(body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['inherited']);
});
