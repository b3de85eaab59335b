/** The product's own accounts on a real cluster, with exactly the rights of the list and no other. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { rbacObjects } from '../../infra/kubernetes/rbac-manifests.ts';
import { usualRights } from '../../scripts/generate/rbac.ts';
import { type AccountName, type Right, type RightsOptions, rightsOf } from '../../shared/kube/rights.ts';
import { checkRights } from '../../shared/ownership/check-rights.ts';
import type { KubeCluster } from './cluster.ts';

export interface ProductAccount {
  /** Where the account's rights are, for those who take one away. */
  readonly rights: readonly Right[];
  readonly token: string;
  /** The path of a kubeconfig of this account. */
  readonly kubeconfig: string;
}

const serviceAccountOf = { bridge: 'poolwright-bridge', provisioner: 'poolwright-host' } as const;

/** Applies what an administrator would apply, and waits until the server heeds it. */
export async function productAccount(
  kube: KubeCluster,
  account: 'bridge' | 'provisioner',
  directory: string,
  options: Partial<RightsOptions> = {},
): Promise<ProductAccount> {
  const wanted: RightsOptions = { ...usualRights, ...options };
  await applyRights(kube, account, wanted);
  const rights = rightsOf(wanted)[account];
  const name = serviceAccountOf[account];
  const token = await kube.tokenFor({ namespace: wanted.namespace, name });
  const api = kube.connect({ token });
  try {
    // The authorizer follows the roles by a watch of its own.
    for (let look = 0; (await checkRights(api, rights)).length > 0; look += 1) {
      if (look > 200) throw new Error(`the rights of ${name} did not come into force`);
      await pause(25);
    }
  } finally {
    api.close();
  }
  return { rights, token, kubeconfig: kubeconfigFor(kube, directory, name, token) };
}

export async function applyRights(kube: KubeCluster, account: AccountName, options: RightsOptions): Promise<void> {
  await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: options.namespace } });
  await kube.apply(...rbacObjects(account, options).map((object) => ({ ...object })));
}

function kubeconfigFor({ access }: KubeCluster, directory: string, name: string, token: string): string {
  const { url: server, ca } = access;
  const cluster = { server, ...(ca === undefined ? {} : { 'certificate-authority-data': btoa(ca) }) };
  const path = join(directory, `${name}.kubeconfig`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: name } }],
    clusters: [{ name: 'test', cluster }],
    users: [{ name, user: { token } }],
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}
