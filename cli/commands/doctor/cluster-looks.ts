/** The cluster of the kubeconfig, seen with the rights of whoever asks. */

import type { Check } from '../../../shared/base/checks.ts';
import { defined } from '../../../shared/base/defined.ts';
import { type ClusterApi, namespaces } from '../../../shared/kube/contract.ts';
import { checkCrds } from '../../../shared/kube/crds/installed-crds.ts';
import { rightsOf } from '../../../shared/kube/rights.ts';
import { checkRights } from '../../../shared/ownership/check-rights.ts';
import type { NodeClassKind } from '../../../shared/providers/contract.ts';
import { manifests } from '../../../shared/providers/manifests.ts';
import { kindsOf } from '../../../shared/providers/serving.ts';
import { whichCluster } from '../../reach/which-cluster.ts';
import { UserError } from '../../terminal/user-error.ts';
import { notChecked } from './looks.ts';
import type { Patient, Reached } from './patient.ts';

const apiOf = (cluster: Reached<ClusterApi>): ClusterApi => {
  if ('problem' in cluster) throw cluster.problem;
  return cluster.api;
};

export async function reachChecks({ cluster }: Patient): Promise<Check[]> {
  const name = 'API server';
  const failed = (message: string): Check[] => [
    { name, state: 'fail', message, code: 'NoClusterAccess', repair: 'kubectl cluster-info, with the same kubeconfig' },
  ];
  if ('problem' in cluster) return failed(cluster.problem.message);
  const found = await cluster.api.get(namespaces, { name: 'kube-system' });
  if (found.ok)
    return [
      {
        name,
        state: 'pass',
        message: `reachable; the uid of its kube-system namespace is ${found.value.metadata.uid}`,
      },
    ];
  if (found.error.kind === 'unauthorised') {
    return [{ name, state: 'warn', message: `reachable, but: ${found.error.message}`, code: 'Unauthorized' }];
  }
  return failed(found.error.message);
}

/** What a person who looks needs; who makes claims needs more. */
export async function rightChecks(patient: Patient): Promise<Check[]> {
  const name = 'your rights';
  const api = apiOf(patient.cluster);
  const alive = await api.get(namespaces, { name: 'kube-system' });
  if (!alive.ok && alive.error.kind !== 'unauthorised') return [notChecked(name, alive.error.message)];
  const rights = rightsOf({
    nodeClasses: await usedKinds(patient),
    namespace: 'poolwright',
    lease: { namespace: 'kube-system', name: 'poolwright' },
  });
  const refused = await checkRights(api, rights.reader);
  if (refused.length === 0)
    return [{ name, state: 'pass', message: 'all permissions that poolwright get and explain need' }];
  const repair = 'kubectl apply -f infra/kubernetes/rbac/reader.yaml, and a binding for you';
  return refused.map((problem) => ({
    name,
    state: 'warn',
    message: `you ${problem}`,
    code: 'Unauthorized',
    repair,
  }));
}

export async function definitionChecks(patient: Patient): Promise<Check[]> {
  const name = 'definitions';
  const checked = await checkCrds(apiOf(patient.cluster), { nodeClasses: await usedKinds(patient) });
  if (!checked.ok) return [notChecked(name, checked.error.message)];
  return checked.value.findings.map(({ name: crd, state, required, madeBy, problem }): Check => {
    const label = `definition ${crd}`;
    const maker = madeBy === undefined ? '' : `, made by ${madeBy}`;
    if (state === 'usable') return { name: label, state: 'pass', message: `usable${maker}` };
    const repair = state === 'missing' ? 'poolwright crds install' : `kubectl describe crd ${crd}`;
    const code = 'ClusterNotUsable';
    return { name: label, state: required ? 'fail' : 'warn', message: problem ?? state, code, repair };
  });
}

/** Only those of the providers in use, where that is known: nobody misses the others. */
async function usedKinds({ providers }: Patient): Promise<NodeClassKind[]> {
  const used = await providers().catch(() => []);
  const kinds = new Set(used.flatMap(({ nodeClasses }) => nodeClasses));
  return kindsOf(manifests).filter(({ kind }) => kinds.has(kind));
}

export async function servedChecks({ cluster, host }: Patient): Promise<Check[]> {
  const name = 'served by the host';
  if ('problem' in host) return [notChecked(name, host.problem.message)];
  try {
    const known = await whichCluster(host.api, apiOf(cluster), undefined);
    return [{ name, state: 'pass', message: `the host knows it as ${known}` }];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [{ name, state: 'warn', message: error.message, ...defined({ code: error.code }) }];
  }
}
