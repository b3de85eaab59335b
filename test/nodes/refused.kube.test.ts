/** What a real API server answers when a policy refuses a change to a Node: not a conflict, which would be tried for ever. */
import { expect, it } from 'vitest';
import type { Json } from '../../shared/base/json.ts';
import { type JsonPatchOperation, nodes, type Resource } from '../../shared/kube/contract.ts';
import { useOwnKube } from '../kube/own-kube.ts';

const kube = useOwnKube();
const admission = (plural: string, kind: string): Resource => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced: false,
});
const policies = admission('validatingadmissionpolicies', 'ValidatingAdmissionPolicy');
const bindings = admission('validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding');
const apiVersion = 'admissionregistration.k8s.io/v1';

it('a policy that refuses a JSON patch with tests is told from a test that fails', async () => {
  const api = kube().connect();
  const create = async (resource: Resource, object: Json): Promise<string> => {
    const made = await api.create(resource, object);
    if (!made.ok) throw new Error(made.error.message);
    return made.value.metadata.uid;
  };
  const name = 'guarded';
  const uid = await create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
  await create(policies, {
    apiVersion,
    kind: policies.kind,
    metadata: { name: 'no-labels' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['nodes'] }],
      },
      validations: [{ expression: "!has(object.metadata.labels) || !('ours' in object.metadata.labels)" }],
    },
  });
  await create(bindings, {
    apiVersion,
    kind: bindings.kind,
    metadata: { name: 'no-labels' },
    spec: { policyName: 'no-labels', validationActions: ['Deny'] },
  });
  const label = (testedUid: string): JsonPatchOperation[] => [
    { op: 'test', path: '/metadata/uid', value: testedUid },
    { op: 'add', path: '/metadata/labels', value: { ours: 'true' } },
  ];
  // A policy takes effect a moment after it is stored.
  await expect.poll(async () => (await api.jsonPatch(nodes, { name }, label(uid))).ok).toBe(false);
  expect(await api.jsonPatch(nodes, { name }, label(uid))).toMatchObject({
    error: { kind: 'invalid', message: expect.stringContaining('no-labels') },
  });
  expect(await api.jsonPatch(nodes, { name }, label('other'))).toMatchObject({ error: { kind: 'conflict' } });
});
