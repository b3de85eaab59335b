/** What every store of requests for clusters does, whoever keeps them. */
import { expect, it } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import type { RequestStore, StoredRequest } from '../../../shared/clusters/store/contract.ts';
import { mustBe } from '../../cli/cluster-world.ts';

export interface StoreHarness {
  store: RequestStore;
  /** A namespace of its own for each test. */
  namespace(): Promise<string>;
}

const spec: Json = { location: 'westeurope', kubernetesVersion: '1.35' };
const versionOf = ({ metadata: { uid, resourceVersion } }: StoredRequest) => ({ uid, resourceVersion });

export function storeConformance(open: () => StoreHarness): void {
  const fresh = async (name = 'web', more: { spec?: Json } = {}) => {
    const { store, namespace } = open();
    const at = { namespace: await namespace(), name };
    return { store, at, request: mustBe(await store.create({ ...at, spec, ...more })) };
  };

  it('keeps what was created, with a uid and a generation', async () => {
    const { store, at, request } = await fresh();
    expect(request).toMatchObject({ spec, metadata: { ...at, generation: 1, uid: expect.stringMatching(/./) } });
    expect(Date.parse(request.metadata.creationTimestamp)).not.toBeNaN();
    expect(mustBe(await store.get(at))).toEqual(request);
  });

  it('keeps labels and annotations of a new one', async () => {
    const { store, namespace } = open();
    const at = { namespace: await namespace(), name: 'web' };
    const made = await store.create({ ...at, spec, labels: { a: 'b' }, annotations: { c: 'd' } });
    expect(mustBe(made).metadata).toMatchObject({ labels: { a: 'b' }, annotations: { c: 'd' } });
  });

  it('has one of a name in a namespace', async () => {
    const { store, at } = await fresh();
    expect(await store.create({ ...at, spec })).toMatchObject({ ok: false, error: { kind: 'conflict' } });
    const elsewhere = await fresh();
    expect(elsewhere.request.metadata.uid).toMatch(/./);
  });

  it.each<[string, Json]>([
    ['without what is needed', {}],
    ['with a field of the wrong type', { location: 5 }],
    ['that is none', 'text'],
  ])('refuses a spec %s', async (_, wrong) => {
    const { store, namespace } = open();
    const made = await store.create({ namespace: await namespace(), name: 'web', spec: wrong });
    expect(made).toMatchObject({ ok: false, error: { kind: 'invalid' } });
  });

  it('says surely that there is none', async () => {
    const { store, namespace } = open();
    const at = { namespace: await namespace(), name: 'web' };
    expect(await store.get(at)).toMatchObject({ ok: false, error: { kind: 'not-found' } });
    expect(await store.delete(at, { uid: 'any' })).toMatchObject({ ok: false, error: { kind: 'not-found' } });
  });

  it('counts changes of the spec, and of nothing else', async () => {
    const { store, at, request } = await fresh();
    const annotated = mustBe(await store.patchMetadata(at, { annotations: { a: 'b' } }, versionOf(request)));
    expect(annotated.metadata).toMatchObject({ generation: 1, annotations: { a: 'b' } });
    const said = mustBe(await store.patchStatus(at, { stage: 'NodePool' }, versionOf(annotated)));
    expect(said.metadata.generation).toBe(1);
    const changed = mustBe(await store.replaceSpec(at, { location: 'westeurope' }, versionOf(said)));
    expect(changed.metadata.generation).toBe(2);
    // The whole of it: what the new one lacks is gone.
    expect(changed.spec).toEqual({ location: 'westeurope' });
    expect(changed.status).toEqual({ stage: 'NodePool' });
  });

  it('writes only what follows the version that was read', async () => {
    const { store, at, request } = await fresh();
    const stale = versionOf(request);
    mustBe(await store.patchMetadata(at, { annotations: { a: 'b' } }, stale));
    const conflict = { ok: false, error: { kind: 'conflict' } };
    expect(await store.patchMetadata(at, { annotations: { a: 'c' } }, stale)).toMatchObject(conflict);
    expect(await store.patchStatus(at, { stage: 'NodePool' }, stale)).toMatchObject(conflict);
    expect(await store.replaceSpec(at, spec, stale)).toMatchObject(conflict);
    expect(await store.delete(at, stale)).toMatchObject(conflict);
    expect(mustBe(await store.get(at)).metadata.annotations).toEqual({ a: 'b' });
  });

  it('writes nothing to another request of the same name', async () => {
    const { store, at, request } = await fresh();
    mustBe(await store.delete(at, { uid: request.metadata.uid }));
    const second = mustBe(await store.create({ ...at, spec }));
    expect(second.metadata.uid).not.toBe(request.metadata.uid);
    const old = { uid: request.metadata.uid, resourceVersion: second.metadata.resourceVersion };
    const conflict = { ok: false, error: { kind: 'conflict' } };
    expect(await store.patchMetadata(at, { annotations: { a: 'b' } }, old)).toMatchObject(conflict);
    expect(await store.replaceSpec(at, spec, old)).toMatchObject(conflict);
    expect(await store.delete(at, { uid: request.metadata.uid })).toMatchObject(conflict);
    expect(mustBe(await store.get(at))).toEqual(second);
  });

  it('lets one of many writers through', async () => {
    const { store, at, request } = await fresh();
    const writes = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        store.patchMetadata(at, { annotations: { winner: String(index) } }, versionOf(request)),
      ),
    );
    expect(writes.filter(({ ok }) => ok)).toHaveLength(1);
  });

  it('merges a status: objects field by field, lists as a whole, null removes', async () => {
    const { store, at, request } = await fresh();
    const first = mustBe(
      await store.patchStatus(
        at,
        { attempt: 1, cluster: { id: 'a', fqdn: 'b' }, warnings: ['x', 'y'], retryAt: '2026-01-01T00:00:00Z' },
        versionOf(request),
      ),
    );
    const second = mustBe(
      await store.patchStatus(at, { cluster: { fqdn: 'c' }, warnings: ['z'], retryAt: null }, versionOf(first)),
    );
    expect(second.status).toEqual({ attempt: 1, cluster: { id: 'a', fqdn: 'c' }, warnings: ['z'] });
  });

  it('removes an annotation by null, and keeps the others', async () => {
    const { store, at, request } = await fresh();
    const two = mustBe(await store.patchMetadata(at, { annotations: { a: '1', b: '2' } }, versionOf(request)));
    const one = mustBe(await store.patchMetadata(at, { annotations: { a: null } }, versionOf(two)));
    expect(one.metadata.annotations).toEqual({ b: '2' });
  });

  it('removes one without finalizers at once', async () => {
    const { store, at, request } = await fresh();
    mustBe(await store.delete(at, versionOf(request)));
    expect(await store.get(at)).toMatchObject({ error: { kind: 'not-found' } });
  });

  it('keeps one with a finalizer until that is taken away, and says since when it is being deleted', async () => {
    const { store, at, request } = await fresh();
    const finalizers = ['poolwright.dev/cluster-request'];
    const held = mustBe(await store.patchMetadata(at, { finalizers }, versionOf(request)));
    mustBe(await store.delete(at, { uid: held.metadata.uid }));
    const deleting = mustBe(await store.get(at));
    expect(deleting.metadata).toMatchObject({ finalizers, deletionTimestamp: expect.any(String) });
    // A second deletion is none.
    mustBe(await store.delete(at, { uid: held.metadata.uid }));
    expect(mustBe(await store.get(at)).metadata.deletionTimestamp).toBe(deleting.metadata.deletionTimestamp);
    mustBe(await store.patchMetadata(at, { finalizers: [] }, versionOf(mustBe(await store.get(at)))));
    expect(await store.get(at)).toMatchObject({ error: { kind: 'not-found' } });
  });

  it('lists page by page, of one namespace or of all', async () => {
    const { store, namespace } = open();
    const [here, there] = [await namespace(), await namespace()];
    for (const name of ['a', 'b', 'c', 'd', 'e']) mustBe(await store.create({ namespace: here, name, spec }));
    mustBe(await store.create({ namespace: there, name: 'f', spec }));
    const names: string[] = [];
    let from: string | undefined;
    let pages = 0;
    do {
      const page = mustBe(
        await store.list({ namespace: here, limit: 2, ...(from === undefined ? {} : { continue: from }) }),
      );
      expect(page.items.length).toBeLessThanOrEqual(2);
      names.push(...page.items.map(({ metadata }) => metadata.name));
      from = page.continue;
      pages += 1;
    } while (from !== undefined);
    expect(names.sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(pages).toBeGreaterThanOrEqual(3);
    const all = mustBe(await store.list());
    expect(all.items.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(['a', 'f']));
  });
}
