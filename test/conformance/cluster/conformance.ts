/**
 * What every cluster client promises (`shared/kube/contract.ts`), against any API server: the simulated one here, a real
 * one where there is one. Names are fresh, so a shared server can be used.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../../shared/base/json.ts';
import type { Result } from '../../../shared/base/result.ts';
import {
  type ClusterApi,
  configMaps,
  type KubeObject,
  nodeClaims,
  nodes,
  podDisruptionBudgets,
  pods,
  type Resource,
  type WatchEvent,
} from '../../../shared/kube/contract.ts';
import { listAll } from '../../../shared/kube/list-all.ts';

export interface ClusterHarness {
  api: ClusterApi;
  close(): Promise<void>;
}

let count = 0;
const fresh = (prefix: string): string => `${prefix}-${process.pid}-${++count}`;

const aClaim = (name: string, metadata: { [key: string]: Json } = {}): Json => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name, ...metadata },
  spec: { nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' }, requirements: [] },
});

const aPod = (name: string): Json => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'none' }], terminationGracePeriodSeconds: 0 },
});

const other = '00000000-0000-4000-8000-000000000000';

const unknownKind: Resource = {
  group: 'karpenter.sh',
  version: 'v1',
  plural: 'unicorns',
  kind: 'Unicorn',
  namespaced: false,
};

export function clusterConformance(name: string, start: () => Promise<ClusterHarness>): void {
  describe(`a cluster client against ${name}`, () => {
    let harness: ClusterHarness;
    let api: ClusterApi;
    beforeAll(async () => {
      harness = await start();
      ({ api } = harness);
    });
    afterAll(() => harness.close());

    async function created(resource: Resource, object: Json): Promise<KubeObject> {
      const result = await api.create(resource, object);
      if (!result.ok) throw new Error(result.error.message);
      return result.value;
    }

    async function must<T>(answer: Promise<Result<T>>): Promise<T> {
      const result = await answer;
      if (!result.ok) throw new Error(result.error.message);
      return result.value;
    }

    it('creates, gets and patches, spec and status apart', async () => {
      const name = fresh('claim');
      const made = await created(nodeClaims, aClaim(name, { labels: { a: 'b' } }));
      expect(await api.get(nodeClaims, { name })).toMatchObject({
        ok: true,
        value: { metadata: { uid: made.metadata.uid } },
      });
      expect(await api.mergePatch(nodeClaims, { name }, { metadata: { labels: { a: null, c: 'd' } } })).toMatchObject({
        ok: true,
        value: { metadata: { labels: { c: 'd' } } },
      });
      expect(
        await api.mergePatch(nodeClaims, { name }, { status: { nodeName: 'n' } }, { subresource: 'status' }),
      ).toMatchObject({ ok: true, value: { status: { nodeName: 'n' } } });
    });

    it('tells a missing object from a kind that is not served', async () => {
      expect(await api.get(nodeClaims, { name: fresh('none') })).toMatchObject({
        ok: false,
        error: { kind: 'not-found' },
      });
      expect(await api.get(unknownKind, { name: 'x' })).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
      expect(await api.list(unknownKind)).toMatchObject({ ok: false, error: { kind: 'unavailable' } });
      expect(await api.mergePatch(nodeClaims, { name: fresh('none') }, {})).toMatchObject({
        error: { kind: 'not-found' },
      });
    });

    it('answers conflict for a second create, an old version and a test that does not hold', async () => {
      const name = fresh('claim');
      const made = await created(nodeClaims, aClaim(name));
      expect(await api.create(nodeClaims, aClaim(name))).toMatchObject({ error: { kind: 'conflict' } });
      await api.mergePatch(nodeClaims, { name }, { metadata: { labels: { x: 'y' } } });
      const { resourceVersion } = made.metadata;
      expect(
        await api.mergePatch(nodeClaims, { name }, { metadata: { resourceVersion, labels: { x: 'z' } } }),
      ).toMatchObject({
        error: { kind: 'conflict' },
      });
      expect(
        await api.jsonPatch(nodeClaims, { name }, [
          { op: 'test', path: '/metadata/uid', value: 'another' },
          { op: 'add', path: '/metadata/labels/x', value: 'z' },
        ]),
      ).toMatchObject({ error: { kind: 'conflict' } });
      expect(
        await api.jsonPatch(nodeClaims, { name }, [
          { op: 'test', path: '/metadata/uid', value: made.metadata.uid },
          { op: 'add', path: '/metadata/labels/x', value: 'z' },
        ]),
      ).toMatchObject({ ok: true, value: { metadata: { labels: { x: 'z' } } } });
    });

    it('answers invalid, with the field, for what the schema refuses', async () => {
      const result = await api.create(nodeClaims, {
        ...(aClaim(fresh('bad')) as object),
        spec: { requirements: 7 },
      } as Json);
      expect(result).toMatchObject({ error: { kind: 'invalid', message: expect.stringContaining('spec.') } });
    });

    it('deletes only the object of that uid, and says so when it is gone', async () => {
      const name = fresh('node');
      const made = await created(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
      expect(await api.delete(nodes, { name }, { uid: 'another' })).toMatchObject({ error: { kind: 'conflict' } });
      expect(await api.delete(nodes, { name }, { uid: made.metadata.uid })).toMatchObject({ ok: true });
      expect(await api.delete(nodes, { name }, { uid: made.metadata.uid })).toMatchObject({
        error: { kind: 'not-found' },
      });
    });

    it('keeps an object with a finalizer until that is dropped', async () => {
      const name = fresh('claim');
      await created(nodeClaims, aClaim(name, { finalizers: ['karpenter.sh/termination'] }));
      expect(await api.delete(nodeClaims, { name }, {})).toMatchObject({ ok: true });
      expect(await api.get(nodeClaims, { name })).toMatchObject({
        value: { metadata: { deletionTimestamp: expect.any(String) } },
      });
      // The answer to the patch that drops the last finalizer is still the object.
      expect(await api.mergePatch(nodeClaims, { name }, { metadata: { finalizers: null } })).toMatchObject({
        ok: true,
      });
      expect(await api.get(nodeClaims, { name })).toMatchObject({ error: { kind: 'not-found' } });
    });

    it('evicts the pod of that uid and no namesake', async () => {
      // A pod that does not run yet is refused as well, but only after ten seconds of trying.
      const name = await runningPod(fresh('app'));
      const ref = { name, namespace: 'default' };
      const made = await must(api.get(pods, ref));
      expect(await api.evict(ref, 'another')).toMatchObject({ error: { kind: 'conflict' } });
      expect(await api.evict(ref, made.metadata.uid)).toMatchObject({ ok: true });
      expect(await api.evict({ name: fresh('none'), namespace: 'default' }, 'x')).toMatchObject({
        error: { kind: 'not-found' },
      });
    });

    it('refuses an eviction for the sake of a budget, and says which and that it is one', async () => {
      const app = fresh('app');
      const name = await runningPod(app);
      const { uid } = (await must(api.get(pods, { name, namespace: 'default' }))).metadata;
      await budgetFor(app, 0);
      const ref = { name, namespace: 'default' };
      expect(await api.evict(ref, uid)).toMatchObject({
        error: { kind: 'throttled', refusedBy: 'budget', message: expect.stringContaining('needs 1 healthy pods') },
      });
      await budgetFor(app, 0);
      expect(await api.evict(ref, uid)).toMatchObject({ error: { kind: 'invalid', refusedBy: 'several-budgets' } });
    });

    async function runningPod(app: string): Promise<string> {
      const name = fresh('pod');
      const pod = aPod(name) as { metadata: { [key: string]: Json } };
      await created(pods, { ...pod, metadata: { ...pod.metadata, labels: { app } } });
      const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      await must(api.mergePatch(pods, { name, namespace: 'default' }, { status }, { subresource: 'status' }));
      return name;
    }

    async function budgetFor(app: string, disruptionsAllowed: number): Promise<void> {
      const name = fresh('budget');
      await created(podDisruptionBudgets, {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name, namespace: 'default' },
        spec: { minAvailable: 1, selector: { matchLabels: { app } } },
      });
      const counts = { expectedPods: 1, currentHealthy: 1, desiredHealthy: 1 };
      const status = { observedGeneration: 1, disruptionsAllowed, ...counts };
      const ref = { name, namespace: 'default' };
      await must(api.mergePatch(podDisruptionBudgets, ref, { status }, { subresource: 'status' }));
    }

    it('applies: what is no longer applied goes, what others own conflicts unless forced', async () => {
      const name = fresh('map');
      const ref = { name, namespace: 'default' };
      const map = (data: { [key: string]: Json }, metadata: { [key: string]: Json } = {}): Json => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { ...ref, ...metadata },
        data,
      });
      const made = await must(api.apply(configMaps, map({ a: '1', b: '2' })));
      // A merge patch is by the same name, but another operation: the server keeps the two apart.
      await must(api.mergePatch(configMaps, ref, { data: { theirs: 'yes', a: '7' } }));
      expect(await api.apply(configMaps, map({ a: '1' }))).toMatchObject({
        error: { kind: 'conflict', message: expect.stringContaining('.data.a') },
      });
      expect(await api.apply(configMaps, map({ a: '1' }), { force: true })).toMatchObject({
        ok: true,
        value: { metadata: { uid: made.metadata.uid }, data: { a: '1', theirs: 'yes' } },
      });
      expect(await must(api.get(configMaps, ref))).not.toHaveProperty('data.b');
      expect(await api.apply(configMaps, map({ a: '2' }, { uid: other }))).toMatchObject({
        error: { kind: 'conflict' },
      });
      expect(await api.apply(configMaps, map({ a: '2' }, { name: fresh('none'), uid: other }))).toMatchObject({
        error: { kind: 'conflict' },
      });
    });

    it('applies a status, and creates nothing by it', async () => {
      const name = fresh('claim');
      const { apiVersion, kind } = aClaim(name) as { apiVersion: string; kind: string };
      const status = { apiVersion, kind, metadata: { name }, status: { nodeName: 'n' } };
      expect(await api.apply(nodeClaims, status, { subresource: 'status' })).toMatchObject({
        error: { kind: 'not-found' },
      });
      await created(nodeClaims, aClaim(name));
      expect(await api.apply(nodeClaims, status, { subresource: 'status' })).toMatchObject({
        value: { status: { nodeName: 'n' } },
      });
    });

    it('answers conflict to a merge patch for another uid, in the status of a built-in kind too', async () => {
      const name = fresh('same');
      const node = await created(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
      await created(nodeClaims, aClaim(name));
      const patch = { metadata: { uid: other, labels: { a: 'b' } } };
      for (const resource of [nodes, nodeClaims]) {
        expect(await api.mergePatch(resource, { name }, patch)).toMatchObject({ error: { kind: 'conflict' } });
      }
      const ofNode = (uid: string): Json => ({ metadata: { uid }, status: { phase: 'Running' } });
      const inStatus = { subresource: 'status' } as const;
      expect(await api.mergePatch(nodes, { name }, ofNode(other), inStatus)).toMatchObject({
        error: { kind: 'conflict' },
      });
      expect(await api.mergePatch(nodes, { name }, ofNode(node.metadata.uid), inStatus)).toMatchObject({ ok: true });
    });

    it('guards the status of a claim by its version alone: there the server does not look at the uid', async () => {
      const name = fresh('claim');
      const { resourceVersion } = (await created(nodeClaims, aClaim(name))).metadata;
      const patch = (metadata: { [key: string]: Json }): Json => ({ metadata, status: { nodeName: 'n' } });
      const inStatus = { subresource: 'status' } as const;
      expect(await api.mergePatch(nodeClaims, { name }, patch({ uid: other }), inStatus)).toMatchObject({ ok: true });
      expect(
        await api.mergePatch(nodeClaims, { name }, patch({ uid: other, resourceVersion }), inStatus),
      ).toMatchObject({
        error: { kind: 'conflict' },
      });
    });

    it('deletes only the version that it was told', async () => {
      const name = fresh('claim');
      const { resourceVersion } = (await created(nodeClaims, aClaim(name))).metadata;
      await api.mergePatch(nodeClaims, { name }, { metadata: { labels: { x: 'y' } } });
      expect(await api.delete(nodeClaims, { name }, { resourceVersion })).toMatchObject({
        error: { kind: 'conflict' },
      });
      expect(await api.get(nodeClaims, { name })).toMatchObject({ ok: true });
    });

    it('lists in pages of one moment, with selectors', async () => {
      const mark = fresh('mark');
      for (let index = 0; index < 5; index += 1)
        await created(nodeClaims, aClaim(fresh('claim'), { labels: { mark } }));
      const first = await api.list(nodeClaims, { labelSelector: `mark=${mark}`, limit: 2 });
      expect(first).toMatchObject({ ok: true, value: { items: { length: 2 }, continue: expect.any(String) } });
      const names: string[] = [];
      const all = await listAll(
        api,
        nodeClaims,
        { labelSelector: `mark=${mark}`, limit: 2 },
        {
          onItem: (item) => void names.push(item.metadata.name),
        },
      );
      expect(all).toMatchObject({ ok: true });
      expect(new Set(names).size).toBe(5);
    });

    it('watches from a version: what came, changed and went since', async () => {
      const mark = fresh('mark');
      const listed = await api.list(nodeClaims, { limit: 1 });
      if (!listed.ok) throw new Error(listed.error.message);
      const name = fresh('claim');
      await created(nodeClaims, aClaim(name, { labels: { mark } }));
      await api.mergePatch(nodeClaims, { name }, { metadata: { annotations: { x: 'y' } } });
      await api.delete(nodeClaims, { name }, {});
      const stop = new AbortController();
      const seen: string[] = [];
      const end = await api.watch(
        nodeClaims,
        { resourceVersion: listed.value.resourceVersion, labelSelector: `mark=${mark}` },
        (event: WatchEvent<KubeObject>) => {
          if (event.type === 'bookmark') return;
          seen.push(`${event.type} ${event.object.metadata.name}`);
          if (event.type === 'deleted') stop.abort();
        },
        stop.signal,
      );
      expect(seen).toEqual([`added ${name}`, `modified ${name}`, `deleted ${name}`]);
      expect(end).toEqual({ end: 'closed' });
    });
  });
}
