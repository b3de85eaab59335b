/** Why a cluster would not answer, as something that a person can mend. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Failure } from '../../shared/base/result.ts';
import { type ClusterApi, failureCodes, type Resource } from '../../shared/kube/contract.ts';
import { printable } from '../terminal/text-table.ts';
import { UserError } from '../terminal/user-error.ts';

export function clusterProblem(failure: Failure, { name }: ClusterApi, { plural, group }: Resource): UserError {
  const message = printable(failure.message);
  const what = group === '' ? plural : `${plural}.${group}`;
  const told = (text: string, code: string): UserError => new UserError(text, { code, cause: failure.cause });
  if (failure.code === failureCodes.unauthenticated) {
    return told(`Cluster ${name} rejected your credentials: ${message}`, 'NoClusterAccess');
  }
  if (failure.kind === 'unauthorised') {
    const advice = `Ask for permission to list and watch ${what}, or pass --context to use another user.`;
    return told(`You do not have permission to list ${what} in cluster ${name}: ${message}. ${advice}`, 'NotAllowed');
  }
  if (failure.code === failureCodes.notServed) {
    const advice = "Install the CRDs with 'poolwright crds install', or pass another cluster with --context.";
    return told(`Cluster ${name} does not have the CRDs for ${what}. ${advice}`, 'ClusterNotUsable');
  }
  if (failure.kind === 'invalid') return told(`The cluster rejected the query: ${message}`, 'InvalidOption');
  const home = failure.code === 'ECONNREFUSED' ? simulatedIn(name) : undefined;
  if (home !== undefined) {
    const text = `The simulated cluster in ${home} is not running. It runs with its host; start the host with 'poolwright start --data-dir ${home}'.`;
    return told(printable(text), 'HostUnreachable');
  }
  return told(
    `Cluster ${name} is unreachable: ${message}. Check that it is running, and check --kubeconfig and --context.`,
    'ClusterUnavailable',
  );
}

/** The data directory of a host that brings its own cluster, if the kubeconfig is the one that it left there. */
function simulatedIn(kubeconfig: string): string | undefined {
  const folder = dirname(kubeconfig);
  return basename(kubeconfig) === 'kubeconfig' && existsSync(join(folder, 'cluster.db')) ? folder : undefined;
}
