import { expect, test } from 'vitest';
import type { Client } from './cluster-api-suite.ts';
import { aClaim, aConfigMap, aNode, claims, configMaps, freshName, nodes } from './objects.ts';

export function patchCases(client: Client): void {
  test('a merge patch sets, changes and removes fields', async () => {
    const name = freshName('merge');
    await client().post(configMaps, aConfigMap(name, { keep: '1', change: '1', remove: '1' }));
    const { code, body } = await client().merge(`${configMaps}/${name}`, {
      data: { change: '2', remove: null, add: '3' },
    });
    expect(code).toBe(200);
    expect(body.data).toEqual({ keep: '1', change: '2', add: '3' });
  });

  test('a merge patch with an old resourceVersion is a Conflict', async () => {
    const name = freshName('merge');
    const { body } = await client().post(claims, aClaim(name));
    const { resourceVersion } = body.metadata;
    const patch = (value: string) => ({ metadata: { resourceVersion, annotations: { a: value } } });
    expect((await client().merge(`${claims}/${name}`, patch('1'))).code).toBe(200);
    const second = await client().merge(`${claims}/${name}`, patch('2'));
    expect([second.code, second.body.reason]).toEqual([409, 'Conflict']);
  });

  test('a merge patch with another uid is Invalid', async () => {
    const name = freshName('merge');
    await client().post(claims, aClaim(name));
    const patch = { metadata: { uid: '00000000-0000-4000-8000-000000000000', annotations: { a: '1' } } };
    const { code, body } = await client().merge(`${claims}/${name}`, patch);
    expect([code, body.reason]).toEqual([422, 'Invalid']);
  });

  test('a patch of a missing object is NotFound', async () => {
    expect((await client().merge(`${claims}/nobody`, {})).code).toBe(404);
  });

  test('a JSON patch applies as a whole', async () => {
    const name = freshName('json');
    await client().post(configMaps, aConfigMap(name, { a: '1', b: '2' }));
    const { code, body } = await client().jsonPatch(`${configMaps}/${name}`, [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'replace', path: '/data/a', value: '3' },
      { op: 'move', from: '/data/b', path: '/data/c' },
      { op: 'add', path: '/metadata/labels', value: { 'x.y/z': 'w' } },
      { op: 'copy', from: '/metadata/labels/x.y~1z', path: '/data/d' },
    ]);
    expect(code).toBe(200);
    expect(body.data).toEqual({ a: '3', c: '2', d: 'w' });
  });

  test('a JSON patch whose test fails is Invalid and changes nothing', async () => {
    const name = freshName('json');
    const { body: made } = await client().post(configMaps, aConfigMap(name, { a: '1' }));
    const { code, body } = await client().jsonPatch(`${configMaps}/${name}`, [
      { op: 'replace', path: '/data/a', value: '2' },
      { op: 'test', path: '/metadata/uid', value: 'another' },
    ]);
    expect([code, body.reason]).toEqual([422, 'Invalid']);
    expect((await client().get(`${configMaps}/${name}`)).body).toEqual(made);
  });

  test.each([
    ['removes what is not there', [{ op: 'remove', path: '/data/zzz' }]],
    ['adds below what is not there', [{ op: 'add', path: '/data/a/b/c', value: 1 }]],
    ['replaces a list element that is not there', [{ op: 'replace', path: '/metadata/finalizers/3', value: 'a.b/c' }]],
  ])('a JSON patch that %s is Invalid', async (_, patch) => {
    const name = freshName('json');
    await client().post(configMaps, aConfigMap(name, { a: '1' }));
    expect((await client().jsonPatch(`${configMaps}/${name}`, patch)).code).toBe(422);
  });

  test('a JSON patch that replaces a field that is not there adds it', async () => {
    const name = freshName('json');
    await client().post(configMaps, aConfigMap(name, { a: '1' }));
    const patch = [{ op: 'replace', path: '/data/zzz', value: '1' }];
    const { code, body } = await client().jsonPatch(`${configMaps}/${name}`, patch);
    expect([code, body.data]).toEqual([200, { a: '1', zzz: '1' }]);
  });

  test('a JSON patch that is no list is a bad request', async () => {
    const name = freshName('json');
    await client().post(configMaps, aConfigMap(name));
    expect((await client().jsonPatch(`${configMaps}/${name}`, { op: 'add' })).code).toBe(400);
  });

  test('a strategic patch merges conditions by type and replaces taints as a whole', async () => {
    const name = freshName('strategic');
    await client().post(nodes, aNode(name));
    const status = { conditions: [{ type: 'DiskPressure', status: 'False' }] };
    const { body } = await client().strategic(`${nodes}/${name}/status`, { status });
    expect(body.status.conditions.map((condition: { type: string }) => condition.type).sort()).toEqual([
      'DiskPressure',
      'Ready',
    ]);
    const taint = (key: string) => ({ spec: { taints: [{ key, effect: 'NoSchedule' }] } });
    await client().strategic(`${nodes}/${name}`, taint('first'));
    const { body: second } = await client().strategic(`${nodes}/${name}`, taint('second'));
    expect(second.spec.taints).toEqual([{ key: 'second', effect: 'NoSchedule' }]);
  });

  test('a strategic patch adds and removes finalizers one by one', async () => {
    const name = freshName('strategic');
    await client().post(nodes, aNode(name, { finalizers: ['a.b/first'] }));
    const added = await client().strategic(`${nodes}/${name}`, { metadata: { finalizers: ['a.b/second'] } });
    expect(added.body.metadata.finalizers.sort()).toEqual(['a.b/first', 'a.b/second']);
    const removed = await client().strategic(`${nodes}/${name}`, {
      metadata: { '$deleteFromPrimitiveList/finalizers': ['a.b/first'] },
    });
    expect(removed.body.metadata.finalizers).toEqual(['a.b/second']);
  });

  test('a strategic patch of a custom resource is an unsupported media type', async () => {
    const name = freshName('strategic');
    await client().post(claims, aClaim(name));
    const { code, body } = await client().strategic(`${claims}/${name}`, { metadata: { labels: { a: 'b' } } });
    expect([code, body.reason]).toEqual([415, 'UnsupportedMediaType']);
  });

  const applied = (name: string, data: { [key: string]: string }) => aConfigMap(name, data);

  test('an apply creates, and removes what its manager no longer applies', async () => {
    const name = freshName('apply');
    const path = `${configMaps}/${name}`;
    const made = await client().apply(path, applied(name, { a: '1', b: '2' }), 'one');
    expect(made.code).toBe(201);
    await client().merge(path, { data: { c: '3' } });
    const again = await client().apply(path, applied(name, { a: '4' }), 'one');
    expect(again.code).toBe(200);
    expect(again.body.data).toEqual({ a: '4', c: '3' });
  });

  test('an apply that changes a value and nothing else leaves it with its manager', async () => {
    const name = freshName('apply');
    const path = `${configMaps}/${name}`;
    await client().apply(path, applied(name, { a: '1' }), 'one');
    await client().apply(path, applied(name, { a: '2' }), 'one');
    const third = await client().apply(path, applied(name, { a: '3' }), 'one');
    expect([third.code, third.body.data]).toEqual([200, { a: '3' }]);
    expect(third.body.metadata.managedFields).toMatchObject([{ manager: 'one', operation: 'Apply' }]);
  });

  test('an apply against the value of another manager conflicts, unless it is forced', async () => {
    const name = freshName('apply');
    const path = `${configMaps}/${name}`;
    await client().apply(path, applied(name, { a: '1' }), 'one');
    const conflict = await client().apply(path, applied(name, { a: '2' }), 'two');
    expect([conflict.code, conflict.body.reason]).toEqual([409, 'Conflict']);
    expect(conflict.body.details.causes[0]).toMatchObject({ reason: 'FieldManagerConflict', field: '.data.a' });
    const forced = await client().apply(path, applied(name, { a: '2' }), 'two', true);
    expect(forced.body.data).toEqual({ a: '2' });
    // The first manager has lost the field: letting it go does not remove it.
    const released = await client().apply(path, applied(name, {}), 'one');
    expect(released.body.data).toEqual({ a: '2' });
  });

  test('what was applied from the client belongs to its own manager, and nothing else does', async () => {
    const name = freshName('apply');
    const path = `${configMaps}/${name}`;
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const text = JSON.stringify({ ...applied(name, { a: '1' }), metadata: { name, annotations: {} } });
    const made = { ...applied(name, { a: '1' }), metadata: { name, annotations: { [annotation]: text } } };
    await client().post(`${configMaps}?fieldManager=kubectl-client-side-apply`, made);
    await client().merge(path, { data: { b: '2' }, metadata: { annotations: { theirs: 'yes' } } });
    const { body } = await client().apply(path, applied(name, { a: '1' }), 'kubectl');
    type Entry = { manager: string; fieldsV1: object };
    const byClient = body.metadata.managedFields.find((one: Entry) => one.manager === 'kubectl-client-side-apply');
    expect(byClient?.fieldsV1['f:data']).toHaveProperty('f:a');
    expect(byClient?.fieldsV1['f:data']).not.toHaveProperty('f:b');
    expect(byClient?.fieldsV1['f:metadata']['f:annotations']).toHaveProperty([`f:${annotation}`]);
    expect(byClient?.fieldsV1['f:metadata']['f:annotations']).not.toHaveProperty('f:theirs');
  });

  test('a conflict with one who did not apply names the version that it wrote in', async () => {
    const name = freshName('apply');
    const path = `${configMaps}/${name}`;
    await client().apply(path, applied(name, { b: '1' }), 'one');
    const type = { 'content-type': 'application/merge-patch+json' };
    await client().call('PATCH', `${path}?fieldManager=editor`, { data: { a: '1' } }, type);
    const { code, body } = await client().apply(path, applied(name, { a: '2' }), 'one');
    expect([code, body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "editor" using v1: .data.a',
    ]);
  });

  test('two managers may apply the same value', async () => {
    const name = freshName('apply');
    const path = `${configMaps}/${name}`;
    await client().apply(path, applied(name, { a: '1' }), 'one');
    expect((await client().apply(path, applied(name, { a: '1', b: '2' }), 'two')).code).toBe(200);
    const left = await client().apply(path, applied(name, {}), 'one');
    expect(left.body.data).toEqual({ a: '1', b: '2' });
  });

  test('a plain write takes a field from the manager that applied it', async () => {
    const name = freshName('apply');
    const path = `${configMaps}/${name}`;
    await client().apply(path, applied(name, { a: '1' }), 'one');
    await client().merge(path, { data: { a: '2' } });
    expect((await client().apply(path, applied(name, { a: '1' }), 'one')).code).toBe(409);
  });

  test('repeating an apply changes nothing', async () => {
    const name = freshName('apply');
    const path = `${configMaps}/${name}`;
    const first = await client().apply(path, applied(name, { a: '1' }), 'one');
    const second = await client().apply(path, applied(name, { a: '1' }), 'one');
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
  });
}
