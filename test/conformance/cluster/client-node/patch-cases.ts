import {
  CoreV1Api,
  CustomObjectsApi,
  KubernetesObjectApi,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node';
import { expect, it } from 'vitest';
import { type CurrentWorld, connected, freshName, refusal } from './world.ts';

const namespace = 'default';
const as = (strategy: PatchStrategy) => setHeaderOptions('Content-Type', strategy);

export function patchCases(current: CurrentWorld): void {
  const core = () => connected(current()).makeApiClient(CoreV1Api);

  async function aMap(metadata: object = {}): Promise<string> {
    const name = freshName('map');
    const data = { kept: '1', gone: '2' };
    await core().createNamespacedConfigMap({ namespace, body: { metadata: { name, ...metadata }, data } });
    return name;
  }

  it('by operations, which all hold or none does', async () => {
    const name = await aMap();
    const operations = [
      { op: 'test', path: '/data/kept', value: '1' },
      { op: 'remove', path: '/data/gone' },
      { op: 'add', path: '/data/new', value: '3' },
    ];
    const patched = await core().patchNamespacedConfigMap(
      { name, namespace, body: operations },
      as(PatchStrategy.JsonPatch),
    );
    expect(patched.data).toEqual({ kept: '1', new: '3' });
    const failing = [
      { op: 'replace', path: '/data/kept', value: '9' },
      { op: 'test', path: '/data/new', value: 'x' },
    ];
    const said = await refusal(
      core().patchNamespacedConfigMap({ name, namespace, body: failing }, as(PatchStrategy.JsonPatch)),
    );
    expect(said).toMatchObject({ code: 422, reason: 'Invalid' });
    expect((await core().readNamespacedConfigMap({ name, namespace })).data).toEqual({ kept: '1', new: '3' });
  });

  it('by a merge, in which null removes', async () => {
    const name = await aMap({ finalizers: ['example.com/one'] });
    const body = { metadata: { finalizers: ['example.com/two'] }, data: { gone: null, new: '3' } };
    const patched = await core().patchNamespacedConfigMap({ name, namespace, body }, as(PatchStrategy.MergePatch));
    expect(patched.data).toEqual({ kept: '1', new: '3' });
    expect(patched.metadata?.finalizers).toEqual(['example.com/two']);
    const none = { metadata: { finalizers: null } };
    await core().patchNamespacedConfigMap({ name, namespace, body: none }, as(PatchStrategy.MergePatch));
  });

  it('by a merge only from the version that was read', async () => {
    const name = await aMap();
    const body = { metadata: { resourceVersion: '1' }, data: { new: '3' } };
    const said = await refusal(
      core().patchNamespacedConfigMap({ name, namespace, body }, as(PatchStrategy.MergePatch)),
    );
    expect(said).toMatchObject({ code: 409, reason: 'Conflict' });
  });

  it('strategically, which adds to lists where a merge replaces them', async () => {
    const name = freshName('node');
    const conditions = [{ type: 'Ready', status: 'True' }];
    await core().createNode({ body: { metadata: { name, finalizers: ['example.com/one'] } } });
    const strategic = as(PatchStrategy.StrategicMergePatch);
    const body = { metadata: { finalizers: ['example.com/two'] } };
    const patched = await core().patchNode({ name, body }, strategic);
    expect(new Set(patched.metadata?.finalizers)).toEqual(new Set(['example.com/one', 'example.com/two']));
    await core().patchNodeStatus({ name, body: { status: { conditions } } }, strategic);
    const more = { status: { conditions: [{ type: 'DiskPressure', status: 'False' }] } };
    const { status } = await core().patchNodeStatus({ name, body: more }, strategic);
    expect(new Set(status?.conditions?.map(({ type }) => type))).toEqual(new Set(['Ready', 'DiskPressure']));
  });

  it('a custom kind not strategically, because the server does not know its lists', async () => {
    const custom = connected(current()).makeApiClient(CustomObjectsApi);
    const kind = { group: 'karpenter.sh', version: 'v1', plural: 'nodeclaims' };
    const name = freshName('claim');
    const body = {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name },
      spec: { nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' }, requirements: [] },
    };
    await custom.createClusterCustomObject({ ...kind, body });
    const patch = { ...kind, name, body: { metadata: { labels: { a: '1' } } } };
    const strategic = as(PatchStrategy.StrategicMergePatch);
    expect(await refusal(custom.patchClusterCustomObject(patch, strategic))).toMatchObject({ code: 415 });
    const merged = await custom.patchClusterCustomObject(patch, as(PatchStrategy.MergePatch));
    expect(merged).toMatchObject({ metadata: { labels: { a: '1' } } });
  });

  it('by server-side apply: makes, owns, gives up, and meets the owner of a field', async () => {
    const objects = KubernetesObjectApi.makeApiClient(connected(current()));
    const name = freshName('applied');
    const apply = (manager: string, data: Record<string, string>, force = false) =>
      objects.patch(
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data },
        undefined,
        undefined,
        manager,
        force,
        PatchStrategy.ServerSideApply,
      );
    expect(await apply('one', { a: '1', b: '1' })).toMatchObject({ data: { a: '1', b: '1' } });
    expect((await apply('one', { a: '1' })).data).toEqual({ a: '1' });
    const said = await refusal(apply('two', { a: '2' }));
    expect(said).toMatchObject({ code: 409, reason: 'Conflict', message: expect.stringContaining('"one"') });
    expect((await apply('two', { a: '2' }, true)).data).toEqual({ a: '2' });
    const read = await core().readNamespacedConfigMap({ name, namespace });
    const owners = read.metadata?.managedFields?.map(({ manager, operation }) => `${operation} by ${manager}`);
    expect(owners).toContain('Apply by two');
    // The record of owners comes back as the client writes it, with other times; the field still changes hands.
    await core().replaceNamespacedConfigMap({ name, namespace, body: { ...read, data: { a: '9' } } });
    expect(await refusal(apply('two', { a: '2' }))).toMatchObject({ code: 409, reason: 'Conflict' });
  });
}
