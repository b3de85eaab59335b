import { expect, test } from 'vitest';
import type { Client } from './cluster-api-suite.ts';
import { aClaim, aConfigMap, claims, configMaps, freshName } from './objects.ts';

const finalizer = 'karpenter.sh/termination';

export function deletionCases(client: Client): void {
  test('an object without finalizers goes at once', async () => {
    const name = freshName('gone');
    const { body: made } = await client().post(claims, aClaim(name));
    const { code, body } = await client().delete(`${claims}/${name}`);
    expect(code).toBe(200);
    expect(body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name, group: 'karpenter.sh', kind: 'nodeclaims', uid: made.metadata.uid },
    });
    expect((await client().get(`${claims}/${name}`)).code).toBe(404);
    expect((await client().delete(`${claims}/${name}`)).code).toBe(404);
  });

  test('an object with finalizers is marked, and goes with its last finalizer', async () => {
    const name = freshName('held');
    const path = `${claims}/${name}`;
    await client().post(claims, aClaim(name, { finalizers: [finalizer, 'a.b/other'] }));
    const { code, body } = await client().delete(path);
    expect(code).toBe(200);
    expect(body.metadata.deletionTimestamp).toMatch(/Z$/);
    expect(body.metadata.deletionGracePeriodSeconds).toBe(0);
    expect(body.metadata.generation).toBe(2);
    const one = await client().merge(path, { metadata: { finalizers: ['a.b/other'] } });
    expect(one.body.metadata.finalizers).toEqual(['a.b/other']);
    const last = await client().merge(path, { metadata: { finalizers: null } });
    expect(last.code).toBe(200);
    expect((await client().get(path)).code).toBe(404);
  });

  test('deleting twice keeps the first deletionTimestamp and version', async () => {
    const name = freshName('twice');
    await client().post(claims, aClaim(name, { finalizers: [finalizer] }));
    const first = await client().delete(`${claims}/${name}`);
    const second = await client().delete(`${claims}/${name}`);
    expect(second.body.metadata).toEqual(first.body.metadata);
  });

  test('a deletion cannot be taken back, nor prolonged by new finalizers', async () => {
    const name = freshName('final');
    const path = `${claims}/${name}`;
    await client().post(claims, aClaim(name, { finalizers: [finalizer] }));
    const { body: deleted } = await client().delete(path);
    const added = await client().merge(path, { metadata: { finalizers: [finalizer, 'a.b/new'] } });
    expect([added.code, added.body.details.causes[0].field]).toEqual([422, 'metadata.finalizers']);
    const revived = await client().merge(path, { metadata: { deletionTimestamp: null, labels: { a: 'b' } } });
    expect(revived.body.metadata.deletionTimestamp).toBe(deleted.metadata.deletionTimestamp);
  });

  test('a name can be used again, under another uid', async () => {
    const name = freshName('again');
    const first = await client().post(claims, aClaim(name));
    await client().delete(`${claims}/${name}`);
    const second = await client().post(claims, aClaim(name));
    expect(second.code).toBe(201);
    expect(second.body.metadata.uid).not.toBe(first.body.metadata.uid);
  });

  test.each([
    ['uid', '00000000-0000-4000-8000-000000000000'],
    ['resourceVersion', '1'],
  ])('a deletion on the condition of another %s is a Conflict', async (field, value) => {
    const name = freshName('precondition');
    const { body } = await client().post(claims, aClaim(name));
    const refused = await client().delete(`${claims}/${name}`, { preconditions: { [field]: value } });
    expect([refused.code, refused.body.reason]).toEqual([409, 'Conflict']);
    const taken = await client().delete(`${claims}/${name}`, { preconditions: { [field]: body.metadata[field] } });
    expect(taken.code).toBe(200);
  });

  test('a propagation policy is accepted', async () => {
    const name = freshName('policy');
    await client().post(configMaps, aConfigMap(name));
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
    expect((await client().delete(`${configMaps}/${name}`, options)).code).toBe(200);
  });

  test('an option that does not exist is Invalid', async () => {
    const name = freshName('option');
    await client().post(claims, aClaim(name));
    const { code, body } = await client().delete(`${claims}/${name}`, { propagationPolicy: 'Sideways' });
    expect([code, body.details.causes[0].field]).toEqual([422, 'propagationPolicy']);
    expect((await client().get(`${claims}/${name}`)).code).toBe(200);
  });

  test('a name whose object is still going is taken, and the answer says why', async () => {
    const name = freshName('going');
    await client().post(claims, aClaim(name, { finalizers: [finalizer] }));
    await client().delete(`${claims}/${name}`);
    const { code, body } = await client().post(claims, aClaim(name));
    expect([code, body.reason]).toEqual([409, 'AlreadyExists']);
    expect(body.message).toContain('object is being deleted');
  });

  test('a collection is deleted by label', async () => {
    const label = freshName('batch');
    for (const index of [1, 2]) await client().post(claims, aClaim(`${label}-${index}`, { labels: { batch: label } }));
    const other = freshName('batch');
    await client().post(claims, aClaim(other));
    const { code } = await client().delete(`${claims}?labelSelector=batch%3D${label}`);
    expect(code).toBe(200);
    expect((await client().get(`${claims}?labelSelector=batch%3D${label}`)).body.items).toEqual([]);
    expect((await client().get(`${claims}/${other}`)).code).toBe(200);
  });

  test('the default namespace stays', async () => {
    const { code, body } = await client().delete('/api/v1/namespaces/default');
    expect([code, body.reason]).toEqual([403, 'Forbidden']);
  });
}
