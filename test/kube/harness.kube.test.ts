import { existsSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { configMaps } from '../../shared/kube/contract.ts';
import { startKubeApiserver } from './apiserver.ts';
import { freshName, useKube } from './use-kube.ts';

it('a service account has the rights that it was given and no others', async () => {
  const kube = useKube();
  const name = freshName('reader');
  const metadata = { name, namespace: 'default' };
  const rbac = 'rbac.authorization.k8s.io';
  await kube.apply(
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'Role',
      metadata,
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', ...metadata }],
    },
  );
  const api = kube.connect({ token: await kube.tokenFor(metadata) });
  onTestFinished(() => api.close());
  expect(await api.list(configMaps, { namespace: 'default' })).toMatchObject({ ok: true });
  expect(await api.list(configMaps)).toMatchObject({ ok: false, error: { message: expect.stringContaining(name) } });
});

it('a server of its own has an audit log, and is gone with its data when it is stopped', async () => {
  const server = await startKubeApiserver({ audit: true });
  await server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } });
  await expect.poll(() => existsSync(server.auditLog)).toBe(true);
  await server.stop();
  expect(existsSync(server.kubeconfig)).toBe(false);
  expect(() => process.kill(server.pids.apiserver, 0)).toThrow('ESRCH');
});
