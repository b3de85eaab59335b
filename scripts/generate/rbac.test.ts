import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { rbacObjects } from '../../infra/kubernetes/rbac-manifests.ts';
import { type Right, rightsOf } from '../../shared/kube/rights.ts';
import { generatedRbac, generatedRightsPage, rbacDirectory, rbacFiles, rightsPage, usualRights } from './rbac.ts';

const lists = Object.entries(rightsOf(usualRights));
const all = lists.flatMap(([, rights]) => rights);
const keyOf = ({ group, resource, namespace, names }: Right) => JSON.stringify([group, resource, namespace, names]);

describe('the manifests of the rights', () => {
  it('are up to date: run `npm run generate`', () => {
    const files = generatedRbac();
    expect(rbacFiles().sort()).toEqual([...files.keys()].sort());
    for (const [name, content] of files) expect(readFileSync(join(rbacDirectory, name), 'utf8')).toBe(content);
  });

  it('are described in a page that is up to date', () => {
    expect(readFileSync(rightsPage, 'utf8')).toBe(generatedRightsPage());
  });

  it('hold every rule of the list, with its reason', () => {
    for (const [name, content] of generatedRbac()) {
      const rights = lists.find(([account]) => `${account}.yaml` === basename(name))?.[1] ?? [];
      const rules = parseAllDocuments(content).flatMap((document) => document.toJS().rules ?? []);
      expect(rules).toHaveLength(rights.length);
      for (const { why } of rights) expect(content).toContain(`# ${why}`);
    }
  });

  it('bind roles to the accounts that run, and leave those of people to an administrator', () => {
    const kinds = (account: 'provisioner' | 'operator') => rbacObjects(account, usualRights).map(({ kind }) => kind);
    expect(kinds('provisioner')).toEqual(
      expect.arrayContaining(['ServiceAccount', 'ClusterRoleBinding', 'RoleBinding']),
    );
    expect(kinds('operator').filter((kind) => kind !== 'ClusterRole' && kind !== 'Role')).toEqual([]);
  });

  it('follow the configured namespaces', () => {
    const options = { ...usualRights, namespace: 'mine', lease: { namespace: 'leases', name: 'one' } };
    const objects = rbacObjects('provisioner', options);
    const roles = objects.filter(({ kind }) => kind === 'Role').map(({ metadata }) => metadata.namespace);
    expect(roles.sort()).toEqual(['default', 'kube-system', 'leases', 'mine']);
    expect(objects.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.namespace)).toEqual([
      'mine',
      'mine',
    ]);
  });
});

describe('the list of rights', () => {
  it('has no wildcard, and no right to give rights, or to read any secret but the ones that it names', () => {
    for (const { group, resource, verbs } of all) {
      expect([group, resource, ...verbs].join(' ')).not.toContain('*');
      expect(['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings']).not.toContain(resource.split('/')[0]);
    }
    // Accounts without rights, for the pods of Providers.
    const accounts = lists.filter(([, rights]) =>
      rights.some(({ resource }) => resource.startsWith('serviceaccounts')),
    );
    expect(accounts.map(([account]) => account)).toEqual(['providers']);
    const secrets = lists.filter(([, rights]) => rights.some(({ resource }) => resource.startsWith('secrets')));
    // The Secret with the kubeconfig of a new cluster is called as its request is.
    expect(secrets.map(([account]) => account)).toEqual(['credentials', 'requests', 'providers']);
    expect(rightsOf(usualRights).providers.filter(({ resource }) => resource.startsWith('secrets'))).toMatchObject([
      { verbs: ['create'] },
      { verbs: ['get', 'patch'], namespace: 'poolwright', names: ['poolwright-provider-authority'] },
    ]);
    expect(rightsOf(usualRights).credentials).toEqual([
      {
        group: '',
        resource: 'secrets',
        verbs: ['get'],
        namespace: 'karpenter',
        names: ['cloudstack-credentials'],
        why: expect.any(String),
        optional: true,
      },
      {
        group: '',
        resource: 'secrets',
        verbs: ['get'],
        namespace: 'karpenter',
        names: ['remote-join'],
        why: expect.any(String),
        optional: true,
      },
    ]);
  });

  it('gives the right to read credentials to those who act, and makes no account for it', () => {
    const objects = rbacObjects('credentials', usualRights);
    expect(objects.map(({ kind, metadata: { namespace } }) => [kind, namespace])).toEqual([
      ['Role', 'karpenter'],
      ['RoleBinding', 'karpenter'],
    ]);
    expect(objects[1]?.subjects?.map(({ name }) => name)).toEqual(['poolwright-host', 'poolwright-functions']);
  });

  it('names each thing once per account, and nothing without a verb or a reason', () => {
    for (const [account, rights] of lists) {
      if (account === 'operator') continue;
      expect(new Set(rights.map(keyOf)).size).toBe(rights.length);
      for (const { verbs, why } of rights) expect(verbs.length * why.length).toBeGreaterThan(0);
    }
  });

  it('lets a bridge change nothing', () => {
    const verbs = rightsOf(usualRights).bridge.flatMap((right) => right.verbs);
    expect(new Set(verbs)).toEqual(new Set(['list', 'watch', 'get']));
  });
});
