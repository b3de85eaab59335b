/** Whether a cluster can be served at all; asked when it is connected, and again now and then. */

import { defined } from '../base/defined.ts';
import { ok, type Result } from '../base/result.ts';
import { type ClusterApi, type KubeObject, namespaces, type Resource } from '../kube/contract.ts';
import { checkCrds } from '../kube/crds/installed-crds.ts';
import type { Log } from '../observe/log/log.ts';
import { checkRights, type NeededRight } from './check-rights.ts';
import type { Lack } from './standing.ts';

export interface ClusterCheck {
  api: ClusterApi;
  log: Log;
  nodeClasses: readonly (Omit<Resource, 'namespaced'> & { optional?: boolean })[];
  rights: readonly NeededRight[];
}

/** What is missing. A failure: the server did not answer, so nothing is known. */
export async function checkCluster(check: ClusterCheck, signal?: AbortSignal): Promise<Result<Lack[]>> {
  const { api, log, nodeClasses, rights } = check;
  const identity = await api.get<KubeObject>(namespaces, { name: 'kube-system' }, signal);
  if (!identity.ok && identity.error.kind !== 'unauthorised') return identity;
  const refused = await checkRights(api, rights, signal);
  const crds = await checkCrds(api, { nodeClasses, ...defined({ signal }) });
  if (!crds.ok && crds.error.kind !== 'unauthorised') return crds;
  if (crds.ok && crds.value.warnings.length > 0) {
    log.write('cluster.limited', { cluster: api.name, problems: [...crds.value.warnings] });
  }
  const lacking: Lack[] = [
    ...refused.map((message) => ({ kind: 'right' as const, message })),
    ...(crds.ok ? crds.value.problems : []).map((message) => ({ kind: 'definition' as const, message })),
  ];
  if (lacking.length > 0) return ok(lacking);
  // Refused, though nobody can say which right is missing: the token itself is no good.
  const refusal = [identity, crds].find((answer) => !answer.ok);
  return ok(refusal && !refusal.ok ? [{ kind: 'access', message: refusal.error.message }] : []);
}
