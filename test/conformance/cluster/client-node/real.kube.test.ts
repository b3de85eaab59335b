import { setTimeout as pause } from 'node:timers/promises';
import { freshName, useKube } from '../../../kube/use-kube.ts';
import { clientNodeCases } from './cases.ts';
import type { World } from './world.ts';

clientNodeCases('a real API server', async (): Promise<World> => {
  const kube = useKube();
  const name = freshName('client-node');
  const namespace = 'default';
  await kube.apply(
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  );
  const token = await kube.tokenFor({ namespace, name });
  const api = kube.connect({ token });
  try {
    // The authorizer follows the roles by a watch of its own.
    const kubeSystem = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false };
    for (let look = 0; !(await api.get(kubeSystem, { name: 'kube-system' })).ok; look += 1) {
      if (look > 200) throw new Error(`the rights of ${name} did not come into force`);
      await pause(25);
    }
  } finally {
    api.close();
  }
  return { server: kube.url, ca: kube.ca ?? '', token, close: async () => undefined };
});
