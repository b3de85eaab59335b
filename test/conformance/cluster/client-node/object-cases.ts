import {
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubernetesObjectApi,
  PolicyV1Api,
  V1MicroTime,
  type V1Node,
  VersionApi,
} from '@kubernetes/client-node';
import { expect, it } from 'vitest';
import { type CurrentWorld, connected, freshName, objectAsItCame, refusal } from './world.ts';

const namespace = 'default';
const karpenter = { group: 'karpenter.sh', version: 'v1', plural: 'nodeclaims' };

const aClaim = (name: string) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name },
  spec: { nodeClassRef: { group: 'poolwright.dev', kind: 'SimNodeClass', name: 'default' }, requirements: [] },
});

export function objectCases(current: CurrentWorld): void {
  const core = () => connected(current()).makeApiClient(CoreV1Api);

  it('asks for the version of the server', async () => {
    const version = await connected(current()).makeApiClient(VersionApi).getCode();
    expect(version).toMatchObject({ major: '1', gitVersion: expect.stringMatching(/^v1\.\d+/) });
  });

  it('makes a Node, reads its times as dates, replaces it and deletes it', async () => {
    const name = freshName('node');
    const body: V1Node = { metadata: { name, labels: { a: '1' } }, spec: { providerID: `sim://${name}` } };
    const made = await core().createNode({ body });
    expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date);
    const changed = { ...made, spec: { ...made.spec, unschedulable: true } };
    const replaced = await core().replaceNode({ name, body: changed });
    expect(replaced.spec).toMatchObject({ providerID: `sim://${name}`, unschedulable: true });
    expect(await refusal(core().replaceNode({ name, body: made }))).toMatchObject({ code: 409, reason: 'Conflict' });
    await core().deleteNode({ name });
    expect(await refusal(core().readNode({ name }))).toMatchObject({ code: 404, reason: 'NotFound' });
  });

  it('is told that a name is taken', async () => {
    const body = { metadata: { name: freshName('map') }, data: { a: '1' } };
    await core().createNamespacedConfigMap({ namespace, body });
    expect(await refusal(core().createNamespacedConfigMap({ namespace, body }))).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
    });
  });

  it('makes a name from its beginning', async () => {
    const generateName = `${freshName('made')}-`;
    const made = await core().createNamespacedConfigMap({ namespace, body: { metadata: { generateName } } });
    expect(made.metadata?.name).toMatch(new RegExp(`^${generateName}.{5}$`));
  });

  it('lists page by page, and by label and field', async () => {
    const run = freshName('run');
    const names = ['a', 'b', 'c'].map((one) => `${run}-${one}`);
    for (const name of names) {
      const body = { metadata: { name, labels: { run } } };
      await core().createNamespacedConfigMap({ namespace, body });
    }
    const labelSelector = `run=${run}`;
    const first = await core().listNamespacedConfigMap({ namespace, labelSelector, limit: 2 });
    const next = first.metadata?._continue ?? '';
    expect(next).not.toBe('');
    const second = await core().listNamespacedConfigMap({ namespace, labelSelector, limit: 2, _continue: next });
    expect([...first.items, ...second.items].map(({ metadata }) => metadata?.name)).toEqual(names);
    expect(second.metadata?._continue ?? '').toBe('');
    const fieldSelector = `metadata.name=${names[1]}`;
    const one = await core().listNamespacedConfigMap({ namespace, fieldSelector });
    expect(one.items.map(({ metadata }) => metadata?.name)).toEqual([names[1]]);
  });

  it('deletes only the object that it means', async () => {
    const name = freshName('map');
    const made = await core().createNamespacedConfigMap({ namespace, body: { metadata: { name } } });
    const wrong = { preconditions: { uid: '00000000-0000-4000-8000-000000000000' } };
    const meant = { preconditions: { uid: made.metadata?.uid ?? '' } };
    expect(await refusal(core().deleteNamespacedConfigMap({ name, namespace, body: wrong }))).toMatchObject({
      code: 409,
      reason: 'Conflict',
    });
    await core().deleteNamespacedConfigMap({ name, namespace, body: meant });
  });

  it('gets times back in the one form of the server, in whatever form it sent them', async () => {
    const name = freshName('node');
    const made = await core().createNode({ body: { metadata: { name } } });
    const lastTransitionTime = new Date('2026-05-01T12:00:00.789Z');
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime }];
    // The client writes every time with three digits of a second, that of the creation as well.
    await core().replaceNodeStatus({ name, body: { ...made, status: { conditions } } });
    const read = await objectAsItCame(current(), `/api/v1/nodes/${name}`);
    expect(read.status.conditions).toMatchObject([{ lastTransitionTime: '2026-05-01T12:00:00Z' }]);
    expect(read.metadata.creationTimestamp).toMatch(/:\d\dZ$/);
    for (const { time } of read.metadata.managedFields ?? []) expect(time).toMatch(/:\d\dZ$/);
  });

  it('keeps the microseconds of a Lease', async () => {
    const api = connected(current()).makeApiClient(CoordinationV1Api);
    const name = freshName('lease');
    const spec = { holderIdentity: 'peer', renewTime: new V1MicroTime('2026-05-01T12:00:00.123Z') };
    await api.createNamespacedLease({ namespace, body: { metadata: { name }, spec } });
    const read = await objectAsItCame(current(), `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`);
    expect(read.spec).toEqual({ holderIdentity: 'peer', renewTime: '2026-05-01T12:00:00.123000Z' });
  });

  it('finds a custom kind by asking the server, and writes its status apart from its spec', async () => {
    const name = freshName('claim');
    const objects = KubernetesObjectApi.makeApiClient(connected(current()));
    const made = await objects.create({ ...aClaim(name), status: { nodeName: 'ignored' } });
    expect(made).not.toHaveProperty('status.nodeName');
    const custom = connected(current()).makeApiClient(CustomObjectsApi);
    const written = { ...made, status: { nodeName: 'n1' }, spec: { ...aClaim(name).spec, expireAfter: '1h' } };
    await custom.replaceClusterCustomObjectStatus({ ...karpenter, name, body: written });
    const read = await custom.getClusterCustomObject({ ...karpenter, name });
    expect(read).toMatchObject({ status: { nodeName: 'n1' } });
    expect(read).not.toMatchObject({ spec: { expireAfter: '1h' } });
  });

  it('is told which field of a custom object is wrong', async () => {
    const custom = connected(current()).makeApiClient(CustomObjectsApi);
    const body = { ...aClaim(freshName('claim')), spec: { requirements: 'none' } };
    const said = await refusal(custom.createClusterCustomObject({ ...karpenter, body }));
    expect(said).toMatchObject({ code: 422, reason: 'Invalid', message: expect.stringContaining('spec.requirements') });
  });

  it('is refused an eviction for the sake of a budget', async () => {
    const name = freshName('pod');
    const labels = { app: name };
    const containers = [{ name: 'main', image: 'none' }];
    await core().createNamespacedPod({ namespace, body: { metadata: { name, labels }, spec: { containers } } });
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    const pod = await core().readNamespacedPod({ name, namespace });
    await core().replaceNamespacedPodStatus({ name, namespace, body: { ...pod, status } });
    const policy = connected(current()).makeApiClient(PolicyV1Api);
    const budget = { metadata: { name }, spec: { minAvailable: 1, selector: { matchLabels: labels } } };
    await policy.createNamespacedPodDisruptionBudget({ namespace, body: budget });
    const said = await refusal(
      core().createNamespacedPodEviction({ name, namespace, body: { metadata: { name, namespace } } }),
    );
    expect(said).toMatchObject({ code: 429, reason: 'TooManyRequests' });
  });
}
