import { expect, test } from 'vitest';
import type { Client } from './cluster-api-suite.ts';
import { aClaim, aConfigMap, aNode, claims, configMaps, freshName, leases, nodes } from './objects.ts';

export function writeCases(client: Client): void {
  test('a created object gets uid, resourceVersion, creationTimestamp and generation', async () => {
    const name = freshName('made');
    const { code, body } = await client().post(claims, aClaim(name));
    expect(code).toBe(201);
    expect(body.kind).toBe('NodeClaim');
    expect(body.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(body.metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
    expect(body.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(body.metadata.generation).toBe(1);
    expect((await client().get(`${claims}/${name}`)).body).toEqual(body);
  });

  test('generateName is completed with five characters', async () => {
    const claim = aClaim('', { name: undefined, generateName: 'pool-' });
    const { code, body } = await client().post(claims, claim);
    expect(code).toBe(201);
    expect(body.metadata.name).toMatch(/^pool-[a-z0-9]{5}$/);
    expect(body.metadata.generateName).toBe('pool-');
  });

  test('a name that is taken is refused with AlreadyExists', async () => {
    const name = freshName('twice');
    await client().post(claims, aClaim(name));
    const { code, body } = await client().post(claims, aClaim(name));
    expect(code).toBe(409);
    expect(body).toMatchObject({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'AlreadyExists',
      message: `nodeclaims.karpenter.sh "${name}" already exists`,
      details: { name, group: 'karpenter.sh', kind: 'nodeclaims' },
      code: 409,
    });
  });

  test('a missing object is NotFound, named by its resource', async () => {
    const { code, body } = await client().get(`${nodes}/nobody`);
    expect(code).toBe(404);
    expect(body).toMatchObject({
      kind: 'Status',
      reason: 'NotFound',
      message: 'nodes "nobody" not found',
      details: { name: 'nobody', kind: 'nodes' },
    });
  });

  test.each([
    ['capital letters', 'Capital'],
    ['a slash', 'a/b'],
    ['too many characters', 'x'.repeat(254)],
  ])('a name with %s is Invalid', async (_, name) => {
    const { code, body } = await client().post(claims, aClaim(name));
    expect(code).toBe(422);
    expect(body.reason).toBe('Invalid');
    expect(body.details.causes[0]).toMatchObject({ reason: 'FieldValueInvalid', field: 'metadata.name' });
  });

  test('a label value that no selector could name is Invalid', async () => {
    const { code, body } = await client().post(nodes, aNode(freshName('label'), { labels: { a: 'not ok' } }));
    expect(code).toBe(422);
    expect(body.details.causes[0].field).toBe('metadata.labels');
  });

  test('an update with an old resourceVersion is a Conflict and changes nothing', async () => {
    const name = freshName('old');
    const { body: first } = await client().post(configMaps, aConfigMap(name, { a: '1' }));
    const { body: second } = await client().put(`${configMaps}/${name}`, { ...first, data: { a: '2' } });
    const { code, body } = await client().put(`${configMaps}/${name}`, { ...first, data: { a: '3' } });
    expect(code).toBe(409);
    expect(body.reason).toBe('Conflict');
    expect(body.message).toContain('the object has been modified; please apply your changes to the latest version');
    expect((await client().get(`${configMaps}/${name}`)).body).toEqual(second);
  });

  test('an update of a custom resource needs a resourceVersion; one of a Node does not', async () => {
    const name = freshName('unconditional');
    await client().post(claims, aClaim(name));
    const refused = await client().put(`${claims}/${name}`, aClaim(name, { labels: { a: 'b' } }));
    expect(refused.code).toBe(422);
    expect(refused.body.details.causes[0]).toMatchObject({
      field: 'metadata.resourceVersion',
      message: 'Invalid value: 0: must be specified for an update',
    });
    await client().post(nodes, aNode(name));
    const taken = await client().put(`${nodes}/${name}`, aNode(name, { labels: { a: 'b' } }));
    expect(taken.code).toBe(200);
  });

  test('an update with another uid is a Conflict', async () => {
    const name = freshName('uid');
    const { body } = await client().post(configMaps, aConfigMap(name));
    const uid = '00000000-0000-4000-8000-000000000000';
    const { code } = await client().put(`${configMaps}/${name}`, { ...body, metadata: { ...body.metadata, uid } });
    expect(code).toBe(409);
  });

  test('a write that changes nothing keeps the resourceVersion', async () => {
    const name = freshName('same');
    const { body } = await client().post(claims, aClaim(name, { labels: { a: 'b' } }));
    const put = await client().put(`${claims}/${name}`, body);
    const patch = await client().merge(`${claims}/${name}`, { metadata: { labels: { a: 'b' } } });
    expect(put.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
    expect(patch.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });

  test('resourceVersions grow over all kinds', async () => {
    const first = await client().post(claims, aClaim(freshName('order')));
    const second = await client().post(nodes, aNode(freshName('order')));
    expect(Number(second.body.metadata.resourceVersion)).toBeGreaterThan(Number(first.body.metadata.resourceVersion));
  });

  test('a custom resource is created without its status, a Node with it', async () => {
    const name = freshName('status');
    const claim = await client().post(claims, { ...aClaim(name), status: { nodeName: 'x' } });
    expect(claim.body.status).toBeUndefined();
    const node = await client().post(nodes, aNode(name));
    expect(node.body.status.conditions[0]).toMatchObject({ type: 'Ready', status: 'True' });
  });

  test('the main endpoint leaves the status alone, and the status endpoint everything else', async () => {
    const name = freshName('sub');
    await client().post(claims, aClaim(name, { labels: { a: 'b' } }));
    const main = await client().merge(`${claims}/${name}`, { status: { nodeName: 'by-main' } });
    expect(main.code).toBe(200);
    expect(main.body.status).toBeUndefined();
    const status = await client().merge(`${claims}/${name}/status`, {
      metadata: { labels: { a: 'c' } },
      spec: { expireAfter: 'Never' },
      status: { nodeName: 'by-status' },
    });
    expect(status.code).toBe(200);
    expect(status.body.status).toEqual({ nodeName: 'by-status' });
    expect(status.body.metadata.labels).toEqual({ a: 'b' });
    expect(status.body.spec.expireAfter).toBe('720h');
    expect(status.body.metadata.generation).toBe(1);
  });

  test('generation counts changes of the spec alone', async () => {
    const path = '/apis/poolwright.dev/v1alpha1/simnodeclasses';
    const name = freshName('generation');
    const made = {
      apiVersion: 'poolwright.dev/v1alpha1',
      kind: 'SimNodeClass',
      metadata: { name },
      spec: { image: 'a' },
    };
    await client().post(path, made);
    const labeled = await client().merge(`${path}/${name}`, { metadata: { labels: { a: 'b' } } });
    const changed = await client().merge(`${path}/${name}`, { spec: { image: 'b' } });
    expect([labeled.body.metadata.generation, changed.body.metadata.generation]).toEqual([1, 2]);
  });

  test('the server keeps what only it may set', async () => {
    const name = freshName('fixed');
    const { body } = await client().post(configMaps, aConfigMap(name));
    const { code, body: status } = await client().merge(`${configMaps}/${name}`, {
      metadata: { uid: '00000000-0000-4000-8000-000000000000' },
    });
    expect(code).toBe(422);
    expect(status.details.causes[0].field).toBe('metadata.uid');
    const { deletionTimestamp } = (
      await client().merge(`${configMaps}/${name}`, { metadata: { labels: { a: 'b' }, generation: 9 } })
    ).body.metadata;
    expect(deletionTimestamp).toBeUndefined();
    expect((await client().get(`${configMaps}/${name}`)).body.metadata.uid).toBe(body.metadata.uid);
  });

  test('a name in the body that differs from the path is a bad request', async () => {
    const name = freshName('other');
    await client().post(configMaps, aConfigMap(name));
    const { code, body } = await client().put(`${configMaps}/${name}`, aConfigMap('another'));
    expect(code).toBe(400);
    expect(body.message).toBe(`the name of the object (another) does not match the name on the URL (${name})`);
  });

  test('an object in a namespace that does not exist is NotFound', async () => {
    const path = '/api/v1/namespaces/nowhere/configmaps';
    const { code, body } = await client().post(path, aConfigMap('a'));
    expect(code).toBe(404);
    expect(body.message).toBe('namespaces "nowhere" not found');
  });

  test('a dry run answers as if, and writes nothing', async () => {
    const name = freshName('dry');
    const { code, body } = await client().post(`${claims}?dryRun=All`, aClaim(name));
    expect([code, body.metadata.name]).toEqual([201, name]);
    expect((await client().get(`${claims}/${name}`)).code).toBe(404);
  });

  test('a Lease is created by its first update, and then guarded by its version', async () => {
    const name = freshName('lease');
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name },
      spec: { holderIdentity: 'a' },
    };
    const made = await client().put(`${leases}/${name}`, lease);
    expect(made.code).toBe(201);
    const taken = { ...made.body, spec: { holderIdentity: 'b' } };
    expect((await client().put(`${leases}/${name}`, taken)).code).toBe(200);
    expect((await client().put(`${leases}/${name}`, taken)).code).toBe(409);
  });

  test("a Node's providerID is set once", async () => {
    const name = freshName('provider');
    await client().post(nodes, aNode(name));
    const { code } = await client().merge(`${nodes}/${name}`, { spec: { providerID: 'sim://another' } });
    expect(code).toBe(422);
  });

  test('kube-system has an identity', async () => {
    const { code, body } = await client().get('/api/v1/namespaces/kube-system');
    expect(code).toBe(200);
    expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.status.phase).toBe('Active');
  });
}
